// From an empty folder to an operator in a cluster, as its user goes: the packed package is installed by npm, each step is taken on
// a terminal of 60 columns, and what was built runs with nothing but the generated account on a real API server.
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { packPackage, type PackedPackage } from "../build/packed-package.ts";
import { isForbidden, isNotFound } from "../../src/client/api-error.ts";
import type { KubeClient } from "../../src/client/kube-client.ts";
import type { RunningControllers } from "../../src/cluster/controllers/start-controllers.ts";
import { CustomResourceDefinition } from "../../src/kinds/builtin/apiextensions.ts";
import { Deployment } from "../../src/kinds/builtin/apps.ts";
import { Lease } from "../../src/kinds/builtin/coordination.ts";
import { Node, Secret } from "../../src/kinds/builtin/core.ts";
import { KubernetesEvent } from "../../src/kinds/builtin/events.ts";
import type { KubeObject } from "../../src/meta/object.ts";
import type { ResourceType } from "../../src/meta/resource-type.ts";
import { clientOf } from "../support/api-servers.ts";
import { assets } from "../support/control-plane.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import { refusedTo } from "../support/generated-access.ts";
import { leaseControlPlane, type LeasedControlPlane } from "../support/leased-control-plane.ts";
import { describeOnRealApiServer } from "../support/real-api-server.ts";
import { runPods } from "../support/running-pods.ts";
import { buildByHand, bytesIn, type BuiltByHand } from "./image-by-hand.ts";
import { noise, userAt, whyNoTerminal, type Said } from "./user-terminal.ts";

const isOnline = spawnSync("npm", ["view", "zod", "version"], { encoding: "utf8" }).status === 0;
const missing = isOnline ? whyNoTerminal : "no npm registry";
if (missing !== undefined) console.warn(`the whole way is not gone: ${missing}`);

const Memcached: ResourceType<
  KubeObject & {
    readonly spec: object;
    readonly status?: { readonly readyPods?: number; readonly lifecycle?: Lifecycle };
  }
> = {
  group: "cache.example.com",
  version: "v1alpha1",
  kind: "Memcached",
  plural: "memcacheds",
  namespaced: true,
};
interface Lifecycle {
  readonly state: string;
  readonly last?: { readonly from?: string };
}
const key = { namespace: "default", name: "first" };
const name = "memcached-operator";
const user = `system:serviceaccount:${name}:${name}`;

const manifest = `apiVersion: apps/v1
kind: Deployment
metadata: { name: "\${name}-proxy" }
spec:
  replicas: \${spec.replicas}
  selector: { matchLabels: { proxy: "\${name}" } }
  template:
    metadata: { labels: { proxy: "\${name}" } }
    spec: { containers: [{ name: proxy, image: "example.com/proxy:1" }] }
---
apiVersion: v1
kind: Secret
metadata: { name: "\${name}-auth" }
stringData: { user: me }
`;

const folder = mkdtempSync(join(tmpdir(), "xstate-operator-whole-way-"));
const project = join(folder, name);
const steps: { readonly step: string; readonly seconds: string; readonly size: string }[] = [];
const inMegabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;
function noted(step: string, { code, text, seconds }: Said, size = ""): string {
  steps.push({ step, seconds: seconds.toFixed(1), size });
  expect(code, text).toBe(0);
  // npm repeats the script that it runs.
  expect(text.replaceAll(/^> .*$/gm, "")).not.toMatch(noise);
  if (process.env["SHOW_STEPS"] !== undefined) console.log(`$ ${step}\n${text}`);
  return text;
}

describe.skipIf(missing !== undefined)("a user with an empty folder", () => {
  const they = userAt(folder, assets === undefined ? [] : [assets]);
  let packed: PackedPackage;
  beforeAll(() => {
    const begun = performance.now();
    packed = packPackage([]);
    const seconds = (performance.now() - begun) / 1_000;
    noted("npm pack", { code: 0, text: "", seconds }, inMegabytes(readFileSync(packed.tarball).length));
  });
  afterAll(() => {
    console.table(steps);
    packed.remove();
    if (process.env["KEEP_FOLDER"] === undefined) rmSync(folder, { recursive: true });
    else console.log(folder);
  });

  it("gets a project", async () => {
    const init = `init ${name} --kind Memcached --group cache.example.com --version v1alpha1`;
    noted("init", await they.run(`npx --yes --package=${packed.tarball} xstate-operator ${init}`));
    noted(
      "npm install",
      await they.run("npm install", project),
      inMegabytes(bytesIn(join(project, "node_modules"))),
    );
  });

  it("adds a kind, the objects of a manifest, and three lines", async () => {
    const create = "create api --kind BackupPlan --group cache.example.com --version v1alpha1";
    noted("create api", await they.run(`npx xstate-operator ${create}`, project));
    writeFileSync(join(project, "proxy.yaml"), manifest);
    const said = noted(
      "generate resource",
      await they.run("npx xstate-operator generate resource --kind Memcached proxy.yaml", project),
    );
    const imports = said.split("\n").flatMap((line) => /^ {2}(import .*)$/.exec(line)?.[1] ?? []);
    expect(imports).toHaveLength(3);
    const file = join(project, "src/memcached/controller.ts");
    const edits = [
      ["  owns: [Deployment],", "  owns: [Deployment, Secret],"],
      [
        "registry.add(memcachedDeployment(cr))",
        "registry.add(memcachedDeployment(cr), memcachedProxyDeployment(cr), memcachedAuthSecret(cr))",
      ],
      [
        "  steps: {",
        '  webhooks: {\n    validate: ({ object }) => (object.spec.replicas === 7 ? [{ field: "spec.replicas", message: "is unlucky" }] : []),\n  },\n  steps: {',
      ],
    ] as const;
    let text = readFileSync(file, "utf8").replace("\n\nexport", `\n${imports.join("\n")}\n\nexport`);
    for (const [before, after] of edits) {
      expect(text).toContain(before);
      text = text.replace(before, after);
    }
    writeFileSync(file, text);
    noted("npm run check", await they.run("npm run check", project));
    expect(noted("npm test", await they.run("npm test", project))).toMatch(/fail 0$/m);
  });

  it("runs it on the embedded cluster", async () => {
    const begun = performance.now();
    const running = they.begin("npm start", project);
    const kubeconfig = await running.says(/export KUBECONFIG=(\S+)/);
    await running.says(/info +running/);
    const started = (performance.now() - begun) / 1_000;
    if (assets !== undefined) {
      const kubectl = `kubectl --kubeconfig ${kubeconfig}`;
      noted("kubectl apply", await they.run(`${kubectl} apply -f samples/memcached.yaml`, project));
      const reached = "jsonpath={.status.lifecycle.state}=Running";
      noted(
        "running",
        await they.run(`${kubectl} wait memcached/first --for=${reached} --timeout=30s`, project),
      );
      const unlucky = `${kubectl} patch memcached first --type=merge -p '{"spec":{"replicas":7}}'`;
      expect((await they.run(unlucky, project)).text).toContain("spec.replicas: is unlucky");
    }
    const ended = await running.interrupt();
    // A shell between npm and the command ends by the same Ctrl-C.
    expect([0, 130]).toContain(ended.code);
    noted("npm start", { ...ended, code: 0, seconds: started });
  });

  describeOnRealApiServer("ships it to a cluster", () => {
    let plane: LeasedControlPlane;
    let client: KubeClient;
    let controllers: RunningControllers;
    let image: BuiltByHand;
    let kubeconfig: string;
    let child: ChildProcess | undefined;
    let ended: Promise<unknown> = Promise.reject(new Error("it has not been started"));
    ended.catch(() => undefined);
    let log = "";
    let ports: readonly number[];

    beforeAll(async () => {
      plane = await leaseControlPlane({
        controllers: "none",
        apiServerFlags: [
          "--enable-admission-plugins=OwnerReferencesPermissionEnforcement",
          "--disable-admission-plugins=ServiceAccount",
        ],
      });
      client = await clientOf(plane.kubeconfig);
      controllers = await runPods(client);
      ports = await Promise.all([freePort(), freePort(), freePort()]);
    });
    afterAll(async () => {
      child?.kill("SIGKILL");
      await controllers.stop();
      await client.close();
      await plane.stop();
    });

    it("as an image", async () => {
      const said = noted("npm run build", await they.run("npm run build", project));
      expect(said).toMatch(/operator\.mjs {2}\d\.\d MB, starts in \d+ ms/);
      const begun = performance.now();
      image = buildByHand(project, (command, cwd) => {
        const { status, stdout, stderr } = spawnSync("sh", ["-c", command], {
          cwd,
          env: they.env,
          encoding: "utf8",
        });
        expect(status, stdout + stderr).toBe(0);
        expect(stdout + stderr).not.toMatch(noise);
      });
      const seconds = (performance.now() - begun) / 1_000;
      noted(
        "the steps of the Dockerfile",
        { code: 0, text: "", seconds },
        inMegabytes(bytesIn(image.folder)),
      );
      expect(image.user).toBe("65532");
    });

    it("with the manifests that are generated", async () => {
      const out = join(project, "config");
      noted(
        "generate manifests",
        await they.run(
          "npx xstate-operator generate manifests operator.ts --leader-elect --out config",
          project,
        ),
      );
      // There is no network of Services here: the API server calls the address of this machine.
      const [webhookPort = 0] = ports;
      const configurations = join(out, "webhook-configurations.yaml");
      writeFileSync(
        configurations,
        readFileSync(configurations, "utf8").replaceAll("port: 443", `port: ${webhookPort}`),
      );
      const service = join(out, "webhook-service.yaml");
      const { spec: _spec, ...rest } = parse(readFileSync(service, "utf8")) as Record<string, unknown>;
      writeFileSync(
        service,
        JSON.stringify({ ...rest, spec: { type: "ExternalName", externalName: "localhost" } }),
      );
      const kubectl = `kubectl --kubeconfig ${plane.kubeconfig}`;
      noted("kubectl apply", await they.run(`${kubectl} apply --server-side --filename config`, project));

      const { token } = (
        (await client.request({
          method: "POST",
          path: `/api/v1/namespaces/${name}/serviceaccounts/${name}/token`,
          body: {
            apiVersion: "authentication.k8s.io/v1",
            kind: "TokenRequest",
            spec: { expirationSeconds: 3_600 },
          },
        })) as { status: { token: string } }
      ).status;
      // In a pod the namespace is the pod's.
      kubeconfig = join(folder, "account.kubeconfig");
      const text = readFileSync(plane.kubeconfigFor("account", token), "utf8");
      writeFileSync(kubeconfig, text.replace('"namespace":"default"', `"namespace":"${name}"`), {
        mode: 0o600,
      });
    });

    it("where it runs with its generated account alone", async () => {
      const [webhookPort, healthPort, metricsPort] = ports;
      const { spec } = await client.get(Deployment, { namespace: name, name });
      const args = (spec.template.spec?.containers[0]?.args ?? []).map((arg) =>
        arg
          .replace("webhook-bind-address=:9443", `webhook-bind-address=127.0.0.1:${webhookPort}`)
          .replace("probe-bind-address=:8081", `probe-bind-address=127.0.0.1:${healthPort}`)
          .replace("metrics-bind-address=:8080", `metrics-bind-address=127.0.0.1:${metricsPort}`),
      );
      const [, ...flags] = image.entrypoint;
      const begun = performance.now();
      child = spawn(process.execPath, [...flags, ...args, "--kubeconfig", kubeconfig], {
        cwd: image.folder,
        env: { NODE_ENV: "production" },
        stdio: ["ignore", "pipe", "pipe"],
      });
      ended = once(child, "exit").then(([code]: readonly unknown[]) => code);
      for (const stream of [child.stdout, child.stderr])
        stream?.setEncoding("utf8").on("data", (more: string) => (log += more));
      await eventually(async () => {
        expect(child?.exitCode, log).toBe(null);
        expect((await fetch(`http://127.0.0.1:${healthPort}/readyz`)).status, log).toBe(200);
      });
      noted("start", { code: 0, text: "", seconds: (performance.now() - begun) / 1_000 }, memoryOf(child));
      await eventually(async () => {
        const { spec: held } = await client.get(Lease, { namespace: name, name });
        expect(held?.holderIdentity).toBeTruthy();
      });
    });

    it("and takes a resource through its whole life", async () => {
      const kubectl = `kubectl --kubeconfig ${plane.kubeconfig}`;
      const begun = performance.now();
      await eventually(async () => {
        const sample = `sed 's/replicas: 2/replicas: 7/' samples/memcached.yaml`;
        const { text } = await they.run(`${sample} | ${kubectl} apply --filename -`, project);
        expect(text).toContain("spec.replicas: is unlucky");
      });
      noted("kubectl apply", await they.run(`${kubectl} apply --filename samples/memcached.yaml`, project));
      const reaches = (state: string, from?: string): Promise<void> =>
        eventually(async () => {
          const { status } = await client.get(Memcached, key);
          expect(status?.lifecycle).toMatchObject({
            state,
            ...(from === undefined ? {} : { last: { from } }),
          });
        });
      await reaches("Running");
      expect((await client.get(Memcached, key)).metadata.finalizers).toEqual([
        expect.stringContaining("cache.example.com"),
      ]);
      await client.get(Secret, { ...key, name: "first-auth" });
      await client.get(Deployment, { ...key, name: "first-proxy" });
      await client.patch(Deployment, key, { type: "merge", body: { spec: { replicas: 0 } } });
      await eventually(async () => {
        const { metadata, spec, status } = await client.get(Deployment, key);
        expect([spec.replicas, status?.availableReplicas]).toEqual([2, 2]);
        expect(status?.observedGeneration).toBe(metadata.generation);
      });
      // While its pods come back it is not running, and would be seen to start again after it was serviced.
      await reaches("Running");
      const body = { spec: { lifecycle: { desiredState: "Servicing" } } };
      await client.patch(Memcached, key, { type: "merge", body });
      await reaches("Running", "Servicing");
      const events = await client.list(KubernetesEvent, { namespace: key.namespace });
      expect(events.items.filter(({ reportingController }) => reportingController === name)).not.toEqual([]);
      noted("kubectl delete", await they.run(`${kubectl} delete memcached first`, project));
      await eventually(async () => {
        await expect(client.get(Memcached, key)).rejects.toSatisfy(isNotFound);
        await expect(client.get(Secret, { ...key, name: "first-auth" })).rejects.toSatisfy(isNotFound);
      });
      noted("its whole life", { code: 0, text: "", seconds: (performance.now() - begun) / 1_000 });
    });

    it("and is refused what its role does not grant", async () => {
      const account = await clientOf(kubeconfig);
      const refused = (asked: Promise<unknown>): Promise<void> =>
        expect(asked).rejects.toSatisfy(isForbidden);
      await refused(
        account.delete(Secret, { namespace: name, name: "memcached-operator-webhook-certificate" }),
      );
      await refused(account.list(Node));
      await refused(account.delete(CustomResourceDefinition, { name: "memcacheds.cache.example.com" }));
      await refused(account.get(Lease, { namespace: "kube-system", name: "kube-scheduler" }));
      await account.close();
    });

    it("of which it needs nothing", async () => {
      child?.kill("SIGTERM");
      expect(await ended, log).toBe(0);
      const asked = refusedTo(plane.audit(), user).filter((each) => !/kube-system|nodes|^delete /.test(each));
      // The schema of a definition is not compared where the role does not show it.
      expect(asked.filter((request) => !request.includes("/customresourcedefinitions/"))).toEqual([]);
      const lines = log.trim().split("\n");
      const levels = lines.map((line) => (JSON.parse(line) as { level: string }).level);
      expect(levels.filter((level) => level === "error")).toEqual([]);
      if (process.env["SHOW_STEPS"] !== undefined) console.log(log);
    });
  });
});

function memoryOf({ pid }: ChildProcess): string {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return `${inMegabytes(Number(kilobytes) * 1_024)} of memory`;
}
