// What a ResourceSlice must be: the devices that a driver offers, and where.
import { invalidValue, requiredValue, tooLong, type StatusCause } from "../../../../schema/status-cause.ts";
import { equal } from "../../../../schema/json-value.ts";
import { subdomainFault } from "../../../../meta/name-rules.ts";
import { fieldsOf, listOf, textOf, type Fields } from "../../api-object.ts";
import { nodeSelectorRule } from "./affinity-rules.ts";
import { attributeName, eachOf, label, once } from "./device-rules.ts";
import { all, each, fields, isEmpty, optional, type ChangeRule, type Rule } from "./rule.ts";
import { csiDriver } from "./volume-source-rules.ts";

const longestPool = 253;
const longestText = 64;
const mostDevices = 128;
const mostDescriptions = 32;

const poolName: Rule = (value, at) => {
  const name = textOf(value);
  if (name === "") return [requiredValue(at)];
  return [
    ...(name.length > longestPool ? [tooLong(at, longestPool)] : []),
    ...name.split("/").flatMap((part) => {
      const fault = subdomainFault(part);
      return fault === undefined ? [] : [invalidValue(at, part, fault)];
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

const onlyTrue: Rule = (value, at) =>
  value === false ? [invalidValue(at, value, "must be either unset or set to true")] : [];

/** Where the devices are: exactly one of several ways to say it. */
function place(ways: readonly string[], said: string): Rule {
  return (value, at) => {
    const spec = fieldsOf(value);
    const given = ways.filter((way) => ![undefined, false, ""].includes(spec[way] as string | undefined));
    const { nodeName, nodeSelector } = spec;
    const fault = isEmpty(nodeName) ? undefined : subdomainFault(textOf(nodeName));
    const causes: StatusCause[] = [
      ...(nodeName === ""
        ? [invalidValue(`${at}.nodeName`, "", "must be either unset or set to a non-empty string")]
        : []),
      ...(fault === undefined ? [] : [invalidValue(`${at}.nodeName`, nodeName, fault)]),
      ...optional(nodeSelectorRule)(nodeSelector, `${at}.nodeSelector`, spec),
    ];
    const terms = listOf(fieldsOf(nodeSelector)["nodeSelectorTerms"]);
    if (nodeSelector !== undefined && terms.length !== 1) {
      const detail = "must have exactly one node selector term";
      causes.push(invalidValue(`${at}.nodeSelector.nodeSelectorTerms`, terms, detail));
    }
    for (const way of ["allNodes", "perDeviceNodeSelection"]) {
      if (ways.includes(way)) causes.push(...onlyTrue(spec[way], `${at}.${way}`, spec));
    }
    if (given.length === 0) causes.push(requiredValue(at, said));
    if (given.length > 1) {
      const shown = `{${given.map((way) => `\`${way}\``).join(", ")}}`;
      causes.push(invalidValue(at, shown, `${said}, but multiple fields are set`));
    }
    return causes;
  };
}

const versionPattern =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?$/;

const attribute: Rule = (value, at) => {
  const given = fieldsOf(value);
  const { string, version } = given;
  const causes: StatusCause[] = [];
  if (textOf(string).length > longestText) causes.push(tooLong(`${at}.string`, longestText));
  if (version !== undefined) {
    if (!versionPattern.test(textOf(version))) {
      const detail = "must be a string compatible with semver.org spec 2.0.0";
      causes.push(invalidValue(`${at}.version`, version, detail));
    }
    if (textOf(version).length > longestText) causes.push(tooLong(`${at}.version`, longestText));
  }
  const count = ["bool", "int", "string", "version"].filter((name) => given[name] !== undefined).length;
  if (count !== 1) {
    causes.push(invalidValue(at, count === 0 ? "" : given, "exactly one value must be specified"));
  }
  return causes;
};

const entries =
  (rule: Rule): Rule =>
  (value, at) =>
    Object.entries(fieldsOf(value)).flatMap(([name, entry]) => [
      ...attributeName(name, at, fieldsOf(value)),
      ...rule(entry, `${at}[${name}]`, fieldsOf(value)),
    ]);

const described: Rule = (value, at) => {
  const { attributes, capacity } = fieldsOf(value);
  const count = Object.keys(fieldsOf(attributes)).length + Object.keys(fieldsOf(capacity)).length;
  const detail = `the total number of attributes and capacities must not exceed ${mostDescriptions}`;
  return count > mostDescriptions ? [invalidValue(at, count, detail)] : [];
};

const ownPlace =
  "`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec";

/** A device; `hasOwnPlace`: each says for itself where it is. */
function device(hasOwnPlace: boolean): Rule {
  return all(
    fields({ name: label }),
    described,
    fields({ attributes: entries(attribute), capacity: entries(() => []) }),
    (value, at) => {
      const { nodeName, nodeSelector, allNodes } = fieldsOf(value);
      const isPlaced = (nodeName ?? nodeSelector ?? allNodes) !== undefined;
      return isPlaced && !hasOwnPlace ? [invalidValue(at, null, ownPlace)] : [];
    },
  );
}

/** `ResourceSlice`. */
export const deviceSliceRules: Rule = fields({
  spec: all(
    fields({ driver: csiDriver, pool }),
    place(
      ["nodeName", "nodeSelector", "allNodes", "perDeviceNodeSelection"],
      "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required",
    ),
    fields({
      devices: all(
        (value, at, spec) =>
          eachOf(mostDevices, device(spec["perDeviceNodeSelection"] === true))(value, at, spec),
        once((item) => fieldsOf(item)["name"]),
      ),
      sharedCounters: each(
        fields({
          name: label,
          counters: (value, at) => (Object.keys(fieldsOf(value)).length > 0 ? [] : [requiredValue(at)]),
        }),
      ),
    }),
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
    return [invalidValue(`spec.${path.join(".")}`, value ?? null, "field is immutable")];
  });
};
