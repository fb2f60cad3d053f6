// An operator that is told to stop before it runs: whatever it is about to do, it ends as asked, says nothing that alarms, and
// leaves no Lease behind.
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import type { RequestMatch } from "../../src/cluster/cluster-faults.ts";
import { startCluster } from "../../src/cluster/start-cluster.ts";
import type { Cluster } from "../../src/cluster/cluster.ts";
import type { KubeClient } from "../../src/client/kube-client.ts";
import { defineController, defineKind, defineOperator } from "../../src/index.ts";
import { Lease } from "../../src/kinds/builtin/coordination.ts";
import { runOperator } from "../../src/manager/run-operator.ts";
import type { Logger } from "../../src/ports/logger.ts";
import { clientOf } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";

const Note = defineKind({ group: "early.example.com", version: "v1", kind: "Note", spec: z.object({}) });
const operator = defineOperator({
  name: "early",
  controllers: [defineController(Note, { freeStyle: () => undefined })],
});
const namespace = "default";
const leaderElection = {
  name: "early",
  namespace,
  leaseDuration: "60s",
  renewDeadline: "40s",
  retryPeriod: "100ms",
} as const;

/** Starts it, stops it once it has been in a stage for a while, and tells what it has logged beyond what is usual. */
async function stopIn(cluster: Cluster, stage: string, hang?: RequestMatch): Promise<readonly string[]> {
  const alarms: string[] = [];
  const abort = new AbortController();
  const entered = Promise.withResolvers<void>();
  const note = (fields: Readonly<Record<string, unknown>>, message: string): void => {
    if (message === "manager" && fields["state"] === stage) entered.resolve();
  };
  const alarm = (fields: object, message: string): void =>
    void alarms.push(`${message} ${JSON.stringify(fields)}`);
  const log: Logger = { child: () => log, debug: note, info: note, warn: alarm, error: alarm };
  const held = hang === undefined ? undefined : cluster.faults.delay({ userAgent: "early", ...hang }, 3_000);
  const ended = runOperator(operator, {
    connection: { kubeconfig: cluster.kubeconfig },
    env: {},
    leaderElection,
    installCrds: true,
    log,
    signal: abort.signal,
  });
  ended.catch(() => entered.resolve());
  await entered.promise;
  if (held !== undefined) await eventually(() => expect(held.strikes).toBeGreaterThan(0));
  abort.abort(new Error("stopped by SIGTERM"));
  await ended;
  return alarms;
}

describe("an operator that is told to stop before it runs ends as asked", () => {
  let cluster: Cluster;
  let client: KubeClient;
  beforeAll(async () => {
    cluster = await startCluster({ controllers: false });
    client = await clientOf(cluster.kubeconfig);
  });
  afterEach(() => cluster.faults.clear());
  afterAll(async () => {
    await client.close();
    await cluster.stop();
  });

  const holders = async (): Promise<readonly string[]> => {
    const { items } = await client.list(Lease, { namespace });
    return items.flatMap(({ spec }) => (spec?.holderIdentity ? [spec.holderIdentity] : []));
  };

  it.each([
    ["Connecting", {}],
    ["Preparing", { plural: "customresourcedefinitions" }],
    ["Syncing", { plural: "notes" }],
    ["Standby", { plural: "leases" }],
    ["CatchingUp", { plural: "customresourcedefinitions", verb: "apply" }],
    ["CatchingUp", { plural: "notes", verb: "list" }],
  ] as const)("while %s, at %j", async (stage, hang) => {
    expect(await stopIn(cluster, stage, hang)).toEqual([]);
    expect(await holders()).toEqual([]);
  });

  it("on standby behind another leader, whose Lease it leaves", async () => {
    const now = new Date().toISOString().replace("Z", "000Z");
    await client.apply(
      Lease,
      {
        apiVersion: "coordination.k8s.io/v1",
        kind: "Lease",
        metadata: { name: "early", namespace },
        spec: { holderIdentity: "another", leaseDurationSeconds: 600, acquireTime: now, renewTime: now },
      },
      { fieldManager: "test", force: true },
    );
    expect(await stopIn(cluster, "Standby")).toEqual([]);
    expect(await holders()).toEqual(["another"]);
  });
});
