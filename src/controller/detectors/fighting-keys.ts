// The keys of a controller whose objects another client keeps overwriting: the memory of the fights knows uids only.
// Fed by reconciler.ts with each status, read by controller-health.ts.
import type { HeldKey } from "../../ports/operator-health.ts";
import type { FieldFight } from "../../reconcile/comparison/field-fights.ts";
import { sentenceOf } from "../../reconcile/resources/fight-report.ts";

/** The fights of one controller's keys, as of the last run of each. */
export class FightingKeys {
  readonly #fieldManager: string;
  readonly #fights = new Map<string, readonly FieldFight[]>();

  /** `fieldManager` is the controller's own. */
  constructor(fieldManager: string) {
    this.#fieldManager = fieldManager;
  }

  /** Notes the fights of a key; none when they are over, or the object is gone. */
  note(key: string, fights: readonly FieldFight[]): void {
    if (fights.length === 0) this.#fights.delete(key);
    else this.#fights.set(key, fights);
  }

  /** The keys, each with what is fought about. */
  list(): readonly HeldKey[] {
    return [...this.#fights].map(([key, fights]) => ({
      key,
      why: "fieldFight",
      message: fights.map((fight) => sentenceOf(fight, this.#fieldManager)).join("; "),
    }));
  }
}
