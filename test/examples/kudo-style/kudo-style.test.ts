// Plans, phases and steps in YAML: every edge, and a life in which plans fail, are resumed, rolled back and aborted; and the same
// life again with the operator killed.
import { describe, expect, it } from "vitest";
import { Job, StatefulSet } from "xstate-operator/kinds";
import { readOperator } from "xstate-operator/operator-file";
import { lifecycleTests, scenarioTests } from "xstate-operator/testing";
import { runCommand } from "../../cli/run-in-process.ts";

const file = "examples/kudo-style/operator.yaml";
const operator = readOperator(file);
const Store = operator.controllers[0]!.kind;
const key = { namespace: "default", name: "one" };
let repair: () => void = () => undefined;

describe("a store that is run by plans", () => {
  it("is found without fault by check", async () => {
    const checked = await runCommand(["check", file]);
    expect(checked.err).toBe("");
    expect(checked.out).toMatch(/no problems/);
  });

  describe("walks every edge", () => {
    for (const { name, run } of lifecycleTests(Store, { specs: [{}, { version: "2" }] })) it(name, run);
  });

  const lives = scenarioTests(
    {
      kind: Store,
      operator: () => operator,
      steps: [
        { what: "created", act: ({ create }) => create({ nodes: 2 }), until: "Running" },
        {
          what: "backed up",
          act: ({ edit }) => edit({ lifecycle: { desiredState: "Backup", request: "monday" } }),
          until: "Running",
        },
        {
          what: "the check of an upgrade fails",
          act: async ({ edit, pods }) => {
            repair = pods.simulate({ image: /store-check/ }, { exit: { code: 1 } });
            await edit({ version: "2" });
          },
          until: "Upgrade:Failed",
        },
        {
          what: "resumed where it failed",
          act: async ({ send, pods }) => {
            repair();
            repair = pods.simulate({ image: /store-check/ }, { exit: { code: 0 } });
            await send("goOn");
          },
          until: "Running",
        },
        {
          what: "upgraded to a version without an image",
          act: async ({ edit, pods }) => {
            pods.simulate({ image: /store:3$/ }, { imagePullFails: true });
            await edit({ version: "3" });
          },
          until: "Upgrade:Failed",
        },
        { what: "rolled back", act: ({ send }) => send("rollBack"), until: "Running" },
      ],
      outcome: async ({ client }) => {
        const { spec } = await client.get(StatefulSet, key);
        const { items } = await client.list(Job);
        const world = {
          image: spec.template.spec?.containers[0]?.image,
          jobs: items
            .map(({ spec: job }) => {
              const { image = "", args = [] } = job.template.spec?.containers[0] ?? {};
              return `${/\/([^:]+)/.exec(image)?.[1] ?? ""} ${args.join(" ")}`;
            })
            .toSorted(),
        };
        // One backup that was asked for and one before each upgrade: the one that was resumed has not made another.
        expect(world).toEqual({
          image: "example.com/store:2",
          jobs: [
            "store-backup save one",
            "store-backup save one",
            "store-backup save one",
            "store-check one",
            "store-check one",
          ],
        });
        return world;
      },
    },
    process.env["CRASH_POINTS"] === "all" ? {} : { kills: 8 },
  );
  describe("lives", () => {
    for (const { name, run } of lives) it(name, run, 600_000);
  });
});
