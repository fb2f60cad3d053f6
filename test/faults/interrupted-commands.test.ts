// `install`, `uninstall` and `migrate` that end at any of their writes, by a cut network or by SIGKILL: run again, each ends as if it
// had not been interrupted, and nothing is lost.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { RunningControllers } from "../../src/cluster/controllers/start-controllers.ts";
import { migrateKind, type MigrationReport } from "../../src/cli/migrate/migrate-kind.ts";
import { isNotFound } from "../../src/client/api-error.ts";
import type { KubeClient } from "../../src/client/kube-client.ts";
import { CustomResourceDefinition } from "../../src/kinds/builtin/apiextensions.ts";
import { Deployment } from "../../src/kinds/builtin/apps.ts";
import { Namespace, Service, ServiceAccount } from "../../src/kinds/builtin/core.ts";
import { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from "../../src/kinds/builtin/rbac.ts";
import type { AnyObject } from "../../src/meta/object.ts";
import type { ResourceType } from "../../src/meta/resource-type.ts";
import { runCommand, type CommandOutcome } from "../cli/run-in-process.ts";
import { clientOf, describeOnEachApiServer, type ApiServerUnderTest } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { createFastClock } from "../support/fast-clock.ts";
import { startRequestProxy, type RequestProxy } from "../support/request-proxy.ts";
import { runPods } from "../support/running-pods.ts";

const root = join(import.meta.dirname, "../..");
const program = join(root, "bin/xstate-operator.js");
const everyPoint = process.env["CRASH_POINTS"] === "all";

/** Where a run ends: at which of its writes, and whether the server has done that. */
interface CrashPoint {
  readonly write: number;
  readonly when: "before" | "after";
}

/** Cases that run at the same time: most of what they do is wait. */
const parallel = 4;

const operatorOf = (
  name: string,
): string => `import { defineController, defineKind, defineOperator } from ${JSON.stringify(join(root, "src/index.ts"))};
import { z } from ${JSON.stringify(join(root, "node_modules/zod/index.js"))};
const Jar = defineKind({ group: "${name}.example.com", version: "v1", kind: "Jar", finalize: true, spec: z.object({ size: z.int() }) });
export default defineOperator({ name: "${name}", controllers: [defineController(Jar, {})] });
`;

/** All that an installation is made of, in the namespace of its name. */
const parts: readonly ResourceType<AnyObject>[] = [
  ServiceAccount,
  Role,
  RoleBinding,
  ClusterRole,
  ClusterRoleBinding,
  Deployment,
  Service,
].map((type) => type as unknown as ResourceType<AnyObject>);

describeOnEachApiServer(
  "a command that is interrupted",
  (server) => {
    let folder: string;
    let controllers: RunningControllers | undefined;
    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), "xstate-operator-interrupted-"));
      const { kind, client } = server();
      if (kind === "embedded") return;
      controllers = await runPods(client);
    });
    afterAll(async () => {
      await controllers?.stop();
      rmSync(folder, { recursive: true });
    });

    function operatorCalled(name: string): { readonly file: string; readonly jars: ResourceType<AnyObject> } {
      const file = join(folder, `${name}.mjs`);
      writeFileSync(file, operatorOf(name));
      const group = `${name}.example.com`;
      return { file, jars: { group, version: "v1", kind: "Jar", plural: "jars", namespaced: true } };
    }
    const flags = (kubeconfig: string): readonly string[] => [
      "--kubeconfig",
      kubeconfig,
      "--leader-elect",
      "--timeout",
      "1m",
    ];
    const install = (file: string) => runCommand(["install", file, ...flags(server().kubeconfig)]);
    const uninstall = (file: string) =>
      runCommand(["uninstall", file, "--release", "--release", ...flags(server().kubeconfig)]);

    it.each(["a cut network", "SIGKILL"])(
      "installs all of it the next time, after %s at a write",
      async (how) => {
        const whole = operatorCalled("case-0");
        const first = await install(whole.file);
        expect(first.code, first.err).toBe(0);
        const expected = withoutName(await installed(server().client, "case-0"), "case-0");
        expect(Object.keys(expected).length).toBeGreaterThan(6);
        await atEveryWrite(server(), how, async (name, proxied, cut) => {
          const { file } = operatorCalled(name);
          const isCut = await cut(["install", file, ...flags(proxied)]);
          if (!isCut) return false;
          const { code, err } = await install(file);
          expect(code, err).toBe(0);
          expect(withoutName(await installed(server().client, name), name)).toEqual(expected);
          return true;
        });
      },
      300_000,
    );

    it.each(["a cut network", "SIGKILL"])(
      "removes all of it the next time, after %s at a write, and releases every resource",
      async (how) => {
        await atEveryWrite(server(), how, async (name, proxied, cut) => {
          const { client } = server();
          const { file, jars } = operatorCalled(name);
          expect((await install(file)).code).toBe(0);
          const finalizer = `jars.${name}.example.com/finalizer`;
          for (const jar of ["plums", "pears"]) {
            await eventually(() =>
              client.create(jars, {
                apiVersion: `${jars.group}/v1`,
                kind: "Jar",
                metadata: { namespace: "default", name: jar, finalizers: [finalizer, "example.com/other"] },
                spec: { size: 1 },
              }),
            );
          }
          const isCut = await cut(["uninstall", file, "--release", "--release", ...flags(proxied)]);
          const { code, err } = await uninstall(file);
          expect(code, err).toBe(0);
          expect(Object.keys(await installed(client, name))).toEqual([
            `CustomResourceDefinition jars.${name}.example.com`,
            `Namespace ${name}`,
          ]);
          const { items } = await client.list(jars);
          expect(items.map((item) => [item.metadata.name, item.metadata.finalizers])).toEqual([
            ["pears", ["example.com/other"]],
            ["plums", ["example.com/other"]],
          ]);
          return isCut;
        });
      },
      300_000,
    );

    it("migrates what is left the next time, after a cut network at a write", async () => {
      await atEveryWrite(server(), "a cut network", async (name, proxied, _cut, point, proxy) => {
        const { client } = server();
        const type = await storedInTheOld(client, name, 5);
        const before = await contentsOf(client, type);
        const own = await clientOf(proxied);
        const fault = proxy.cutAtWrite(point.write, point.when);
        const interrupted = await migrate(own, `boxes.${name}.example.com`).catch((error: unknown) => error);
        await own.close();
        const isCut = fault.strikes > 0;
        if (isCut) expect(interrupted).toBeInstanceOf(Error);
        const { status } = await client.get(CustomResourceDefinition, { name: `boxes.${name}.example.com` });
        const trimmed = status?.storedVersions?.length === 1;
        const report = await migrate(client, `boxes.${name}.example.com`);
        // Either the trim was done, and only its answer lost, or it is left to do.
        expect(report.trimmed).toEqual(trimmed ? [] : ["v1beta1"]);
        const definition = await client.get(CustomResourceDefinition, { name: `boxes.${name}.example.com` });
        expect(definition.status?.storedVersions).toEqual(["v1"]);
        expect(definition.metadata.annotations ?? {}).not.toHaveProperty(["xstate-operator.dev/migration"]);
        expect(await contentsOf(client, type)).toEqual(before);
        return isCut;
      });
    }, 300_000);
  },
  {
    long: true,
    real: { controllers: "none", apiServerFlags: ["--disable-admission-plugins=ServiceAccount"] },
  },
);

/** Runs a command through the proxy up to the point; whether it came there. */
type Cut = (args: readonly string[]) => Promise<boolean>;

let cases = 0;

/**
 * One case for each write that a command has, until one is not reached; unless CRASH_POINTS=all, for every third where a case is
 * dear: it kills a process, or is tried on the real server what every write has shown on the embedded one.
 */
async function atEveryWrite(
  { kubeconfig, kind }: ApiServerUnderTest,
  how: string,
  attempt: (
    name: string,
    proxied: string,
    cut: Cut,
    point: CrashPoint,
    proxy: RequestProxy,
  ) => Promise<boolean>,
): Promise<void> {
  const isKilled = how === "SIGKILL";
  const step = everyPoint || !(isKilled || kind === "real") ? 1 : 3;
  let [next, reached, end] = [1, 0, Infinity];
  const worker = async (): Promise<void> => {
    while (next < end) {
      const write = next;
      next += step;
      for (const when of ["before", "after"] as const) {
        // A run that was to be cut there, or before that, was not: neither would this one be.
        if (write >= end) break;
        const proxy = await startRequestProxy(kubeconfig);
        const proxied = await proxy.kubeconfigFor(kubeconfig);
        const name = `case-${(cases += 1)}`;
        const cut: Cut = (args) => (isKilled ? killedAt : cutAt)(proxy, { write, when }, args);
        try {
          const isCut = await attempt(name, proxied, cut, { write, when }, proxy);
          if (isCut) reached = Math.max(reached, write);
          else end = Math.min(end, write);
        } finally {
          await proxy.stop();
          rmSync(proxied);
        }
      }
    }
  };
  await Promise.all(Array.from({ length: parallel }, worker));
  expect(reached).toBeGreaterThan(4);
}

async function cutAt(proxy: RequestProxy, point: CrashPoint, args: readonly string[]): Promise<boolean> {
  const fault = proxy.cutAtWrite(point.write, point.when);
  const outcome: CommandOutcome = await runCommand(args);
  const isCut = fault.strikes > 0;
  expect(outcome.code === 0, outcome.err).toBe(!isCut);
  return isCut;
}

async function killedAt(proxy: RequestProxy, point: CrashPoint, args: readonly string[]): Promise<boolean> {
  const child = spawn(process.execPath, [program, ...args], { stdio: ["ignore", "ignore", "pipe"], env: {} });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (more: string) => (said += more));
  const fault = proxy.cutAtWrite(point.write, point.when, () => child.kill("SIGKILL"));
  const [code, signal] = (await once(child, "close")) as readonly unknown[];
  const isCut = fault.strikes > 0;
  expect(isCut ? signal : code, said).toBe(isCut ? "SIGKILL" : 0);
  return isCut;
}

/** What there is of an operator, by kind and name: what it was applied with. */
async function installed(client: KubeClient, name: string): Promise<Readonly<Record<string, unknown>>> {
  const labelSelector = `app.kubernetes.io/name=${name}`;
  const lists = await Promise.all(parts.map((type) => client.list(type, { labelSelector })));
  const found = lists.flatMap(({ items }, index) =>
    items.map((item) => [`${parts[index]?.kind} ${item.metadata.name}`, applied(item)] as const),
  );
  const [definition, namespace] = await Promise.all([
    client.get(CustomResourceDefinition, { name: `jars.${name}.example.com` }),
    client.get(Namespace, { name }),
  ]).catch((error: unknown) => {
    if (isNotFound(error)) return [];
    throw error;
  });
  return Object.fromEntries([
    ...(definition === undefined
      ? []
      : [[`CustomResourceDefinition ${definition.metadata.name}`, definition.spec]]),
    ...(namespace === undefined ? [] : [[`Namespace ${name}`, namespace.metadata.labels]]),
    ...found,
  ]) as Readonly<Record<string, unknown>>;
}

/** Without what the server says. */
function applied({ metadata, ...item }: AnyObject): unknown {
  const { status: _status, apiVersion: _version, kind: _kind, secrets: _secrets, ...fields } = item;
  const spec = fields["spec"] as { readonly clusterIP?: string; readonly clusterIPs?: unknown } | undefined;
  const { clusterIP: _ip, clusterIPs: _ips, ...rest } = spec ?? {};
  return { labels: metadata.labels, ...fields, ...(spec === undefined ? {} : { spec: rest }) };
}

function withoutName(
  objects: Readonly<Record<string, unknown>>,
  name: string,
): Readonly<Record<string, unknown>> {
  return JSON.parse(JSON.stringify(objects).replaceAll(name, "NAME")) as Readonly<Record<string, unknown>>;
}

/** A kind of two versions with the same schema, whose objects are stored in the old one while the new one is stored now. */
async function storedInTheOld(
  client: KubeClient,
  name: string,
  count: number,
): Promise<ResourceType<AnyObject>> {
  const group = `${name}.example.com`;
  const schema = {
    openAPIV3Schema: {
      type: "object" as const,
      properties: { spec: { type: "object" as const, properties: { size: { type: "integer" as const } } } },
    },
  };
  const definition = (stored: string) => ({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `boxes.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { kind: "Box", plural: "boxes", singular: "box", listKind: "BoxList" },
      versions: ["v1", "v1beta1"].map((version) => ({
        name: version,
        served: true,
        storage: version === stored,
        schema,
      })),
    },
  });
  const type = (version: string): ResourceType<AnyObject> => ({
    group,
    version,
    kind: "Box",
    plural: "boxes",
    namespaced: true,
  });
  await client.apply(CustomResourceDefinition, definition("v1beta1"), { fieldManager: "test" });
  for (let index = 0; index < count; index += 1) {
    await eventually(() =>
      client.create(type("v1beta1"), {
        apiVersion: `${group}/v1beta1`,
        kind: "Box",
        metadata: { namespace: "default", name: `box-${index}` },
        spec: { size: index },
      }),
    );
  }
  await client.apply(CustomResourceDefinition, definition("v1"), { fieldManager: "test" });
  await eventually(async () => {
    const { status } = await client.get(CustomResourceDefinition, { name: `boxes.${group}` });
    expect(status?.storedVersions).toEqual(["v1beta1", "v1"]);
  });
  return type("v1");
}

/** Objects without how they are stored. */
async function contentsOf(client: KubeClient, type: ResourceType<AnyObject>): Promise<unknown> {
  // A server takes a moment to store in another version.
  const { items } = await eventually(() => client.list(type));
  return items.map(({ metadata: { name, uid, generation }, ...item }) => [
    name,
    uid,
    generation,
    item["spec"],
  ]);
}

function migrate(client: KubeClient, name: string): Promise<MigrationReport> {
  const { signal } = new AbortController();
  const tools = { client, clock: createFastClock(1_000), signal };
  const options = { parallel: 2, rate: 1_000, chunk: 2, dryRun: false };
  return migrateKind(tools, name, options, () => undefined);
}
