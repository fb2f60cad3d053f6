// An operator without code: its edges walked, and its life lived in the embedded cluster.
import { describe, expect, it } from "vitest";
import { isNotFound } from "xstate-operator/client";
import { Deployment, Job, Service } from "xstate-operator/kinds";
import { readOperator } from "xstate-operator/operator-file";
import {
  lifecycleTests,
  scenarioTests,
  type ScenarioContext,
  type ScenarioStep,
} from "xstate-operator/testing";
import { runCommand } from "../../cli/run-in-process.ts";

const file = "examples/redis/operator.yaml";
const operator = readOperator(file);
const [controller] = operator.controllers;
const Redis = controller!.kind;

interface World {
  readonly service: boolean;
  readonly replicas: number | undefined;
  readonly files: readonly (string | undefined)[];
}

async function world({ client }: ScenarioContext<object>): Promise<World> {
  const key = { namespace: "default", name: "one" };
  const service = await client.get(Service, key).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
  const { spec } = await client.get(Deployment, key);
  const { items } = await client.list(Job, { namespace: "default" });
  return {
    service: service !== undefined,
    replicas: spec.replicas,
    files: items.map(({ spec: job }) => job.template.spec?.containers[0]?.command?.at(-1)),
  };
}

/** Desires a state, after it is checked what the one before has made. */
function desire(desiredState: string, before: World): ScenarioStep<object> {
  return {
    what: `${desiredState} is desired`,
    act: async (hands) => {
      expect(await world(hands)).toEqual(before);
      await hands.edit({ lifecycle: { desiredState } });
    },
    until: desiredState,
  };
}

describe("a cache in YAML", () => {
  it("is found without fault by check", async () => {
    expect((await runCommand(["check", file])).out).toMatch(/no problems/);
  });

  for (const { name, run } of lifecycleTests(Redis, { specs: [{}, { replicas: 2 }] })) it(name, run);

  const serving = { service: true, replicas: 2, files: [] };
  const [life] = scenarioTests({
    kind: Redis,
    operator: () => operator,
    steps: [
      { what: "created", act: ({ create }) => create({ replicas: 2, maxMemory: "100mb" }), until: "Running" },
      desire("Maintenance", serving),
      desire("Running", { service: false, replicas: 2, files: [] }),
      desire("Stopped", serving),
      desire("Running", { service: false, replicas: 0, files: ["dump-2.rdb"] }),
    ],
  });
  it("has a service except in a maintenance and when it is stopped, and is saved before it stops", async () => {
    await life?.run();
  });
});
