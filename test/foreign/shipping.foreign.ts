// What `generate manifests` and `generate bundle` write, by the tools that read it: Helm, kustomize, operator-framework's validator,
// promtool. They are built from their Go modules; skipped aloud without Go, or where a module cannot be fetched. PROMTOOL=1 builds
// promtool, too, which takes half an hour.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse, parseAllDocuments, stringify } from "yaml";
import { Website } from "../../examples/website/src/website/website.ts";
import websiteOperator from "../../examples/website/operator.ts";
import { startCluster } from "../../src/cluster/index.ts";
import type { RunningControllers } from "../../src/cluster/controllers/start-controllers.ts";
import { isNotFound } from "../../src/client/api-error.ts";
import { CustomResourceDefinition } from "../../src/kinds/builtin/apiextensions.ts";
import { Deployment } from "../../src/kinds/builtin/apps.ts";
import { createPrometheusMetrics } from "../../src/manager/prometheus-metrics.ts";
import { apiVersionOf } from "../../src/meta/resource-type.ts";
import { runCommand } from "../cli/run-in-process.ts";
import { clientOf } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { leaseControlPlane, type LeasedControlPlane } from "../support/leased-control-plane.ts";
import { describeOnRealApiServer } from "../support/real-api-server.ts";
import { startOperator } from "../support/running-operator.ts";
import { runPods } from "../support/running-pods.ts";
import { hasGo, installGo } from "./go-program.ts";
import type { KubeClient } from "../../src/client/kube-client.ts";

const root = join(import.meta.dirname, "../..");
/** Operators that differ in what they are shipped with: several replicas, a namespace, secured metrics, webhooks, no code. */
const operators = [
  ["memcached", "examples/memcached/operator.ts", "--leader-elect --replicas 2"],
  ["website", "examples/website/operator.ts", "--sharding --install-crds"],
  ["database", "examples/database/operator.ts", "--metrics-secure"],
  ["volumes", "test/webhook/volume-operator.ts", "--leader-elect"],
  ["redis", "examples/redis/operator.yaml", "--leader-elect"],
] as const;

if (!hasGo()) console.log("skipped: there is no Go toolchain (go version fails)");

const folder = mkdtempSync(join(tmpdir(), "xstate-operator-shipping-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a tool; what it has said. */
type Tool = (...args: readonly string[]) => Promise<string>;

/** Declares tests with a tool; the second one that they get reads a text. */
function describeTool(
  name: string,
  module: string,
  tests: (tool: Tool, reading: (input: string) => Tool) => void,
  { tags = [], notBuilt }: { readonly tags?: readonly string[]; readonly notBuilt?: string | undefined } = {},
): void {
  const failure = hasGo() ? notBuilt : "there is no Go toolchain";
  const built = failure === undefined ? installGo(module, tags) : { failure };
  const reason = "failure" in built ? ` (skipped: ${built.failure})` : "";
  if (reason !== "") console.log(`${name}${reason}`);
  describe.skipIf(reason !== "")(`${name}${reason}`, () => {
    const reading =
      (input: string): Tool =>
      async (...args) => {
        if ("failure" in built) throw new Error(built.failure);
        const child = spawn(built.file, args, { env: { ...process.env, HOME: folder } });
        child.stdin.end(input);
        const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
        const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
        expect(code, `${name} ${args.join(" ")}\n${out}${err}`).toBe(0);
        return out + err;
      };
    tests(reading(""), reading);
  });
}

/** Generates into a folder of its own. */
async function generated(name: string, ...args: readonly string[]): Promise<string> {
  const out = mkdtempSync(join(folder, `${name}-`));
  const { code, err } = await runCommand(["generate", ...args, "--out", out]);
  expect(code, err).toBe(0);
  return out;
}

const manifestsOf = (name: string, operator: string, flags: string, ...more: readonly string[]) =>
  generated(name, "manifests", join(root, operator), ...flags.split(" "), ...more);

const documentsOf = (yaml: string) =>
  parseAllDocuments(yaml).flatMap((document) => (document.toJS() as { kind: string } | null) ?? []);

describeTool("kustomize", "sigs.k8s.io/kustomize/kustomize/v5@v5.7.1", (kustomize) => {
  it.each(operators)("builds the layout of %s, with monitoring too", async (name, operator, flags) => {
    const out = await manifestsOf(name, operator, flags, "--format", "kustomize");
    const overlay = join(out, "overlays/default");
    const plain = documentsOf(await kustomize("build", overlay));
    const file = join(overlay, "kustomization.yaml");
    const switched = readFileSync(file, "utf8").replace(/^# (components:|  - .*components.*)$/gm, "$1");
    writeFileSync(file, switched);
    const monitored = documentsOf(await kustomize("build", overlay));
    expect(monitored.map(({ kind }) => kind).toSorted()).toEqual(
      [...plain.map(({ kind }) => kind), "PrometheusRule", "ServiceMonitor"].toSorted(),
    );
  });
});

describeTool("operator-verify", "github.com/operator-framework/api/cmd/operator-verify@v0.36.0", (verify) => {
  it.each(operators)("finds the bundle of %s in order", async (name, operator, flags) => {
    const only = flags.replace(" --install-crds", "");
    const out = await generated(name, "bundle", join(root, operator), ...only.split(" "));
    const said = await verify("manifests", out);
    expect(said).not.toMatch(/error|warning/i);
  });
});

describeTool(
  "promtool",
  "github.com/prometheus/prometheus/cmd/promtool@v0.316.0",
  (promtool, reading) => {
    it.each(operators)("finds nothing in the alerts of %s", async (name, operator) => {
      const { out } = await runCommand(["generate", "alerts", join(root, operator)]);
      const { spec } = parse(out) as { spec: object };
      const file = join(folder, `${name}-rules.yaml`);
      writeFileSync(file, stringify(spec));
      await promtool("check", "rules", "--lint=all", "--lint-fatal", file);
    });

    it("finds nothing in the metrics of an operator that has driven a resource", async () => {
      const cluster = await startCluster();
      const metrics = createPrometheusMetrics();
      const running = await startOperator(websiteOperator, cluster.kubeconfig, {
        installCrds: true,
        metrics,
      });
      const client = await clientOf(cluster.kubeconfig);
      const key = { namespace: "default", name: "shop" };
      await client.create(Website, {
        apiVersion: apiVersionOf(Website),
        kind: "Website",
        metadata: key,
        spec: {},
      });
      await eventually(async () =>
        expect((await client.get(Website, key)).status?.lifecycle?.state).toBe("Running"),
      );
      const exposed = await metrics.expose();
      await running.stop();
      await client.close();
      await cluster.stop();
      expect(exposed).toContain("xstate_operator_lifecycle_state{");
      await reading(exposed)("check", "metrics");
    });
  },
  {
    // Without the clients of clouds, which it needs for none of this.
    tags: ["remove_all_sd"],
    notBuilt: process.env["PROMTOOL"] === undefined ? "PROMTOOL=1 builds it, in half an hour" : undefined,
  },
);

describeTool("helm", "helm.sh/helm/v4/cmd/helm@v4.3.2", (helm) => {
  it.each(operators)(
    "lints the chart of %s, and renders it with every value",
    async (name, operator, flags) => {
      const chart = await manifestsOf(name, operator, flags, "--format", "helm");
      await helm("lint", "--strict", chart);
      const sharing = /elect|sharding/.test(flags);
      const values = {
        image: { repository: "registry.example.com:5000/team/operator", tag: "7", pullPolicy: "Always" },
        imagePullSecrets: [{ name: "registry" }],
        replicas: sharing ? 3 : 1,
        extraArgs: ["--workers=3", "--log-level=debug"],
        resources: { limits: { memory: "1Gi", cpu: "2" } },
        podAnnotations: { "example.com/a": "b" },
        nodeSelector: { "kubernetes.io/os": "linux" },
        tolerations: [{ key: "a", operator: "Exists" }],
        affinity: { nodeAffinity: {} },
        monitoring: { enabled: true },
      };
      const file = join(folder, `${name}-values.yaml`);
      writeFileSync(file, stringify(values));
      const documents = documentsOf(
        await helm("template", name, chart, "--namespace", "ops", "--values", file),
      );
      const deployment = documents.find(({ kind }) => kind === "Deployment") as unknown as Deployment;
      expect(deployment.spec).toMatchObject({
        replicas: values.replicas,
        template: {
          metadata: { annotations: values.podAnnotations },
          spec: {
            containers: [
              {
                image: "registry.example.com:5000/team/operator:7",
                imagePullPolicy: "Always",
                args: expect.arrayContaining(values.extraArgs) as string[],
                resources: values.resources,
              },
            ],
            imagePullSecrets: values.imagePullSecrets,
            nodeSelector: values.nodeSelector,
            tolerations: values.tolerations,
          },
        },
      });
      const kinds = documents.map(({ kind }) => kind);
      expect(kinds).toEqual(expect.arrayContaining(["ServiceMonitor", "PrometheusRule", "ServiceAccount"]));
      expect(kinds.includes("PodDisruptionBudget")).toBe(sharing);
      const without = await helm("template", name, chart, "--set", "crds.install=false");
      expect(documentsOf(without).map(({ kind }) => kind)).not.toContain("CustomResourceDefinition");
    },
  );

  describeOnRealApiServer("installs", () => {
    let plane: LeasedControlPlane;
    let client: KubeClient;
    let controllers: RunningControllers;
    beforeAll(async () => {
      plane = await leaseControlPlane({
        controllers: "none",
        apiServerFlags: ["--disable-admission-plugins=ServiceAccount"],
      });
      client = await clientOf(plane.kubeconfig);
      controllers = await runPods(client);
    });
    afterAll(async () => {
      await controllers.stop();
      await client.close();
      await plane.stop();
    });
    const release = (...args: readonly string[]): Promise<string> =>
      helm(...args, "--kubeconfig", plane.kubeconfig, "--namespace", "ops");

    it.each(operators)(
      "the chart of %s, waits for it, and changes nothing the second time",
      async (...each) => {
        const [name, operator, flags] = each;
        const chart = await manifestsOf(name, operator, flags, "--format", "helm");
        const wait = ["--wait", "--timeout", "60s"];
        await release("install", name, chart, "--create-namespace", ...wait);
        const versions = async (): Promise<readonly (string | undefined)[]> => {
          const found = await Promise.all([
            client.list(CustomResourceDefinition),
            client.list(Deployment, { namespace: "ops" }),
          ]);
          return found.flatMap(({ items }) => items.map(({ metadata }) => metadata.resourceVersion));
        };
        const before = await versions();
        await release("upgrade", name, chart, ...wait);
        expect(await versions()).toEqual(before);
      },
    );

    it("what neither `run --install-crds` nor `install` overwrites", async () => {
      const crd = { name: "websites.web.example.com" };
      const before = await client.get(CustomResourceDefinition, crd);
      const running = await startOperator(websiteOperator, plane.kubeconfig, { installCrds: true });
      await running.stop();
      expect(await client.get(CustomResourceDefinition, crd)).toEqual(before);

      const flags = ["--leader-elect", "--replicas", "1", "--operator-namespace", "ops"];
      const install = [join(root, operators[0][1]), ...flags, "--kubeconfig", plane.kubeconfig];
      const refused = await runCommand(["install", ...install]);
      expect(refused.code).toBe(1);
      expect(refused.err).toContain("INSTALL_CONFLICT");
      expect(refused.err).toContain("(helm)");
    });

    it("and keeps the definitions when it uninstalls", async () => {
      for (const [name] of operators) await release("uninstall", name, "--wait");
      const { items } = await client.list(CustomResourceDefinition);
      expect(items).toHaveLength(operators.length);
      await expect(
        client.get(Deployment, { namespace: "ops", name: "memcached-operator" }),
      ).rejects.toSatisfy(isNotFound);
    });
  });
});
