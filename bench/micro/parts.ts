// What the parts of a reconcile cost in CPU: the queue, a run of the pipeline's machine, and one step of a lifecycle.
//   node --conditions=xstate-operator-source bench/micro/parts.ts
import { initialTransition, transition } from "xstate";
import { reconciliationMachine } from "../../machines/reconciliation-machine.ts";
import { setupLifecycle } from "../../machines/lifecycle-machine.ts";
import { planCycle } from "../../src/lifecycle/cycle.ts";
import type { CycleInput } from "../../src/lifecycle/cycle-plan.ts";
import { compileLifecycle } from "../../src/lifecycle/graph/compile-lifecycle.ts";
import { cycleLevels, lifecycleLogic } from "../../src/lifecycle/lifecycle-logic.ts";
import { systemRandom } from "../../src/ports/random.ts";
import { systemClock } from "../../src/ports/system-clock.ts";
import { createWorkQueue } from "../../src/queue/keyed-work-queue.ts";
import { intentHash } from "../../src/reconcile/comparison/intent-hash.ts";
import { beginActor, driven } from "../../src/statechart/drive.ts";
import { beginPure } from "../../src/statechart/pure-logic.ts";
import { measure } from "./measure.ts";

const queue = createWorkQueue({ clock: systemClock, random: systemRandom });
const cause = { reason: "modified" } as const;
await measure("queue: add, take, done", 100_000, async (index) => {
  queue.add(`default/object-${index}`, { cause, priority: 0 });
  const item = await queue.take(new AbortController().signal);
  if (item !== undefined) queue.done(item.key);
});

const succeeded = { type: "stage.succeeded" } as const;
const stages = ["CRChecker", "ObjectsGetter", "Mutator", "Updater", "SuccessManager"];
const workers = {
  Requested: undefined,
  ...Object.fromEntries(stages.map((stage) => [stage, () => succeeded])),
};
const pipeline = driven(reconciliationMachine);
await measure("pipeline's actor: one run of five stages", 10_000, () => {
  const actor = beginActor(pipeline, { workers }, { id: "reconciliation", clock: systemClock });
  actor.send({ type: "request.received", causes: [cause] });
  return actor.ended;
});

const lifecycle = setupLifecycle().createMachine({
  id: "bench",
  version: "1",
  initial: "Start",
  states: {
    Start: { on: { "observed.Up": "Running" } },
    Running: { on: { "observed.Down": "Start", "desired.End": "End" } },
    End: { type: "final" },
  },
});
const [start] = initialTransition(lifecycle as never, undefined as never);
await measure("lifecycle: one macrostep", 10_000, () =>
  transition(lifecycle as never, start, { type: "observed.Up" } as never),
);

const compiled = compileLifecycle(lifecycle);
const levels: CycleInput = {
  lifecycle: compiled,
  uid: "00000000-0000-0000-0000-000000000000",
  generation: 1,
  specHash: "",
  spec: {},
  deleting: false,
  status: undefined,
  conditions: [],
  desired: {},
  observation: { state: "Up" },
  policies: {},
  reports: [],
  observationPoll: 30_000,
  now: systemClock.now(),
};
const mask = (text: string): string => text;
const logic = lifecycleLogic(compiled);
await measure("lifecycle: one cycle", 10_000, () => planCycle(levels));
await measure("lifecycle's actor: one cycle", 10_000, () => {
  const actor = beginPure(logic, levels, { id: "lifecycle", clock: systemClock });
  actor.send(cycleLevels(levels, mask));
  actor.stop();
});

const intent = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "a", namespace: "b", labels: { app: "a" } },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: "a" } },
    template: {
      metadata: { labels: { app: "a" } },
      spec: {
        containers: ["one", "two", "three"].map((name) => ({
          name,
          image: `${name}:1`,
          ports: [{ name: "http", containerPort: 80 }],
          env: Array.from({ length: 10 }, (_, index) => ({ name: `NAME_${index}`, value: String(index) })),
        })),
      },
    },
  },
};
await measure("hash of a Deployment's intent", 2_000, () =>
  intentHash(intent, { builtin: true, kind: "Deployment" }),
);
