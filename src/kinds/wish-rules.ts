// The rules by which the API server itself refuses a wish that no path of the graph leads to. Pure; read by crd.ts.
import { reachableStates } from "../lifecycle/planner.ts";
import { enter } from "../statechart/configuration.ts";
import type { ValidationRule } from "./builtin/custom-resource-definition.ts";
import type { Lifecycle } from "../lifecycle/compile-lifecycle.ts";

/** Rules on the whole object that refuse a new wish which no path leads to from where the application is. */
export function wishRules(lifecycle: Lifecycle): readonly ValidationRule[] {
  const statesByReach = Map.groupBy(lifecycle.states, (state) => wishableFrom(lifecycle, state).join("\n"));
  statesByReach.delete(lifecycle.wishable.join("\n"));
  return [...statesByReach].map(([reach, states]) =>
    ruleOf(states, reach === "" ? [] : reach.split("\n"), lifecycle.aliases),
  );
}

/** Which states can be wished in a state. From the end a new life begins, so what the beginning reaches is reached too. */
export function wishableFrom(lifecycle: Lifecycle, state: string): readonly string[] {
  const { final, index, initial, transient, wishable } = lifecycle;
  const from = (path: string): readonly string[] =>
    reachableStates({ index, transient }, enter(index, [path]));
  const reached = new Set(from(state));
  if (final !== undefined && reached.has(final)) for (const path of from(initial)) reached.add(path);
  return wishable.filter((path) => reached.has(path));
}

function ruleOf(
  states: readonly string[],
  reach: readonly string[],
  aliases: Lifecycle["aliases"],
): ValidationRule {
  const names = Object.keys(aliases).filter((name) => reach.includes(aliases[name] ?? name));
  const wish = "self.spec.lifecycle.desiredState";
  const was = "oldSelf.spec.lifecycle.desiredState";
  const at = "oldSelf.status.lifecycle.state";
  const absent = (path: string): string =>
    path
      .split(".")
      .slice(1)
      .map(
        (_, count) =>
          `!has(${path
            .split(".")
            .slice(0, count + 2)
            .join(".")})`,
      )
      .join(" || ");
  // A wish that stands already is never refused: a write of the status must not fail for it.
  return {
    rule: `${absent(wish)} || (!(${absent(was)}) && ${was} == ${wish}) || ${absent(at)} || !(${at} in ${list(states)}) || ${wish} in ${list([...reach, ...names])}`,
    message: `no path of the lifecycle leads there: from ${states.join(", ")} only ${reach.join(", ") || "nothing"} can be wished`,
    reason: "FieldValueForbidden",
    fieldPath: ".spec.lifecycle.desiredState",
  };
}

function list(values: readonly string[]): string {
  return `[${values.map((value) => JSON.stringify(value)).join(", ")}]`;
}
