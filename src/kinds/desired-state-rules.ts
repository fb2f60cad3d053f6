// The rules by which the API server itself refuses a desired state that no path of the graph leads to. Pure; read by crd.ts.
import { targetsFrom } from "../lifecycle/graph/targets-from.ts";
import { enter } from "../statechart/configuration.ts";
import type { ValidationRule } from "./builtin/json-of.ts";
import type { Lifecycle } from "../lifecycle/graph/compile-lifecycle.ts";

/** Rules on the whole object that refuse a new desired state to which no path leads from where the application is. */
export function desiredStateRules(lifecycle: Lifecycle): readonly ValidationRule[] {
  const statesByReach = Map.groupBy(lifecycle.states, (state) => desirableFrom(lifecycle, state).join("\n"));
  statesByReach.delete(lifecycle.desirable.join("\n"));
  return [...statesByReach].map(([reach, states]) =>
    ruleOf(states, reach === "" ? [] : reach.split("\n"), lifecycle.aliases),
  );
}

/** Which states can be desired in a state: those to which a plan leads, whatever else is desired or guarded. */
export function desirableFrom(lifecycle: Lifecycle, state: string): readonly string[] {
  const { index, desirable } = lifecycle;
  return desirable.filter(targetsFrom(lifecycle, enter(index, [state])));
}

function ruleOf(
  states: readonly string[],
  reach: readonly string[],
  aliases: Lifecycle["aliases"],
): ValidationRule {
  const names = Object.keys(aliases).filter((name) => reach.includes(aliases[name] ?? name));
  const desired = "self.spec.lifecycle.desiredState";
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
  // A desired state that stands already is never refused: a write of the status must not fail for it.
  return {
    rule: `${absent(desired)} || (!(${absent(was)}) && ${was} == ${desired}) || ${absent(at)} || !(${at} in ${list(states)}) || ${desired} in ${list([...reach, ...names])}`,
    message: `no path of the lifecycle leads there: from ${states.join(", ")} only ${reach.join(", ") || "nothing"} can be desired`,
    reason: "FieldValueForbidden",
    fieldPath: ".spec.lifecycle.desiredState",
  };
}

function list(values: readonly string[]): string {
  return `[${values.map((value) => JSON.stringify(value)).join(", ")}]`;
}
