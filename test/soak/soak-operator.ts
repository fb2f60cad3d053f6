// The operator of the soak: a plain kind (Widget) and one with a life (Engine). What each is asked for and what it has
// come to can be compared by anybody: a ConfigMap each, a status each, and one Secret for each service of an engine.
import {
  defineController,
  defineKind,
  defineOperator,
  setupLifecycle,
  type CustomResource,
  type HookContext,
  type LifecycleSpecField,
  type LifecycleStatusField,
  type ManifestOf,
  type TaskCall,
  type TaskDefinition,
  type TaskObservation,
} from "xstate-operator";
import { isAlreadyExists, isNotFound } from "xstate-operator/client";
import { ConfigMap, Secret } from "xstate-operator/kinds";
import { z } from "zod";
import { liveHeap } from "../support/live-heap.ts";

// Its heap in use, as the metrics tell it, is right after this what it really holds.
process.on("SIGUSR2", liveHeap);

export const group = "soak.example.com";

/** Names the resource that a child stands for; every child of the soak has it. */
export const soakLabel = `${group}/of`;

const status = z.object({ seen: z.int() });

/** A resource without a life. */
export type Widget = CustomResource<{ readonly size: number }, { readonly seen: number }>;

export const Widget = defineKind({
  group,
  version: "v1",
  kind: "Widget",
  spec: z.object({ size: z.int().default(1) }),
  status,
});

/** A resource that runs, and is serviced when that is asked for. */
export type Engine = CustomResource<
  { readonly size: number } & LifecycleSpecField,
  { readonly seen: number } & LifecycleStatusField
>;

/** A service is a task, then a timer. */
const engineLifecycle = setupLifecycle<Engine>()
  .extend({ delays: { cooling: "2s" } })
  .createMachine({
    id: "engine",
    version: "1",
    initial: "Start",
    states: {
      Start: { on: { "observed.Running": "Running", "desired.End": "End" } },
      Running: { on: { "observed.Down": "Start", "desired.Servicing": "Servicing", "desired.End": "End" } },
      Servicing: {
        initial: "Working",
        states: {
          Working: {
            invoke: {
              id: "service",
              src: "service",
              onDone: "Cooling",
              onError: "#engine.HumanIntervention",
            },
          },
          Cooling: { after: { cooling: "#engine.Running" } },
        },
      },
      HumanIntervention: {
        tags: "intervention",
        on: { "human.retry": "Start", "config.changed": "Start", "desired.End": "End" },
      },
      End: { type: "final" },
    },
  });

export const Engine = defineKind({
  group,
  version: "v1",
  kind: "Engine",
  spec: z.object({ size: z.int().default(1) }),
  status,
  lifecycle: engineLifecycle,
});

/** The ConfigMap that a resource asks for. */
export function childOf({
  kind,
  metadata: { name, namespace },
  spec,
}: Widget | Engine): ManifestOf<ConfigMap> {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: `${kind.toLowerCase()}-${name}`, namespace, labels: { [soakLabel]: name } },
    data: { size: String(spec.size) },
  };
}

/** Milliseconds that a service takes. */
const serviceTime = 1_000;

type Call = HookContext<Engine> & TaskCall;

/** Leaves a Secret behind, of which no cache knows: work that is done outside of the operator. */
const service: TaskDefinition<HookContext<Engine>> = {
  start: async ({ cr, client, key, signal }: Call): Promise<void> => {
    const { apiVersion, kind, metadata } = cr;
    const { name, namespace, uid } = metadata;
    const record: ManifestOf<Secret> = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: {
        name: key,
        namespace,
        labels: { [soakLabel]: name },
        ownerReferences: [{ apiVersion, kind, name, uid, controller: true }],
      },
    };
    try {
      await client.create(Secret, record, { signal });
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
  },
  observe: async ({ cr, client, key, clock, signal }: Call): Promise<TaskObservation> => {
    const { namespace } = cr.metadata;
    try {
      const { metadata } = await client.get(Secret, { name: key, namespace }, { signal });
      const age = clock.now() - Date.parse(metadata.creationTimestamp);
      return { phase: age < serviceTime ? "Running" : "Succeeded" };
    } catch (error) {
      if (isNotFound(error)) return { phase: "NotFound" };
      throw error;
    }
  },
  poll: "1s",
};

export default defineOperator({
  name: "soak-operator",
  controllers: [
    defineController(Widget, {
      owns: [ConfigMap],
      steps: {
        ObjectsGetter: ({ cr, registry }) => registry.add(childOf(cr)),
        SuccessManager: ({ cr }) => ({ seen: cr.spec.size }),
      },
    }),
    defineController(Engine, {
      owns: [ConfigMap],
      steps: {
        ObjectsGetter: ({ cr, registry }) => registry.add(childOf(cr)),
        SuccessManager: ({ cr }) => ({ seen: cr.spec.size }),
      },
      application: {
        observe: ({ owned }) => ({ state: owned(ConfigMap).length > 0 ? "Running" : "Down" }),
        tasks: { service },
      },
    }),
  ],
});
