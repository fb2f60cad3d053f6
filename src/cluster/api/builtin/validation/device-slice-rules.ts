// What a ResourceSlice must be: the devices that a driver offers, and where.
import { parseQuantity } from "../../../../schema/cel/quantity.ts";
import {
  duplicateValue,
  forbiddenValue,
  invalidValue,
  requiredValue,
  tooLong,
  tooMany,
  type StatusCause,
} from "../../../../schema/status-cause.ts";
import { equal } from "../../../../schema/json-value.ts";
import { subdomainFault, subdomainFaults } from "../../../../meta/name-rules.ts";
import { fieldsList, fieldsOf, listOf, textOf, type Fields } from "../../api-object.ts";
import { isSentEmpty } from "../../sent-empty.ts";
import { goForm } from "../go-form.ts";
import { nodeSelectorRule } from "./affinity-rules.ts";
import { attributeName, eachOf, label, labelKey, setOf, taint } from "./device-rules.ts";
import {
  all,
  fields,
  filled,
  forbidden,
  isEmpty,
  optional,
  required,
  type ChangeRule,
  type Rule,
  invalidStruct,
} from "./rule.ts";
import { csiDriver } from "./volume-source-rules.ts";

const longestPool = 253;
const longestText = 64;
const mostDevices = 128;
const mostAdvancedDevices = 64;
const mostCounterSets = 8;
const mostDescriptions = 32;

/** The name of a pool of devices: subdomains with slashes between them. */
export const poolName: Rule = (value, at) => {
  const name = textOf(value);
  if (name === "") return [requiredValue(at)];
  return [
    ...(name.length > longestPool ? [tooLong(at, longestPool)] : []),
    ...name.split("/").flatMap((part) => {
      return subdomainFaults(part).map((fault) => invalidValue(at, part, fault));
    }),
  ];
};

const pool: Rule = fields({
  name: poolName,
  resourceSliceCount: (value, at) =>
    Number(value) > 0 ? [] : [invalidValue(at, value ?? 0, "must be greater than zero")],
  generation: (value, at) =>
    Number(value ?? 0) >= 0 ? [] : [invalidValue(at, value, "must be greater than or equal to zero")],
});

const nameOf = (item: unknown): unknown => fieldsOf(item)["name"];

const onlyTrue: Rule = (value, at) =>
  value === false ? [invalidValue(at, value, "must be either unset or set to true")] : [];

/** How it is said where devices are. */
interface Place {
  readonly ways: readonly string[];
  /** What is said where none of the ways is used, and where several are. */
  readonly none: string;
  readonly several: string;
  /** What is said of a node without a name. */
  readonly empty: string;
  /** A choice of nodes has one term. */
  readonly isOneTerm: boolean;
}

/** Where the devices are: exactly one of several ways to say it. */
function place({ ways, none, several, empty, isOneTerm }: Place): Rule {
  return (value, at) => {
    const spec = fieldsOf(value);
    const given = ways.filter((way) => ![undefined, false, ""].includes(spec[way] as string | undefined));
    const { nodeName, nodeSelector } = spec;
    const fault = isEmpty(nodeName) ? undefined : subdomainFault(textOf(nodeName));
    const causes: StatusCause[] = [
      ...(nodeName === "" ? [invalidValue(`${at}.nodeName`, "", empty)] : []),
      ...(fault === undefined ? [] : [invalidValue(`${at}.nodeName`, nodeName, fault)]),
      ...optional(nodeSelectorRule)(nodeSelector, `${at}.nodeSelector`, spec),
    ];
    const terms = listOf(fieldsOf(nodeSelector)["nodeSelectorTerms"]);
    if (isOneTerm && nodeSelector !== undefined && terms.length !== 1) {
      const detail = "must have exactly one node selector term";
      const isNone = fieldsOf(nodeSelector)["nodeSelectorTerms"] === undefined;
      const shown = terms.map((term) => goForm("io.k8s.api.core.v1.NodeSelectorTerm", term));
      const field = `${at}.nodeSelector.nodeSelectorTerms`;
      causes.push(isNone ? invalidValue(field, null, detail) : invalidStruct(field, shown, detail));
    }
    for (const way of ["allNodes", "perDeviceNodeSelection"]) {
      if (ways.includes(way)) causes.push(...onlyTrue(spec[way], `${at}.${way}`, spec));
    }
    if (given.length === 0) causes.push(requiredValue(at, none));
    if (given.length > 1) {
      const shown = `{${given.map((way) => `\`${way}\``).join(", ")}}`;
      causes.push(invalidValue(at, shown, several));
    }
    return causes;
  };
}

const versionPattern =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?$/;

const text: Rule = (value, at) => (textOf(value).length > longestText ? [tooLong(at, longestText)] : []);
const version: Rule = all((value, at) => {
  const detail = "must be a string compatible with semver.org spec 2.0.0";
  return versionPattern.test(textOf(value)) ? [] : [invalidValue(at, value, detail)];
}, text);

const attribute: Rule = (value, at, parent) => {
  const given = fieldsOf(value);
  const causes = fields({ string: optional(text), version: optional(version) })(value, at, parent);
  const set = ["bool", "int", "string", "version"].filter((name) => given[name] !== undefined);
  if (set.length === 1) return causes;
  const detail = "exactly one value must be specified";
  return [...causes, invalidValue(at, set.length === 0 ? "" : given, detail)];
};

/** A quantity, as its text; without one, nothing. */
function amountOf(value: unknown): bigint | undefined {
  return value === undefined ? undefined : parseQuantity(textOf(value))?.nano;
}

const unit = 1_000_000_000n;
const mostOptions = 10;

/** How much of a capacity may be asked for: one of several amounts, of which one is the usual. */
function optionFaults(policy: Fields, whole: unknown, at: string): readonly StatusCause[] {
  const options = listOf(policy["validValues"]);
  const [usual, most] = [amountOf(policy["default"]), amountOf(whole) ?? 0n];
  const amounts = options.map((option) => amountOf(option) ?? 0n);
  const causes = options.flatMap((option, index) =>
    index > 0 && (amounts[index - 1] ?? 0n) > (amounts[index] ?? 0n)
      ? [invalidValue(`${at}[${index}]`, option, "values must be sorted in ascending order")]
      : [],
  );
  const larger = `option is larger than capacity value: ${textOf(whole)}`;
  const eachOption: Rule = (option, field) =>
    (amountOf(option) ?? 0n) > most ? [invalidValue(field, option, larger)] : [];
  const set = setOf(mostOptions, (option) => String((amountOf(option) ?? 0n) / unit), eachOption);
  causes.push(...set(options, at, policy));
  if (options.length <= mostOptions && !amounts.some((amount) => amount === usual)) {
    const detail = "default value is not valid according to the requestPolicy";
    causes.push(invalidValue(at, policy["default"], detail));
  }
  return causes;
}

/** The same: amounts from one to another, in steps. */
function rangeFaults(policy: Fields, whole: unknown, at: string): readonly StatusCause[] {
  const { min, max, step } = fieldsOf(policy["validRange"]);
  const usual = policy["default"];
  const [least, most, by, from, all_] = [min, max, step, usual, whole].map(amountOf);
  if (least === undefined) return [requiredValue(`${at}.min`, "required when validRange is defined")];
  const causes: StatusCause[] = [];
  const refused = (isWrong: boolean, name: string, value: unknown, detail: string): void => {
    if (isWrong) causes.push(invalidValue(`${at}.${name}`, value, detail));
  };
  const capacity = `capacity value: ${textOf(whole)}`;
  refused(least > (all_ ?? 0n), "min", min, `min is larger than ${capacity}`);
  refused((from ?? 0n) < least, "min", usual, `default is less than min: ${textOf(min)}`);
  if (most !== undefined) {
    refused(least > most, "max", min, `min is larger than max: ${textOf(max)}`);
    refused(most > (all_ ?? 0n), "max", max, `max is larger than ${capacity}`);
    refused((from ?? 0n) > most, "max", usual, `default is more than max: ${textOf(max)}`);
  }
  if (by === undefined || by <= 0n) return causes;
  refused(least + by > (all_ ?? 0n), "step", step, `one step is larger than ${capacity}`);
  for (const [value, amount] of [
    [usual, from],
    [max, most],
  ] as const) {
    const detail = `value is not a multiple of a given step (${textOf(step)}) from (${textOf(min)})`;
    refused(amount !== undefined && (amount - least) % by !== 0n, "step", value, detail);
  }
  return causes;
}

const requestPolicy: Rule = (value, at, capacity) => {
  const policy = fieldsOf(value);
  const hasOptions = listOf(policy["validValues"]).length > 0;
  const hasRange = policy["validRange"] !== undefined;
  if (hasOptions && hasRange) {
    const detail =
      'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time';
    return [forbiddenValue(at, detail)];
  }
  if (!hasOptions && !hasRange) return [];
  const name = hasOptions ? "validValues" : "validRange";
  if (policy["default"] === undefined) {
    return [requiredValue(`${at}.default`, `required when ${name} is defined`)];
  }
  return (hasOptions ? optionFaults : rangeFaults)(policy, capacity["value"], `${at}.${name}`);
};

/** A capacity of a device, of which those that several may have say how much may be asked for. */
function capacityRule(isShared: boolean): Rule {
  return fields({
    requestPolicy: optional(isShared ? requestPolicy : forbidden("allowMultipleAllocations must be true")),
  });
}

const longestName = 96;

/** The key as causes name it, which is not longer than it needs to be. */
function shownKey(key: string, longest: number): string {
  if (key.length <= longest) return key;
  const rest = longest - "...".length;
  return `${key.slice(0, Math.floor((rest + 1) / 2))}...${key.slice(key.length - Math.floor(rest / 2))}`;
}

/** The entries of a map; the faults of a key name the map. */
function entries(key: Rule, rule: Rule, longest: number, limit = Number.POSITIVE_INFINITY): Rule {
  return (value, at) => {
    const given = Object.entries(fieldsOf(value));
    if (given.length > limit) return [tooMany(at, given.length, limit)];
    return given.flatMap(([name, entry]) => [
      ...key(name, at, fieldsOf(value)),
      ...rule(entry, `${at}[${shownKey(name, longest)}]`, fieldsOf(value)),
    ]);
  };
}

const described: Rule = (value, at) => {
  const { attributes, capacity } = fieldsOf(value);
  const count = Object.keys(fieldsOf(attributes)).length + Object.keys(fieldsOf(capacity)).length;
  const detail = `the total number of attributes and capacities must not exceed ${mostDescriptions}`;
  return count > mostDescriptions ? [invalidValue(at, count, detail)] : [];
};

const mostCounters = 32;
const named: Rule = all(required(), filled(label));
const counters: Rule = (value, at, parent) =>
  Object.keys(fieldsOf(value)).length === 0
    ? [requiredValue(at)]
    : entries(label, () => [], 63, mostCounters)(value, at, parent);

const mostConditions = 4;

/** What has to become of a device before it is used, and what says that it will not. */
/** What a device waits for until it is bound, and what says that it never will be. */
export const bindingConditions: Rule = (value, at, parent) => {
  const { bindingConditions: given, bindingFailureConditions: failures } = fieldsOf(value);
  const lists = { bindingConditions: listOf(given), bindingFailureConditions: listOf(failures) };
  const causes = Object.entries(lists).flatMap(([name, list]) =>
    eachOf(mostConditions, labelKey)(list, `${at}.${name}`, parent),
  );
  for (const [name, list] of Object.entries(lists)) {
    list.forEach((condition, index) => {
      const field = `${at}.${name}[${index}]`;
      if (list.indexOf(condition) < index) causes.push(duplicateValue(field, condition));
      if (name === "bindingConditions" || !lists.bindingConditions.includes(condition)) return;
      const detail = "bindingFailureConditions must not overlap with bindingConditions";
      causes.push(invalidValue(field, condition, detail));
    });
  }
  for (const [name, other] of [
    ["bindingConditions", "bindingFailureConditions"],
    ["bindingFailureConditions", "bindingConditions"],
  ] as const) {
    if (lists[name].length > 0 || lists[other].length === 0) continue;
    const shown = lists[name].length === 0 ? null : lists[name];
    causes.push(invalidValue(`${at}.${name}`, shown, `${name} are required to use ${other}`));
  }
  return causes;
};

const ownPlace =
  "`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec";
const needsPlace =
  "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec";
const placeOfDevice = place({
  ways: ["nodeName", "nodeSelector", "allNodes"],
  none: needsPlace,
  several: needsPlace,
  empty: "must not be empty",
  isOneTerm: false,
});

/** A device; `hasOwnPlace`: each says for itself where it is. */
function device(hasOwnPlace: boolean): Rule {
  return all(
    fields({ name: label }),
    described,
    (value, at, parent) =>
      fields({
        attributes: entries(attributeName, attribute, longestName),
        capacity: entries(
          attributeName,
          capacityRule(fieldsOf(value)["allowMultipleAllocations"] === true),
          longestName,
        ),
        taints: eachOf(16, taint),
        consumesCounters: setOf(
          2,
          (item) => fieldsOf(item)["counterSet"],
          fields({ counterSet: named, counters }),
        ),
      })(value, at, parent),
    (value, at, parent) => {
      if (hasOwnPlace) return placeOfDevice(value, at, parent);
      const { nodeName, nodeSelector, allNodes } = fieldsOf(value);
      const isPlaced = (nodeName ?? nodeSelector ?? allNodes) !== undefined;
      return isPlaced ? [invalidValue(at, null, ownPlace)] : [];
    },
    bindingConditions,
  );
}

const places = "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required";

/** `ResourceSlice`. */
export const deviceSliceRules: Rule = fields({
  spec: all(
    fields({ driver: csiDriver, pool }),
    place({
      ways: ["nodeName", "nodeSelector", "allNodes", "perDeviceNodeSelection"],
      none: places,
      several: `${places}, but multiple fields are set`,
      empty: "must be either unset or set to a non-empty string",
      isOneTerm: true,
    }),
    (value, at, parent) => {
      const spec = fieldsOf(value);
      const isThere = (name: string): boolean => spec[name] !== undefined || isSentEmpty(spec, name);
      const detail = "only one of `sharedCounters` or `devices` is allowed";
      const isBoth = isThere("sharedCounters") && isThere("devices");
      const isAdvanced = fieldsList(spec["devices"]).some(
        ({ taints, consumesCounters }) => listOf(taints).length + listOf(consumesCounters).length > 0,
      );
      const devices = setOf(
        isAdvanced ? mostAdvancedDevices : mostDevices,
        nameOf,
        device(spec["perDeviceNodeSelection"] === true),
      );
      const sharedCounters = setOf(mostCounterSets, nameOf, fields({ name: named, counters }));
      return [
        ...(isBoth ? [invalidValue(at, "", detail)] : []),
        ...fields({ devices, sharedCounters })(spec, at, parent),
      ];
    },
  ),
});

/** Whose devices they are, and where, is settled once. */
export const deviceSliceChanges: ChangeRule = (object, previous) => {
  const [spec, before] = [fieldsOf(object["spec"]), fieldsOf(previous["spec"])];
  const read = (of: Fields, path: readonly string[]): unknown =>
    path.reduce<unknown>((value, name) => fieldsOf(value)[name], of);
  return [["pool", "name"], ["driver"], ["nodeName"]].flatMap((path) => {
    const value = read(spec, path);
    if (equal(value, read(before, path))) return [];
    const none = path[0] === "nodeName" ? null : "";
    return [invalidValue(`spec.${path.join(".")}`, value ?? none, "field is immutable")];
  });
};
