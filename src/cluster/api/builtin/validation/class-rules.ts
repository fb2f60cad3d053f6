// What the classes that other objects name must be (storage, priority, ingress), and API services.
import { equal } from "../../../../schema/json-value.ts";
import {
  duplicateValue,
  forbiddenValue,
  invalidValue,
  requiredValue,
  tooLong,
  unsupportedValue,
  type StatusCause,
} from "../../../../schema/status-cause.ts";
import { fieldsList, fieldsOf, isFields, listOf, textOf } from "../../api-object.ts";
import { isSentEmpty } from "../../sent-empty.ts";
import { systemPriorities } from "../../initial-objects.ts";
import {
  labelNameFaults,
  letteredLabelFaults,
  pathSegmentFaults,
  qualifiedNameFaults,
  subdomainFaults,
} from "../../../../meta/name-rules.ts";
import { prefixedPathFaults } from "./prefixed-path.ts";
import {
  all,
  each,
  fields,
  filled,
  oneOf,
  optional,
  required,
  text,
  type ChangeRule,
  type Rule,
} from "./rule.ts";

/** Fields that may not change, as they are said to be immutable. */
function immutable(...names: readonly string[]): ChangeRule {
  return (object, previous) =>
    names.flatMap((name) =>
      equal(object[name], previous[name])
        ? []
        : // The name of a provisioner is a text, whatever it was sent as.
          [
            invalidValue(
              name,
              object[name] ?? (name === "provisioner" ? "" : isSentEmpty(object, name) ? {} : null),
              "field is immutable",
            ),
          ],
    );
}

const mostParameters = 512;

/** Where volumes of a class may be: no key, no value and no term twice. */
const topologies: Rule = (value, at) => {
  // The real server compares each with as many empty ones as there are, besides those before it.
  const terms = fieldsList(value).map(() => "[]");
  return fieldsList(value).flatMap((term, index) => {
    const field = `${at}[${index}].matchLabelExpressions`;
    const expressions = fieldsList(term["matchLabelExpressions"]);
    const keys = new Set<unknown>();
    const causes = expressions.flatMap(({ key, values }, place): readonly StatusCause[] => {
      const expression = `${field}[${place}]`;
      const seen = new Set<unknown>();
      const twice = listOf(values).flatMap((item, number) => {
        const isTwice = seen.has(item);
        seen.add(item);
        return isTwice ? [duplicateValue(`${expression}.values[${number}]`, item)] : [];
      });
      const isKnown = keys.has(key);
      keys.add(key);
      return [
        ...(listOf(values).length === 0 ? [requiredValue(`${expression}.values`)] : []),
        ...twice,
        ...qualifiedNameFaults(textOf(key)).map((fault) => invalidValue(`${expression}.key`, key, fault)),
        ...(isKnown ? [duplicateValue(`${expression}.key`, key)] : []),
      ];
    });
    const shown = expressions.map(({ key, values }) => [key, listOf(values).map(String).sort()] as const);
    const whole = JSON.stringify([...shown].sort(([one], [other]) => (textOf(one) < textOf(other) ? -1 : 1)));
    const alike = terms.filter((other) => other === whole);
    terms.push(whole);
    return [...causes, ...alike.map(() => duplicateValue(field, ""))];
  });
};

/** Whoever makes volumes, or changes them. */
export const provisioner: Rule = all(
  required(),
  optional((value, at) => {
    const name = textOf(value).toLowerCase();
    return name === "" ? [] : qualifiedNameFaults(name).map((fault) => invalidValue(at, name, fault));
  }),
);

/** What a provisioner is given. */
export const provisionerParameters: Rule = (value, at) => {
  if (Object.keys(fieldsOf(value)).length > mostParameters) return [tooLong(at, mostParameters)];
  return "" in fieldsOf(value) ? [invalidValue(at, "", "field can not be empty.")] : [];
};

/** `StorageClass`. */
export const storageClassRules: Rule = fields({
  provisioner,
  parameters: provisionerParameters,
  reclaimPolicy: filled(oneOf("Delete", "Retain")),
  volumeBindingMode: optional(oneOf("Immediate", "WaitForFirstConsumer")),
  allowedTopologies: topologies,
});

/** What a class provides is settled once. */
export const storageClassChanges = immutable(
  "parameters",
  "provisioner",
  "reclaimPolicy",
  "volumeBindingMode",
);

const highestPriority = 1_000_000_000;

/** `PriorityClass`. */
export const priorityClassRules: Rule = all(
  (value) => {
    const { metadata, value: priority, globalDefault } = fieldsOf(value);
    const name = textOf(fieldsOf(metadata)["name"]);
    if (!name.startsWith("system-")) {
      const detail = `maximum allowed value of a user defined priority is ${highestPriority}`;
      return Number(priority) > highestPriority ? [forbiddenValue("value", detail)] : [];
    }
    const known = Object.hasOwn(systemPriorities, name) ? systemPriorities[name] : undefined;
    const fault =
      known === undefined
        ? `${name} is not a known system priority class`
        : known !== priority
          ? `value of ${name} PriorityClass must be ${known}`
          : globalDefault === true
            ? `globalDefault of ${name} PriorityClass must be false`
            : undefined;
    if (fault === undefined) return [];
    const detail = `priority class names with 'system-' prefix are reserved for system use only. error: ${fault}`;
    return [forbiddenValue("metadata.name", detail)];
  },
  fields({
    preemptionPolicy: optional(required(), filled(oneOf("PreemptLowerPriority", "Never"))),
  }),
);

/** A priority is settled once. */
export const priorityClassChanges: ChangeRule = (object, previous) => [
  ...(object["value"] === previous["value"]
    ? []
    : [forbiddenValue("value", "may not be changed in an update.")]),
  ...immutable("preemptionPolicy")(object, previous),
];

const longestController = 250;

const controller: Rule = (value, at) => {
  const name = textOf(value);
  const long = name.length > longestController ? [tooLong(at, longestController)] : [];
  return [...long, ...prefixedPathFaults(name, at)];
};

const ingressParameters: Rule = optional(
  fields({
    apiGroup: optional(text(subdomainFaults)),
    kind: all(required(), text(pathSegmentFaults)),
    name: all(required(), text(pathSegmentFaults)),
  }),
  (value, at) => {
    const { scope, namespace } = fieldsOf(value);
    if (scope !== "Cluster" && scope !== "Namespace") {
      return [unsupportedValue(`${at}.scope`, scope, ["Cluster", "Namespace"])];
    }
    if (scope === "Namespace" && namespace === undefined) {
      return [requiredValue(`${at}.namespace`, "`parameters.scope` is set to 'Namespace'")];
    }
    if (scope === "Namespace") return text(labelNameFaults)(namespace, `${at}.namespace`, {});
    if (scope === "Cluster" && namespace !== undefined) {
      return [forbiddenValue(`${at}.namespace`, "`parameters.scope` is set to 'Cluster'")];
    }
    return [];
  },
);

/** `IngressClass`. */
export const ingressClassRules: Rule = fields({
  spec: fields({ controller, parameters: ingressParameters }),
});

/** The controller of a class is settled once. */
export const ingressClassChanges: ChangeRule = ({ spec }, previous) => {
  const [next, before] = [fieldsOf(spec)["controller"], fieldsOf(previous["spec"])["controller"]];
  return next === before ? [] : [invalidValue("spec.controller", next ?? "", "field is immutable")];
};

const priority =
  (most: number): Rule =>
  (value, at) =>
    Number(value) > 0 && Number(value) <= most
      ? []
      : [invalidValue(at, value, `must be positive and less than ${most}`)];

const service: Rule = (value, at, parent) => {
  const { caBundle, insecureSkipTLSVerify } = parent;
  const insecure = `${at.slice(0, -".service".length)}.insecureSkipTLSVerify`;
  if (!isFields(value)) {
    const causes: StatusCause[] = [];
    if (textOf(caBundle) !== "") {
      const bytes = Buffer.from(textOf(caBundle), "base64").length;
      const detail = "local APIServices may not have a caBundle";
      causes.push(invalidValue("spec.caBundle", `${bytes} bytes`, detail));
    }
    if (insecureSkipTLSVerify === true) {
      causes.push(invalidValue(insecure, true, "local APIServices may not have insecureSkipTLSVerify"));
    }
    return causes;
  }
  const { port } = value;
  const causes = ["namespace", "name"].flatMap((name) =>
    textOf(value[name]) === "" ? [requiredValue(`${at}.${name}`)] : [],
  );
  if (typeof port !== "number" || port < 1 || port > 65_535) {
    const detail = "port is not valid: must be between 1 and 65535, inclusive";
    causes.push(invalidValue(`${at}.port`, port, detail));
  }
  if (insecureSkipTLSVerify === true && textOf(caBundle) !== "") {
    causes.push(invalidValue(insecure, true, "may not be true if caBundle is present"));
  }
  return causes;
};

/** `APIService`. */
export const apiServiceRules: Rule = all(
  (value) => {
    const { metadata, spec } = fieldsOf(value);
    const { group = "", version = "" } = fieldsOf(spec);
    const name = textOf(fieldsOf(metadata)["name"]);
    const expected = `${textOf(version)}.${textOf(group)}`;
    const causes: StatusCause[] =
      name === "" || name === expected || pathSegmentFaults(name).length > 0
        ? []
        : [invalidValue("metadata.name", name, `must be \`spec.version+"."+spec.group\`: "${expected}"`)];
    if (group === "" && version !== "v1") {
      const detail = "only v1 may have an empty group and it better be legacy kube";
      causes.push(requiredValue("spec.group", detail));
    }
    return causes;
  },
  fields({
    spec: fields({
      group: optional((value, at, parent) => (value === "" ? [] : text(subdomainFaults)(value, at, parent))),
      version: (value, at, parent) => text(letteredLabelFaults)(textOf(value), at, parent),
      groupPriorityMinimum: priority(20_000),
      versionPriority: priority(1_000),
      service,
    }),
  }),
);

/** The status of an `APIService`. */
export const apiServiceStatusRules: Rule = fields({
  status: fields({ conditions: each(fields({ status: oneOf("True", "False", "Unknown") })) }),
});
