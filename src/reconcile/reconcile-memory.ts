// What a controller remembers between two runs. All of it may be lost: the next run then costs a little more, no less right.
import { FieldFights, type FieldFightLimits } from "./comparison/field-fights.ts";
import { CreationPace } from "./resources/creation-pace.ts";
import { UncertainNames } from "./resources/generated-names.ts";
import { LearnedLists } from "./comparison/learned-lists.ts";
import { KnownIntents } from "./comparison/known-intents.ts";
import { LostChildren } from "./lost-children.ts";
import { LeftBehind } from "./resources/left-behind-since.ts";
import { SettledDifferences } from "./comparison/intent-comparison.ts";
import { SettledStatuses } from "./status/status-writer.ts";
import { Throttle } from "./outcome/throttle.ts";

/** What survives from one run to the next; one for each controller. */
export interface ReconcileMemory {
  readonly throttle: Throttle;
  readonly intents: KnownIntents;
  readonly lists: LearnedLists;
  readonly settled: SettledDifferences;
  readonly statuses: SettledStatuses;
  readonly fights: FieldFights;
  readonly creations: CreationPace;
  readonly names: UncertainNames;
  readonly leftBehind: LeftBehind;
  readonly lost: LostChildren;
}

/** Options of {@link createReconcileMemory}. */
export interface ReconcileMemoryOptions {
  /** When repairs are a fight; undefined: never. Default five of one field in ten minutes. */
  readonly fieldFights?: FieldFightLimits | undefined;
}

/** An empty memory. */
export function createReconcileMemory(options: ReconcileMemoryOptions = {}): ReconcileMemory {
  return {
    creations: new CreationPace(),
    names: new UncertainNames(),
    leftBehind: new LeftBehind(),
    lost: new LostChildren(),
    fights: "fieldFights" in options ? new FieldFights({ limits: options.fieldFights }) : new FieldFights(),
    throttle: new Throttle(),
    intents: new KnownIntents(),
    lists: new LearnedLists(),
    settled: new SettledDifferences(),
    statuses: new SettledStatuses(),
  };
}
