// How many fights over fields a controller has found.
import type { Metrics } from "../../ports/metrics.ts";
import type { FieldFight } from "../../reconcile/comparison/field-fights.ts";

/** Declares the counter; called repeatedly with the fights that there are, it counts each once. */
export function createFightCounter(
  metrics: Metrics,
  controller: string,
): (fights: readonly FieldFight[]) => void {
  const begun = metrics
    .counter({
      name: "xstate_operator_field_fights_total",
      help: "Owned objects with a declared field that another client keeps overwriting.",
      labels: ["controller"],
    })
    .with({ controller });
  const counted = new WeakSet<FieldFight>();
  return (fights) => {
    for (const fight of fights) {
      if (counted.has(fight)) continue;
      counted.add(fight);
      begun.inc();
    }
  };
}
