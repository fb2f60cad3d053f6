// The kinds of an operator as they are now, for planning recorded cycles again.
import { defaultPoll } from "../../controller/application/shared-parts.ts";
import type { OperatorDefinition } from "../../controller/declaration/define-operator.ts";
import { taskPolicies } from "../../lifecycle/tasks/task-record.ts";
import { toMilliseconds } from "../../ports/duration.ts";
import type { PresentKind } from "../../recording/replay-cycle.ts";

/** By kind; without the kinds that have no lifecycle. */
export function presentKinds(operator: OperatorDefinition): ReadonlyMap<string, PresentKind> {
  const kinds = new Map<string, PresentKind>();
  for (const { kind, options } of operator.controllers) {
    if (kind.lifecycle === undefined) continue;
    const { tasks = {}, poll } = options.application ?? {};
    kinds.set(kind.kind, {
      lifecycle: kind.lifecycle,
      policies: taskPolicies(tasks),
      observationPoll: toMilliseconds(poll ?? defaultPoll),
    });
  }
  return kinds;
}
