// The author's fields of the status, derived from the lifecycle: on both servers, in every cycle, in the same write.
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { setupLifecycle } from "../../machines/lifecycle-machine.ts";
import { isNotFound } from "../../src/client/index.ts";
import { defineController, defineKind, defineOperator, type InstanceOf } from "../../src/index.ts";
import { findCondition } from "../../src/meta/condition.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { startOperator, type RunningOperator } from "../support/running-operator.ts";

const group = "status.example.com";
const namespace = "default";

const Shop = defineKind({
  group,
  version: "v1",
  kind: "Shop",
  spec: z.object({}),
  status: z.object({
    phase: z.string(),
    visitors: z.int().optional(),
    rounds: z.int().optional(),
    ran: z.string().optional(),
  }),
  lifecycle: setupLifecycle({
    actions: { count: ({ context }) => ({ rounds: Number(context["rounds"]) + 1 }) },
  }).createMachine({
    id: "shop",
    version: "1",
    initial: "Start",
    context: { rounds: 0 },
    states: {
      Start: { on: { "observed.Open": { target: "Open", actions: "count" } } },
      Open: { on: { "desired.End": "Closing", "observed.Lost": { target: "Start", actions: "count" } } },
      Closing: { on: { "observed.Left": "Sweeping" } },
      Sweeping: { on: { "observed.Swept": "End" } },
      End: { type: "final" },
    },
  }),
});
type Shop = InstanceOf<typeof Shop>;

describeOnEachApiServer("the author's fields of a status", (server) => {
  let operator: RunningOperator;
  /** What statusOf does wrong, by name of the shop. */
  const wrong = new Map<string, unknown>();
  const visitors = new Map<string, number>();
  const words = new Map<string, "Left" | "Swept">();

  beforeAll(async () => {
    const definition = defineOperator({
      name: "status-operator",
      controllers: [
        defineController(Shop, {
          steps: { SuccessManager: () => ({ ran: "yes", phase: "of the run" }) },
          application: {
            observe: ({
              cr: {
                metadata: { name },
              },
            }) => ({
              state: words.get(name) ?? "Open",
              facts: { visitors: visitors.get(name) ?? 0 },
            }),
            poll: "200ms",
            statusOf: ({ cr, state, context, facts }) => {
              const fault = wrong.get(cr.metadata.name);
              if (fault instanceof Error) throw fault;
              if (fault !== undefined) return fault as object;
              const rounds = Number(context["rounds"]);
              return { phase: state, rounds, visitors: Number(facts["visitors"]) };
            },
          },
        }),
      ],
    });
    operator = await startOperator(definition, server().kubeconfig, { installCrds: true });
  });
  afterAll(async () => operator?.stop());

  const get = (name: string): Promise<Shop> => server().client.get(Shop, { namespace, name });
  const create = (name: string) =>
    server().client.create(Shop, {
      apiVersion: `${group}/v1`,
      kind: "Shop",
      metadata: { name, namespace },
      spec: {},
    });
  it("are written in one write with the state that they are derived from, in every cycle until the end", async () => {
    const watching = new AbortController();
    const seen: string[] = [];
    const follow = async (): Promise<void> => {
      try {
        for await (const event of server().client.watch(Shop, { signal: watching.signal })) {
          if (event.type !== "ADDED" && event.type !== "MODIFIED") continue;
          const { metadata, status } = event.object;
          if (metadata.name !== "one" || status?.lifecycle?.state === undefined) continue;
          const told = `${status.lifecycle.state} ${status.phase}`;
          if (seen.at(-1) !== told) seen.push(told);
        }
      } catch (error) {
        if (!watching.signal.aborted) throw error;
      }
    };
    await eventually(() => server().client.list(Shop));
    const followed = follow();
    await create("one");
    await eventually(async () =>
      expect((await get("one")).status).toMatchObject({ phase: "Open", rounds: 1 }),
    );
    visitors.set("one", 7);
    await eventually(async () =>
      expect((await get("one")).status).toMatchObject({ visitors: 7, ran: "yes" }),
    );
    await server().client.delete(Shop, { namespace, name: "one" });
    await eventually(async () => expect((await get("one")).status).toMatchObject({ phase: "Closing" }));
    visitors.set("one", 3);
    await eventually(async () => expect((await get("one")).status).toMatchObject({ visitors: 3 }));
    words.set("one", "Left");
    await eventually(async () => expect((await get("one")).status).toMatchObject({ phase: "Sweeping" }));
    words.set("one", "Swept");
    await eventually(async () => {
      await expect(get("one")).rejects.toSatisfy(isNotFound);
    });
    watching.abort();
    await followed;
    expect(seen).toEqual(expect.arrayContaining(["Open Open", "Closing Closing", "Sweeping Sweeping"]));
    expect(seen.filter((told) => new Set(told.split(" ")).size > 1)).toEqual([]);
  });

  it.each([
    ["throws", new Error("no door"), "statusOf failed: no door"],
    [
      "returns an unknown field",
      { fase: "x" },
      'statusOf returned "fase", which the status of Shop does not have',
    ],
    [
      "returns a field of the operator",
      { lifecycle: {} },
      'statusOf returned "lifecycle", which the operator itself writes',
    ],
    [
      "returns a wrong value",
      { visitors: "many" },
      'statusOf returned a value of "visitors" that does not fit its schema',
    ],
    ["is async", Promise.resolve({}), "statusOf returned a promise"],
  ])("fail the run where their function %s, and the lifecycle goes on", async (fault, what, message) => {
    const name = fault.replaceAll(" ", "-");
    wrong.set(name, what);
    await create(name);
    await eventually(async () => {
      const { status } = await get(name);
      expect(status?.lifecycle?.state).toBe("Open");
      expect(findCondition(status?.conditions, "ReconciliationSuccess")).toMatchObject({
        status: "False",
        message: expect.stringContaining(message) as unknown,
      });
    });
    wrong.delete(name);
    await eventually(async () => {
      const { status } = await get(name);
      expect(status).toMatchObject({ phase: "Open" });
      expect(findCondition(status?.conditions, "ReconciliationSuccess")?.status).toBe("True");
    }, 30_000);
  });

  it("hold up no deletion where their function fails, and the condition says so", async () => {
    await create("stuck");
    await eventually(async () => expect((await get("stuck")).status?.phase).toBe("Open"));
    wrong.set("stuck", new Error("no door"));
    await server().client.delete(Shop, { namespace, name: "stuck" });
    await eventually(async () => {
      const { status } = await get("stuck");
      expect(status?.lifecycle?.state).toBe("Closing");
      expect(findCondition(status?.conditions, "ReconciliationSuccess")).toMatchObject({
        reason: "Finalizing",
        message: expect.stringContaining("statusOf failed: no door") as unknown,
      });
    });
    words.set("stuck", "Left");
    await eventually(async () => expect((await get("stuck")).status?.lifecycle?.state).toBe("Sweeping"));
    words.set("stuck", "Swept");
    await eventually(async () => {
      await expect(get("stuck")).rejects.toSatisfy(isNotFound);
    });
  });
});
