// What a newcomer wrote after the guide: children that follow what a person has approved, a status of what was observed.
import { describe, expect, it } from "vitest";
import { KubernetesEvent } from "../../src/kinds/builtin/events.ts";
import { StatefulSet } from "../../src/kinds/index.ts";
import { readOperator } from "../../src/operator-file/parts/read-operator.ts";
import { scenarioTests, type ScenarioContext } from "../../src/testing/index.ts";

const operator = readOperator("test/fixtures/message-queue/operator.yaml");
const { kind } = operator.controllers[0]!;
const key = { namespace: "default", name: "one" };
const seen: object[] = [];

async function look({ client }: ScenarioContext<object>): Promise<void> {
  const { spec } = await client.get(StatefulSet, key);
  const { status } = (await client.get(kind, key)) as unknown as {
    readonly status?: {
      readonly version?: string;
      readonly ready?: number;
      readonly lifecycle?: { readonly state?: string };
    };
  };
  const { items } = await client.list(KubernetesEvent, { namespace: "default" });
  seen.push({
    state: status?.lifecycle?.state,
    image: spec.template.spec?.containers[0]?.image,
    version: status?.version,
    ready: status?.ready,
    notes: items.filter(({ reason }) => reason === "Upgraded").map(({ note }) => note),
  });
}

describe("a message queue without code", () => {
  const [life] = scenarioTests({
    kind,
    operator: () => operator,
    steps: [
      { what: "created", act: ({ create }) => create({ brokers: 2 }), until: "Running" },
      { what: "another version", act: ({ edit }) => edit({ version: "4.1" }), until: "Approval" },
      {
        what: "approved",
        act: async (hands) => {
          await look(hands);
          await hands.send("approve");
        },
        until: "Running",
      },
      {
        what: "another version",
        act: async (hands) => {
          await look(hands);
          await hands.edit({ version: "4.2" });
        },
        until: "Approval",
      },
      { what: "rejected", act: ({ send }) => send("reject"), until: "Running" },
      {
        what: "deleted",
        act: async (hands) => {
          await look(hands);
          await hands.delete();
        },
        until: "gone",
      },
    ],
  });

  it("changes its version when a person approves, and not before", async () => {
    await life?.run();
    const approved = { image: "rabbitmq:4.1", version: "4.1", ready: 2, notes: ["Version 4.1 runs."] };
    expect(seen).toEqual([
      { state: "Approval", image: "rabbitmq:4.0", version: "4.0", ready: 2, notes: [] },
      { state: "Running", ...approved },
      { state: "Running", ...approved },
    ]);
  });
});
