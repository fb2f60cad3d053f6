// What ResourceQuotas and LimitRanges must be.
import { nanoOf } from "../../../../schema/cel/quantity.ts";
import { equal } from "../../../../schema/json-value.ts";
import {
  duplicateValue,
  forbiddenValue,
  invalidValue,
  requiredValue,
  type StatusCause,
} from "../../../../schema/status-cause.ts";
import { fieldsList, fieldsOf, listOf, textOf, type Fields } from "../../api-object.ts";
import { isSentEmpty } from "../../sent-empty.ts";
import { qualifiedNameFaults } from "../../../../meta/name-rules.ts";
import { containerResourceFaults } from "./resource-rules.ts";
import { all, each, fields, type ChangeRule, type Rule } from "./rule.ts";

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.split(" "));
const counted = wordsOf(
  "pods resourcequotas services replicationcontrollers secrets configmaps persistentvolumeclaims services.nodeports services.loadbalancers",
);
const quotaResources = wordsOf(
  [
    ...counted,
    ...["cpu", "memory", "ephemeral-storage"].flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
    "requests.storage",
  ].join(" "),
);
const standardResources = new Set([...quotaResources, "storage"]);
const podCompute = wordsOf("pods cpu memory limits.cpu limits.memory requests.cpu requests.memory");
const claimResources = wordsOf("persistentvolumeclaims requests.storage");

/** The resources that a scope can be held against; absent: no such scope. */
const scopes: Readonly<Record<string, ReadonlySet<string>>> = {
  Terminating: podCompute,
  NotTerminating: podCompute,
  NotBestEffort: podCompute,
  PriorityClass: podCompute,
  CrossNamespacePodAffinity: podCompute,
  BestEffort: wordsOf("pods"),
  VolumeAttributesClass: claimResources,
};

const isPages = (name: string): boolean => /^(?:requests\.)?hugepages-/.test(name);

function resourceNameFaults(name: string, at: string): readonly StatusCause[] {
  const faults = qualifiedNameFaults(name);
  const isKnown = name.includes("/") || standardResources.has(name) || isPages(name);
  const unknown = isKnown ? [] : ["must be a standard resource type or fully qualified"];
  return (faults.length > 0 ? faults : unknown).map((fault) => invalidValue(at, name, fault));
}

/** What is wrong with the amount of a resource: it is below zero, or what comes in whole pieces is broken. */
export function quantityFaults(name: string, amount: unknown, at: string): readonly StatusCause[] {
  const nano = nanoOf(textOf(amount));
  const isBroken = (counted.has(name) || isExtended(name)) && nano % 1_000_000_000n !== 0n;
  return [
    ...(nano < 0n ? [invalidValue(at, amount, "must be greater than or equal to 0")] : []),
    ...(isBroken ? [invalidValue(at, amount, "must be an integer")] : []),
  ];
}

/** The amounts of a quota, by the names of its resources. */
const quotaAmounts: Rule = (value, at) =>
  Object.entries(fieldsOf(value)).flatMap(([name, amount]) => {
    const field = `${at}[${name}]`;
    const causes: StatusCause[] = [...resourceNameFaults(name, field)];
    const isPlain = !name.includes("/");
    if (isPlain && !quotaResources.has(name) && !isPages(name)) {
      causes.push(invalidValue(field, name, "must be a standard resource for quota"));
    }
    causes.push(...quantityFaults(name, amount, field));
    return causes;
  });

/** What one scope says that cannot be: it is unknown, or what is limited cannot be held against it. */
function scopeFaults(
  scope: string,
  spec: Fields,
): ("unsupported scope" | "unsupported scope applied to resource")[] {
  const limited = Object.hasOwn(scopes, scope) ? scopes[scope] : undefined;
  if (limited === undefined) return ["unsupported scope"];
  return Object.keys(fieldsOf(spec["hard"]))
    .filter((name) => quotaResources.has(name) && !limited.has(name))
    .map(() => "unsupported scope applied to resource");
}

/** Scopes that exclude each other. */
function conflicts(named: readonly string[]): "conflicting scopes"[] {
  const pairs = [
    ["BestEffort", "NotBestEffort"],
    ["Terminating", "NotTerminating"],
  ];
  return pairs.filter((pair) => pair.every((scope) => named.includes(scope))).map(() => "conflicting scopes");
}

const scopesRule: Rule = (value, at, spec) => {
  const named = listOf(value).map(String);
  const faults = [...named.flatMap((scope) => scopeFaults(scope, spec)), ...conflicts(named)];
  return faults.map((fault) => invalidValue(at, value, fault));
};

/** Whether a resource is of somebody else than Kubernetes: it comes in whole pieces. */
function isExtended(name: string): boolean {
  return name.includes("/") && !name.includes("kubernetes.io/") && !name.startsWith("requests.");
}

const selectorRule: Rule = (value, at, spec) => {
  const field = `${at}.matchExpressions`;
  const expressions = fieldsList(fieldsOf(value)["matchExpressions"]);
  const causes = expressions.flatMap((expression): StatusCause[] => {
    const { operator = "", values } = expression;
    const scope = textOf(expression["scopeName"]);
    const found = scopeFaults(scope, spec).map((fault) =>
      fault === "unsupported scope"
        ? invalidValue(`${field}.scopeName`, scope, fault)
        : invalidValue(field, value, fault),
    );
    const hasValues = scope === "PriorityClass" || scope === "VolumeAttributesClass";
    if (Object.hasOwn(scopes, scope) && !hasValues && operator !== "Exists") {
      const detail =
        "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";
      found.push(invalidValue(`${field}.operator`, operator, detail));
    }
    const given = listOf(values);
    if (operator === "In" || operator === "NotIn") {
      const detail = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
      if (given.length === 0) found.push(requiredValue(`${field}.values`, detail));
    } else if (operator === "Exists" || operator === "DoesNotExist") {
      const detail = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
      if (given.length > 0) found.push(invalidValue(`${field}.values`, given, detail));
    } else found.push(invalidValue(`${field}.operator`, operator, "not a valid selector operator"));
    return found;
  });
  const named = expressions.map(({ scopeName }) => textOf(scopeName));
  return [...causes, ...conflicts(named).map((fault) => invalidValue(field, spec["scopes"] ?? null, fault))];
};

/** `ResourceQuota`. */
export const quotaRules: Rule = fields({
  spec: fields({
    hard: quotaAmounts,
    scopes: scopesRule,
    scopeSelector: selectorRule,
  }),
});

/** The status of a `ResourceQuota`. */
export const quotaStatusRules: Rule = fields({ status: fields({ hard: quotaAmounts, used: quotaAmounts }) });

/** What a quota counts is settled once. */
export const quotaChanges: ChangeRule = ({ spec }, previous) => {
  const sorted = (value: unknown): unknown => listOf(fieldsOf(value)["scopes"]).map(String).sort();
  if (equal(sorted(spec), sorted(previous["spec"]))) return [];
  const none = isSentEmpty(fieldsOf(spec), "scopes") ? [] : null;
  return [invalidValue("spec.scopes", fieldsOf(spec)["scopes"] ?? none, "field is immutable")];
};

const amountLists = ["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"] as const;

/** What two amounts of one resource must be to each other: the first not above the second. */
const orders = [
  ["min", "max", "min", (a: string, b: string) => `min value ${a} is greater than max value ${b}`],
  [
    "min",
    "defaultRequest",
    "defaultRequest",
    (a: string, b: string) => `min value ${a} is greater than default request value ${b}`,
  ],
  [
    "defaultRequest",
    "max",
    "defaultRequest",
    (a: string, b: string) => `default request value ${a} is greater than max value ${b}`,
  ],
  [
    "defaultRequest",
    "default",
    "defaultRequest",
    (a: string, b: string) => `default request value ${a} is greater than default limit value ${b}`,
  ],
  [
    "min",
    "default",
    "default",
    (a: string, b: string) => `min value ${a} is greater than default value ${b}`,
  ],
  [
    "default",
    "max",
    "default",
    (a: string, b: string) => `default value ${a} is greater than max value ${b}`,
  ],
] as const;

const limitItem: Rule = (value, at) => {
  const limit = fieldsOf(value);
  const type = textOf(limit["type"]);
  const causes: StatusCause[] = [];
  const isKnown = type.includes("/") || ["Pod", "Container", "PersistentVolumeClaim"].includes(type);
  const nameFaults = qualifiedNameFaults(type);
  const typeFaults =
    nameFaults.length > 0 || isKnown ? nameFaults : ["must be a standard limit type or fully qualified"];
  causes.push(...typeFaults.map((fault) => invalidValue(`${at}.type`, type, fault)));
  const isOfContainers = type === "Pod" || type === "Container";
  const names = new Set<string>();
  for (const list of amountLists) {
    const amounts = fieldsOf(limit[list]);
    const isDefault = list === "default" || list === "defaultRequest";
    if (type === "Pod" && isDefault) {
      if (Object.keys(amounts).length > 0) {
        causes.push(forbiddenValue(`${at}.${list}`, "may not be specified when `type` is 'Pod'"));
      }
      continue;
    }
    for (const name of Object.keys(amounts)) {
      names.add(name);
      const field = `${at}.${list}[${name}]`;
      const faults = (isOfContainers ? containerResourceFaults : resourceNameFaults)(name, field);
      causes.push(...faults);
    }
  }
  if (
    type === "PersistentVolumeClaim" &&
    [limit["min"], limit["max"]].every((each_) => !("storage" in fieldsOf(each_)))
  ) {
    const detail = "either minimum or maximum storage value is required, but neither was provided";
    causes.push(requiredValue(`${at}.limits`, detail));
  }
  return [...causes, ...[...names].flatMap((name) => amountFaults(limit, name, at, type))];
};

function amountFaults(limit: Fields, name: string, at: string, type: string): StatusCause[] {
  const amountIn = (list: string): string | undefined => {
    if (type === "Pod" && list.startsWith("default")) return undefined;
    const amount = fieldsOf(limit[list])[name];
    return typeof amount === "string" ? amount : undefined;
  };
  const causes: StatusCause[] = [];
  for (const [first, second, list, words] of orders) {
    const [a, b] = [amountIn(first), amountIn(second)];
    if (a === undefined || b === undefined || nanoOf(a) <= nanoOf(b)) continue;
    // Kubernetes shows the upper one of these two pairs.
    const isUpper = (first === "min" && second === "defaultRequest") || first === "default";
    const shown = isUpper ? b : a;
    causes.push(invalidValue(`${at}.${list}[${name}]`, shown, words(a, b)));
  }
  const ratio = amountIn("maxLimitRequestRatio");
  if (ratio === undefined) return causes;
  const field = `${at}.maxLimitRequestRatio[${name}]`;
  if (nanoOf(ratio) < 1_000_000_000n)
    causes.push(invalidValue(field, ratio, `ratio ${ratio} is less than 1`));
  const [least, most] = [amountIn("min"), amountIn("max")];
  if (least === undefined || most === undefined) return causes;
  const limitOfRatio = Number(nanoOf(most)) / Number(nanoOf(least));
  if (Number(nanoOf(ratio)) / 1e9 <= limitOfRatio) return causes;
  const detail = `ratio ${ratio} is greater than max/min = ${limitOfRatio.toFixed(6)}`;
  return [...causes, invalidValue(field, ratio, detail)];
}

const uniqueTypes: Rule = (value, at) => {
  const seen = new Set<unknown>();
  return fieldsList(value).flatMap(({ type }, index) => {
    const isKnown = seen.has(type);
    seen.add(type);
    return isKnown ? [duplicateValue(`${at}[${index}].type`, type)] : [];
  });
};

/** `LimitRange`. */
export const limitRangeRules: Rule = fields({
  spec: fields({ limits: all(each(limitItem), uniqueTypes) }),
});
