// What Deployments, StatefulSets, DaemonSets and CronJobs must be.
import { equal } from "../../../../schema/json-value.ts";
import { invalidValue, requiredValue } from "../../../../schema/status-cause.ts";
import { labelNameFaults } from "../../../../meta/name-rules.ts";
import { fieldsList, fieldsOf, isFields, textOf, type Fields } from "../../api-object.ts";
import { claimTemplateRules } from "./claim-rules.ts";
import { jobTemplateRules } from "./job-rules.ts";
import { lastingTemplate, templateMetadata } from "./pod-rules.ts";
import { daemonSetFormRules, shownRolling, statefulSetFormRules } from "./workload-form-rules.ts";
import { amountOrShare } from "./amount-rules.ts";
import { isSentEmpty } from "../../sent-empty.ts";
import { labelSelectorRule } from "./webhook-rules.ts";
import {
  all,
  atLeast,
  fields,
  filled,
  forbidden,
  invalidStruct,
  oneOf,
  optional,
  required,
  text,
  when,
  type ChangeRule,
  type Rule,
  unsupportedStruct,
  isEmpty,
} from "./rule.ts";

/** Nothing is said of a template whose pods nobody knows, as the selector beside it is wrong. */
function selectedTemplate(...rules: readonly Rule[]): Rule {
  const rule = all(...rules);
  return (value, at, parent) => {
    const { selector } = parent;
    const isUnknown = isFields(selector) && labelSelectorRule(selector, at, parent).length > 0;
    return isUnknown ? [] : rule(value, at, parent);
  };
}

const isNothing = (amount: unknown): boolean => amount === 0 || amount === "0%";
const rolling: Rule = fields({ maxUnavailable: amountOrShare, maxSurge: amountOrShare });

/** `Deployment` of apps/v1. */
export const deploymentRules: Rule = fields({
  spec: all(
    fields({
      template: selectedTemplate(lastingTemplate("ReplicaSet")),
      minReadySeconds: atLeast(0),
      revisionHistoryLimit: atLeast(0),
      strategy: all(
        (value, at) => {
          const { type, rollingUpdate } = fieldsOf(value);
          if (type === "Recreate" || type === "RollingUpdate") return [];
          const struct = { Type: type, RollingUpdate: shownRolling(rollingUpdate) };
          return [unsupportedStruct(at, struct, ["Recreate", "RollingUpdate"])];
        },
        fields({
          rollingUpdate: all(
            when(
              ({ type }) => type === "Recreate",
              (value, at, parent) =>
                forbidden("may not be specified when strategy `type` is 'Recreate'")(value, at, parent),
            ),
            when(
              ({ type }) => type === "RollingUpdate",
              optional(rolling, (value, at) => {
                const { maxUnavailable, maxSurge } = fieldsOf(value);
                if (!isNothing(maxUnavailable) || !isNothing(maxSurge)) return [];
                return [
                  invalidValue(`${at}.maxUnavailable`, maxUnavailable, "may not be 0 when `maxSurge` is 0"),
                ];
              }),
            ),
          ),
        }),
      ),
      progressDeadlineSeconds: optional(atLeast(0), (value, at, { minReadySeconds = 0 }) =>
        Number(value) > Number(minReadySeconds)
          ? []
          : [invalidValue(at, value, "must be greater than minReadySeconds")],
      ),
    }),
  ),
});

/** `ReplicaSet` of apps/v1. */
export const replicaSetRules: Rule = fields({
  spec: fields({
    minReadySeconds: atLeast(0),
    template: selectedTemplate(lastingTemplate("ReplicaSet")),
  }),
});

/** `ControllerRevision` of apps/v1: the number of a state. */
export const revisionRules: Rule = fields({ revision: atLeast(0) });

/** A new one has a state. */
export const newRevisionRules: Rule = fields({
  data: (value, at) =>
    isFields(value)
      ? []
      : [requiredValue(at, isEmpty(value) ? "data is mandatory" : "data must be a valid JSON object")],
});

/** A state that was is settled. */
export const revisionChanges: ChangeRule = ({ data }, previous) =>
  equal(data, previous["data"]) ? [] : [invalidValue("data", data ?? null, "field is immutable")];

/** `ReplicationController` of v1. */
export const replicationControllerRules: Rule = fields({
  spec: all(
    fields({ minReadySeconds: atLeast(0), selector: required(), replicas: atLeast(0) }),
    (value, at, parent) => {
      const { template, selector } = fieldsOf(value);
      if (template === undefined) return [requiredValue(`${at}.template`)];
      const { metadata } = fieldsOf(template);
      const labels = fieldsOf(fieldsOf(metadata)["labels"]);
      const isSelected = Object.entries(fieldsOf(selector)).every(([name, label]) => labels[name] === label);
      return [
        ...(isSelected
          ? []
          : [
              invalidValue(
                `${at}.template.metadata.labels`,
                Object.keys(labels).length > 0 || isSentEmpty(fieldsOf(metadata), "labels") ? labels : null,
                "`selector` does not match template `labels`",
              ),
            ]),
        ...lastingTemplate("ReplicationController")(template, `${at}.template`, parent),
      ];
    },
  ),
});

/** `DaemonSet` of apps/v1. */
export const daemonSetRules: Rule = fields({
  spec: all(
    fields({ template: lastingTemplate("DaemonSet") }),
    daemonSetFormRules,
    fields({ minReadySeconds: atLeast(0), revisionHistoryLimit: atLeast(0) }),
  ),
});

/** What its pods are made of: its claims are volumes of theirs, and their names are its own affair. */
function withClaims(set: Fields): Fields {
  const { template, volumeClaimTemplates } = set;
  const { spec: given, ...rest } = fieldsOf(template);
  const { subdomain: _subdomain, hostname: _hostname, ...spec } = fieldsOf(given);
  const names = new Set(
    fieldsList(volumeClaimTemplates).map(({ metadata }) => textOf(fieldsOf(metadata)["name"])),
  );
  if (names.size === 0) return { ...set, template: { ...rest, spec } };
  const volumes = [
    ...[...names].map((name) => ({ name, persistentVolumeClaim: { claimName: name } })),
    ...fieldsList(spec["volumes"]).filter(({ name }) => !names.has(textOf(name))),
  ];
  return { ...set, template: { ...rest, spec: { ...spec, volumes } } };
}

// The real server looks at the metadata of the template once more.
const podsOfSet = fields({ template: selectedTemplate(lastingTemplate("StatefulSet"), templateMetadata) });

/** What of a StatefulSet is settled once, and so only looked at when it is new. */
const settledOnce: Readonly<Record<string, Rule>> = {
  volumeClaimTemplates: claimTemplateRules,
  serviceName: filled(text(labelNameFaults)),
};

const statefulSet = (settled: Readonly<Record<string, Rule>>): Rule =>
  fields({
    spec: all(
      fields({
        podManagementPolicy: (value, at) =>
          value === "OrderedReady" || value === "Parallel"
            ? []
            : [invalidValue(at, value, "must be 'OrderedReady' or 'Parallel'")],
        updateStrategy: (value, at) => {
          const { type, rollingUpdate = null } = fieldsOf(value);
          if (type === "RollingUpdate") return [];
          if (type === "OnDelete") {
            if (rollingUpdate === null) return [];
            const { partition = null, maxUnavailable = null } = fieldsOf(rollingUpdate);
            const given = { Partition: partition, MaxUnavailable: maxUnavailable };
            return [
              invalidStruct(`${at}.rollingUpdate`, given, "only allowed for updateStrategy 'RollingUpdate'"),
            ];
          }
          const { partition = null, maxUnavailable = null } = fieldsOf(rollingUpdate);
          const rolling =
            rollingUpdate === null ? null : { Partition: partition, MaxUnavailable: maxUnavailable };
          const struct = { Type: type, RollingUpdate: rolling };
          return [invalidStruct(at, struct, "must be 'RollingUpdate' or 'OnDelete'")];
        },
        ...settled,
        minReadySeconds: atLeast(0),
      }),
      statefulSetFormRules,
      (value, at, parent) => podsOfSet(withClaims(fieldsOf(value)), at, parent),
    ),
  });

/** A new `StatefulSet` of apps/v1. */
export const statefulSetRules = statefulSet(settledOnce);

/** A changed `StatefulSet`. */
export const changedStatefulSetRules = statefulSet({});

const schedule: Rule = (value, at) => {
  const written = textOf(value);
  if (written === "") return [requiredValue(at)];
  if (/TZ/.test(written)) {
    return [invalidValue(at, written, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead")];
  }
  const fault = scheduleFault(written);
  return fault === undefined ? [] : [invalidValue(at, written, fault)];
};

const timeZone: Rule = optional((value, at) => {
  const zone = textOf(value);
  if (zone === "") return [invalidValue(at, zone, "timeZone must be nil or non-empty string")];
  return isTimeZone(zone) ? [] : [invalidValue(at, zone, `unknown time zone ${zone}`)];
});

/** Whether there is a zone of that very name: its file's, whose case counts. */
function isTimeZone(zone: string): boolean {
  try {
    const { timeZone: meant } = new Intl.DateTimeFormat("en", { timeZone: zone }).resolvedOptions();
    const isWritten = meant === zone || meant.toLowerCase() !== zone.toLowerCase();
    // Of a name that only stands for another one, the case is not known; all begin with a capital letter.
    return isWritten && /^[A-Z]/.test(zone);
  } catch {
    return false;
  }
}

const longestCronJob = 52;

/** The Jobs of a CronJob have its name and a time. */
export const newCronJobRules: Rule = fields({
  metadata: fields({
    name: text((name) =>
      name.length > longestCronJob ? `must be no more than ${longestCronJob} characters` : undefined,
    ),
  }),
});

/** `CronJob` of batch/v1. */
export const cronJobRules: Rule = fields({
  spec: fields({
    schedule,
    startingDeadlineSeconds: atLeast(0),
    timeZone,
    concurrencyPolicy: oneOf("Allow", "Forbid", "Replace"),
    jobTemplate: fields({ spec: jobTemplateRules }),
    successfulJobsHistoryLimit: atLeast(0),
    failedJobsHistoryLimit: atLeast(0),
  }),
});

/** The fields of a schedule, with their ranges and the names of their values. */
const cronFields: readonly {
  readonly least: number;
  readonly most: number;
  readonly names: readonly string[];
}[] = [
  { least: 0, most: 59, names: [] },
  { least: 0, most: 23, names: [] },
  { least: 1, most: 31, names: [] },
  { least: 1, most: 12, names: "jan feb mar apr may jun jul aug sep oct nov dec".split(" ") },
  { least: 0, most: 6, names: "sun mon tue wed thu fri sat".split(" ") },
];
const descriptors = new Set("@yearly @annually @monthly @weekly @daily @midnight @hourly".split(" "));

/** What is wrong with a schedule, in the words of the parser that Kubernetes uses, or undefined. */
function scheduleFault(written: string): string | undefined {
  const plain = written.trim();
  if (plain.startsWith("@")) {
    if (descriptors.has(plain) || /^@every (?:\d+(?:\.\d+)?(?:ns|us|ms|s|m|h))+$/.test(plain))
      return undefined;
    return `unrecognized descriptor: ${plain}`;
  }
  const parts = plain.split(/\s+/).filter((part) => part !== "");
  if (parts.length !== cronFields.length) {
    return `expected exactly 5 fields, found ${parts.length}: [${parts.join(" ")}]`;
  }
  for (const [index, part] of parts.entries()) {
    for (const range of part.split(",")) {
      const fault = rangeFault(range, cronFields[index] ?? { least: 0, most: 0, names: [] });
      if (fault !== undefined) return fault;
    }
  }
  return undefined;
}

function rangeFault(range: string, { least, most, names }: (typeof cronFields)[number]): string | undefined {
  const [span = "", step, ...more] = range.split("/");
  if (more.length > 0) return `too many slashes: ${range}`;
  if (step !== undefined && !/^\d+$/.test(step))
    return `failed to parse int from ${step}: strconv.Atoi: parsing ${JSON.stringify(step)}: invalid syntax`;
  if (step !== undefined && Number(step) === 0) return `step of range should be a positive number: ${range}`;
  if (span === "*" || span === "?") return undefined;
  const [from = "", to = from, ...rest] = span.split("-");
  if (rest.length > 0) return `too many hyphens: ${range}`;
  const numbers = [from, to].map((each) => {
    const named = names.indexOf(each.toLowerCase());
    return named >= 0 ? named + least : /^\d+$/.test(each) ? Number(each) : undefined;
  });
  const wrong = [from, to].find((_, index) => numbers[index] === undefined);
  if (wrong !== undefined)
    return `failed to parse int from ${wrong}: strconv.Atoi: parsing ${JSON.stringify(wrong)}: invalid syntax`;
  const [first = 0, last = 0] = numbers;
  if (first < least) return `beginning of range (${first}) below minimum (${least}): ${range}`;
  if (last > most) return `end of range (${last}) above maximum (${most}): ${range}`;
  if (first > last) return `beginning of range (${first}) beyond end of range (${last}): ${range}`;
  return undefined;
}
