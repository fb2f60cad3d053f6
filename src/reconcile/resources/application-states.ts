// Children that belong to some of the application's states: how the registry is asked for them, and what it asks the application.
import { TerminalError } from "../../ports/operator-error.ts";
import { meantBy } from "../../ports/misspelling.ts";

/** What the registry asks of an application whose states resources are tied to. */
export interface ApplicationStates {
  /** Paths of all states. */
  readonly names: readonly string[];
  /** Whether two states can be active at the same time, or one is inside the other. */
  canBeTogether(one: string, other: string): boolean;
  /**
   * Whether one of these is active after this run's move; undefined while nobody knows, or nothing counts any more because the
   * application has ended with its custom resource. The cycle must have been planned.
   */
  isIn(states: readonly string[]): boolean | undefined;
  /** Persists this run's move, if it made one: nothing is made for a state that is not stored. */
  persistMove(): Promise<void>;
}

/**
 * The states that resources are tied to.
 *
 * **Errors**: `RESOURCE_STATES_INVALID` for anything but a list of states that the lifecycle has; gives up.
 */
export function readStates(options: object, application: ApplicationStates | undefined): readonly string[] {
  const { in: states, ...others } = options as { readonly in?: unknown };
  const invalid = (what: string, remedy: string): TerminalError =>
    new TerminalError("RESOURCE_STATES_INVALID", `registry.add was given ${what}`, { remedy });
  const [other] = Object.keys(others);
  if (other !== undefined) {
    throw invalid(
      `the option "${other}", which it does not have`,
      'It has two: { in: ["Running"], after: [config] }.',
    );
  }
  if (!Array.isArray(states) || states.some((each) => typeof each !== "string")) {
    throw invalid("states that are not a list of names", 'Write { in: ["Running", "Servicing"] }.');
  }
  if (states.length === 0) {
    throw invalid("no state", "Name at least one state; leave the option out to keep the resource always.");
  }
  if (application === undefined) {
    throw invalid(
      `the states ${states.join(", ")}, but its kind has no lifecycle`,
      "Leave the option out, or give defineKind a lifecycle.",
    );
  }
  const unknown = (states as readonly string[]).find((state) => !application.names.includes(state));
  if (unknown !== undefined) {
    const meant = meantBy(unknown, application.names);
    throw invalid(
      `the state "${unknown}", which the lifecycle does not have`,
      meant === undefined
        ? `Name some of its states: ${application.names.join(", ")}.`
        : `Did you mean "${meant}"?`,
    );
  }
  return states as readonly string[];
}

/** Whether two lists of states have some that are active at the same time. */
export function overlap(
  application: ApplicationStates | undefined,
  one: readonly string[] | undefined,
  other: readonly string[] | undefined,
): boolean {
  if (application === undefined || one === undefined || other === undefined) return true;
  return one.some((state) => other.some((each) => application.canBeTogether(state, each)));
}
