// Real processes that elect a leader on a real Lease: stopped, killed, suspended. What they wrote is read from the server.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { readPackage } from "../../src/cli/package-info.ts";
import { isNotFound } from "../../src/client/api-error.ts";
import { Lease } from "../../src/kinds/builtin/coordination.ts";
import { ConfigMap } from "../../src/kinds/builtin/core.ts";
import type { KubeObject } from "../../src/meta/object.ts";
import type { ResourceType } from "../../src/meta/resource-type.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { startCommand, startProcess, type OperatorProcess } from "../support/operator-process.ts";

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
import { defineController, defineKind, defineOperator } from ${JSON.stringify(join(root, "src", "index.ts"))};
import { ConfigMap } from ${JSON.stringify(join(root, "src", "kinds", "index.ts"))};
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
      results.requeueAfter("200ms");
    },
  })],
});
`;

/** Runs the operator with a Lease that a machine which stands still for some seconds does not lose. */
const runner = `
import { createLogger, runOperator } from ${JSON.stringify(join(root, "src", "index.ts"))};
import operator from "./operator.ts";
const stop = new AbortController();
process.on("SIGTERM", () => stop.abort());
await runOperator(operator, {
  connection: { kubeconfig: process.env.KUBECONFIG },
  leaderElection: { namespace: "default", leaseDuration: "8s", renewDeadline: "6s", retryPeriod: "500ms" },
  installCrds: true,
  log: createLogger({ level: "info", destination: { write: (line) => process.stderr.write(line) } }),
  signal: stop.signal,
}).catch((error) => {
  process.stderr.write("rejected with " + error.code + "\\n");
  process.exitCode = 1;
});
`;

describeOnEachApiServer(
  "processes that elect a leader",
  (server) => {
    let folder = "";
    let children: OperatorProcess[] = [];
    let watching = new AbortController();
    /** Names of the writers, in the order in which the server took their writes. */
    let writers: string[] = [];
    /** What the Lease was, from change to change. */
    let leases: NonNullable<Lease["spec"]>[] = [];

    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), "xstate-operator-election-"));
      writeFileSync(join(folder, "operator.ts"), operator);
      writeFileSync(join(folder, "runner.ts"), runner);
    });

    beforeEach(() => {
      children = [];
      writers = [];
      leases = [];
      watching = new AbortController();
    });

    afterEach(async () => {
      await Promise.all(children.map((each) => each.kill()));
      watching.abort(new Error("the test has ended"));
      const { client } = server();
      await client.delete(Lease, { namespace: "default", name: "ticker" }).catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
    });

    afterAll(() => {
      rmSync(folder, { recursive: true, force: true });
    });

    function start(
      name: string,
      begin: (env: Readonly<Record<string, string>>) => OperatorProcess,
    ): OperatorProcess {
      const running = begin({ PROCESS: name, SUSPEND: suspend(name), KUBECONFIG: server().kubeconfig });
      children.push(running);
      return running;
    }

    const suspend = (name: string): string => join(folder, `suspend-${name}`);
    const run = (name: string): OperatorProcess =>
      start(name, (env) => startProcess(join(folder, "runner.ts"), [], { env }));
    const runCommand = (name: string): OperatorProcess => {
      const election = ["--leader-elect", "--leader-election-namespace", "default"];
      const args = [
        "run",
        join(folder, "operator.ts"),
        "--install-crds",
        ...election,
        "--log-format",
        "json",
      ];
      return start(name, (env) => startCommand(args, { env }));
    };

    /** One leads and writes, the other stands by. */
    async function startTwo(
      begin: (name: string) => OperatorProcess,
    ): Promise<{ a: OperatorProcess; b: OperatorProcess }> {
      const { client } = server();
      const a = begin("a");
      await eventually(() => expect(a.output()).toContain('"msg":"running"'));
      const metadata = { name: "tick", namespace: "default" };
      const tick = { apiVersion: "election.example.com/v1", kind: "Tick", metadata, spec: {} };
      await client.create(ticks, tick).catch((error: unknown) => {
        if ((error as { code?: string }).code !== "API_ALREADY_EXISTS") throw error;
      });
      void collect(ConfigMap, "tick", ({ data }) => writers.push(data?.["by"] ?? ""));
      void collect(Lease, "ticker", ({ spec = {} }) => leases.push(spec));
      await eventually(() => expect(writers).toContain("a"));
      const b = begin("b");
      await eventually(() => expect(b.output()).toContain('"msg":"on standby"'));
      expect(b.output()).not.toContain('"msg":"running"');
      return { a, b };
    }

    /** Sees each change of the object from now on, until the test ends. */
    async function collect<T extends KubeObject>(
      type: ResourceType<T>,
      name: string,
      see: (object: T) => void,
    ): Promise<void> {
      const { signal } = watching;
      try {
        const list = await server().client.list(type, { namespace: "default" });
        const { resourceVersion } = list.metadata;
        const options = {
          namespace: "default",
          fieldSelector: `metadata.name=${name}`,
          resourceVersion,
          signal,
        };
        for await (const event of server().client.watch(type, options)) {
          if (event.type === "ADDED" || event.type === "MODIFIED") see(event.object);
        }
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    }

    const changesOfWriter = (): string[] => writers.filter((name, index) => name !== writers[index - 1]);
    const lease = async (): Promise<Lease["spec"]> =>
      (await server().client.get(Lease, { namespace: "default", name: "ticker" })).spec;

    it("hand over long before the lease runs out when the leader is stopped, with the times of the command line (T67)", async () => {
      const { a, b } = await startTwo(runCommand);
      a.child.kill("SIGTERM");
      expect(await a.exit).toBe(0);
      expect(a.output()).toContain('"msg":"leadership released"');
      expect(a.output()).not.toContain('"level":"error"');
      const stopped = performance.now();
      await eventually(() => expect(b.output()).toContain('"msg":"running"'));
      // It takes one try, every 2 s, and what this machine takes; the lease would have had 13 s left at least.
      expect(performance.now() - stopped).toBeLessThan(10_000);
      await eventually(() => expect(writers.at(-1)).toBe("b"));
      expect(changesOfWriter()).toEqual(["a", "b"]);
    });

    it("end a standby at once, and leave the leader alone (T72)", async () => {
      const { a, b } = await startTwo(run);
      const told = performance.now();
      b.child.kill("SIGTERM");
      expect(await b.exit).toBe(0);
      // There is nothing to drain, which may take 25 s.
      expect(performance.now() - told).toBeLessThan(10_000);
      expect(b.output()).not.toContain('"msg":"running"');
      expect(changesOfWriter()).toEqual(["a"]);
      expect(a.child.exitCode).toBeNull();
    });

    it("hand over after the lease duration when the leader is killed", async () => {
      const { a, b } = await startTwo(run);
      const first = (await lease())?.holderIdentity;
      await eventually(() => expect(leases.length).toBeGreaterThan(0));
      a.child.kill("SIGKILL");
      await eventually(() => expect(b.output()).toContain('"msg":"running"'));
      await eventually(() => expect(leases.at(-1)?.holderIdentity).not.toBe(first));
      const renewed = leases.findLast(({ holderIdentity }) => holderIdentity === first)?.renewTime;
      const acquired = leases.at(-1)?.acquireTime;
      const lasted = Date.parse(acquired ?? "") - Date.parse(renewed ?? "");
      expect(lasted).toBeGreaterThanOrEqual(8_000);
      // One more try, every half second, and what this machine takes.
      expect(lasted).toBeLessThan(2 * 8_000);
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
      expect(a.output()).toContain("rejected with LEADERSHIP_LOST");
      expect(a.output().match(/"level":"error"/g)).toBeNull();
      // Writes of the next leader that came after it show that the server has been heard up to here.
      await eventually(() => expect(writers.length).toBeGreaterThan(before + 3));
      expect(changesOfWriter()).toEqual(["a", "b"]);
      expect((await lease())?.holderIdentity).toContain("_");
      expect(b.child.exitCode).toBeNull();
    });
  },
  { long: true },
);
