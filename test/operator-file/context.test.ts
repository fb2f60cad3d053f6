// What a file's children read of the machine's context, from before a life has begun until what an action remembers is there.
import { describe, expect, it } from "vitest";
import { ConfigMap } from "../../src/kinds/index.ts";
import { readOperatorText } from "../../src/operator-file/parts/read-operator.ts";
import { scenarioTests, type ScenarioContext } from "../../src/testing/index.ts";

const { operator, problems } = readOperatorText(
  `operator: dial-operator
kinds:
  - group: context.example.com
    version: v1
    kind: Dial
    spec: { properties: { turn: { type: integer, default: 7 } } }
    lifecycle:
      initial: Dark
      context: { turned: 0 }
      states:
        Dark: { on: { observed.Powered: { target: Lit, actions: turn } } }
        Lit: { tags: stable }
    actions: { turn: { turned: "\${ spec.turn }" } }
    observe: { states: [{ state: Powered }] }
    children:
      - manifest:
          apiVersion: v1
          kind: ConfigMap
          metadata: { name: "\${ metadata.name }" }
          data: { turned: "\${ string(context.turned) }" }
`,
  "dial.yaml",
);
const seen: unknown[] = [];
const look = async ({ client }: ScenarioContext<object>): Promise<void> => {
  seen.push((await client.get(ConfigMap, { namespace: "default", name: "one" })).data);
};

describe("the context of a machine in a file", () => {
  it("is read without fault", () => expect(problems).toEqual([]));

  const { kind } = operator!.controllers[0]!;
  const [life] = scenarioTests({
    kind,
    operator: () => operator!,
    steps: [
      { what: "created", act: ({ create }) => create({}), until: "Lit" },
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
  it(life!.name, life!.run, 60_000);

  it("is what the machine declares until an action changes it, for children as well", () => {
    expect(seen).toEqual([{ turned: "7" }]);
  });
});
