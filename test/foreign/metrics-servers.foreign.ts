// Servers of metrics that others wrote, unchanged, behind APIServices: the adapter by which custom and external metrics are tested, and
// metrics-server, which asks the kubelet. kubectl is answered the same through the embedded cluster and through a real control plane, and
// autoscalers come to the same.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { request } from "undici";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nodeName } from "../../src/cluster/controllers/node/node-object.ts";
import { createSimulatedPods } from "../../src/cluster/index.ts";
import { Pod } from "../../src/kinds/builtin/core.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import { describeOnRealApiServer } from "../support/real-api-server.ts";
import { home, shop, startEmbedded, startReal, type ClusterForOperator } from "../support/side-by-side.ts";
import { serveNode } from "../support/simulated-kubelet.ts";
import { accountFlags, extensionServerAccount } from "./extension-server-account.ts";
import { buildGoModule, hasGo } from "./go-program.ts";
import { KubectlTranscript } from "./kubectl-transcript.ts";
import { canIsolate, startPassage } from "./operators/network-of-its-own.ts";
import { startProgram, type RunningProgram } from "./running-program.ts";

const adapterVersion = "v1.36.0";
const metricsServerVersion = "v0.9.0";

/** What the servers may ask and read. */
const account = `
${extensionServerAccount("metrics")}
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: metrics-reader }
rules:
  - { apiGroups: [""], resources: [namespaces, nodes, nodes/metrics, pods, services], verbs: [get, list, watch] }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: metrics-reader }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: metrics-reader }
subjects: [{ kind: ServiceAccount, name: operator, namespace: ${home} }]
`;

const served = (port: number, versions: readonly string[]): string =>
  `
apiVersion: v1
kind: Service
metadata: { name: metrics, namespace: ${home} }
spec: { type: ExternalName, externalName: localhost, ports: [{ port: ${port} }] }
` +
  versions
    .map((each) => {
      const [version = "", ...group] = each.split(".");
      return `
---
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: { name: ${each} }
spec:
  group: ${group.join(".")}
  version: ${version}
  groupPriorityMinimum: 100
  versionPriority: ${version === "v1beta2" ? 200 : 100}
  insecureSkipTLSVerify: true
  service: { name: metrics, namespace: ${home}, port: ${port} }
`;
    })
    .join("");

const workload = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replicas: 2
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: main, image: web, resources: { requests: { cpu: 100m, memory: 64Mi } } }] }
---
apiVersion: v1
kind: Service
metadata: { name: web }
spec: { selector: { app: web }, ports: [{ port: 80 }] }
`;
const autoscaler = (metric: string): string => `
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: web }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: web }
  minReplicas: 1
  maxReplicas: 9
  behavior: { scaleDown: { stabilizationWindowSeconds: 0 } }
  metrics: [${metric}]
`;
const replicas = (count: number): string =>
  `wait --for=jsonpath={.status.readyReplicas}=${count} --timeout=120s deployment/web`;
const measured = (path: string, value: string): string =>
  `wait --for=jsonpath={.status.currentMetrics[0].${path}}=${value} --timeout=120s hpa/web`;
const seen = "get hpa web --output=jsonpath={.status.currentMetrics}";

/** Starts both clusters, and beside each what `beside` starts; stops all of it. */
function twoClusters(beside: (cluster: ClusterForOperator, folder: string) => Promise<readonly Stoppable[]>) {
  const folder = mkdtempSync(join(tmpdir(), "metrics-servers-"));
  const running: Stoppable[] = [];
  let clusters: readonly ClusterForOperator[] = [];
  beforeAll(async () => {
    clusters = await Promise.all([
      startEmbedded(),
      startReal(undefined, { controllerFlags: ["--horizontal-pod-autoscaler-sync-period=1s"] }),
    ]);
    for (const cluster of clusters) {
      await cluster.kubectl(["apply", "--filename", "-"], account);
      running.push(...(await beside(cluster, join(folder, cluster.name))));
    }
  });
  afterAll(async () => {
    await Promise.all(running.map((each) => each.stop()));
    await Promise.all(clusters.map((cluster) => cluster.stop()));
    rmSync(folder, { recursive: true, force: true });
  });
  return () => clusters;
}

interface Stoppable {
  stop(): unknown;
}

/** Waits until the API server asks it. */
async function whenAvailable(
  cluster: ClusterForOperator,
  versions: readonly string[],
  program: RunningProgram,
): Promise<void> {
  for (const each of versions) {
    const available = `wait --for=condition=Available --timeout=120s apiservice/${each}`;
    await cluster.kubectl(available.split(" ")).catch((error: unknown) => {
      throw new Error(program.said(), { cause: error });
    });
  }
}

if (!hasGo()) console.log("skipped: servers of metrics: there is no Go toolchain (go version fails)");

describeOnRealApiServer("custom-metrics-apiserver's test-adapter behind the embedded cluster and", () => {
  const made = hasGo()
    ? buildGoModule(
        "custom-metrics-apiserver",
        `sigs.k8s.io/custom-metrics-apiserver@${adapterVersion}`,
        "./test-adapter",
      )
    : { failure: "there is no Go toolchain" };
  const built =
    "failure" in made || canIsolate
      ? made
      : { failure: "it listens on every address, and this machine makes no network for it (unshare --net)" };
  if ("failure" in built) console.log(`skipped: test-adapter: ${built.failure}`);

  describe.skipIf("failure" in built)(adapterVersion, () => {
    const [securePort, writePort] = [6_443, 8_080];
    const versions = [
      "v1beta1.custom.metrics.k8s.io",
      "v1beta2.custom.metrics.k8s.io",
      "v1beta1.external.metrics.k8s.io",
    ];
    const writtenAt = new Map<ClusterForOperator, number>();
    const clusters = twoClusters(async (cluster, folder) => {
      const program = "failure" in built ? "" : (built.files[0] ?? "");
      const passage = await startPassage(cluster.client.server, [securePort, writePort]);
      const [port = 0, writes = 0] = passage.calledAt;
      writtenAt.set(cluster, writes);
      const [command = "", ...args] = passage.command;
      const adapter = startProgram(command, [
        ...args,
        program,
        ...accountFlags(cluster.kubeconfig, "lister-kubeconfig"),
        `--secure-port=${securePort}`,
        `--cert-dir=${folder}`,
      ]);
      await cluster.kubectl(["apply", "--filename", "-"], served(port, versions));
      await whenAvailable(cluster, versions, adapter);
      return [adapter, passage];
    });

    /** What is measured of an object of the shop. */
    async function measure(cluster: ClusterForOperator, path: string, value: string): Promise<void> {
      await eventually(async () => {
        const { statusCode, body } = await request(
          `http://127.0.0.1:${writtenAt.get(cluster)}/write-metrics/namespaces/${shop}/${path}`,
          { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(value) },
        );
        expect([statusCode, await body.text()]).toEqual([200, ""]);
      });
    }

    it("answers kubectl and autoscalers the same through both", async () => {
      const [embedded, real] = await Promise.all(
        clusters().map(async (cluster) => {
          const transcript = new KubectlTranscript(cluster);
          const say = (command: string, input?: string): Promise<void> => transcript.say(command, input);
          const root = "get --raw /apis/custom.metrics.k8s.io";
          await say("api-resources --api-group=custom.metrics.k8s.io --no-headers");
          await say("api-resources --api-group=external.metrics.k8s.io --no-headers");
          await say(root);
          await say("apply --filename -", workload);
          await say(replicas(2));
          await measure(cluster, "services/web/requests", "90");
          await measure(cluster, "services/web/hits?labels=verb%3DGET", "300m");
          const pods = await cluster.client.list(Pod, { namespace: shop });
          for (const { metadata } of pods.items) await measure(cluster, `pods/${metadata.name}/jobs`, "20");
          for (const version of ["v1beta1", "v1beta2"]) {
            await say(`${root}/${version}`);
            await say(`${root}/${version}/namespaces/shop/services/web/requests`);
            await say(`${root}/${version}/namespaces/shop/pods/*/jobs?labelSelector=app%3Dweb`);
            await say(`${root}/${version}/namespaces/shop/services/web/hits?metricLabelSelector=verb%3DGET`);
            await say(`${root}/${version}/namespaces/shop/services/web/hits?metricLabelSelector=verb%3DPUT`);
            await say(`${root}/${version}/namespaces/shop/services/web/nothing`);
          }
          const external = "get --raw /apis/external.metrics.k8s.io/v1beta1/namespaces/shop";
          await say(`${external}/my-external-metric`);
          await say(`${external}/my-external-metric?labelSelector=foo%3Dbaz`);
          await say(`${external}/nothing`);
          await say(
            "apply --filename -",
            autoscaler(
              "{ type: Object, object: { describedObject: { apiVersion: v1, kind: Service, name: web }, metric: { name: requests }, target: { type: AverageValue, averageValue: 15 } } }",
            ),
          );
          await say(replicas(6));
          await say(measured("object.current.averageValue", "15"));
          await say(seen);
          await say(
            "apply --filename -",
            autoscaler(
              "{ type: External, external: { metric: { name: my-external-metric, selector: { matchLabels: { foo: bar } } }, target: { type: AverageValue, averageValue: 21 } } }",
            ),
          );
          await say(replicas(2));
          await say(measured("external.current.averageValue", "21"));
          await say(seen);
          await say(
            "apply --filename -",
            autoscaler(
              "{ type: External, external: { metric: { name: nothing }, target: { type: Value, value: 1 } } }",
            ),
          );
          await say("wait --for=condition=ScalingActive=False --timeout=120s hpa/web");
          await say('get hpa web --output=jsonpath={.status.conditions[?(@.type=="ScalingActive")].message}');
          await say("delete hpa/web deployment/web service/web");
          return transcript.lines;
        }),
      );
      expect(embedded).toEqual(real);
      expect(embedded?.join("\n")).toContain("horizontalpodautoscaler.autoscaling/web created");
    });
  });
});

describeOnRealApiServer("metrics-server behind the embedded cluster and", () => {
  const built = hasGo()
    ? buildGoModule(
        "metrics-server",
        `sigs.k8s.io/metrics-server@${metricsServerVersion}`,
        "./cmd/metrics-server",
      )
    : { failure: "there is no Go toolchain" };
  if ("failure" in built) console.log(`skipped: metrics-server: ${built.failure}`);

  describe.skipIf("failure" in built)(metricsServerVersion, () => {
    const versions = ["v1beta1.metrics.k8s.io"];
    const clusters = twoClusters(async (cluster, folder) => {
      // The node of an embedded cluster has no kubelet.
      const node =
        cluster.name === "embedded" ? [await serveNode(cluster.client, nodeName, createSimulatedPods())] : [];
      const port = await freePort();
      const server = startProgram("failure" in built ? "" : (built.files[0] ?? ""), [
        ...accountFlags(cluster.kubeconfig, "kubeconfig"),
        "--bind-address=127.0.0.1",
        `--secure-port=${port}`,
        `--cert-dir=${folder}`,
        "--metric-resolution=10s",
        "--kubelet-request-timeout=5s",
        "--kubelet-insecure-tls",
        "--kubelet-use-node-status-port",
        "--kubelet-preferred-address-types=InternalIP",
      ]);
      await cluster.kubectl(["apply", "--filename", "-"], served(port, versions));
      await cluster.kubectl(["--namespace", shop, "apply", "--filename", "-"], workload);
      await whenAvailable(cluster, versions, server);
      return [...node, server];
    });

    it("answers kubectl top and autoscalers the same through both", async () => {
      const [embedded, real] = await Promise.all(
        clusters().map(async (cluster) => {
          const transcript = new KubectlTranscript(cluster);
          const say = (command: string, input?: string): Promise<void> => transcript.say(command, input);
          await say(replicas(2));
          // A rate needs two looks at a container.
          await eventually(async () => {
            const top = await cluster.kubectl(["--namespace", shop, "top", "pods", "--no-headers"]);
            expect(top.trim().split("\n").length).toBe(2);
          }, 120_000);
          await say("api-resources --api-group=metrics.k8s.io --no-headers");
          await say("top nodes");
          await say("top pods");
          await say("top pods --containers --no-headers");
          await say("top pods --sum --sort-by=cpu --selector=app=web");
          await say("top pods --selector=app=other");
          await say(
            "apply --filename -",
            autoscaler(
              "{ type: Resource, resource: { name: cpu, target: { type: Utilization, averageUtilization: 30 } } }",
            ),
          );
          await say(replicas(9));
          await say(measured("resource.current.averageUtilization", "80"));
          await say(
            'get hpa web --output=jsonpath={.status.conditions[?(@.type=="ScalingLimited")].message}',
          );
          return transcript.lines;
        }),
      );
      expect(embedded).toEqual(real);
      expect(embedded?.join("\n")).toContain("CPU(cores)");
    });
  });
});
