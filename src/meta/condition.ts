// Condition arithmetic: how one observation is set into a list of conditions.
// Rules of the API conventions: https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#typical-status-properties

/** One observation about an object, as in `status.conditions`. */
export interface Condition {
  /** What is observed, in PascalCase: `Ready`. */
  readonly type: string;
  /** Whether it holds; `Unknown` while nobody can tell. */
  readonly status: "True" | "False" | "Unknown";
  /** One PascalCase word, or several joined by colons (pattern of metav1.Condition.reason: no dot). */
  readonly reason: string;
  /** A sentence for people; at most 32,768 characters. */
  readonly message: string;
  /** RFC 3339, UTC, whole seconds; moves only when `status` changes. */
  readonly lastTransitionTime: string;
  /** The generation this observation speaks about. */
  readonly observedGeneration?: number;
}

/** A condition as it is decided on; when it last changed is known where it is written. */
export type NewCondition = Omit<Condition, "lastTransitionTime">;

/** The condition of a type, if the list has one. */
export function findCondition(
  conditions: readonly Condition[] | undefined,
  type: string,
): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/**
 * The list with one condition set.
 *
 * **Guarantees**: the transition time moves only when the status flips; the order of the others is kept;
 * the same list is returned when nothing differs but the order of what a message lists, so that identity tells whether to write.
 */
export function setCondition(
  conditions: readonly Condition[],
  next: NewCondition,
  now: number,
): readonly Condition[] {
  const before = findCondition(conditions, next.type);
  const lastTransitionTime =
    before !== undefined && before.status === next.status ? before.lastTransitionTime : toTimestamp(now);
  const condition: Condition = { ...next, lastTransitionTime };
  if (before === undefined) return [...conditions, condition];
  const same =
    before.status === condition.status &&
    before.reason === condition.reason &&
    isSameMessage(before.message, condition.message) &&
    before.observedGeneration === condition.observedGeneration;
  return same ? conditions : conditions.map((each) => (each === before ? condition : each));
}

/**
 * Whether two messages say the same: API servers name several faults of one object in any order, another one at each attempt.
 */
export function isSameMessage(one: string, other: string): boolean {
  return one === other || (one.length === other.length && wordsOf(one) === wordsOf(other));
}

function wordsOf(message: string): string {
  return message
    .split(/[\s,;[\]]+/)
    .sort()
    .join(" ");
}

/** RFC 3339 with whole seconds, the form of metav1.Time. */
export function toTimestamp(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}
