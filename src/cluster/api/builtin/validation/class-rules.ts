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
import { systemPriorities } from "../../initial-objects.ts";
import {
  pathSegmentFault,
  qualifiedNameFault,
  qualifiedNameFaults,
  subdomainFault,
} from "../../../../meta/name-rules.ts";
import { all, fields, filled, oneOf, optional, required, text, type ChangeRule, type Rule } from "./rule.ts";

/** Fields that may not change, as they are said to be immutable. */
function immutable(...names: readonly string[]): ChangeRule {
  return (object, previous) =>
    names.flatMap((name) =>
      equal(object[name], previous[name])
        ? []
        : // The name of a provisioner is a text, whatever it was sent as.
          [invalidValue(name, object[name] ?? (name === "provisioner" ? "" : null), "field is immutable")],
    );
}

const mostParameters = 512;

/** Where volumes of a class may be: no key, no value and no term twice. */
const topologies: Rule = (value, at) => {
  const terms = new Set<string>();
  return fieldsList(value).flatMap((term, index) => {
    const field = `${at}[${index}].matchLabelExpressions`;
    const expressions = fieldsList(term["matchLabelExpressions"]);
    const keys = new Set<unknown>();
    const causes = expressions.flatMap(({ key, values }, place): readonly StatusCause[] => {
      const expression = `${field}[${place}]`;
      const seen = new Set<unknown>();
      const twice = listOf(values).flatMap((each, number) => {
        const isTwice = seen.has(each);
        seen.add(each);
        return isTwice ? [duplicateValue(`${expression}.values[${number}]`, each)] : [];
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
    if (terms.has(whole)) causes.push(duplicateValue(field, ""));
    terms.add(whole);
    return causes;
  });
};

/** Whoever makes volumes, or changes them. */
export const provisioner: Rule = all(
  required(),
  optional((value, at) => {
    const fault = textOf(value) === "" ? undefined : qualifiedNameFault(textOf(value).toLowerCase());
    return fault === undefined ? [] : [invalidValue(at, textOf(value).toLowerCase(), fault)];
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
  fields({ preemptionPolicy: optional(oneOf("PreemptLowerPriority", "Never")) }),
);

/** A priority is settled once. */
export const priorityClassChanges: ChangeRule = (object, previous) => [
  ...(object["value"] === previous["value"]
    ? []
    : [forbiddenValue("value", "may not be changed in an update.")]),
  ...immutable("preemptionPolicy")(object, previous),
];

const controller: Rule = (value, at) => {
  const name = textOf(value);
  if (name === "") return [requiredValue(at)];
  const slash = name.indexOf("/");
  if (slash <= 0 || slash === name.length - 1) {
    return [invalidValue(at, name, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  }
  const fault = subdomainFault(name.slice(0, slash));
  if (fault !== undefined) return [invalidValue(at, name.slice(0, slash), fault)];
  if (/^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/.test(name.slice(slash + 1))) return [];
  const detail = "Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')";
  return [invalidValue(at, name.slice(slash + 1), detail)];
};

const ingressParameters: Rule = optional(
  fields({
    apiGroup: optional(text(subdomainFault)),
    kind: all(required(), text(pathSegmentFault)),
    name: all(required(), text(pathSegmentFault)),
  }),
  (value, at) => {
    const { scope, namespace } = fieldsOf(value);
    if (scope !== "Cluster" && scope !== "Namespace") {
      return [unsupportedValue(`${at}.scope`, scope, ["Cluster", "Namespace"])];
    }
    if (scope === "Namespace" && namespace === undefined) {
      return [requiredValue(`${at}.namespace`, "`parameters.scope` is set to 'Namespace'")];
    }
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
    const causes =
      name === "" || name === expected
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
      group: optional((value, at, parent) => (value === "" ? [] : text(subdomainFault)(value, at, parent))),
      version: (value, at) =>
        /^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(textOf(value))
          ? []
          : [
              invalidValue(
                at,
                textOf(value),
                "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
              ),
            ],
      groupPriorityMinimum: priority(20_000),
      versionPriority: priority(1_000),
      service,
    }),
  }),
);
