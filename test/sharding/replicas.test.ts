// Real processes of the command line that share the keys of an operator, while they are stopped, killed and suspended. What
// they wrote is read from the API server's audit, or from the embedded one's hooks.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Explanation } from "../../src/explain/explanation.ts";
import { readPackage } from "../../src/cli/package-info.ts";
import { ConfigMap } from "../../src/kinds/builtin/core.ts";
import { ClusterRoleBinding } from "../../src/kinds/builtin/rbac.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { runCommand } from "../cli/run-in-process.ts";
import { eventually } from "../support/eventually.ts";
import { interleaved, markedWrite, type MarkedWrite } from "./write-trace.ts";

const { root } = readPackage();
const counters = {
  group: "sharding.example.com",
  version: "v1",
  kind: "Counter",
  plural: "counters",
  namespaced: true,
};

/** Seconds of random chaos in the long form. */
const chaosSeconds = Number(process.env["SHARDING_CHAOS_SECONDS"] ?? "0");
const leaseDuration = 8_000;

/** Copies a value into a config map, slowly: with a write at the beginning and one at the end. */
const operator = `
import { defineController, defineKind, defineOperator, sleep, systemClock } from ${JSON.stringify(join(root, "src", "index.ts"))};
import { ConfigMap } from ${JSON.stringify(join(root, "src", "kinds", "index.ts"))};
import { z } from ${JSON.stringify(join(root, "node_modules", "zod", "index.js"))};
const Counter = defineKind({ group: "sharding.example.com", version: "v1", kind: "Counter", spec: z.object({ value: z.int() }) });
let run = 0;
export default defineOperator({
  name: "counting",
  controllers: [defineController(Counter, {
    freeStyle: async ({ cr, client, results, signal }) => {
      run += 1;
      const mine = process.env.PROCESS + "." + run;
      const { name, namespace } = cr.metadata;
      const write = (mark, data) =>
        client.patch(ConfigMap, { name, namespace }, { type: "merge", body: { data } }, { fieldManager: mine + "." + mark });
      await write("first", { by: mine });
      await sleep(systemClock, 20 + Math.random() * 80, signal);
      await write("last", { value: String(cr.spec.value) });
      results.requeueAfter("600ms");
    },
  })],
});
`;

interface Running {
  readonly name: string;
  readonly child: ChildProcess;
  readonly err: () => string;
  readonly exit: Promise<number | null>;
}

/** What the embedded server's hooks have seen. */
let hooked: MarkedWrite[] = [];

describeOnEachApiServer(
  "replicas that share keys",
  (server) => {
    // Enough of them that each of three replicas has a part whatever their names are: with 36, one in a million has none.
    const keys = Array.from({ length: 36 }, (_, index) => `counter-${index}`);
    let folder = "";
    let running: Running[] = [];
    let supervised = true;
    let count = 0;
    let value = 0;

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), "xstate-operator-sharding-"));
      writeFileSync(join(folder, "operator.ts"), operator);
      const { client, plane } = server();
      if (plane === undefined) return;
      await client.create(ClusterRoleBinding, {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "ClusterRoleBinding",
        metadata: { name: "replicas" },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
        subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "stranger" }],
      });
    });

    afterEach(async () => {
      supervised = false;
      for (const { child } of running) child.kill("SIGKILL");
      await Promise.all(running.map(({ exit }) => exit));
    });

    afterAll(() => {
      rmSync(folder, { recursive: true, force: true });
    });

    /** Starts a replica, and another one when it ends, as a Deployment does. */
    function start(): Running {
      count += 1;
      const name = `r${count}`;
      const { plane, kubeconfig } = server();
      const child = spawn(
        process.execPath,
        [
          "--disable-warning=ExperimentalWarning",
          "--conditions=xstate-operator-source",
          join(root, "src", "cli", "main.ts"),
          "run",
          join(folder, "operator.ts"),
          "--install-crds",
          "--log-format=json",
          "--sharding",
          "--sharding-namespace=default",
          `--lease-duration=${leaseDuration}ms`,
        ],
        {
          env: {
            ...process.env,
            NODE_OPTIONS: "",
            PROCESS: name,
            KUBECONFIG: plane?.strangersKubeconfig ?? kubeconfig,
          },
          stdio: ["ignore", "ignore", "pipe"],
        },
      );
      let err = "";
      child.stderr.setEncoding("utf8").on("data", (more: string) => (err += more));
      const exit = new Promise<number | null>((resolve) => child.on("close", resolve));
      const replica = { name, child, err: () => err, exit };
      running.push(replica);
      void supervise(replica);
      return replica;
    }

    async function supervise(replica: Running): Promise<void> {
      await replica.exit;
      running = running.filter((each) => each !== replica);
      if (supervised) start();
    }

    const joined = ({ err }: Running): boolean => err().includes('"msg":"joined the shards"');
    const whenJoined = (replica: Running): Promise<void> =>
      eventually(() => expect(joined(replica), replica.err()).toBe(true), 30_000);

    async function create(): Promise<void> {
      const { client } = server();
      for (const name of keys) {
        const metadata = { name, namespace: "default" };
        await client.create(ConfigMap, { apiVersion: "v1", kind: "ConfigMap", metadata });
        await client.create(counters, {
          apiVersion: "sharding.example.com/v1",
          kind: "Counter",
          metadata,
          spec: { value },
        });
      }
    }

    /** Edits every object, and waits until every edit was reconciled; milliseconds. */
    async function changeAll(): Promise<number> {
      const { client } = server();
      value += 1;
      const start = performance.now();
      for (const name of keys) {
        const patch = { type: "merge", body: { spec: { value } } } as const;
        await client.patch(counters, { name, namespace: "default" }, patch);
      }
      await eventually(async () => {
        const { items } = await client.list(ConfigMap, { namespace: "default" });
        const done = items.filter(({ data }) => data?.["value"] === String(value));
        expect(done).toHaveLength(keys.length);
      }, 60_000);
      return performance.now() - start;
    }

    const marked = (): readonly MarkedWrite[] => {
      const { plane } = server();
      if (plane === undefined) return hooked;
      return plane.audit().flatMap(({ uri }) => {
        const url = new URL(uri, "https://any");
        const write = markedWrite(url.pathname, url.searchParams.get("fieldManager") ?? undefined);
        return write === undefined ? [] : [write];
      });
    };

    /** `explain` names a replica for an object, and every replica for one or another. */
    async function expectExplained(names: readonly string[]): Promise<void> {
      const named = new Set<string>();
      for (const name of names) {
        const typed = ["explain", `counter/${name}`, "--kubeconfig", server().kubeconfig, "-o", "json"];
        const { out, err } = await runCommand(typed);
        expect(err).toBe("");
        const { replica } = JSON.parse(out) as Explanation;
        expect(replica).toMatchObject({ replicas: 3, claims: [{ identity: expect.any(String) }] });
        named.add(replica?.claims[0]?.lease ?? "");
        if (named.size === 3) return;
      }
      expect(named.size).toBe(3);
    }

    /** How many keys each process has written for, among the last writes. */
    function owners(writes: readonly MarkedWrite[]): ReadonlyMap<string, string> {
      return new Map(writes.map(({ key, process }) => [key, process]));
    }

    it("never reconcile a key at once, and reconcile every change, whoever is killed", async () => {
      hooked = [];
      supervised = true;
      const [a, b, c] = [start(), start(), start()];
      await Promise.all([a, b, c].map(whenJoined));
      await create();
      // Each has been handed a part, and then works on it.
      await eventually(() => expectExplained(keys));
      await changeAll();
      await eventually(() => expect(new Set(owners(marked()).values()).size).toBe(3), 20_000);

      a.child.kill("SIGSTOP");
      b.child.kill("SIGKILL");
      const took = await changeAll();
      // Their terms run out; the rest is for this machine.
      expect(took).toBeLessThan(leaseDuration * 2 + 10_000);
      a.child.kill("SIGCONT");
      expect(await a.exit).toBe(1);
      expect(a.err()).toContain("SHARD_LOST");

      const others = running.filter((each) => each !== c);
      await Promise.all(others.map(whenJoined));
      await changeAll();
      c.child.kill("SIGTERM");
      expect(await c.exit).toBe(0);
      expect(c.err()).toContain('"msg":"left the shards"');
      const afterwards = marked().length;
      await changeAll();
      expect(
        marked()
          .slice(afterwards)
          .filter(({ process }) => process === c.name),
      ).toEqual([]);

      const writes = marked();
      expect(interleaved(writes)).toEqual([]);
      expect(new Set(writes.map(({ process }) => process)).size).toBeGreaterThan(3);
      expect(writes.length).toBeGreaterThan(keys.length * 8);
    }, 120_000);

    describe(`in chaos${chaosSeconds > 0 ? "" : " (skipped: set SHARDING_CHAOS_SECONDS)"}`, () => {
      it.skipIf(chaosSeconds === 0)(
        "never reconcile a key at once, and reconcile every change",
        async () => {
          supervised = true;
          const before = marked().length;
          const replicas = [start(), start(), start()];
          await Promise.all(replicas.map(whenJoined));
          if (value === 0) await create();
          const end = performance.now() + chaosSeconds * 1000;
          let slowest = 0;
          while (performance.now() < end) {
            const victim = running[Math.floor(Math.random() * running.length)];
            const dice = Math.random();
            if (victim !== undefined && dice < 0.4) victim.child.kill("SIGKILL");
            else if (victim !== undefined && dice < 0.7) victim.child.kill("SIGTERM");
            else if (victim !== undefined) {
              victim.child.kill("SIGSTOP");
              setTimeout(() => victim.child.kill("SIGCONT"), Math.random() * leaseDuration * 3);
            }
            slowest = Math.max(slowest, await changeAll());
          }
          const writes = marked().slice(before);
          expect(interleaved(writes)).toEqual([]);
          console.log(
            `${writes.length} writes, ${count} processes, slowest change ${Math.round(slowest)} ms`,
          );
        },
        chaosSeconds * 1000 + 180_000,
      );
    });
  },
  {
    long: true,
    embedded: {
      interceptWrites: {
        after: ({ path, fieldManager }, status) => {
          const write = markedWrite(path, fieldManager);
          if (write !== undefined && status < 300) hooked.push(write);
          return "proceed";
        },
      },
    },
  },
);
