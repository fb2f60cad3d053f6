// An operator that is recorded, killed, recorded again by another process, and replayed: by itself, and by its next version.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Cluster } from "../../src/cluster/cluster.ts";
import { startCluster } from "../../src/cluster/start-cluster.ts";
import type { KubeClient } from "../../src/client/kube-client.ts";
import { ConfigMap, Secret } from "../../src/kinds/builtin/core.ts";
import type { AnyObject, KubeObject } from "../../src/meta/object.ts";
import type { ResourceType } from "../../src/meta/resource-type.ts";
import { createRecordedPast } from "../../src/cli/replay/recorded-past.ts";
import { redact } from "../../src/manager/redaction.ts";
import { readRecording } from "../../src/recording/recording-reader.ts";
import { runCommand } from "../cli/run-in-process.ts";
import { clientOf } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { newFolder } from "./recording-files.ts";

const root = join(import.meta.dirname, "../..");
const module = join(root, "test/fixtures/kettle/kettle-operator.ts");
const changed = join(root, "test/fixtures/kettle/changed-operator.ts");
const password = "Xq7-correct-horse";

const Kettle: ResourceType<AnyObject> = {
  group: "kitchen.example.com",
  version: "v1",
  kind: "Kettle",
  plural: "kettles",
  namespaced: true,
};
const key = { namespace: "default", name: "tea" };

interface KettleStatus {
  readonly lifecycle?: { readonly state?: string };
}

describe("an operator that is recorded", () => {
  const folder = newFolder();
  const file = folder.path("kettle.ndjson");
  let cluster: Cluster;
  let client: KubeClient;
  let child: ChildProcess | undefined;
  let log = "";

  function start(): ChildProcess {
    const flags = ["--disable-warning=ExperimentalWarning", "--conditions=xstate-operator-source"];
    const run = ["run", module, "--kubeconfig", cluster.kubeconfig, "--install-crds", "--record", file];
    const started = spawn(process.execPath, [...flags, join(root, "src/cli/main.ts"), ...run], {
      env: { ...process.env, NODE_OPTIONS: "" },
      stdio: ["ignore", "ignore", "pipe"],
    });
    started.stderr.setEncoding("utf8").on("data", (more: string) => (log += more));
    child = started;
    return started;
  }

  const statusOf = async (): Promise<KettleStatus> =>
    ((await client.get(Kettle, key))["status"] as KettleStatus | undefined) ?? {};
  const isIn = (state: string) =>
    eventually(async () => expect((await statusOf()).lifecycle?.state, log).toBe(state));
  const put = (type: ResourceType, name: string, rest: object): Promise<KubeObject> =>
    client.create(type, {
      apiVersion: type === Kettle ? "kitchen.example.com/v1" : "v1",
      kind: type.kind,
      metadata: { namespace: "default", name },
      ...rest,
    });

  beforeAll(async () => {
    cluster = await startCluster({ controllers: false });
    client = await clientOf(cluster.kubeconfig);
    await put(Secret, "lock", { data: { password: Buffer.from(password).toString("base64") } });
    const killed = start();
    await eventually(() => expect(log).toContain('"msg":"running"'));
    await put(Kettle, "tea", { spec: { litres: 1, lifecycle: { desiredState: "Hot" } } });
    await eventually(() => expect(readFileSync(file, "utf8"), log).toContain('"phase":"Running"'));
    killed.kill("SIGKILL");
    await once(killed, "exit");
    // Within a line, wherever the kernel had come to.
    truncateSync(file, statSync(file).size - 20);
    const second = start();
    await put(ConfigMap, "hot", {});
    await isIn("Hot");
    const annotations = { "lifecycle.xstate-operator.dev/event": "pour" };
    await client.patch(Kettle, key, { type: "merge", body: { metadata: { annotations } } });
    await eventually(() => expect(readFileSync(file, "utf8")).toContain('"from":"Pouring"'));
    await isIn("Hot");
    await put(Kettle, "cup", { spec: { litres: 1 } });
    await eventually(() => expect(readFileSync(file, "utf8")).toContain('"key":"default/cup"'));
    await client.delete(Kettle, { ...key, name: "cup" });
    await eventually(() => expect(readFileSync(file, "utf8"), log).toContain('"type":"gone"'));
    second.kill("SIGTERM");
    const [code] = (await once(second, "exit")) as [number];
    expect(code, log).toBe(0);
  });

  afterAll(async () => {
    child?.kill("SIGKILL");
    await client.close();
    await cluster.stop();
    folder.remove();
  });

  it("is shown: who ran, what became of each resource, why, and what was written", async () => {
    const { code, out, err } = await runCommand(["replay", file]);
    expect(err).toBe("");
    expect(code).toBe(0);
    expect(out).toMatch(/^Recording of kettle-operator: .*kettle\.ndjson\n/);
    expect(out).toContain("2 processes of xstate-operator");
    expect(out).toContain("1 line truncated by the end of a process");
    expect(out).toMatch(/Kettle default\/tea \([-0-9a-f]{36}\)/);
    // It is passed through within the run that begins the life.
    expect(out).toMatch(/cycles 1-2 {2}\d+ ms {2}entered Cold: the resource is new/);
    expect(out).toContain("cause: added Kettle default/tea");
    expect(out).toMatch(/create v1 ConfigMap default\/tea: .*data/);
    expect(out).toMatch(/then Cold → Heating by desired\.Hot/);
    expect(out).toMatch(/starts heat-\d+-1-[0-9a-f]{16}/);
    expect(out).toMatch(/patch kitchen\.example\.com\/v1 Kettle default\/tea status: .*status\.lifecycle/);
    expect(out).toMatch(/Heating → Hot by done\.heat/);
    expect(out).toMatch(/Hot → Pouring by human\.pour/);
    expect(out).toContain("human event pour accepted");
    expect(out).toMatch(/Pouring → Hot by after\.100ms/);
  });

  it("does not show as there what was deleted", async () => {
    const reader = await readRecording(file);
    const { board } = await createRecordedPast("kettle", reader, redact).at(reader.to);
    expect(reader.resources.map((resource) => resource.key)).toEqual(["default/tea", "default/cup"]);
    expect(board.rows().map(({ name }) => name)).toEqual(["tea"]);
    await reader.close();
  });

  it("says what was owned and told at any moment of it", async () => {
    const reader = await readRecording(file);
    const past = createRecordedPast("kettle", reader, redact);
    const [resource] = reader.resources;
    const at = async (instant: number) => {
      const found = (await past.at(instant, { kind: "Kettle", ...key })).board.find(
        "Kettle",
        "default",
        "tea",
      );
      if (found === undefined) return expect.fail("it is not there");
      const { object, source } = found;
      const events = await source.eventsOf(object, new AbortController().signal);
      return { children: source.childrenOf(object), reasons: events.map(({ reason }) => reason) };
    };
    const first = await at(resource?.runs[0]?.at ?? 0);
    expect(first.reasons).toContain("StateChanged");
    expect(first.reasons).not.toContain("TaskSucceeded");
    const last = await at(past.to);
    expect(last.children).toMatchObject([{ kind: "ConfigMap", namespace: "default", name: "tea" }]);
    expect(last.reasons).toEqual(expect.arrayContaining(["Created", "HumanEventAccepted", "TaskSucceeded"]));
    await reader.close();
    // What has not changed is not told again.
    const told = readFileSync(file, "utf8").match(/"children":\{/g) ?? [];
    expect(told.length).toBeGreaterThan(1);
    expect(told.length).toBeLessThan(reader.runs / 2);
  });

  it("does the same when it is planned again, and without secrets", async () => {
    const { code, out } = await runCommand(["replay", file, module]);
    expect(out).toMatch(/Kettle default\/tea: \d+ cycles, no difference\n/);
    expect(code).toBe(0);
    const text = readFileSync(file, "utf8");
    expect(text).not.toContain(password);
    expect(text).not.toContain(Buffer.from(password).toString("base64"));
    expect(text).toContain("opened with [redacted]");
  });

  it("names the first cycle in which its next version does something else", async () => {
    const { code, out } = await runCommand(["replay", file, changed, "--output", "json"]);
    expect(code).toBe(1);
    const { recording, resources, replay } = JSON.parse(out) as {
      recording: { processes: unknown[]; damage: { cut: number } };
      resources: { course: { cycle?: number; moves: { from?: string; to: string }[] }[] }[];
      replay: { key: string; different: number; first: { cycle: number; differences: unknown[] } }[];
    };
    expect(recording).toMatchObject({ processes: [{}, {}], damage: { cut: 1 } });
    const poured = resources[0]?.course.find(({ moves }) => moves.some(({ to }) => to === "Pouring"));
    expect(replay).toMatchObject([
      { key: "default/tea", first: { cycle: poured?.cycle } },
      { key: "default/cup", different: 0 },
    ]);
    expect(replay[0]?.first.differences.slice(0, 2)).toEqual([
      { aspect: "state", recorded: "Pouring", now: "Cold" },
      { aspect: "edge", recorded: "Hot → Pouring (human.pour)", now: "Hot → Cold (human.pour)" },
    ]);
  });

  it("is left as it is where the operator has no such kind", async () => {
    const { code, out } = await runCommand(["replay", file, join(root, "examples/website")]);
    expect(out).toContain(
      "Kettle default/tea: not replayed: the operator has no kind Kettle with a lifecycle\n",
    );
    expect(code).toBe(0);
  });

  it("is refused before anything starts where its file is something else, or its limit is none", async () => {
    const foreign = folder.path("notes.txt");
    writeFileSync(foreign, "important\n");
    const run = (...more: readonly string[]) =>
      runCommand(["run", module, "--kubeconfig", cluster.kubeconfig, ...more]);
    const { code, err } = await run("--record", foreign);
    expect(code).toBe(1);
    expect(err).toContain("RECORDING_UNUSABLE");
    expect(readFileSync(foreign, "utf8")).toBe("important\n");
    expect(await run("--record-limit", "2Mi")).toMatchObject({ code: 2 });
    expect(await run("--record", folder.path("x"), "--record-limit", "5")).toMatchObject({ code: 2 });
  });

  it("that cannot be read is told from one that differs", async () => {
    expect(await runCommand(["replay", module])).toMatchObject({ code: 2, out: "" });
    expect(await runCommand(["replay", folder.path("none")])).toMatchObject({ code: 2 });
    expect(await runCommand(["replay", file, folder.path("none.ts")])).toMatchObject({ code: 2 });
    expect(await runCommand(["replay", file, module, "--dashboard"])).toMatchObject({ code: 2 });
  });
});
