// One condition per active region of a parallel state: `Lifecycle.<path>`, so that each part of an application that runs
// side by side with others can be waited for. A region that is left has no condition any more.
import type { NewCondition } from "../../meta/condition.ts";
import { isWithin, type Leaves } from "../../statechart/configuration.ts";
import { isAtRest } from "../graph/roles.ts";
import type { Lifecycle } from "../graph/compile-lifecycle.ts";
import { lifecycleCondition } from "../stored/restore.ts";

/** Whether a condition is one of a region. */
export function isRegionCondition(type: string): boolean {
  return type.startsWith(`${lifecycleCondition}.`);
}

/** The conditions of the regions that are active, in document order. */
export function regionConditionsOf(
  { index, roles }: Lifecycle,
  leaves: Leaves,
  observedGeneration: number,
): readonly NewCondition[] {
  const regions = index.graph.nodes.filter(
    ({ parent, type }) =>
      type !== "history" &&
      (parent === undefined ? index.graph.parallel : index.nodes.get(parent)?.type === "parallel"),
  );
  return regions.flatMap(({ path }): NewCondition[] => {
    const inside = leaves.filter((leaf) => isWithin(leaf, path));
    if (inside.length === 0) return [];
    const names = inside.map((leaf) =>
      leaf === path ? (path.split(":").at(-1) ?? path) : leaf.slice(path.length + 1),
    );
    const rests = isAtRest({ roles }, inside);
    return [
      {
        type: `${lifecycleCondition}.${path.replaceAll(":", ".")}`,
        status: rests ? "True" : "False",
        reason: names.join(","),
        message: `${names.join(", ")} ${rests ? "holds" : "is in transition"}`,
        observedGeneration,
      },
    ];
  });
}
