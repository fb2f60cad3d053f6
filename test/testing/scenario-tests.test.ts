// Scenarios: a life that is the same wherever its operator is killed, and the faults that they must find.
import { describe, expect, it } from "vitest";
import { defineController, defineKind, defineOperator, setupLifecycle } from "xstate-operator";
import { ConfigMap, Deployment } from "xstate-operator/kinds";
import { scenarioTests, type Scenario } from "xstate-operator/testing";
import { z } from "zod";
import website from "../../examples/website/operator.ts";
import { Website } from "../../examples/website/src/website/website.ts";

const websiteLife: Scenario<object> = {
  kind: Website,
  operator: () => website,
  steps: [
    { what: "created", act: ({ create }) => create({}), until: "Running" },
    { what: "closed", act: ({ send }) => send("close"), until: "Maintenance" },
    { what: "deleted", act: (hands) => hands.delete(), until: "gone" },
  ],
  outcome: async ({ client }) => ({
    deployments: (await client.list(Deployment)).items.length,
    pages: (await client.list(ConfigMap, { namespace: "default" })).items.length,
  }),
};

describe("the life of the website", () => {
  for (const { name, run } of scenarioTests(websiteLife)) it(name, run, 300_000);
});

/** A ledger that books each of its tasks in the world, with the care that is given. */
const lifecycle = setupLifecycle().createMachine({
  id: "ledger",
  version: "1",
  initial: "Open",
  states: {
    Open: { invoke: { id: "book", src: "book", onDone: "Booked", onError: "HumanIntervention" } },
    Booked: { on: { "desired.Closed": "Closed" } },
    Closed: { type: "final" },
  },
});
const Ledger = defineKind({
  group: "books.example.com",
  version: "v1",
  kind: "Ledger",
  spec: z.object({}),
  lifecycle,
});

class Books {
  readonly entries: string[] = [];

  async add(key: string, careful: boolean): Promise<void> {
    if (!careful || !this.entries.includes(key)) this.entries.push(key);
  }
}

function ledgerLife(careful: boolean, until = "Booked"): Scenario<Books> {
  return {
    kind: Ledger,
    world: () => new Books(),
    operator: (books) =>
      defineOperator({
        name: "ledger-operator",
        controllers: [
          defineController(Ledger, {
            application: {
              observe: () => ({}),
              tasks: { book: { start: ({ key }) => books.add(key, careful) } },
            },
          }),
        ],
      }),
    steps: [{ what: "opened", act: ({ create }) => create({}), until }],
    outcome: ({ world }) => world.entries.length,
  };
}

describe("a scenario", () => {
  it("comes to the same with a task that heeds its key", async () => {
    for (const { run } of scenarioTests(ledgerLife(true))) await run();
  });

  it("finds a task that acts twice, and names the write, the step and both outcomes", async () => {
    const [whole, killed] = scenarioTests(ledgerLife(false));
    await whole?.run();
    await expect(killed?.run()).rejects.toThrow(
      /killed before write \d+ \(patch Ledger one status, during "opened"\): the outcome is 2, and without a kill 1/,
    );
  });

  it("finds a step that leads elsewhere, with the condition", async () => {
    const [whole] = scenarioTests(ledgerLife(true, "Closed"));
    await expect(whole?.run()).rejects.toThrow(
      /after "opened" the application is in Booked, not in Closed; Lifecycle: /,
    );
  });

  it("is refused when it has another form", () => {
    expect(() => scenarioTests({ ...ledgerLife(true), steps: [{ what: "opened" }] } as never)).toThrow(
      /until/,
    );
    expect(() => scenarioTests({ ...ledgerLife(true), step: [] } as never)).toThrow(/step/);
  });
});
