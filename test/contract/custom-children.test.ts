// Children of custom types, and numbers that pass from a custom resource to its child: on both servers.
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { isInvalid } from "../../src/client/index.ts";
import { defineController, defineKind, defineOperator, type InstanceOf } from "../../src/index.ts";
import { findCondition } from "../../src/meta/condition.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { startOperator, type RunningOperator } from "../support/running-operator.ts";

const group = "money.example.com";
const namespace = "default";

const Ledger = defineKind({ group, version: "v1", kind: "Ledger", spec: z.object({ amount: z.int() }) });
const Wallet = defineKind({
  group,
  version: "v1",
  kind: "Wallet",
  spec: z.object({ amount: z.int(), few: z.int().min(0).max(9).default(1) }),
});
type Wallet = InstanceOf<typeof Wallet>;
/** The same wallets, served by a controller that has forgotten to say what it owns. */
const Purse = defineKind({ group, version: "v1", kind: "Purse", spec: z.object({}) });

describeOnEachApiServer("a child of a custom type", (server) => {
  let operator: RunningOperator;

  const ledgerOf = (name: string, amount: number) => ({
    apiVersion: `${group}/v1`,
    kind: "Ledger",
    metadata: { name },
    spec: { amount },
  });

  beforeAll(async () => {
    const definition = defineOperator({
      name: "money-operator",
      controllers: [
        defineController(Ledger, {}),
        defineController(Wallet, {
          owns: [Ledger],
          steps: {
            ObjectsGetter: ({ cr, registry }) => registry.add(ledgerOf(cr.metadata.name, cr.spec.amount)),
          },
        }),
        defineController(Purse, {
          steps: { ObjectsGetter: ({ cr, registry }) => registry.add(ledgerOf(cr.metadata.name, 1)) },
        }),
      ],
    });
    operator = await startOperator(definition, server().kubeconfig, { installCrds: true });
  });
  afterAll(async () => operator?.stop());

  const create = (name: string, amount: number): Promise<Wallet> =>
    server().client.create(Wallet, {
      apiVersion: `${group}/v1`,
      kind: "Wallet",
      metadata: { name, namespace },
      spec: { amount, few: 1 },
    });
  const ledger = (name: string) => server().client.get(Ledger, { namespace, name });

  it("is known as a plain manifest where its type is owned, and is made again when somebody deletes it", async () => {
    await create("one", 5);
    const first = await eventually(() => ledger("one"));
    expect(first.spec.amount).toBe(5);
    await server().client.delete(Ledger, { namespace, name: "one" });
    await eventually(async () => {
      const again = await ledger("one");
      expect(again.metadata.uid).not.toBe(first.metadata.uid);
    });
  });

  it("is refused where its type is not owned: the condition says what to do", async () => {
    await server().client.create(Purse, {
      apiVersion: `${group}/v1`,
      kind: "Purse",
      metadata: { name: "lost", namespace },
      spec: {},
    });
    await eventually(async () => {
      const purse = await server().client.get(Purse, { namespace, name: "lost" });
      expect(findCondition(purse.status?.conditions, "ReconciliationSuccess")).toMatchObject({
        status: "False",
        reason: "ErrorAndGiveup",
        message: expect.stringMatching(/^Ledger.* is not a type this controller knows/) as unknown,
      });
    });
  });

  it("has the very integer of its custom resource, up to the largest that is exact", async () => {
    await create("exact", Number.MAX_SAFE_INTEGER);
    const { spec } = await eventually(() => ledger("exact"));
    expect(spec.amount).toBe(9_007_199_254_740_991);
  });

  it("never has a rounded integer: the server refuses what is too large, and says which field and why", async () => {
    const sent = create("large", 2 ** 60);
    const error: unknown = await sent.catch((caught: unknown) => caught);
    expect(isInvalid(error)).toBe(true);
    expect((error as Error).message).toMatch(
      /spec\.amount.*less than or equal to 9007199254740991|9\.007199254740991e\+15/,
    );
  });
});
