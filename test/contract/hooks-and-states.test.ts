// What hooks see of the lifecycle, and what becomes of the children at its end: as the guide says it, on both servers.
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { setupLifecycle } from "../../machines/lifecycle-machine.ts";
import {
  defineController,
  defineKind,
  defineOperator,
  kubernetesResource,
  type ApplicationView,
  type InstanceOf,
} from "../../src/index.ts";
import { ConfigMap } from "../../src/kinds/index.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { startOperator, type RunningOperator } from "../support/running-operator.ts";

const namespace = "default";

const Boiler = defineKind({
  group: "hooks.example.com",
  version: "v1",
  kind: "Boiler",
  spec: z.object({}),
  lifecycle: setupLifecycle({
    actions: { light: ({ context }) => ({ fires: Number(context["fires"]) + 1 }) },
  }).createMachine({
    id: "boiler",
    version: "1",
    initial: "Cold",
    context: { fires: 0 },
    states: {
      Cold: { on: { "observed.Hot": { target: "Hot", actions: "light" } } },
      Hot: { on: { "desired.End": "End" } },
      End: { type: "final" },
    },
  }),
});
type Boiler = InstanceOf<typeof Boiler>;

describeOnEachApiServer("hooks of an application", (server) => {
  let operator: RunningOperator;
  const early: (ApplicationView | undefined)[] = [];
  const late: (ApplicationView | undefined)[] = [];

  beforeAll(async () => {
    const child = (name: string) =>
      kubernetesResource<ConfigMap, Boiler>({
        type: ConfigMap,
        key: { name },
        mutateWithCR: (object, cr) => {
          object.data = { state: cr.status?.lifecycle?.state ?? "none" };
        },
      });
    const definition = defineOperator({
      name: "boiler-operator",
      controllers: [
        defineController(Boiler, {
          owns: [ConfigMap],
          steps: {
            ObjectsGetter: ({ registry, application }) => {
              early.push(application());
              registry.add(child("always"));
              registry.add(child("hot"), { in: ["Hot"] });
            },
            SuccessManager: ({ application }) => void late.push(application()),
          },
          application: { observe: () => ({ state: "Hot", facts: { degrees: 70 } }), poll: "200ms" },
        }),
      ],
    });
    operator = await startOperator(definition, server().kubeconfig, { installCrds: true });
    await server().client.create(Boiler, {
      apiVersion: "hooks.example.com/v1",
      kind: "Boiler",
      metadata: { name: "boiler", namespace },
      spec: {},
    });
  });
  afterAll(async () => operator?.stop());

  const dataOf = async (name: string): Promise<unknown> =>
    (await server().client.get(ConfigMap, { namespace, name })).data;

  it("see the application with state, context and facts once its cycle is planned, and not before", async () => {
    await eventually(() =>
      expect(late.at(-1)).toEqual({
        state: "Hot",
        observed: "Hot",
        context: { fires: 1 },
        facts: { degrees: 70 },
        paused: false,
      }),
    );
    expect(early.filter((view) => view !== undefined)).toEqual([]);
  });

  it("render children from the state that is stored, right after each move", async () => {
    await eventually(async () => {
      expect(await dataOf("always")).toEqual({ state: "Hot" });
      expect(await dataOf("hot")).toEqual({ state: "Hot" });
    });
  });

  it("go on in the last state: what belongs to no state stays and is repaired, what belongs to others is gone", async () => {
    await server().client.patch(
      Boiler,
      { namespace, name: "boiler" },
      {
        type: "merge",
        body: { spec: { lifecycle: { desiredState: "End" } } },
      },
    );
    await eventually(async () => expect(await dataOf("always")).toEqual({ state: "End" }));
    await eventually(async () => {
      const { items } = await server().client.list(ConfigMap, { namespace });
      expect(items.map(({ metadata }) => metadata.name)).not.toContain("hot");
    });
    await server().client.delete(ConfigMap, { namespace, name: "always" });
    await eventually(async () => expect(await dataOf("always")).toEqual({ state: "End" }));
  });
});
