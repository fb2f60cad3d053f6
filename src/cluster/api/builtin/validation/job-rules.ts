// What Jobs must be, and the templates of Jobs in CronJobs: how many pods, what their failures and successes mean.
import {
  duplicateValue,
  invalidValue,
  requiredValue,
  tooLong,
  tooMany,
  unsupportedValue,
  type StatusCause,
} from "../../../../schema/status-cause.ts";
import { qualifiedNameFaults } from "../../../../meta/name-rules.ts";
import { fieldsList, fieldsOf, isFields, listOf, textOf, type Fields } from "../../api-object.ts";
import { fromLabelSelector, matchesLabels } from "../../selectors/label-selector.ts";
import { isSentEmpty } from "../../sent-empty.ts";
import { templateRules } from "./pod-rules.ts";
import { prefixedPathFaults } from "./prefixed-path.ts";
import { all, atLeast, fields, invalidStruct, isEmpty, oneOf, optional, type Rule } from "./rule.ts";
import { labelSelectorRule, shownSelector } from "./webhook-rules.ts";

const mostIndexes = 100_000;
const mostAtOnce = 10_000;
const mostRules = 20;
const mostCodes = 255;

/** One of several texts, where none is a fault of its own. */
function known(value: unknown, at: string, supported: readonly string[]): readonly StatusCause[] {
  if (isEmpty(value)) {
    return [requiredValue(at, `valid values: [${supported.map((each) => JSON.stringify(each)).join(" ")}]`)];
  }
  return supported.includes(textOf(value)) ? [] : [unsupportedValue(at, value, supported)];
}

function exitCodeFaults(given: Fields, at: string, containers: readonly unknown[]): readonly StatusCause[] {
  const { operator, values, containerName } = given;
  const codes = listOf(values);
  const field = `${at}.values`;
  const detail = "must be one of the container or initContainer names in the pod template";
  const causes: StatusCause[] = [
    ...known(operator, `${at}.operator`, ["In", "NotIn"]),
    ...(containerName === undefined || containers.includes(containerName)
      ? []
      : [invalidValue(`${at}.containerName`, containerName, detail)]),
  ];
  if (codes.length === 0) {
    const shown = isSentEmpty(given, "values") ? [] : null;
    causes.push(invalidValue(field, shown, "at least one value is required"));
  }
  if (codes.length > mostCodes) causes.push(tooMany(field, codes.length, mostCodes));
  const seen = new Set<unknown>();
  for (const [index, code] of codes.entries()) {
    const place = `${field}[${index}]`;
    if (operator === "In" && code === 0) {
      causes.push(invalidValue(place, 0, "must not be 0 for the In operator"));
    }
    if (seen.has(code)) causes.push(duplicateValue(place, code));
    seen.add(code);
  }
  const isOrdered = codes.every((code, index) => index === 0 || Number(codes[index - 1]) <= Number(code));
  return isOrdered ? causes : [...causes, invalidValue(field, codes, "must be ordered")];
}

function conditionFaults(conditions: readonly Fields[], at: string): readonly StatusCause[] {
  if (conditions.length > mostRules) return [tooMany(at, conditions.length, mostRules)];
  return conditions.flatMap(({ type, status }, index) => [
    ...qualifiedNameFaults(textOf(type)).map((fault) => invalidValue(`${at}[${index}].type`, type, fault)),
    ...known(status, `${at}[${index}].status`, ["False", "True", "Unknown"]),
  ]);
}

const actions = ["Count", "FailIndex", "FailJob", "Ignore"];

/** What failures of pods mean, by their exit codes or their conditions. */
function failurePolicyFaults(spec: Fields, at: string): readonly StatusCause[] {
  const { podFailurePolicy, template, backoffLimitPerIndex } = spec;
  if (podFailurePolicy === undefined) return [];
  const pod = fieldsOf(fieldsOf(template)["spec"]);
  const containers = ["containers", "initContainers"].flatMap((list) =>
    fieldsList(pod[list]).map(({ name }) => name),
  );
  const rules = fieldsList(fieldsOf(podFailurePolicy)["rules"]);
  const field = `${at}.podFailurePolicy.rules`;
  if (rules.length > mostRules) return [tooMany(field, rules.length, mostRules)];
  return rules.flatMap((rule, index): readonly StatusCause[] => {
    const place = `${field}[${index}]`;
    const { action, onExitCodes } = rule;
    const conditions = fieldsList(rule["onPodConditions"]);
    const number = (onExitCodes === undefined ? 0 : 1) + (conditions.length > 0 ? 1 : 0);
    const detail =
      number === 0
        ? "specifying one of OnExitCodes and OnPodConditions is required"
        : number > 1
          ? "specifying both OnExitCodes and OnPodConditions is not supported"
          : undefined;
    return [
      ...known(action, `${place}.action`, actions),
      ...(action === "FailIndex" && backoffLimitPerIndex === undefined
        ? [invalidValue(`${place}.action`, action, "requires the backoffLimitPerIndex to be set")]
        : []),
      ...(isFields(onExitCodes) ? exitCodeFaults(onExitCodes, `${place}.onExitCodes`, containers) : []),
      ...conditionFaults(conditions, `${place}.onPodConditions`),
      ...(detail === undefined
        ? []
        : [
            {
              reason: "FieldValueInvalid" as const,
              message: `Invalid value: ${detail}`,
              field: place,
            },
          ]),
    ];
  });
}

/** How many indexes a text names, or what is wrong with it. */
export function indexesIn(text: string, completions: number): number | string {
  let count = 0;
  let previous: number | undefined;
  for (const interval of text.split(",")) {
    const limits = interval.split("-");
    if (limits.length > 2) {
      const shown = JSON.stringify(interval);
      return `the fragment ${shown} violates the requirement that an index interval can have at most two parts separated by '-'`;
    }
    for (const [place, limit] of limits.entries()) {
      const index = /^[+-]?\d+$/.test(limit) ? Number(limit) : undefined;
      const shown = JSON.stringify(limit);
      if (index === undefined) return `cannot convert string to integer for index: ${shown}`;
      if (index >= completions) return `too large index: ${shown}`;
      if (previous !== undefined && previous >= index) {
        return `non-increasing order, previous: ${previous}, current: ${index}`;
      }
      count += place === 0 ? 1 : index - (previous ?? 0);
      previous = index;
    }
  }
  return count;
}

/** When a Job has succeeded before all of its indexes have. */
function successPolicyFaults(spec: Fields, at: string): readonly StatusCause[] {
  const { successPolicy, completionMode, completions } = spec;
  if (successPolicy === undefined) return [];
  const place = `${at}.successPolicy`;
  if (completionMode !== "Indexed") {
    const { rules: given } = fieldsOf(successPolicy);
    const shown = fieldsList(given).map(({ succeededIndexes = null, succeededCount = null }) => ({
      SucceededIndexes: succeededIndexes,
      SucceededCount: succeededCount,
    }));
    const empty = isSentEmpty(fieldsOf(successPolicy), "rules") ? [] : null;
    const struct = { Rules: shown.length > 0 ? shown : empty };
    return [invalidStruct(place, struct, "requires indexed completion mode")];
  }
  const rules = fieldsList(fieldsOf(successPolicy)["rules"]);
  if (rules.length === 0) {
    const detail = "at least one rules must be specified when the successPolicy is specified";
    return [requiredValue(`${place}.rules`, detail)];
  }
  if (rules.length > mostRules) return [tooMany(`${place}.rules`, rules.length, mostRules)];
  return rules.flatMap((rule, index): readonly StatusCause[] => {
    const field = `${place}.rules[${index}]`;
    const { succeededCount: count, succeededIndexes: indexes } = rule;
    if (count === undefined && indexes === undefined) {
      const detail = "at least one of succeededCount or succeededIndexes must be specified";
      return [requiredValue(field, detail)];
    }
    const total = indexes === undefined ? undefined : indexesIn(textOf(indexes), Number(completions));
    const causes: StatusCause[] = [];
    if (typeof total === "string") {
      const detail = `error parsing succeededIndexes: ${total}`;
      causes.push(invalidValue(`${field}.succeededIndexes`, indexes, detail));
    }
    if (count === undefined) return causes;
    const most = [
      [Number(completions), "the number of specified completions"],
      [total, "the number of indexes in the specified succeededIndexes field"],
    ] as const;
    for (const [limit, what] of most) {
      if (typeof limit !== "number" || Number(count) <= limit) continue;
      const detail = `must be less than or equal to ${limit} (${what})`;
      causes.push(invalidValue(`${field}.succeededCount`, count, detail));
    }
    return [...causes, ...atLeast(0)(count, `${field}.succeededCount`, rule)];
  });
}

/** How many indexes there may be, at once and failed. */
function indexFaults(spec: Fields, at: string): readonly StatusCause[] {
  const { completionMode, parallelism, completions, backoffLimitPerIndex, maxFailedIndexes } = spec;
  const causes: StatusCause[] = [];
  if (maxFailedIndexes !== undefined && backoffLimitPerIndex === undefined) {
    causes.push(requiredValue(`${at}.backoffLimitPerIndex`, "when maxFailedIndexes is specified"));
  }
  if (completionMode !== "Indexed") {
    for (const [name, given] of Object.entries({ backoffLimitPerIndex, maxFailedIndexes })) {
      if (given === undefined) continue;
      causes.push(invalidValue(`${at}.${name}`, given, "requires indexed completion mode"));
    }
    return causes;
  }
  if (completions === undefined) {
    causes.push(requiredValue(`${at}.completions`, "when completion mode is Indexed"));
  }
  if (Number(parallelism) > mostIndexes) {
    const detail = `must be less than or equal to ${mostIndexes} when completion mode is Indexed`;
    causes.push(invalidValue(`${at}.parallelism`, parallelism, detail));
  }
  const field = `${at}.maxFailedIndexes`;
  if (Number(maxFailedIndexes) > Number(completions)) {
    causes.push(invalidValue(field, maxFailedIndexes, "must be less than or equal to completions"));
  }
  if (Number(maxFailedIndexes) > mostIndexes) {
    causes.push(invalidValue(field, maxFailedIndexes, `must be less than or equal to ${mostIndexes}`));
  }
  if (Number(completions) <= mostIndexes || backoffLimitPerIndex === undefined) return causes;
  if (maxFailedIndexes === undefined) {
    causes.push(requiredValue(field, `must be specified when completions is above ${mostIndexes}`));
  }
  const detail = `must be less than or equal to ${mostAtOnce} when completions are above ${mostIndexes} and used with backoff limit per index`;
  for (const [name, given] of Object.entries({ parallelism, maxFailedIndexes })) {
    if (Number(given) > mostAtOnce) causes.push(invalidValue(`${at}.${name}`, given, detail));
  }
  return causes;
}

const managedBy: Rule = optional((value, at) => {
  const name = textOf(value);
  if (name === "") return [requiredValue(at)];
  return [...prefixedPathFaults(name, at), ...(name.length > 63 ? [tooLong(at, 63)] : [])];
});

/** The pods of a Job end, and a policy for failures is about pods that are not started again in place. */
const restartPolicy: Rule = (value, at) => {
  if (value === "Always" || isEmpty(value)) return [requiredValue(at, 'valid values: "OnFailure", "Never"')];
  return oneOf("OnFailure", "Never")(value, at, {});
};
const onlyNever: Rule = (value, at) =>
  value === "OnFailure"
    ? [invalidValue(at, value, 'only "Never" is supported when podFailurePolicy is specified')]
    : [];
const endingPods = all(templateRules, fields({ spec: fields({ restartPolicy }) }));

/** The spec of a Job, also in a template. */
const jobSpec: Rule = all(
  fields({
    parallelism: atLeast(0),
    completions: atLeast(0),
    activeDeadlineSeconds: atLeast(0),
    backoffLimit: atLeast(0),
    ttlSecondsAfterFinished: atLeast(0),
    backoffLimitPerIndex: atLeast(0),
    maxFailedIndexes: atLeast(0),
    managedBy,
    completionMode: optional(oneOf("NonIndexed", "Indexed")),
  }),
  (value, at) => indexFaults(fieldsOf(value), at),
  (value, at) => failurePolicyFaults(fieldsOf(value), at),
  (value, at) => successPolicyFaults(fieldsOf(value), at),
  fields({
    podReplacementPolicy: optional((value, at, parent) =>
      oneOf(...(parent["podFailurePolicy"] === undefined ? ["Failed", "TerminatingOrFailed"] : ["Failed"]))(
        value,
        at,
        parent,
      ),
    ),
  }),
  fields({
    template: all(endingPods, (value, at, spec) =>
      spec["podFailurePolicy"] === undefined
        ? []
        : fields({ spec: fields({ restartPolicy: onlyNever }) })(value, at, spec),
    ),
  }),
);

/** The labels and the selector of a Job that makes none of its own are those that the server has made of its uid and name. */
function generatedFaults({ selector, template }: Fields, at: string, job: Fields): readonly StatusCause[] {
  if (!isFields(selector)) return [];
  const { labels } = fieldsOf(fieldsOf(template)["metadata"]);
  const { uid, name } = fieldsOf(job["metadata"]);
  const expected = Object.fromEntries(
    ["batch.kubernetes.io/", ""].flatMap((prefix) => [
      [`${prefix}controller-uid`, textOf(uid)],
      [`${prefix}job-name`, textOf(name)],
    ]),
  );
  const causes = Object.entries(expected).flatMap(([label, value]) => {
    const given = fieldsOf(labels)[label];
    if (given === value) return [];
    const field = `${at}.template.metadata.labels[${label}]`;
    const detail = `must be '${value}'`;
    return given === undefined ? [requiredValue(field, detail)] : [invalidValue(field, labels, detail)];
  });
  const isGenerated =
    labelSelectorRule(selector, at, {}).length > 0 || matchesLabels(fromLabelSelector(selector), expected);
  return isGenerated
    ? causes
    : [...causes, invalidStruct(`${at}.selector`, shownSelector(selector), "`selector` not auto-generated")];
}

/** What is wrong with how a spec selects its pods. */
function selectionFaults({ selector, template }: Fields, at: string): readonly StatusCause[] {
  const { labels } = fieldsOf(fieldsOf(template)["metadata"]);
  const given = fieldsOf(labels) as Record<string, string>;
  const faults = isFields(selector) ? labelSelectorRule(selector, `${at}.selector`, {}) : [];
  // What such a selector selects is not asked.
  if (faults.length > 0) return faults;
  const causes: StatusCause[] = [];
  if (!isFields(selector)) causes.push(requiredValue(`${at}.selector`));
  if (!isFields(selector) || !matchesLabels(fromLabelSelector(selector), given)) {
    const detail = "`selector` does not match template `labels`";
    causes.push(invalidValue(`${at}.template.metadata.labels`, labels ?? null, detail));
  }
  return causes;
}

/** The pods of a Job are its own: by the selector that the server makes, or by one that selects them. */
const selection: Rule = (value, at, parent) => {
  const spec = fieldsOf(value);
  const generated = spec["manualSelector"] === true ? [] : generatedFaults(spec, at, parent);
  return [...generated, ...selectionFaults(spec, at)];
};

/** `Job` of batch/v1. */
export const jobRules: Rule = fields({ spec: all(jobSpec, selection) });

/** The spec of a `Job`, whoever made its selector. */
export const jobSpecRules: Rule = fields({
  spec: all(jobSpec, (value, at) => selectionFaults(fieldsOf(value), at)),
});

/** The Jobs of a CronJob, whose selectors the server makes. */
export const jobTemplateRules: Rule = all(
  jobSpec,
  fields({
    selector: optional((value, at) => [
      invalidStruct(at, shownSelector(value), "`selector` will be auto-generated"),
    ]),
    manualSelector: optional((value, at) =>
      value === true ? [unsupportedValue(at, value, ["nil", "false"])] : [],
    ),
  }),
);
