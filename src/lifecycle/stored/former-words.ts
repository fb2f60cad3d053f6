// What an earlier version stored under other names: `wish` with `fulfilled` and `reached`, and `told` on tasks and timers.
// Read for one version and never written; the CRD still declares these fields, as the API server prunes what it does not know.
import { fingerprintOfJson } from "../values/fingerprint.ts";
import { readEntries, readField, readFields, type Fields } from "../values/untrusted.ts";
import { taskRecord } from "../tasks/task-record.ts";
import { timerRecord } from "../timers/timers.ts";
import { targetRecord } from "../targets/target-record.ts";
import { flag, recordOf } from "../values/stored-values.ts";
import { digestOf, lifecycleStatus } from "./snapshot.ts";

const told = flag.describe(deprecated("delivered")).exactOptional();

/** The schema of `status.lifecycle` as the CRD declares it: what was pruned could not be read. */
export const declaredStatus = lifecycleStatus
  .extend({
    tasks: recordOf(taskRecord.extend({ told })),
    timers: recordOf(timerRecord.extend({ told })),
    wish: targetRecord
      .omit({ entered: true })
      .extend({ fulfilled: flag })
      .describe(deprecated("target"))
      .exactOptional(),
  })
  .describe("Where the application is in its lifecycle; written by the operator alone.");

function deprecated(successor: string): string {
  return `Deprecated: the former name of ${successor}, read from objects of an earlier version and no longer written.`;
}

/**
 * A stored `status.lifecycle` in the present names; the same object where it has no former ones.
 *
 * **Guarantees**: never throws; decides nothing about values, which are as untrusted as before. A digest that was right stays
 * right, and one that was wrong stays wrong.
 */
export function inPresentWords(status: Fields): Fields {
  const wish = readFields(readField(status, "wish"));
  if (wish === undefined || readField(status, "target") !== undefined) return status;
  const { wish: _wish, digest, ...rest } = status;
  const present = {
    ...rest,
    target: presentTarget(wish),
    ...records(status, "tasks"),
    ...records(status, "timers"),
  };
  const isWhole = digest === formerDigest(status);
  return { ...present, ...(digest === undefined ? {} : { digest: isWhole ? digestOf(present) : digest }) };
}

function presentTarget({ fulfilled, reached, ...rest }: Fields): Fields {
  return {
    ...rest,
    ...(fulfilled === undefined ? {} : { reached: fulfilled }),
    ...(reached === undefined ? {} : { entered: reached }),
  };
}

function records(status: Fields, name: "tasks" | "timers"): Fields {
  const stored = readFields(readField(status, name));
  if (stored === undefined) return {};
  const entries = readEntries(stored).map(([id, record]) => [id, presentRecord(record)] as const);
  return { [name]: Object.fromEntries(entries) };
}

function presentRecord(record: unknown): unknown {
  const fields = readFields(record);
  if (fields === undefined || !Object.hasOwn(fields, "told")) return record;
  const { told, ...rest } = fields;
  return { ...rest, delivered: told };
}

function formerDigest({ wish, snapshot, tasks, timers, config, paused }: Fields): string {
  return fingerprintOfJson({ wish, snapshot, tasks, timers, config, paused });
}
