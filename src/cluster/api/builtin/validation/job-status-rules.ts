// What the status of a Job may become: counts that are none below zero, and an end that is reported whole and stays.
import { equal } from "../../../../schema/json-value.ts";
import {
  duplicateValue,
  invalidValue,
  requiredValue,
  type StatusCause,
} from "../../../../schema/status-cause.ts";
import { fieldsList, fieldsOf, listOf, textOf, type Fields } from "../../api-object.ts";
import { indexesIn } from "./job-rules.ts";
import { atLeast, fields, type ChangeRule } from "./rule.ts";

/** A Job as it is, or as it was. */
interface Seen {
  readonly spec: Fields;
  readonly status: Fields;
  /** The conditions that are true. */
  readonly true: ReadonlySet<string>;
  readonly isFinished: boolean;
}

function seen(job: Fields): Seen {
  const status = fieldsOf(job["status"]);
  const met = fieldsList(status["conditions"]).filter((condition) => condition["status"] === "True");
  const types = new Set(met.map(({ type }) => textOf(type)));
  return {
    spec: fieldsOf(job["spec"]),
    status,
    true: types,
    isFinished: types.has("Complete") || types.has("Failed"),
  };
}

/** A fault of a value that the real server does not show. */
function invalid(name: string, detail: string): StatusCause {
  return { reason: "FieldValueInvalid", message: `Invalid value: ${detail}`, field: `status.${name}` };
}

const numberOf = (value: unknown): number => Number(value ?? 0);

const counts = fields(
  Object.fromEntries(
    ["active", "succeeded", "failed", "ready", "terminating"].map((name) => [name, atLeast(0)]),
  ),
);

function uncounted(status: Fields): readonly StatusCause[] {
  const known = new Set<unknown>();
  const pods = fieldsOf(status["uncountedTerminatedPods"]);
  return ["succeeded", "failed"].flatMap((name) =>
    listOf(pods[name]).flatMap((uid, index) => {
      const field = `status.uncountedTerminatedPods.${name}[${index}]`;
      if (uid === "") return [invalidValue(field, uid, "must not be empty")];
      if (known.has(uid)) return [duplicateValue(field, uid)];
      known.add(uid);
      return [];
    }),
  );
}

/** What is reported of the end, if something of it changes: `now` and `before` are the whole status. */
function endFaults(now: Seen, before: Seen): StatusCause[] {
  const { status, spec, true: met, isFinished } = now;
  const turned = (type: string): boolean => met.has(type) !== before.true.has(type);
  const changed = (name: string): boolean => !equal(status[name], before.status[name]);
  const ended = isFinished !== before.isFinished;
  const { completionTime, startTime, active, terminating } = status;
  const causes: StatusCause[] = [];
  const check = (applies: boolean, fault: () => StatusCause): void => {
    if (applies) causes.push(fault());
  };
  const both = (one: string, other: string): void => {
    const isChanged = turned(one) || turned(other);
    check(isChanged && met.has(one) && met.has(other), () =>
      invalid("conditions", `cannot set ${one}=True and ${other}=true conditions`),
    );
  };
  both("Complete", "Failed");
  both("Complete", "FailureTarget");
  const isTimed = turned("Complete") || changed("completionTime");
  check(isTimed && completionTime !== undefined && !met.has("Complete"), () =>
    invalidValue(
      "status.completionTime",
      completionTime,
      "cannot set completionTime when there is no Complete=True condition",
    ),
  );
  check(isTimed && completionTime === undefined && met.has("Complete"), () =>
    requiredValue("status.completionTime", "completionTime is required for Complete jobs"),
  );
  const isReordered = changed("startTime") || changed("completionTime");
  check(isReordered && Date.parse(textOf(completionTime)) < Date.parse(textOf(startTime)), () =>
    invalidValue("status.completionTime", completionTime, "must be equal to or after `startTime`"),
  );
  check(
    (turned("Failed") || changed("failedIndexes")) && met.has("Failed") && !met.has("FailureTarget"),
    () => invalid("conditions", "cannot set Failed=True condition without the FailureTarget=true condition"),
  );
  const isCompleted = turned("Complete") || turned("SuccessCriteriaMet");
  check(isCompleted && met.has("Complete") && !met.has("SuccessCriteriaMet"), () =>
    invalid("conditions", "cannot set Complete=True condition without the SuccessCriteriaMet=true condition"),
  );
  check((ended || changed("active")) && isFinished && numberOf(active) > 0, () =>
    invalidValue("status.active", active, "active>0 is invalid for finished job"),
  );
  const isNeverBegun = spec["suspend"] === true && spec["completions"] === 0;
  check((ended || changed("startTime")) && !isNeverBegun && isFinished && startTime === undefined, () =>
    requiredValue("status.startTime", "startTime is required for finished job"),
  );
  check(
    (ended || changed("uncountedTerminatedPods")) &&
      isFinished &&
      Object.keys(fieldsOf(status["uncountedTerminatedPods"])).length > 0,
    () =>
      invalidValue(
        "status.uncountedTerminatedPods",
        status["uncountedTerminatedPods"],
        "must be empty for finished job",
      ),
  );
  causes.push(...indexFaults(now, before));
  check((ended || changed("terminating")) && isFinished && numberOf(terminating) > 0, () =>
    invalidValue("status.terminating", terminating, "terminating>0 is invalid for finished job"),
  );
  const isReady = status["ready"] !== undefined && numberOf(status["ready"]) > numberOf(active);
  check((changed("ready") || changed("active")) && isReady, () =>
    invalidValue("status.ready", status["ready"], "cannot set more ready pods than active"),
  );
  for (const other of ["Failed", "FailureTarget"]) {
    check(met.has("SuccessCriteriaMet") && met.has(other), () => {
      const shown = other === "Failed" ? "Failed=true" : "FailureTarget=true";
      return invalid("conditions", `cannot set SuccessCriteriaMet=True and ${shown} conditions`);
    });
  }
  check(spec["successPolicy"] !== undefined && !met.has("SuccessCriteriaMet") && met.has("Complete"), () =>
    invalid(
      "conditions",
      "cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True",
    ),
  );
  return causes;
}

/** Indexes are of a Job that has some, and no more than it has. */
function indexFaults({ spec, status }: Seen, before: Seen): readonly StatusCause[] {
  const { completedIndexes = "", failedIndexes } = status;
  const { completions, backoffLimitPerIndex, completionMode } = spec;
  const isCompletedChanged = completedIndexes !== (before.status["completedIndexes"] ?? "");
  const isFailedChanged = failedIndexes !== before.status["failedIndexes"];
  const causes: StatusCause[] = [];
  const parse = (name: string, text: unknown): void => {
    const parsed = text === "" ? 0 : indexesIn(textOf(text), Number(completions));
    if (typeof parsed !== "string") return;
    causes.push(invalidValue(`status.${name}`, text, `error parsing ${name}: ${parsed}`));
  };
  if (isCompletedChanged && completions !== undefined) parse("completedIndexes", completedIndexes);
  const isLimited = backoffLimitPerIndex !== undefined;
  if (isFailedChanged && failedIndexes !== undefined && completions !== undefined && isLimited) {
    parse("failedIndexes", failedIndexes);
  }
  if (isCompletedChanged && completedIndexes !== "" && completionMode !== "Indexed") {
    const detail = "cannot set non-empty completedIndexes when non-indexed completion mode";
    causes.push(invalidValue("status.completedIndexes", completedIndexes, detail));
  }
  if (isFailedChanged && failedIndexes !== undefined && !isLimited) {
    const detail = "cannot set non-null failedIndexes when backoffLimitPerIndex is null";
    causes.push(invalidValue("status.failedIndexes", failedIndexes, detail));
  }
  return causes;
}

/** What was reported already. */
function changeFaults(now: Seen, before: Seen): readonly StatusCause[] {
  const { spec, status, true: met } = now;
  const { status: previous, true: was } = before;
  const causes: StatusCause[] = [];
  for (const type of ["Failed", "Complete", "FailureTarget"]) {
    if (!was.has(type) || met.has(type)) continue;
    causes.push(invalid("conditions", `cannot disable the terminal ${type}=True condition`));
  }
  const isScalable = spec["completionMode"] === "Indexed" && spec["completions"] === spec["parallelism"];
  for (const name of isScalable ? ["failed"] : ["failed", "succeeded"]) {
    if (numberOf(status[name]) >= numberOf(previous[name])) continue;
    causes.push(
      invalidValue(`status.${name}`, numberOf(status[name]), `cannot decrease the ${name} counter`),
    );
  }
  const { completionTime, startTime } = status;
  const ended = previous["completionTime"];
  if (completionTime !== undefined && ended !== undefined && completionTime !== ended) {
    causes.push(invalidValue("status.completionTime", completionTime, "field is immutable"));
  }
  const began = previous["startTime"];
  if (began !== undefined && began !== startTime && spec["suspend"] !== true) {
    const detail = "field is immutable for unsuspended job once set";
    causes.push(invalidValue("status.startTime", startTime ?? null, detail));
  }
  if (was.has("SuccessCriteriaMet") && !met.has("SuccessCriteriaMet")) {
    causes.push(invalid("conditions", "cannot disable the SuccessCriteriaMet=True condition"));
  }
  if (was.has("Complete") && !was.has("SuccessCriteriaMet") && met.has("SuccessCriteriaMet")) {
    const detail = "cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions";
    causes.push(invalid("conditions", detail));
  }
  return causes;
}

/** The status of a `Job`. */
export const jobStatusChanges: ChangeRule = (object, previous) => {
  const [now, before] = [seen(object), seen(previous)];
  return [
    ...counts(now.status, "status", now.status),
    ...uncounted(now.status),
    ...endFaults(now, before),
    ...changeFaults(now, before),
  ];
};
