// Children that belong to states of the application, on both servers: what was made by others, one name in two states, regions
// side by side, and a deletion that works by its children.
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { setupLifecycle } from "../../machines/lifecycle-machine.ts";
import { isNotFound } from "../../src/client/index.ts";
import { defineController, defineKind, defineOperator, type InstanceOf } from "../../src/index.ts";
import { ConfigMap } from "../../src/kinds/index.ts";
import { findCondition } from "../../src/meta/condition.ts";
import type { ManifestOf } from "../../src/meta/object.ts";
import type { ResourceType } from "../../src/meta/resource-type.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { startOperator, type RunningOperator } from "../support/running-operator.ts";

const group = "children.example.com";
const namespace = "default";

/** Ends by its children: the gate says that nobody is inside any more. */
const Hall = defineKind({
  group,
  version: "v1",
  kind: "Hall",
  spec: z.object({}),
  lifecycle: setupLifecycle().createMachine({
    id: "hall",
    version: "1",
    initial: "Start",
    states: {
      Start: { on: { "observed.Open": "Open" } },
      Open: { on: { "desired.End": "Closing", "desired.Cleaning": "Cleaning" } },
      Cleaning: { tags: ["stable"], on: { "desired.Open": "Open", "desired.End": "Closing" } },
      Closing: { on: { "observed.Empty": "End" } },
      End: { type: "final" },
    },
  }),
});
type Hall = InstanceOf<typeof Hall>;

/** Two regions, each with a child of its own. */
const House = defineKind({
  group,
  version: "v1",
  kind: "House",
  spec: z.object({ heat: z.boolean().default(false) }),
  lifecycle: setupLifecycle().createMachine({
    id: "house",
    version: "1",
    initial: "Up",
    states: {
      Up: {
        type: "parallel",
        tags: ["stable"],
        states: {
          Light: { initial: "Off", states: { Off: { on: { "human.light": "On" } }, On: {} } },
          Heating: { initial: "Cold", states: { Cold: { on: { "human.heat": "Warm" } }, Warm: {} } },
        },
      },
    },
  }),
});

const configMap = (name: string, data: Record<string, string> = {}): ManifestOf<ConfigMap> => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace },
  data,
});

describeOnEachApiServer("children that belong to states", (server) => {
  let operator: RunningOperator;
  const isEmpty = new Set<string>();

  beforeAll(async () => {
    const definition = defineOperator({
      name: "children-operator",
      controllers: [
        defineController(Hall, {
          owns: [ConfigMap],
          steps: {
            ObjectsGetter: ({ cr, registry }) => {
              const { name } = cr.metadata;
              registry.add(configMap(`${name}-door`, { is: "open" }), { in: ["Start", "Open"] });
              registry.add(configMap(`${name}-door`, { is: "shut" }), { in: ["Cleaning", "Closing"] });
              registry.add(configMap(`${name}-gate`), { in: ["Closing"] });
              registry.add(configMap(`${name}-crew`), { in: ["Cleaning"] });
            },
          },
          application: {
            observe: ({ cr, lookUp }) => {
              const { name } = cr.metadata;
              const gate = lookUp(ConfigMap, { namespace, name: `${name}-gate` });
              return {
                state: gate !== undefined && isEmpty.has(name) ? ("Empty" as const) : ("Open" as const),
              };
            },
            poll: "200ms",
          },
        }),
        defineController(House, {
          owns: [ConfigMap],
          steps: {
            ObjectsGetter: ({ cr, registry }) => {
              const { name } = cr.metadata;
              registry.add(configMap(`${name}-lamp`), { in: ["Up:Light:On"] });
              registry.add(configMap(`${name}-stove`), { in: ["Up:Heating:Warm"] });
              registry.add(configMap(`${name}-both`), { in: ["Up"] });
            },
          },
          application: { observe: () => ({}), poll: "200ms" },
        }),
      ],
    });
    operator = await startOperator(definition, server().kubeconfig, { installCrds: true });
  });
  afterAll(async () => operator?.stop());

  const create = (kind: ResourceType, name: string) =>
    server().client.create(kind, {
      apiVersion: `${group}/v1`,
      kind: kind.kind,
      metadata: { name, namespace },
    });
  const desire = (name: string, desiredState: string) =>
    server().client.patch(
      Hall,
      { namespace, name },
      {
        type: "merge",
        body: { spec: { lifecycle: { desiredState } } },
      },
    );
  const childrenOf = async (name: string): Promise<string[]> => {
    const { items } = await server().client.list(ConfigMap, { namespace });
    return items
      .filter(({ metadata }) => metadata.name.startsWith(`${name}-`))
      .map(({ metadata, data }) =>
        [metadata.name.slice(name.length + 1), ...Object.values(data ?? {})].join(" "),
      )
      .toSorted();
  };
  const expectChildren = (name: string, children: readonly string[]) =>
    eventually(async () => expect(await childrenOf(name)).toEqual(children));

  it("come with their states and go with them, and one name may stand for different objects in different states", async () => {
    await create(Hall, "one");
    await expectChildren("one", ["door open"]);
    const { metadata } = await server().client.get(ConfigMap, { namespace, name: "one-door" });
    await desire("one", "Cleaning");
    await expectChildren("one", ["crew", "door shut"]);
    await desire("one", "Open");
    await expectChildren("one", ["door open"]);
    const after = await server().client.get(ConfigMap, { namespace, name: "one-door" });
    expect(after.metadata.uid).toBe(metadata.uid);
  });

  it("are counted in the condition only where they belong", async () => {
    await create(Hall, "counted");
    await eventually(async () => {
      const hall = await server().client.get(Hall, { namespace, name: "counted" });
      expect(findCondition(hall.status?.conditions, "ReconciliationSuccess")).toMatchObject({
        status: "True",
        message: "1 resource is as declared",
      });
    });
  });

  it("of a state that the deletion passes through are made, so that the end is reached by them", async () => {
    await create(Hall, "two");
    await expectChildren("two", ["door open"]);
    await server().client.delete(Hall, { namespace, name: "two" });
    await expectChildren("two", ["door shut", "gate"]);
    isEmpty.add("two");
    await eventually(async () => {
      const gone = await server()
        .client.get(Hall, { namespace, name: "two" })
        .then(
          () => false,
          (error: unknown) => isNotFound(error),
        );
      expect(gone).toBe(true);
    });
  });

  it("are not deleted where somebody else has made them", async () => {
    await server().client.create(ConfigMap, configMap("three-crew", { made: "by hand" }));
    await create(Hall, "three");
    await expectChildren("three", ["crew by hand", "door open"]);
    await desire("three", "Cleaning");
    await eventually(async () => {
      const hall = await server().client.get(Hall, { namespace, name: "three" });
      const told = findCondition(hall.status?.conditions, "ReconciliationSuccess");
      expect(told?.message).toContain(
        "ConfigMap/three-crew exists already and was not made by this operator",
      );
    });
    await desire("three", "Open");
    await expectChildren("three", ["crew by hand", "door open"]);
    const { lines } = operator;
    expect(lines.filter(({ fields }) => fields["reason"] === "Kept")).toEqual([]);
  });

  it("are each with the state of its region", async () => {
    await create(House, "house");
    await expectChildren("house", ["both"]);
    const send = (event: string) =>
      server().client.patch(
        House,
        { namespace, name: "house" },
        {
          type: "merge",
          body: { metadata: { annotations: { "lifecycle.xstate-operator.dev/event": event } } },
        },
      );
    await send("heat");
    await expectChildren("house", ["both", "stove"]);
    await send("light");
    await expectChildren("house", ["both", "lamp", "stove"]);
  });
});
