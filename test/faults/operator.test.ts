// A whole operator behind a bad network, on every API server: whatever the connection does, in the end the cluster is as it
// should be, each edit was seen, and nothing was done without a reason. Its clock is twenty times as fast as the wall's.
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { defineController, defineOperator, type Condition } from "../../src/index.ts";
import { ConfigMap } from "../../src/kinds/index.ts";
import type { JsonPatchOperation } from "../../src/client/kube-client.ts";
import { describeOnEachApiServer, type ApiServerUnderTest } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { createFastClock } from "../support/fast-clock.ts";
import { startFaultProxy, type FaultProxy } from "../support/fault-proxy.ts";
import { startOperator, type RunningOperator } from "../support/running-operator.ts";
import { Widget } from "./support/faulty-controller.ts";

const namespace = "default";

const operator = defineOperator({
  name: "widget-operator",
  controllers: [
    defineController(Widget, {
      owns: [ConfigMap],
      steps: {
        ObjectsGetter: ({ cr, registry }) => {
          registry.add({
            apiVersion: "v1",
            kind: "ConfigMap",
            metadata: { name: cr.metadata.name, namespace },
            data: { size: String(cr.spec.size) },
          });
        },
        SuccessManager: ({ cr }) => ({ seen: cr.spec.size, phase: "Ready" }),
        CRFinalizer: () => undefined,
      },
    }),
  ],
});

describeOnEachApiServer(
  "an operator on a bad network",
  (server) => {
    let proxy: FaultProxy;
    let running: RunningOperator;
    beforeAll(async () => {
      proxy = await startFaultProxy(server().url);
      const kubeconfig = await proxy.kubeconfigFor(server().kubeconfig);
      running = await startOperator(operator, kubeconfig, { installCrds: true, clock: createFastClock(20) });
    });
    afterEach(() => proxy.heal());
    afterAll(async () => {
      await running.stop();
      await proxy.stop();
    });

    const client = () => server().client;
    const keyOf = (name: string) => ({ name, namespace });
    const reconciles = (name: string): number => running.reconciles(`${namespace}/${name}`);
    const edit = (name: string, size: number) =>
      client().patch(Widget, keyOf(name), { type: "merge", body: { spec: { size } } });
    const isAt = async (name: string, size: number): Promise<void> => {
      const [widget, child] = await Promise.all([
        client().get(Widget, keyOf(name)),
        client().get(ConfigMap, keyOf(name)),
      ]);
      expect(widget.status).toMatchObject({ seen: size, observedGeneration: widget.metadata.generation });
      expect(child.data).toEqual({ size: String(size) });
    };
    const converged = (name: string, size: number) => eventually(() => isAt(name, size));
    async function create(name: string): Promise<void> {
      await client().create(Widget, {
        apiVersion: "faults.example.com/v1",
        kind: "Widget",
        metadata: { name, namespace },
        spec: { size: 1 },
      });
      await converged(name, 1);
    }
    /** What shows every write: the versions of the resource and of its child. */
    const versions = async (name: string): Promise<readonly string[]> =>
      Promise.all([
        client()
          .get(Widget, keyOf(name))
          .then(({ metadata }) => metadata.resourceVersion),
        client()
          .get(ConfigMap, keyOf(name))
          .then(({ metadata }) => metadata.resourceVersion),
      ]);

    it("sees what was edited while it was cut off, once it is back (T12)", async () => {
      await create("away");
      await proxy.refuse();
      await edit("away", 2);
      await edit("away", 3);
      await proxy.heal();
      await converged("away", 3);
    });

    it("does nothing when every connection is reset again and again and nothing has changed (T10, T31)", async () => {
      await create("quiet");
      await create("probe");
      const before = { runs: reconciles("quiet"), versions: await versions("quiet") };
      for (let round = 2; round < 6; round += 1) {
        const { accepted } = proxy;
        proxy.reset();
        await eventually(() => expect(proxy.accepted).toBeGreaterThanOrEqual(accepted + 2));
        // What is seen of this one came after whatever was told anew.
        await edit("probe", round);
        await converged("probe", round);
      }
      expect({ runs: reconciles("quiet"), versions: await versions("quiet") }).toEqual(before);
    });

    it("goes on when watches are cut in the middle of a line, and misses no edit (T28)", async () => {
      await create("cut");
      for (let round = 2; round < 6; round += 1) {
        proxy.cutAfter(round * 37);
        await edit("cut", round);
        await converged("cut", round);
        await proxy.heal();
      }
    });

    it("recovers from connects that are reset (T02)", async () => {
      await create("connects");
      proxy.resetNext(5);
      proxy.reset();
      await edit("connects", 4);
      await converged("connects", 4);
    });

    it("works on a slow line", async () => {
      proxy.slow(20_000);
      await create("slow");
      await edit("slow", 2);
      await converged("slow", 2);
    });

    it("removes its own finalizer only, while another one goes at the same time (T46)", async () => {
      await create("shared");
      const patch = (body: readonly JsonPatchOperation[]) =>
        client().patch(Widget, keyOf("shared"), { type: "json", body });
      // Ours is in the middle in what the operator has seen, and the first one by the time it can act.
      await patch([
        { op: "add", path: "/metadata/finalizers/0", value: "first.example.com/finalizer" },
        { op: "add", path: "/metadata/finalizers/-", value: "last.example.com/finalizer" },
      ]);
      await proxy.refuse();
      await client().delete(Widget, keyOf("shared"));
      await patch([{ op: "remove", path: "/metadata/finalizers/0" }]);
      await proxy.heal();
      await eventually(async () => {
        const { metadata } = await client().get(Widget, keyOf("shared"));
        expect(metadata.finalizers).toEqual(["last.example.com/finalizer"]);
      });
      await patch([{ op: "remove", path: "/metadata/finalizers/0" }]);
      await eventually(() =>
        expect(client().get(Widget, keyOf("shared"))).rejects.toMatchObject({ code: "API_NOT_FOUND" }),
      );
    });

    it("finds again what it left when the API server itself is killed and started anew (T12)", async () => {
      await create("restarted");
      const killed = await restart(server());
      await proxy.refuse();
      // The kept connections of the person at the keyboard were closed as well.
      await eventually(() => edit("restarted", 2));
      await proxy.heal();
      await converged("restarted", 2);
      expect(killed).toBe(true);
      const before = await versions("restarted");
      await edit("probe", 9);
      await converged("probe", 9);
      expect(await versions("restarted")).toEqual(before);
    });

    it("is told the truth by its condition all along", async () => {
      const { status } = await client().get(Widget, keyOf("away"));
      const { conditions } = status as unknown as { readonly conditions: readonly Condition[] };
      expect(conditions).toMatchObject([
        { type: "ReconciliationSuccess", status: "True", reason: "Success" },
        { type: "Ready", status: "True" },
      ]);
    });

    describe("and a server that refuses", () => {
      it("writes with conflicts, errors, or by losing its answers: it ends as declared, with one child", async ({
        skip,
      }) => {
        const { faults } = server();
        if (faults === undefined) {
          skip("only the embedded API server can be told to refuse");
          return;
        }
        const mine = { userAgent: "widget-operator" };
        await create("stormy");
        const verbs = ["patch", "apply"] as const;
        faults.refuse({ ...mine, verb: verbs }, { status: 409 }, { times: 4 });
        faults.refuse({ ...mine, verb: verbs }, { status: 503 }, { times: 3 });
        faults.refuse({ ...mine, verb: verbs }, { status: 429, retryAfter: 1 }, { times: 2 });
        faults.refuse({ ...mine, verb: verbs }, { status: 500 }, { times: 2 });
        faults.loseAnswers({ ...mine, verb: verbs }, { times: 3 });
        await edit("stormy", 5);
        await converged("stormy", 5);
        const before = await versions("stormy");
        await edit("probe", 8);
        await converged("probe", 8);
        expect(await versions("stormy")).toEqual(before);
        faults.clear();
      });
    });
  },
  { embedded: { controllers: false }, real: { controllers: "none" } },
);

/** Stops the API server without a word and starts it again on the same port and data. */
async function restart({ plane, faults }: ApiServerUnderTest): Promise<boolean> {
  if (plane !== undefined) await plane.restartApiServer("SIGKILL");
  await faults?.stopServer();
  await faults?.startServer();
  return plane !== undefined || faults !== undefined;
}
