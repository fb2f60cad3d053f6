// What a terminating namespace says about the content that is left in it. Pure.
import type { WorkloadCondition } from "../../../kinds/builtin/workload-condition.ts";
import { withWorkloadCondition } from "../workload-status.ts";

/** What is left of one type. */
export interface RemainingContent {
  /** `plural.group`, with the dot also for the core group, as Kubernetes writes it. */
  readonly resource: string;
  readonly count: number;
  /** How many of the objects each finalizer holds. */
  readonly finalizers: ReadonlyMap<string, number>;
}

/** The conditions of a namespace whose content is being deleted. */
export function namespaceConditions(
  before: readonly WorkloadCondition[],
  found: {
    readonly remaining: readonly RemainingContent[];
    readonly discoveryFailures: readonly string[];
    readonly deletionFailures: readonly string[];
  },
  now: number,
): readonly WorkloadCondition[] {
  const content = found.remaining.map(({ resource, count }) => `${resource} has ${count} resource instances`);
  const totals = new Map<string, number>();
  for (const { finalizers } of found.remaining) {
    for (const [name, count] of finalizers) totals.set(name, (totals.get(name) ?? 0) + count);
  }
  const held = [...totals].map(([name, count]) => `${name} in ${count} resource instances`);
  const set = (
    conditions: readonly WorkloadCondition[],
    [type, isTrue, reasons, messages]: readonly [string, boolean, [string, string], [string, string]],
  ): readonly WorkloadCondition[] => {
    const index = isTrue ? 0 : 1;
    const next = {
      type,
      status: isTrue ? "True" : "False",
      reason: reasons[index],
      message: messages[index],
    } as const;
    const old = conditions.find((each) => each.type === type);
    // The message tells how much is left, so it follows also when status and reason stay.
    const stale = old !== undefined && old.status === next.status && old.message !== next.message;
    return stale
      ? conditions.map((each) => (each === old ? { ...each, ...next } : each))
      : withWorkloadCondition(conditions, next, now);
  };
  const rows: readonly (readonly [string, boolean, [string, string], [string, string]])[] = [
    [
      "NamespaceDeletionDiscoveryFailure",
      found.discoveryFailures.length > 0,
      ["DiscoveryFailed", "ResourcesDiscovered"],
      [
        `Discovery failed for some groups: ${found.discoveryFailures.join(", ")}`,
        "All resources successfully discovered",
      ],
    ],
    [
      "NamespaceDeletionGroupVersionParsingFailure",
      false,
      ["GroupVersionParsingFailed", "ParsedGroupVersions"],
      ["", "All legacy kube types successfully parsed"],
    ],
    [
      "NamespaceDeletionContentFailure",
      found.deletionFailures.length > 0,
      ["ContentDeletionFailed", "ContentDeleted"],
      [
        `Failed to delete all resource types, ${found.deletionFailures.length} remaining: ${found.deletionFailures.join(", ")}`,
        "All content successfully deleted, may be waiting on finalization",
      ],
    ],
    [
      "NamespaceContentRemaining",
      content.length > 0,
      ["SomeResourcesRemain", "ContentRemoved"],
      [`Some resources are remaining: ${content.join(", ")}`, "All content successfully removed"],
    ],
    [
      "NamespaceFinalizersRemaining",
      held.length > 0,
      ["SomeFinalizersRemain", "ContentHasNoFinalizers"],
      [
        `Some content in the namespace has finalizers remaining: ${held.join(", ")}`,
        "All content-preserving finalizers finished",
      ],
    ],
  ];
  return rows.reduce(set, before);
}
