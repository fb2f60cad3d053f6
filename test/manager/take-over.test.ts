// What a process does that stands by, and what it does first when it takes over.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { startCluster } from "../../src/cluster/start-cluster.ts";
import type { Cluster } from "../../src/cluster/cluster.ts";
import type { KubeClient } from "../../src/client/kube-client.ts";
import { defineController, defineKind, defineOperator, type OperatorDefinition } from "../../src/index.ts";
import { CustomResourceDefinition } from "../../src/kinds/builtin/apiextensions.ts";
import { Lease } from "../../src/kinds/builtin/coordination.ts";
import { crdOf } from "../../src/kinds/crd.ts";
import { runOperator } from "../../src/manager/run-operator.ts";
import type { RunOptions } from "../../src/manager/run-options.ts";
import type { Logger } from "../../src/ports/logger.ts";
import { clientOf } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";

const Note = defineKind({
  group: "takeover.example.com",
  version: "v1",
  kind: "Note",
  spec: z.object({ text: z.string() }),
});
const leaderElection = {
  name: "notes",
  namespace: "default",
  leaseDuration: "5s",
  renewDeadline: "3s",
  retryPeriod: "200ms",
} as const;

/** An operator that tells which texts it has seen. */
function reader(name: string, seen: string[]): OperatorDefinition {
  const freeStyle = ({ cr }: { readonly cr: { readonly spec: { readonly text: string } } }) => {
    seen.push(cr.spec.text);
  };
  return defineOperator({ name, controllers: [defineController(Note, { freeStyle })] });
}

describe("a process that takes over", () => {
  let cluster: Cluster;
  let client: KubeClient;
  beforeAll(async () => {
    cluster = await startCluster({ controllers: false });
    client = await clientOf(cluster.kubeconfig);
  });
  afterAll(async () => {
    await client.close();
    await cluster.stop();
  });

  /** Starts it without waiting for anything; stopped with the test. */
  function start(definition: OperatorDefinition, options: Partial<RunOptions> = {}) {
    const told: string[] = [];
    const tell = (fields: Readonly<Record<string, unknown>>, message: string): void => {
      told.push(message === "manager" ? String(fields["state"]) : message);
    };
    const log: Logger = { child: () => log, debug: tell, info: tell, warn: tell, error: tell };
    const abort = new AbortController();
    const ended = runOperator(definition, {
      connection: { kubeconfig: cluster.kubeconfig },
      env: {},
      ...(options.sharding === undefined ? { leaderElection } : {}),
      log,
      signal: abort.signal,
      ...options,
    });
    const stop = async (): Promise<void> => {
      abort.abort();
      await ended;
    };
    onTestFinished(stop);
    return { told, stop };
  }

  const note = { name: "note", namespace: "default" };
  const write = (text: string) => client.patch(Note, note, { type: "merge", body: { spec: { text } } });

  it("acts on nothing older than what the former leader wrote last", async () => {
    const [before, after]: [string[], string[]] = [[], []];
    const old = start(reader("old", before), { installCrds: true });
    await eventually(() => expect(old.told).toContain("running"));
    await client.create(Note, {
      apiVersion: "takeover.example.com/v1",
      kind: "Note",
      metadata: note,
      spec: { text: "1" },
    });
    const next = start(reader("next", after));
    await eventually(() => expect(next.told).toContain("on standby"));
    const late = cluster.faults.delayWatches({ userAgent: "next" }, Infinity);
    onTestFinished(() => late.end());
    await write("2");
    await eventually(() => expect(before).toContain("2"));
    await old.stop();
    await eventually(() => expect(next.told).toContain("CatchingUp"));
    // It has had the time to act on what it has: it has looked at the server, which is ahead.
    await write("3");
    expect(next.told).not.toContain("running");
    expect(after).toEqual([]);
    late.end();
    await eventually(() => expect(after).toContain("3"));
    expect(after).not.toContain("1");
  });

  it("under a new name leads only once no process of the former name does, and keeps others of that name from leading", async () => {
    const { name: _, ...elected } = leaderElection;
    const started: string[] = [];
    const run = (name: string, formerNames: readonly string[] = []) => {
      const freeStyle = (): void => void started.push(name);
      const definition = defineOperator({
        name,
        formerNames,
        controllers: [defineController(Note, { freeStyle })],
      });
      return start(definition, { leaderElection: elected });
    };
    const old = run("former");
    await eventually(() => expect(old.told).toContain("running"));
    const renamed = run("renamed", ["former"]);
    await eventually(async () => {
      const { spec } = await client.get(Lease, { name: "renamed", namespace: "default" });
      expect(spec?.holderIdentity).toBeTruthy();
    });
    await eventually(() => expect(renamed.told).toContain("on standby"));
    expect(renamed.told).not.toContain("running");
    await old.stop();
    await eventually(() => expect(renamed.told).toContain("running"));
    const late = run("former");
    await eventually(() => expect(late.told).toContain("on standby"));
    expect(late.told).not.toContain("running");
    await renamed.stop();
    await eventually(() => expect(late.told).toContain("running"));
    await late.stop();
  });

  it("leaves CRDs as they are while another leads, and brings them up to date when it leads", async () => {
    const columns = async (): Promise<number> => {
      const crd = await client.get(CustomResourceDefinition, { name: "notes.takeover.example.com" });
      const { spec } = crd as unknown as { spec: { versions: { additionalPrinterColumns?: unknown[] }[] } };
      return spec.versions[0]?.additionalPrinterColumns?.length ?? 0;
    };
    const old = start(reader("old", []), { installCrds: true });
    await eventually(() => expect(old.told).toContain("running"));
    const full = await columns();
    expect(full).toBeGreaterThan(0);
    // What an operator of another version works with.
    const crd = structuredClone(crdOf(Note as never)) as unknown as {
      spec: { versions: { additionalPrinterColumns?: unknown }[] };
    };
    for (const version of crd.spec.versions) delete version.additionalPrinterColumns;
    await client.apply(CustomResourceDefinition, crd as never, { fieldManager: "old", force: true });
    expect(await columns()).toBe(0);
    const next = start(reader("old", []), { installCrds: true });
    await eventually(() => expect(next.told).toContain("on standby"));
    expect(await columns()).toBe(0);
    expect(next.told).not.toContain("CRD installed");
    await old.stop();
    await eventually(() => expect(next.told).toContain("running"));
    expect(await columns()).toBe(full);
  });

  it("creates a CRD that is missing although it only stands by, as it could not watch anything else", async () => {
    const Other = defineKind({
      group: "takeover.example.com",
      version: "v1",
      kind: "Other",
      spec: z.object({}),
    });
    const old = start(reader("old", []), { installCrds: true });
    await eventually(() => expect(old.told).toContain("running"));
    const other = defineOperator({
      name: "next",
      controllers: [defineController(Other, { freeStyle: () => undefined })],
    });
    const next = start(other, { installCrds: true });
    await eventually(() => expect(next.told).toContain("on standby"));
    expect(next.told).toContain("CRD installed");
    expect(next.told).not.toContain("running");
  });

  it.each([
    ["elects", {}, /^notes$/],
    ["shares", { sharding: { namespace: "default" } }, /^leases-shard-/],
  ] as const)(
    "%s by Leases in the namespace that it was told, wherever it runs",
    async (_, options, name) => {
      const kubeconfig = join(mkdtempSync(join(tmpdir(), "xstate-operator-elsewhere-")), "kubeconfig");
      onTestFinished(() => rmSync(dirname(kubeconfig), { recursive: true }));
      const config = parse(readFileSync(cluster.kubeconfig, "utf8")) as { contexts: { context: object }[] };
      for (const each of config.contexts) each.context = { ...each.context, namespace: "kube-public" };
      writeFileSync(kubeconfig, JSON.stringify(config));
      const { told } = start(reader("leases", []), {
        connection: { kubeconfig },
        installCrds: true,
        ...options,
      });
      await eventually(() => expect(told).toContain("running"));
      const { items } = await client.list(Lease, {});
      const found = items.filter(({ metadata }) => name.test(metadata.name));
      expect(found.map(({ metadata }) => metadata.namespace)).toEqual(["default"]);
    },
  );
});
