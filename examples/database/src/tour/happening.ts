// What happens to a Database, derived from the differences between two observations. Pure: objects in, happenings out.
import type { Condition } from "xstate-operator";
import type { Database } from "../database/database.ts";

/** One thing that happened. */
export type Happening =
  | {
      readonly kind: "moved";
      readonly from: string | undefined;
      readonly to: string;
      /** Why, in the operator's words. */
      readonly cause: string;
    }
  | {
      readonly kind: "progress";
      readonly task: string;
      readonly fraction: number | undefined;
      readonly message: string;
    }
  | { readonly kind: "condition"; readonly condition: Condition }
  | { readonly kind: "backup"; readonly file: string; readonly size: number }
  | { readonly kind: "event"; readonly type: string; readonly reason: string; readonly note: string };

type LifecycleOf = NonNullable<NonNullable<Database["status"]>["lifecycle"]>;

/** What happened between two states of a Database; the earlier one is absent at first. */
export function happeningsBetween(before: Database | undefined, after: Database): Happening[] {
  return [
    ...moves(before, after),
    ...progress(before, after),
    ...conditions(before, after),
    ...backups(before, after),
  ];
}

/** The lifecycle's state, if it has one yet. */
export function stateOf(database: Database | undefined): string | undefined {
  return database?.status?.lifecycle?.state;
}

function moves(before: Database | undefined, after: Database): Happening[] {
  const [from, to] = [stateOf(before), stateOf(after)];
  if (to === undefined || to === from) return [];
  return [{ kind: "moved", from, to, cause: after.status?.lifecycle?.last?.cause ?? "" }];
}

function progress(before: Database | undefined, after: Database): Happening[] {
  const earlier = tasksOf(before);
  return Object.entries(tasksOf(after)).flatMap(([task, now]) => {
    const then = earlier[task];
    if (now.message === undefined && now.progress === undefined) return [];
    if (then?.message === now.message && then?.progress === now.progress) return [];
    return [{ kind: "progress" as const, task, fraction: now.progress, message: now.message ?? "" }];
  });
}

/** The tasks of the status, by the id of their invoke. */
export function tasksOf(database: Database | undefined): NonNullable<LifecycleOf["tasks"]> {
  return database?.status?.lifecycle?.tasks ?? {};
}

function conditions(before: Database | undefined, after: Database): Happening[] {
  const earlier = before?.status?.conditions ?? [];
  return (after.status?.conditions ?? []).flatMap((condition) => {
    // It says what Lifecycle says.
    if (condition.type === "Reconciling") return [];
    const then = earlier.find(({ type }) => type === condition.type);
    // The message alone changes with every step of a task, which is reported as progress; the reason with every state.
    const same =
      condition.type === "Lifecycle"
        ? then?.status === condition.status && then.reason === condition.reason
        : (then?.status ?? "False") === condition.status;
    return same ? [] : [{ kind: "condition" as const, condition }];
  });
}

function backups(before: Database | undefined, after: Database): Happening[] {
  const backup = after.status?.lastBackup;
  if (backup === undefined || backup.name === before?.status?.lastBackup?.name) return [];
  return [{ kind: "backup", file: backup.file, size: backup.size }];
}
