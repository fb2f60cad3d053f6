// Real processes that elect a leader on a real Lease: stopped, killed, suspended. What they wrote is read from the server.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { readPackage } from "../../src/cli/package-info.ts";
import { isNotFound } from "../../src/client/api-error.ts";
import { ConfigMap } from "../../src/kinds/builtin/config-map.ts";
import { Lease } from "../../src/kinds/builtin/lease.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";

const { root } = readPackage();
const ticks = {
  group: "election.example.com",
  version: "v1",
  kind: "Tick",
  plural: "ticks",
  namespaced: true,
};

/**
 * Writes its process's name into a config map again and again, as long as it reconciles. It suspends itself where the file
 * SUSPEND tells it to: after the answer to one write, where the next one would be sent. A signal from outside could meet it
 * between the last question to its clocks and the system call that sends: nothing on its own side can tell it then.
 */
const operator = `
import { existsSync } from "node:fs";
import { ConfigMap, defineController, defineKind, defineOperator } from ${JSON.stringify(join(root, "src", "index.ts"))};
import { z } from ${JSON.stringify(join(root, "node_modules", "zod", "index.js"))};
const Tick = defineKind({ group: "election.example.com", version: "v1", kind: "Tick", spec: z.object({}) });
let count = 0;
export default defineOperator({
  name: "ticker",
  controllers: [defineController(Tick, {
    reads: [ConfigMap],
    freeStyle: async ({ cr, client, results }) => {
      // One write follows the other, so that a suspended process goes on with a write when it wakes, before any timer.
      for (let each = 0; each < 20; each += 1) {
        count += 1;
        await client.apply(ConfigMap, {
          apiVersion: "v1", kind: "ConfigMap",
          metadata: { name: cr.metadata.name, namespace: cr.metadata.namespace },
          data: { by: process.env.PROCESS, count: String(count) },
        }, { fieldManager: "ticker", force: true });
        if (existsSync(process.env.SUSPEND)) process.kill(process.pid, "SIGSTOP");
      }
      results.requeueAfter("10ms");
    },
  })],
});
`;

/** Runs the operator with a Lease that lasts 3 s. */
const runner = `
import { createLogger, runOperator } from ${JSON.stringify(join(root, "src", "index.ts"))};
import operator from "./operator.ts";
const stop = new AbortController();
process.on("SIGTERM", () => stop.abort());
await runOperator(operator, {
  connection: { kubeconfig: process.env.KUBECONFIG },
  leaderElection: { namespace: "default", leaseDuration: "3s", renewDeadline: "2s", retryPeriod: "500ms" },
  installCrds: true,
  log: createLogger({ level: "info", destination: { write: (line) => process.stderr.write(line) } }),
  signal: stop.signal,
}).catch((error) => {
  process.stderr.write("rejected with " + error.code + "\\n");
  process.exitCode = 1;
});
`;

interface Running {
  readonly name: string;
  readonly child: ChildProcess;
  readonly err: () => string;
  readonly exit: Promise<number | null>;
}

describeOnEachApiServer("processes that elect a leader", (server) => {
  let folder = "";
  let children: Running[] = [];
  let watching = new AbortController();
  /** Names of the writers, in the order in which the server took their writes. */
  let writers: string[] = [];

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "xstate-operator-election-"));
    writeFileSync(join(folder, "operator.ts"), operator);
    writeFileSync(join(folder, "runner.ts"), runner);
  });

  beforeEach(() => {
    children = [];
    writers = [];
    watching = new AbortController();
  });

  afterEach(async () => {
    for (const { child } of children) child.kill("SIGKILL");
    await Promise.all(children.map(({ exit }) => exit));
    watching.abort(new Error("the test has ended"));
    const { client } = server();
    await client.delete(Lease, { namespace: "default", name: "ticker" }).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  });

  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  function start(name: string, ...args: readonly string[]): Running {
    const child = spawn(
      process.execPath,
      ["--disable-warning=ExperimentalWarning", "--conditions=xstate-operator-source", ...args],
      {
        env: {
          ...process.env,
          NODE_OPTIONS: "",
          PROCESS: name,
          SUSPEND: suspend(name),
          KUBECONFIG: server().kubeconfig,
        },
        stdio: ["ignore", "ignore", "pipe"],
      },
    );
    let err = "";
    child.stderr.setEncoding("utf8").on("data", (more: string) => (err += more));
    const exit = new Promise<number | null>((resolve) => child.on("close", resolve));
    const running = { name, child, err: () => err, exit };
    children.push(running);
    return running;
  }

  const suspend = (name: string): string => join(folder, `suspend-${name}`);
  const run = (name: string): Running => start(name, join(folder, "runner.ts"));
  const runCommand = (name: string): Running =>
    start(
      name,
      join(root, "src", "cli", "main.ts"),
      "run",
      join(folder, "operator.ts"),
      "--install-crds",
      "--leader-elect",
      "--leader-election-namespace",
      "default",
      "--log-format",
      "json",
    );

  /** One leads and writes, the other stands by. */
  async function startTwo(begin: (name: string) => Running): Promise<{ a: Running; b: Running }> {
    const { client } = server();
    const a = begin("a");
    await eventually(() => expect(a.err()).toContain('"msg":"running"'));
    const metadata = { name: "tick", namespace: "default" };
    const tick = { apiVersion: "election.example.com/v1", kind: "Tick", metadata, spec: {} };
    await client.create(ticks, tick).catch((error: unknown) => {
      if ((error as { code?: string }).code !== "API_ALREADY_EXISTS") throw error;
    });
    void collectWriters();
    await eventually(() => expect(writers).toContain("a"));
    const b = begin("b");
    await eventually(() => expect(b.err()).toContain('"msg":"standing by"'));
    expect(b.err()).not.toContain('"msg":"running"');
    return { a, b };
  }

  async function collectWriters(): Promise<void> {
    const { signal } = watching;
    try {
      const list = await server().client.list(ConfigMap, { namespace: "default" });
      const { resourceVersion } = list.metadata;
      const options = { namespace: "default", fieldSelector: "metadata.name=tick", resourceVersion, signal };
      for await (const event of server().client.watch(ConfigMap, options)) {
        if (event.type === "ADDED" || event.type === "MODIFIED")
          writers.push(event.object.data?.["by"] ?? "");
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  const changesOfWriter = (): string[] => writers.filter((name, index) => name !== writers[index - 1]);
  const holder = async (): Promise<string | undefined> =>
    (await server().client.get(Lease, { namespace: "default", name: "ticker" })).spec?.holderIdentity;

  it("hand over within 2 s when the leader is stopped, with the times of the command line (T67)", async () => {
    const { a, b } = await startTwo(runCommand);
    a.child.kill("SIGTERM");
    expect(await a.exit).toBe(0);
    expect(a.err()).toContain('"msg":"leadership released"');
    expect(a.err()).not.toContain('"level":50');
    const stopped = performance.now();
    await eventually(() => expect(b.err()).toContain('"msg":"running"'), 5000);
    // The poll of `eventually` and the process's start of work are within this as well.
    expect(performance.now() - stopped).toBeLessThan(2500);
    await eventually(() => expect(writers.at(-1)).toBe("b"));
    expect(changesOfWriter()).toEqual(["a", "b"]);
  });

  it("end a standby at once, and leave the leader alone (T72)", async () => {
    const { a, b } = await startTwo(run);
    const told = performance.now();
    b.child.kill("SIGTERM");
    expect(await b.exit).toBe(0);
    expect(performance.now() - told).toBeLessThan(1500);
    expect(changesOfWriter()).toEqual(["a"]);
    expect(a.child.exitCode).toBeNull();
  });

  it("hand over after the lease duration when the leader is killed", async () => {
    const { a, b } = await startTwo(run);
    a.child.kill("SIGKILL");
    const killed = performance.now();
    await eventually(() => expect(b.err()).toContain('"msg":"running"'));
    // The last renewal was up to a retry period before.
    expect(performance.now() - killed).toBeGreaterThan(2000);
    expect(performance.now() - killed).toBeLessThan(6000);
    await eventually(() => expect(writers.at(-1)).toBe("b"));
    expect(changesOfWriter()).toEqual(["a", "b"]);
  });

  it("let no write of a leader through that was suspended and wakes up late", async () => {
    const { a, b } = await startTwo(run);
    writeFileSync(suspend("a"), "");
    await eventually(() => expect(writers.at(-1)).toBe("b"));
    const before = writers.length;
    rmSync(suspend("a"));
    a.child.kill("SIGCONT");
    expect(await a.exit).toBe(1);
    expect(a.err()).toContain("rejected with LEADERSHIP_LOST");
    expect(a.err().match(/"level":50/g)).toBeNull();
    // Writes of the next leader that came after it show that the server has been heard up to here.
    await eventually(() => expect(writers.length).toBeGreaterThan(before + 3));
    expect(changesOfWriter()).toEqual(["a", "b"]);
    expect(await holder()).toContain("_");
    expect(b.child.exitCode).toBeNull();
  });
});
