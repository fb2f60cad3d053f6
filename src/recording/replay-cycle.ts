// Plans a recorded cycle once more with the present lifecycle, and compares. Nothing is observed, written or started: a
// cycle is a function of its input, and its effects are only named.
import { z } from "zod";
import { planCycle } from "../lifecycle/cycle.ts";
import type { CycleInput } from "../lifecycle/cycle-plan.ts";
import type { Lifecycle } from "../lifecycle/graph/compile-lifecycle.ts";
import { lifecycleCondition, restoreLifecycle } from "../lifecycle/stored/restore.ts";
import type { TaskPolicy } from "../lifecycle/tasks/task-record.ts";
import {
  formatInstant,
  readEntries,
  readField,
  readFields,
  type Fields,
} from "../lifecycle/values/untrusted.ts";
import { messageOf } from "../ports/operator-error.ts";
import { formatLeaves } from "../statechart/configuration.ts";
import {
  differencesOf,
  factsOf,
  type PlanAspect,
  type PlanDifference,
  type PlanFacts,
} from "./plan-differences.ts";
import type { RecordedCycle, RunLine } from "./recording-format.ts";
import { inputOf } from "./to-run-line.ts";

/** What a kind is now. */
export interface PresentKind {
  readonly lifecycle: Lifecycle;
  readonly policies: Readonly<Record<string, TaskPolicy>>;
  /** Milliseconds. */
  readonly observationPoll: number;
}

/** What came of planning a cycle again. */
export type CycleVerdict =
  | { readonly kind: "same" }
  | { readonly kind: "different"; readonly differences: readonly PlanDifference[] }
  /** Whether the operator would do the same cannot be determined. */
  | { readonly kind: "undecided"; readonly why: string };

const anyFields = z.record(z.string(), z.unknown());

/** What a recorded `CycleInput` has to be; the rest of it the lifecycle itself takes for untrusted. */
const recordedInput = z.object({
  uid: z.string(),
  generation: z.number(),
  specHash: z.string(),
  spec: anyFields,
  deleting: z.boolean(),
  desired: anyFields,
  reports: z.array(z.object({ key: z.string(), kind: z.string() })),
  now: z.number(),
});

/** Plans the cycle again. `pause` lets a little time pass, so that what depends on the time of day is found out. */
export async function replayCycle(
  present: PresentKind,
  run: RunLine,
  cycle: RecordedCycle,
  pause: () => Promise<void>,
): Promise<CycleVerdict> {
  const input = readInput(present, inputOf(run, cycle));
  if (input === undefined) return { kind: "undecided", why: "its input is not what was recorded" };
  const plan = planAgain(input);
  const differences = compare(present.lifecycle, run, cycle, plan);
  if (differences.length === 0) return { kind: "same" };
  const missing = missingOf(cycle);
  if (missing.length > 0) {
    return { kind: "undecided", why: `parts of it are not in the recording: ${missing.join(", ")}` };
  }
  await pause();
  const again = planAgain(input);
  if (differencesOf(factsOf(plan), factsOf(again)).length > 0) {
    return {
      kind: "undecided",
      why: "the machine does not decide on its input alone: planned twice, it gives two results",
    };
  }
  return { kind: "different", differences };
}

/** Where a text for people is, on which nothing is decided. */
const text = [
  String.raw`observation\.message|observationError|conditions\[\d+\]\.message`,
  String.raw`reports\[\d+\]\.(?:observation\.)?message`,
  String.raw`(?:plan\.)?status\.(?:last\.cause|human\.message|target\.cause|tasks\.[^.]+\.message)`,
  String.raw`plan\.(?:condition|pause|human)\.message|plan\.moved\.cause|plan\.effects\[\d+\]\.task\.message`,
  String.raw`plan\.(?:health|regions|pendingEvents|problems)\[\d+\]\..+`,
];
const isText = new RegExp(`^(?:${text.join("|")})$`);

/** What is left out of a cycle and may have decided it. */
function missingOf({ altered }: RecordedCycle): readonly string[] {
  return altered.map(String).filter((path) => !isText.test(path));
}

/** The plan as JSON; where planning fails, as a state that says so. */
function planAgain(input: CycleInput): Fields {
  try {
    return JSON.parse(JSON.stringify(planCycle(input))) as Fields;
  } catch (error) {
    return { status: { state: `error: ${messageOf(error)}`.slice(0, 1_024) } };
  }
}

function compare(
  lifecycle: Lifecycle,
  run: RunLine,
  { plan: recorded }: RecordedCycle,
  now: Fields,
): readonly PlanDifference[] {
  const status = readFields(recorded["status"]);
  const graph = status === undefined ? undefined : readField(status, "graph");
  if (status === undefined || graph === lifecycle.graphId)
    return differencesOf(factsOf(recorded), factsOf(now));
  return differencesOf(migratedFacts(lifecycle, run.uid, recorded, status), comparable(factsOf(now)));
}

/** What another graph did, in the words of the present one, as far as the two can be compared. */
function migratedFacts(lifecycle: Lifecycle, uid: string, plan: Fields, status: Fields): PlanFacts {
  const reason = String(status["state"]);
  const condition = {
    type: lifecycleCondition,
    status: "True" as const,
    reason,
    message: "",
    lastTransitionTime: "",
  };
  const restored = restoreLifecycle(lifecycle, { status, conditions: [condition], uid });
  if (restored.position === undefined || restored.origin !== "migrated") return comparable(factsOf(plan));
  const { leaves, context } = restored.position;
  // Of timers only the names are compared.
  const timer = { state: reason, delay: "new", due: formatInstant(0) };
  const armed = (restored.armed ?? []).map((eventType) => [eventType, timer] as const);
  const moved = readFields(plan["moved"]);
  const state = formatLeaves(leaves);
  return comparable(
    factsOf({
      ...plan,
      ...(moved === undefined ? {} : { moved: { ...moved, to: state } }),
      status: {
        ...status,
        state,
        tasks: restored.tasks,
        timers: { ...restored.timers, ...Object.fromEntries(armed) },
        snapshot: { ...readFields(status["snapshot"]), context },
      },
      condition: { ...readFields(plan["condition"]), reason: state },
    }),
  );
}

/** Of two graphs: the way through them, and the names that tasks and timers have, may differ. */
function comparable(facts: PlanFacts): PlanFacts {
  const left: ReadonlySet<PlanAspect> = new Set(["path", "configuration", "next cycle"]);
  return new Map(
    [...facts].flatMap(([aspect, reported]) => {
      if (left.has(aspect)) return [];
      return [[aspect, { ...reported, value: simplified(aspect, reported.value) }] as const];
    }),
  );
}

function simplified(aspect: PlanAspect, value: unknown): unknown {
  const fields = readFields(value);
  if (fields === undefined) return value;
  if (aspect === "edge") return { to: fields["to"], event: fields["event"] };
  if (aspect === "timers") return Object.keys(fields).toSorted();
  if (aspect === "target") {
    const { request, reached, outcome } = fields;
    return { request, reached, outcome };
  }
  if (aspect !== "tasks") return value;
  return {
    tasks: (fields["tasks"] as readonly Fields[]).map(({ kind, id }) => ({ kind, id })),
    records: readEntries(fields["records"]).map(
      ([id, task]) => `${id} ${String(readFields(task)?.["phase"])}`,
    ),
  };
}

function readInput(
  { lifecycle, policies, observationPoll }: PresentKind,
  fields: Fields,
): CycleInput | undefined {
  // As it was recorded: what the schema does not name stays.
  return recordedInput.safeParse(fields).success
    ? { ...(fields as unknown as CycleInput), lifecycle, policies, observationPoll }
    : undefined;
}
