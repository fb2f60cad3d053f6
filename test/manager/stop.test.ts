// How the process of an operator ends when it is told to, while a hook is at work.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { readPackage } from "../../src/cli/package-info.ts";
import { startCluster } from "../../src/cluster/start-cluster.ts";
import type { Cluster } from "../../src/cluster/cluster.ts";
import { createKubeClient } from "../../src/client/http-client.ts";
import { loadConnection } from "../../src/client/kube-config.ts";
import { eventually } from "../support/eventually.ts";

const { root } = readPackage();
const jobs = { group: "stop.example.com", version: "v1", kind: "Job", plural: "jobs", namespaced: true };

/** MODE decides what the hook does once it has begun. */
const operator = `
import { defineController, defineKind, defineOperator } from ${JSON.stringify(join(root, "src", "index.ts"))};
import { z } from ${JSON.stringify(join(root, "node_modules", "zod", "index.js"))};
const Job = defineKind({ group: "stop.example.com", version: "v1", kind: "Job", spec: z.object({}) });
const begun = () => process.stdout.write("hook began\\n");
const modes = {
  quiet: async () => {},
  slow: async () => {
    begun();
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    process.stdout.write("hook ended\\n");
  },
  // Holds the process open, and does not listen to its signal.
  hanging: () => {
    begun();
    for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => process.stdout.write("told\\n"));
    setInterval(() => undefined, 1_000);
    return new Promise(() => undefined);
  },
};
if (process.env.MODE === "loading") {
  begun();
  setInterval(() => undefined, 1_000);
  await new Promise(() => undefined);
}
export default defineOperator({
  name: "stop",
  controllers: [defineController(Job, { freeStyle: modes[process.env.MODE] })],
});
`;

interface Running {
  readonly child: ChildProcess;
  readonly out: () => string;
  readonly err: () => string;
  readonly exit: Promise<{ readonly code: number | null; readonly after: number }>;
}

describe("an operator that is told to stop", () => {
  let folder = "";
  let cluster: Cluster;
  const children: ChildProcess[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "xstate-operator-stop-"));
    writeFileSync(join(folder, "operator.ts"), operator);
    cluster = await startCluster({ controllers: false });
    const first = run("quiet");
    await eventually(() => expect(first.err()).toContain('"msg":"running"'));
    const client = createKubeClient(await loadConnection({ path: cluster.kubeconfig, env: {} }));
    const metadata = { name: "a", namespace: "default" };
    await client.create(jobs, {
      apiVersion: "stop.example.com/v1",
      kind: "Job",
      metadata,
      spec: {},
    });
    await client.close();
    first.child.kill("SIGTERM");
    expect((await first.exit).code).toBe(0);
  });

  afterEach(() => {
    for (const child of children.splice(0)) child.kill("SIGKILL");
  });

  afterAll(async () => {
    await cluster.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  function run(mode: string, ...args: readonly string[]): Running {
    const child = spawn(
      process.execPath,
      [
        join(root, "bin", "xstate-operator.js"),
        "run",
        join(folder, "operator.ts"),
        "--kubeconfig",
        cluster.kubeconfig,
        "--install-crds",
        "--log-format",
        "json",
        ...args,
      ],
      { env: { ...process.env, NODE_OPTIONS: "", MODE: mode }, stdio: ["ignore", "pipe", "pipe"] },
    );
    children.push(child);
    let [out, err] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (more: string) => (out += more));
    child.stderr.setEncoding("utf8").on("data", (more: string) => (err += more));
    const exit = new Promise<{ code: number | null; after: number }>((resolve) => {
      child.on("close", (code) => resolve({ code, after: performance.now() }));
    });
    return { child, out: () => out, err: () => err, exit };
  }

  async function inHook(mode: string, ...args: readonly string[]): Promise<Running> {
    const running = run(mode, ...args);
    await eventually(() => expect(running.out()).toContain("hook began"));
    return running;
  }

  it("lets a reconcile under way end, and exits with 0", async () => {
    const running = await inHook("slow", "--drain-timeout", "20s");
    running.child.kill("SIGTERM");
    const { code } = await running.exit;
    expect(running.out()).toBe("hook began\nhook ended\n");
    expect(running.err()).not.toContain('"level":"error"');
    expect(code).toBe(0);
  });

  it("exits with 0 and says nothing when its module is still loading", async () => {
    const running = await inHook("loading");
    running.child.kill("SIGTERM");
    const { code } = await running.exit;
    expect([code, running.err()]).toEqual([0, ""]);
  });

  it("cuts off a hook that hangs when the time is over, says so, and exits with 1 whatever it holds open", async () => {
    const running = await inHook("hanging", "--drain-timeout", "1s");
    const told = performance.now();
    running.child.kill("SIGINT");
    const { code, after } = await running.exit;
    expect(code).toBe(1);
    expect(running.err()).toMatch(
      /1 reconciles did not finish within 1 s and were aborted: \S+ default\/\S+ \([A-Z]\w+, for [\d.]+ s\)/,
    );
    expect(running.err()).toContain("code: DRAIN_TIMEOUT");
    expect(after - told).toBeGreaterThan(950);
    expect(after - told).toBeLessThan(20_000);
  });

  it.each([
    ["SIGTERM", 143],
    ["SIGINT", 130],
  ] as const)("ends at once on a second %s", async (signal, expected) => {
    const running = await inHook("hanging", "--drain-timeout", "10m");
    running.child.kill(signal);
    await eventually(() => expect(running.out()).toContain("told"));
    // Within a second it is the same signal by another route, for instance from the terminal and from npm.
    await delay(1_100);
    expect(running.child.exitCode).toBeNull();
    const told = performance.now();
    running.child.kill(signal);
    const { code, after } = await running.exit;
    expect(code).toBe(expected);
    // The hook never ends, and has ten minutes; what is left is for this machine.
    expect(after - told).toBeLessThan(20_000);
  });
});
