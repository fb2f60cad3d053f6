// One kind, two versions of its graph and back: what a rename of a task, a split of a state and a path with a dot do to what runs,
// and what is said of a desired state that is gone. Each on both API servers, with tasks that are Jobs.
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import {
  defineController,
  defineKind,
  defineOperator,
  findCondition,
  setupLifecycle,
  type InstanceOf,
  type Kind,
  type OperatorDefinition,
} from "../../src/index.ts";
import { jobTask } from "../../src/controller/jobs/job-task.ts";
import { Job } from "../../src/kinds/index.ts";
import { KubernetesEvent } from "../../src/kinds/builtin/events.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { startOperator, type RunningOperator } from "../support/running-operator.ts";

const namespace = "default";
const names = { group: "graphs.example.com", version: "v1", kind: "Orchard", spec: z.object({}) } as const;
const idle = {
  "desired.Saving": "Saving",
  "desired.Pruning": "Pruning",
} as const;

const humanIntervention = { tags: "intervention", on: { "human.retry": "Idle" } } as const;

/** Counts, saves in one state, and prunes by a task that has another name later. */
const First = defineKind({
  ...names,
  lifecycle: setupLifecycle({
    actions: { count: ({ context }) => ({ rounds: Number(context["rounds"] ?? 0) + 1 }) },
  }).createMachine({
    id: "orchard",
    version: "1",
    initial: "Idle",
    context: { rounds: 0 },
    states: {
      Idle: { on: { ...idle, "desired.Flooded": "Flooded" } },
      Flooded: { on: { "desired.Idle": "Idle" } },
      Saving: {
        entry: "count",
        invoke: { id: "save", src: "save", onDone: "Idle", onError: "HumanIntervention" },
      },
      Pruning: {
        entry: "count",
        invoke: { id: "prune", src: "prune", onDone: "Idle", onError: "HumanIntervention" },
      },
      HumanIntervention: humanIntervention,
    },
  }),
});

/** Saving has parts, pruning is called trimming, and nothing is flooded any more. */
const Second = defineKind({
  ...names,
  lifecycle: setupLifecycle().createMachine({
    id: "orchard",
    version: "2",
    initial: "Idle",
    context: { rounds: 0, from: "" },
    states: {
      Idle: { on: idle },
      Saving: {
        initial: "Copying",
        states: {
          Copying: {
            invoke: { id: "save", src: "save", onDone: "Checking", onError: "#orchard.HumanIntervention" },
          },
          Checking: {
            invoke: {
              id: "check",
              src: "check",
              onDone: "#orchard.Idle",
              onError: "#orchard.HumanIntervention",
            },
          },
        },
      },
      Pruning: { invoke: { id: "prune", src: "trim", onDone: "Idle", onError: "HumanIntervention" } },
      HumanIntervention: humanIntervention,
    },
  }),
  // As authors write paths in XState.
  migrate: {
    "1": ({ value, context }) => ({
      value: value === "Saving" ? "Saving.Copying" : value,
      context: { ...context, from: "1" },
    }),
  },
});

type Orchard = InstanceOf<typeof First>;

const doneAnnotation = "graphs.example.com/done";

function operatorOf(kind: Kind<Orchard>): OperatorDefinition {
  const task = jobTask<Orchard>({
    job: () => ({
      spec: {
        suspend: true,
        template: {
          spec: { restartPolicy: "Never", containers: [{ name: "work", image: "example.com/work:1" }] },
        },
      },
    }),
    observe: (_call, { metadata }) => ({
      phase: metadata.annotations?.[doneAnnotation] === "yes" ? "Succeeded" : "Running",
    }),
    poll: "200ms",
  });
  const tasks = Object.fromEntries((kind.lifecycle?.taskNames ?? []).map((src) => [src, task]));
  return defineOperator({
    name: "orchard-operator",
    controllers: [defineController(kind, { owns: [Job], application: { observe: () => ({}), tasks } })],
  });
}

describeOnEachApiServer(
  "a graph that has changed",
  (server) => {
    let running: RunningOperator | undefined;
    afterAll(() => stop());
    async function stop(): Promise<void> {
      const ended = running?.stop();
      running = undefined;
      await ended;
    }
    async function start(kind: Kind<Orchard>): Promise<void> {
      await stop();
      running = await startOperator(operatorOf(kind), server().kubeconfig, { installCrds: true });
    }

    const client = () => server().client;
    const orchards = First as Kind<Orchard>;
    const at = (name: string) => ({ namespace, name });
    const lifecycleOf = async (name: string) => (await client().get(orchards, at(name))).status?.lifecycle;
    const create = (name: string, desiredState: string) =>
      client().create(orchards, {
        apiVersion: "graphs.example.com/v1",
        kind: "Orchard",
        metadata: at(name),
        spec: { lifecycle: { desiredState } },
      });
    const isIn = (name: string, state: string, version: number) =>
      eventually(async () => {
        const found = await lifecycleOf(name);
        expect(found).toMatchObject({ state, graph: `orchard@${version}` });
        return found;
      });
    /** Names of the Jobs of a resource, in the order of their keys. */
    async function jobsOf(name: string): Promise<readonly string[]> {
      const { uid } = (await client().get(orchards, at(name))).metadata;
      const { items } = await client().list(Job, { namespace });
      return items
        .filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid) === true)
        .map(({ metadata }) => metadata.name)
        .toSorted();
    }
    /** The task of a resource, once it runs. */
    const runs = (name: string, id: string) =>
      eventually(async () => {
        const task = (await lifecycleOf(name))?.tasks?.[id];
        expect(task).toMatchObject({ phase: "Running" });
        expect(await jobsOf(name)).toContain(task?.key);
        return task?.key ?? "";
      });
    const finish = (job: string) =>
      client().patch(Job, at(job), {
        type: "merge",
        body: { metadata: { annotations: { [doneAnnotation]: "yes" } } },
      });
    async function eventsOf(name: string): Promise<readonly string[]> {
      const { items } = await client().list(KubernetesEvent, { namespace });
      return items.flatMap(({ regarding, reason, note }) =>
        regarding?.name === name ? [`${reason}: ${note}`] : [],
      );
    }

    const keys: Record<string, string> = {};
    beforeAll(async () => {
      running = await startOperator(operatorOf(First), server().kubeconfig, {
        installCrds: true,
      });
      await Promise.all([create("saving", "Saving"), create("pruning", "Pruning")]);
      keys["saving"] = await runs("saving", "save");
      keys["pruning"] = await runs("pruning", "prune");
      await stop();
      await create("unseen", "Flooded");
      await start(Second as Kind<Orchard>);
      await create("split", "Saving");
      await isIn("saving", "Saving:Copying", 2);
      await isIn("pruning", "Pruning", 2);
      keys["split"] = await runs("split", "save");
    });

    it("takes a path that a migration writes with a dot: what runs goes on, and the context is kept", async () => {
      const lifecycle = await lifecycleOf("saving");
      expect(lifecycle).toMatchObject({
        snapshot: { context: { rounds: 1, from: "1" } },
        tasks: { save: { key: keys["saving"], phase: "Running", attempt: 1 } },
      });
      expect(await jobsOf("saving")).toEqual([keys["saving"]]);
    });

    it("starts a task of another name once, and reports that the one of the old name may still run", async () => {
      const key = await runs("pruning", "prune");
      expect(key).not.toBe(keys["pruning"]);
      expect((await lifecycleOf("pruning"))?.tasks?.["prune"]).toMatchObject({ src: "trim", attempt: 1 });
      await eventually(async () =>
        expect(await eventsOf("pruning")).toContain(
          `TaskCancelled: this version has no task "prune", so ${keys["pruning"]} cannot be ended: it may still be running`,
        ),
      );
      await finish(key);
      await isIn("pruning", "Idle", 2);
      expect(await jobsOf("pruning")).toEqual([keys["pruning"] ?? "", key].toSorted());
      expect((await eventsOf("pruning")).filter((each) => each.startsWith("TaskFailed"))).toEqual([]);
    });

    it("that has lost what a new resource desires does not call it ready", async () => {
      await eventually(async () => {
        const { status } = await client().get(orchards, at("unseen"));
        expect(findCondition(status?.conditions, "Lifecycle")).toMatchObject({ status: "False" });
        expect(findCondition(status?.conditions, "Ready")).toMatchObject({ status: "False" });
        expect(findCondition(status?.conditions, "Stalled")).toMatchObject({ status: "True" });
      });
    });

    it("that is set back keeps what runs in a state that it has not split", async () => {
      await start(First);
      for (const name of ["saving", "split"]) {
        expect(await isIn(name, "Saving", 1)).toMatchObject({
          tasks: { save: { key: keys[name], phase: "Running", attempt: 1 } },
          snapshot: { context: { rounds: name === "saving" ? 1 : 0 } },
        });
        await finish(keys[name] ?? "");
        await isIn(name, "Idle", 1);
        expect(await jobsOf(name)).toEqual([keys[name]]);
        expect((await lifecycleOf(name))?.target).toMatchObject({ state: "Saving", reached: true });
      }
    });
  },
  { embedded: { controllers: false }, real: { controllers: "none" } },
);
