// An operator that is told to stop before it runs: whatever it is about to do, it ends as asked, says nothing that alarms, and
// leaves no Lease behind.
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { defineController, defineKind, defineOperator } from "../../src/index.ts";
import { Lease } from "../../src/kinds/builtin/coordination.ts";
import { runOperator } from "../../src/manager/run-operator.ts";
import type { Logger } from "../../src/ports/logger.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { startRequestProxy, type RequestMatch, type RequestProxy } from "../support/request-proxy.ts";

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
async function stopIn(
  { proxy, kubeconfig }: { readonly proxy: RequestProxy; readonly kubeconfig: string },
  stage: string,
  hang?: RequestMatch,
): Promise<readonly string[]> {
  const alarms: string[] = [];
  const abort = new AbortController();
  const entered = Promise.withResolvers<void>();
  const note = (fields: Readonly<Record<string, unknown>>, message: string): void => {
    if (message === "manager" && fields["state"] === stage) entered.resolve();
  };
  const alarm = (fields: object, message: string): void =>
    void alarms.push(`${message} ${JSON.stringify(fields)}`);
  const log: Logger = { child: () => log, debug: note, info: note, warn: alarm, error: alarm };
  const held = hang === undefined ? undefined : proxy.hold(hang);
  const ended = runOperator(operator, {
    connection: { kubeconfig },
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
  held?.end();
  await ended;
  return alarms;
}

describeOnEachApiServer(
  "an operator that is told to stop before it runs ends as asked",
  (server) => {
    let through: { readonly proxy: RequestProxy; readonly kubeconfig: string };
    beforeAll(async () => {
      const proxy = await startRequestProxy(server().kubeconfig);
      through = { proxy, kubeconfig: await proxy.kubeconfigFor(server().kubeconfig) };
    });
    afterAll(() => through.proxy.stop());

    const holders = async (): Promise<readonly string[]> => {
      const { items } = await server().client.list(Lease, { namespace });
      return items.flatMap(({ spec }) => (spec?.holderIdentity ? [spec.holderIdentity] : []));
    };

    it.each([
      ["Connecting", {}],
      ["Preparing", { plural: "customresourcedefinitions" }],
      ["Syncing", { plural: "notes" }],
      ["Standby", { plural: "leases" }],
      ["CatchingUp", { plural: "customresourcedefinitions", method: "PATCH" }],
      ["CatchingUp", { plural: "notes", method: "GET", watch: false }],
    ] as const)("while %s, at %j", async (stage, hang) => {
      expect(await stopIn(through, stage, hang)).toEqual([]);
      expect(await holders()).toEqual([]);
    });

    it("on standby behind another leader, whose Lease it leaves", async () => {
      const now = new Date().toISOString().replace("Z", "000Z");
      await server().client.apply(
        Lease,
        {
          apiVersion: "coordination.k8s.io/v1",
          kind: "Lease",
          metadata: { name: "early", namespace },
          spec: { holderIdentity: "another", leaseDurationSeconds: 600, acquireTime: now, renewTime: now },
        },
        { fieldManager: "test", force: true },
      );
      expect(await stopIn(through, "Standby")).toEqual([]);
      expect(await holders()).toEqual(["another"]);
    });
  },
  { embedded: { controllers: false }, real: { controllers: "none" } },
);
