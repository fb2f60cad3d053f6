// The Kubernetes Events of a cycle: what changed, never what still is.
import type { NewCondition } from "../../meta/condition.ts";
import type { HumanDecision, Moved, PendingEvent } from "../cycle-plan.ts";
import { overflowCode } from "../stored/overflow.ts";
import { placedMessage, type Problem } from "../../ports/problem.ts";
import { describeMove } from "./move-text.ts";
import { toReason } from "./problem-condition.ts";
import type { TaskRecord } from "../tasks/task-record.ts";
import type { Tasks } from "../tasks/tasks.ts";
import { isEnding } from "../tasks/unsuccessful-end.ts";
import { describeGrace, type SpentGrace } from "../timers/grace-timers.ts";
import type { TargetRecord } from "../targets/target-record.ts";

/** What a cycle changed. */
export interface Changes {
  readonly moved: Moved | undefined;
  readonly intervening: boolean;
  readonly human: HumanDecision | undefined;
  /** The records as stored, after the reports, and after the move. */
  readonly tasks: readonly [stored: Tasks, reported: Tasks, settled: Tasks];
  /** Whether the operator has the task of this name. */
  readonly hasTask: (src: string) => boolean;
  readonly problems: readonly Problem[];
  readonly refused: string | undefined;
  /** The target, when it was not there in the cycle before. */
  readonly newTarget: TargetRecord | undefined;
  /** The target, when this cycle has given it up. */
  readonly failedTarget: TargetRecord | undefined;
  /** What is to be said of an observation that no edge takes. */
  readonly unknownObservation: string | undefined;
  readonly conditionBefore: NewCondition | undefined;
  readonly condition: NewCondition;
  /** The grace that was over before, and the one that is now. */
  readonly graces: readonly [before: SpentGrace | undefined, after: SpentGrace | undefined];
}

/** The Events to publish. */
export function pendingEventsOf(changes: Changes): readonly PendingEvent[] {
  const { moved, human, refused, problems, conditionBefore, condition, intervening } = changes;
  const events: PendingEvent[] = [];
  if (human !== undefined) {
    const reason = human.accepted ? "HumanEventAccepted" : "HumanEventRefused";
    events.push({ type: human.accepted ? "Normal" : "Warning", reason, message: human.message });
  }
  if (changes.newTarget !== undefined) {
    const { state, request } = changes.newTarget;
    const detail = request === undefined ? "" : ` for "${request}"`;
    events.push({ type: "Normal", reason: "TargetAccepted", message: `${state} is desired${detail}` });
  }
  events.push(...eventsOfTasks(changes));
  if (moved !== undefined) {
    const type = intervening ? "Warning" : "Normal";
    events.push({ type, reason: "StateChanged", message: describeMove(moved) });
  }
  if (changes.failedTarget !== undefined) {
    const { state, request, cause = "it failed" } = changes.failedTarget;
    const detail = request === undefined ? "" : ` for "${request}"`;
    events.push({
      type: "Warning",
      reason: "TargetFailed",
      message: `${state} was not completed${detail}: ${cause}`,
    });
  }
  const [before, grace] = changes.graces;
  if (grace !== undefined && (before?.state !== grace.state || before.twice !== grace.twice)) {
    events.push({ type: "Warning", reason: "GraceEnded", message: describeGrace(grace) });
  }
  const { unknownObservation: unknown } = changes;
  const isKnown = (text: string, { message }: Pick<NewCondition, "message">): boolean =>
    message.includes(text);
  if (
    unknown !== undefined &&
    isKnown(unknown, condition) &&
    !isKnown(unknown, conditionBefore ?? { message: "" })
  ) {
    events.push({ type: "Warning", reason: "ObservationUnknown", message: unknown });
  }
  if (refused === undefined && problems.length === 0) return events;
  // What lasts is reported once: when the condition begins to say so.
  const isNews =
    conditionBefore?.message !== condition.message || conditionBefore.reason !== condition.reason;
  if (isNews || moved !== undefined) {
    if (refused !== undefined) events.push({ type: "Warning", reason: "TargetRejected", message: refused });
    events.push(
      ...problems.map((problem) => ({
        type: "Warning" as const,
        reason: problem.code === overflowCode ? "LifecycleBlocked" : toReason(problem.code),
        message: placedMessage(problem),
      })),
    );
  }
  return events;
}

function eventsOfTasks({ tasks: [stored, reported, settled], hasTask }: Changes): readonly PendingEvent[] {
  if (stored === reported && reported === settled) return [];
  return [
    ...compensatedEvents(stored, reported),
    ...taskEvents(stored, reported, hasTask),
    ...taskEvents(reported, settled, hasTask),
  ];
}

/** The tasks that are compensated by now: their records say so no more. */
function compensatedEvents(before: Tasks, after: Tasks): PendingEvent[] {
  return Object.entries(before).flatMap(([id, { phase, key }]): PendingEvent[] => {
    if (phase !== "Compensating") return [];
    const goesOn = Object.values(after).some((task) => task.key === key && task.phase === phase);
    const message = `${id} has been compensated`;
    return goesOn ? [] : [{ type: "Normal", reason: "TaskCompensated", message }];
  });
}

function taskEvents(before: Tasks, after: Tasks, hasTask: Changes["hasTask"]): PendingEvent[] {
  return Object.entries(after).flatMap(([id, task]): PendingEvent[] => {
    const known = before[id];
    const detail = task.message === undefined ? "" : `: ${task.message}`;
    const isSame = ({ phase, key }: TaskRecord): boolean => phase === task.phase && key === task.key;
    if (known !== undefined && isSame(known)) return [];
    // It ends on under its key: its state was left meanwhile.
    if (isEnding(task) && Object.values(before).some(isSame)) return [];
    const failure = task.failure === undefined ? "" : `: ${task.failure}`;
    switch (task.phase) {
      case "Intended":
        return task.attempt === 1
          ? []
          : [{ type: "Warning", reason: "TaskRetried", message: `${id}${detail}` }];
      case "Running":
        return [{ type: "Normal", reason: "TaskStarted", message: `${id} is running as ${task.key}` }];
      case "Succeeded":
        return [{ type: "Normal", reason: "TaskSucceeded", message: `${id} is done${detail}` }];
      case "Failed":
        return [{ type: "Warning", reason: "TaskFailed", message: `${id} failed${detail}` }];
      case "Cancelling":
        return [
          hasTask(task.src)
            ? { type: "Normal", reason: "TaskCancelled", message: `${id} is being cancelled${failure}` }
            : {
                type: "Warning",
                reason: "TaskCancelled",
                message: `this version has no task "${task.src}", so ${task.key} cannot be ended: it may still be running`,
              },
        ];
      case "Compensating":
        return [
          {
            type: "Normal",
            reason: "TaskCompensating",
            message: `${id} is being compensated${failure}`,
          },
        ];
    }
    return [];
  });
}
