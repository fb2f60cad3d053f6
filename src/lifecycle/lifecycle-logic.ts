// The lifecycle of one resource as an actor: begun from what is stored, sent the levels of a cycle, persisted in
// `status.lifecycle`. What it does with the levels is cycle.ts; begun and ended by src/controller/application.
import type { Position } from "../statechart/statechart.ts";
import { parseLeaves } from "../statechart/configuration.ts";
import {
  carrying,
  loadOf,
  pureLogic,
  type CarryingEvent,
  type PureActor,
  type PureFunction,
  type PureLogic,
  type PureStep,
} from "../statechart/pure-logic.ts";
import { planCycle } from "./cycle.ts";
import type { CycleInput, CyclePlan } from "./cycle-plan.ts";
import type { Lifecycle } from "./graph/compile-lifecycle.ts";
import { withActorEvents } from "./graph/library-edges.ts";
import { wordsOf } from "./observation.ts";
import { maskPlan, type Mask } from "./reporting/status-texts.ts";
import { noteOwnDraft } from "./stored/read-status.ts";
import { restoreLifecycle, type RestoredLifecycle, type StoredLifecycle } from "./stored/restore.ts";
import type { FormerCycle } from "./unchanged-cycle.ts";

/** Where a lifecycle is. */
export interface LifecycleState {
  /** What was read last, untrusted. */
  readonly stored: StoredLifecycle;
  readonly restored: RestoredLifecycle;
  /** What was decided on it; absent before. */
  readonly plan?: CyclePlan;
  /** The cycle before, while what is stored is not read from the server again. */
  readonly former?: FormerCycle | undefined;
  /** It has come to its end, and the resource may go: nothing follows. */
  readonly isOver: boolean;
}

/** What the actor of a lifecycle is sent. */
export type LifecycleActorEvent =
  /** Something else is stored than it knows of. */
  | CarryingEvent<"lifecycle.stored", StoredLifecycle>
  /** All that a cycle decides on. */
  | CarryingEvent<"lifecycle.levels", { readonly input: CycleInput; readonly mask: Mask }>;

/** The actor of one resource's lifecycle. */
export type LifecycleActor = PureActor<LifecycleState, LifecycleActorEvent>;

/** The logic of such actors. */
export type LifecycleLogic = PureLogic<StoredLifecycle, LifecycleState, LifecycleActorEvent>;

/** The event that passes on what is stored now. */
export function statusChanged(stored: StoredLifecycle): LifecycleActorEvent {
  return carrying("lifecycle.stored", stored);
}

/** The event that passes on the levels of a cycle. `mask` removes from the plan's texts what nobody may read. */
export function cycleLevels(input: CycleInput, mask: Mask): LifecycleActorEvent {
  const { observation, desired, human, deleting } = input;
  const words = wordsOf(observation);
  // Words of the graph and of people: never the spec, facts or messages.
  return carrying(
    "lifecycle.levels",
    { input, mask },
    {
      observed: words.length === 0 ? undefined : words.join(","),
      desired: desired.state,
      human: human?.event,
      ...(deleting ? { deleting } : {}),
    },
  );
}

/**
 * Makes the logic of a kind's lifecycles; once for each kind.
 *
 * **Guarantees**: begins from anything that is stored, and starts nothing by it; the machine moves under the event that the
 * cycle has decided on, in the author's words; what is persisted is what `status.lifecycle` is to be.
 */
export function lifecycleLogic(lifecycle: Lifecycle): LifecycleLogic {
  return pureLogic(lifecycleFunction(lifecycle), withActorEvents(lifecycle.chart.config));
}

function lifecycleFunction(
  lifecycle: Lifecycle,
): PureFunction<StoredLifecycle, LifecycleState, LifecycleActorEvent> {
  const begin = (stored: StoredLifecycle): LifecycleState => ({
    stored,
    restored: restoreLifecycle(lifecycle, stored),
    isOver: false,
  });
  return {
    chart: lifecycle.chart,
    begin,
    step: (state, event) => {
      switch (event.type) {
        case "lifecycle.stored":
          return { state: { ...begin(loadOf(event)), former: state.former } };
        case "lifecycle.levels": {
          const { input, mask } = loadOf(event);
          return planned(state, input, maskPlan(planCycle(input, state.restored, state.former), mask));
        }
        default:
          return undefined;
      }
    },
    positionOf: ({ restored, plan }) => positionIn(lifecycle, plan) ?? restored.position,
    persist: ({ stored, plan }) => plan?.status ?? stored.status,
    endOf: ({ isOver, plan }) => (isOver ? { output: plan?.status?.output } : undefined),
  };
}

function planned(
  { stored, restored }: LifecycleState,
  input: CycleInput,
  plan: CyclePlan,
): PureStep<LifecycleState> {
  // The next cycle of the run begins with it.
  if (plan.passing !== undefined && plan.status !== undefined) noteOwnDraft(plan.status);
  const former = plan.rests === true ? { input, plan } : undefined;
  const state = { stored, restored, plan, former, isOver: input.deleting && plan.ended };
  const { moved } = plan;
  return moved === undefined ? { state } : { state, moved: { ...moved, type: moved.through ?? moved.event } };
}

function positionIn({ index }: Lifecycle, plan: CyclePlan | undefined): Position | undefined {
  if (plan?.status === undefined) return undefined;
  const { value, context } = plan.status.snapshot;
  const leaves = parseLeaves(index, value);
  return leaves === undefined ? undefined : { leaves, context };
}
