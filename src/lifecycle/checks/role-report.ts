// What is known of a lifecycle's states by their tags and the shape of the graph: the role of each and why, the default
// target, what may be desired. Printed by `xstate-operator check`; values only.
import type { Lifecycle } from "../graph/compile-lifecycle.ts";
import { desiredStatesOf } from "../graph/desired-states.ts";
import type { Role } from "../graph/roles.ts";

/** One state. */
export interface ReportedState {
  /** Path of the state. */
  readonly state: string;
  readonly role: Role;
  /** Why it has this role. */
  readonly why: string;
  readonly mayBeDesired: boolean;
  /** Why it may, or may not. */
  readonly whyDesired: string;
  /** Milliseconds; only where the state has one. */
  readonly grace?: number;
}

/** What is known of the states of one lifecycle. */
export interface RoleReport {
  /** The machine's id. */
  readonly machine: string;
  /** Path of the state in which a life begins. */
  readonly initial: string;
  /** Path of the state to which a deletion leads; absent when nothing ends. */
  readonly end?: string;
  /** Path of the state that waits for a person; absent when there is none. */
  readonly intervention?: string;
  /** Where the application is led while nobody desires a state. */
  readonly defaultTarget: { readonly state: string; readonly why: string };
  /** In document order. */
  readonly states: readonly ReportedState[];
}

/** What is known of the states of a lifecycle. */
export function roleReportOf(lifecycle: Lifecycle): RoleReport {
  const { id, initial, final, intervention, defaultDesiredState, roles, grace } = lifecycle;
  const { all, defaultTarget, whyDefault } = desiredStatesOf(lifecycle);
  const isChosen = defaultTarget !== defaultDesiredState;
  return {
    machine: id,
    initial,
    ...(final === undefined ? {} : { end: final }),
    ...(intervention === undefined ? {} : { intervention }),
    defaultTarget: {
      state: defaultDesiredState,
      why: isChosen ? "the option defaultDesiredState says so" : whyDefault,
    },
    states: [...roles.states.values()].map((known): ReportedState => {
      const { mayBeDesired = false, why = "" } = all.get(known.state) ?? {};
      const time = grace.get(known.state);
      return { ...known, mayBeDesired, whyDesired: why, ...(time === undefined ? {} : { grace: time }) };
    }),
  };
}
