// What claims of devices, their templates and classes of devices must be.
import { equal } from "../../../../schema/json-value.ts";
import {
  duplicateValue,
  forbiddenValue,
  invalidValue,
  requiredValue,
  tooLong,
  tooMany,
  type StatusCause,
} from "../../../../schema/status-cause.ts";
import {
  labelNameFaults,
  labelValueFaults,
  qualifiedNameFaults,
  subdomainFault,
} from "../../../../meta/name-rules.ts";
import { fieldsList, fieldsOf, isFields, listOf, textOf, type Fields } from "../../api-object.ts";
import { goForm } from "../go-form.ts";
import type { ObjectStore } from "../../storage/object-store.ts";
import { deviceExpressionFault } from "./device-expressions.ts";
import { metadataOfTemplates } from "./label-rules.ts";
import {
  all,
  each,
  fields,
  filled,
  invalidStruct,
  isEmpty,
  oneOf,
  optional,
  required,
  type ChangeRule,
  type Rule,
} from "./rule.ts";
import { csiDriver } from "./volume-source-rules.ts";

const most = 32;
const mostAlternatives = 8;
const longestExpression = 10_240;
const longestParameters = 10_240;

/** The rule for each item of a list, which is not looked into where it is too long. */
export function eachOf(limit: number, ...rules: readonly Rule[]): Rule {
  const rule = each(...rules);
  return (value, at, parent) => {
    const count = listOf(value).length;
    return count > limit ? [tooMany(at, count, limit)] : rule(value, at, parent);
  };
}

/** The same, and no item is there twice, as far as its key goes. */
export function setOf(limit: number, keyOf: (item: unknown) => unknown, ...rules: readonly Rule[]): Rule {
  const items = eachOf(limit, ...rules);
  return (value, at, parent) => {
    const faults = items(value, at, parent);
    if (listOf(value).length > limit) return faults;
    const seen = new Set<unknown>();
    const twice = listOf(value).flatMap((item, index) => {
      const key = keyOf(item) ?? "";
      const isTwice = seen.has(key);
      seen.add(key);
      return isTwice ? [duplicateValue(`${at}[${index}]`, key)] : [];
    });
    return [...faults, ...twice];
  };
}

const nameOf = (item: unknown): unknown => fieldsOf(item)["name"];

/** A label that must be there. */
export const label: Rule = (value, at) =>
  labelNameFaults(textOf(value)).map((fault) => invalidValue(at, value ?? "", fault));

const className: Rule = all(required(), (value, at) => {
  const fault = isEmpty(value) ? undefined : subdomainFault(textOf(value));
  return fault === undefined ? [] : [invalidValue(at, value, fault)];
});

/** Choices of devices. */
export const selectors: Rule = eachOf(
  most,
  fields({
    cel: (value, at) => {
      if (!isFields(value)) return [requiredValue(at)];
      const expression = textOf(value["expression"]);
      const field = `${at}.expression`;
      if (expression.length > longestExpression) return [tooLong(field, longestExpression)];
      const fault = deviceExpressionFault(expression);
      return fault === undefined ? [] : [invalidValue(field, expression, fault)];
    },
  }),
);

const labelValue: Rule = (value, at) => {
  return labelValueFaults(textOf(value)).map((fault) => invalidValue(at, value, fault));
};

/** The name of a label, which must be there. */
export const labelKey: Rule = (value, at) =>
  qualifiedNameFaults(textOf(value)).map((fault) => invalidValue(at, textOf(value), fault));

const effect = oneOf("NoExecute", "NoSchedule", "None");

const toleration: Rule = fields({
  key: filled(labelKey),
  operator: oneOf("Equal", "Exists"),
  value: (value, at, { operator }) => {
    if (operator === "Equal") return filled(labelValue)(value, at, {});
    return operator === "Exists" && !isEmpty(value)
      ? [invalidValue(at, value, "must be empty for operator `Exists`")]
      : [];
  },
  effect: filled(effect),
});

/** What keeps others off a device. */
export const taint: Rule = fields({
  key: labelKey,
  value: filled(labelValue),
  effect: all(required(), filled(effect)),
});

const amount: Rule = (value, at) => {
  const { allocationMode, count = 0 } = fieldsOf(value);
  if (allocationMode === "All") {
    const detail = "must not be specified when allocationMode is 'All'";
    return count === 0 ? [] : [invalidValue(`${at}.count`, count, detail)];
  }
  if (allocationMode !== "ExactCount") {
    return oneOf("All", "ExactCount")(allocationMode, `${at}.allocationMode`, {});
  }
  return Number(count) > 0 ? [] : [invalidValue(`${at}.count`, count, "must be greater than zero")];
};

const asked: Rule = all(
  fields({ deviceClassName: className, selectors }),
  amount,
  fields({ tolerations: each(toleration) }),
);
const alternatives = setOf(mostAlternatives, nameOf, fields({ name: label }), asked);

const request: Rule = (value, at, parent) => {
  const { name, firstAvailable, exactly } = fieldsOf(value);
  const causes = label(name, `${at}.name`, parent);
  const hasOthers = listOf(firstAvailable).length > 0;
  const detail = "exactly one of `exactly` or `firstAvailable` is required";
  if (hasOthers && isFields(exactly)) {
    return [...causes, invalidValue(at, null, `${detail}, but multiple fields are set`)];
  }
  if (hasOthers) return [...causes, ...alternatives(firstAvailable, `${at}.firstAvailable`, parent)];
  return [
    ...causes,
    ...(isFields(exactly) ? asked(exactly, `${at}.exactly`, parent) : [requiredValue(at, detail)]),
  ];
};

/** The names of requests and of their alternatives. */
export function namesIn(requests: readonly Fields[]): ReadonlySet<string> {
  return new Set(
    requests.flatMap(({ name, firstAvailable }) => [
      textOf(name),
      ...fieldsList(firstAvailable).map((each) => `${textOf(name)}/${textOf(each["name"])}`),
    ]),
  );
}

const referenceFault =
  "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";

/** The name of one of these requests. */
export function reference(known: ReadonlySet<string>): Rule {
  return (value, at, parent) => {
    const name = textOf(value);
    const segments = name.split("/");
    if (segments.length > 2) return [invalidValue(at, name, referenceFault)];
    return [
      ...segments.flatMap((segment) => label(segment, at, parent)),
      ...(known.has(name) ? [] : [invalidValue(at, name, referenceFault)]),
    ];
  };
}

/** The names of some of these requests, each once. */
export function references(known: ReadonlySet<string>): Rule {
  return setOf(most, (item) => item, reference(known));
}

const longestIdentifier = 32;

function identifierFaults(name: string, at: string): readonly StatusCause[] {
  const detail =
    "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')";
  return [
    ...(name.length > longestIdentifier ? [tooLong(at, longestIdentifier)] : []),
    ...(/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? [] : [invalidValue(at, name, detail)]),
  ];
}

/** The name of an attribute or a capacity, with a domain or without. */
export const attributeName: Rule = (value, at, parent) => {
  const parts = textOf(value).split("/");
  const [domain = "", id = ""] = parts;
  if (parts.length === 1) return identifierFaults(domain, at);
  if (parts.length > 2) return [];
  return [
    ...(domain === ""
      ? [invalidValue(at, "", "the domain must not be empty")]
      : csiDriver(domain, at, parent)),
    ...(id === "" ? [invalidValue(at, "", "the name must not be empty")] : identifierFaults(id, at)),
  ];
};

const notFullName = "a fully qualified name must be a domain and a name separated by a slash";
const fullName: Rule = all(attributeName, (value, at) =>
  textOf(value).includes("/") ? [] : [invalidValue(at, value, notFullName)],
);

const constraint = (known: ReadonlySet<string>): Rule =>
  all(fields({ requests: references(known) }), (value, at, parent) => {
    const { matchAttribute, distinctAttribute } = fieldsOf(value);
    if (matchAttribute !== undefined) return fullName(matchAttribute, `${at}.matchAttribute`, parent);
    if (distinctAttribute !== undefined)
      return fullName(distinctAttribute, `${at}.distinctAttribute`, parent);
    const detail =
      'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set';
    return [requiredValue(at, detail)];
  });

const parameters: Rule = (value, at) => {
  if (value === undefined || value === null) return [requiredValue(at)];
  if (JSON.stringify(value).length > longestParameters) return [tooLong(at, longestParameters)];
  return isFields(value) ? [] : [invalidValue(at, "<value omitted>", "must be a valid JSON object")];
};

/** What is said to a driver. */
export const configuration: Rule = fields({
  opaque: (value, at, parent) =>
    isFields(value) ? fields({ driver: csiDriver, parameters })(value, at, parent) : [requiredValue(at)],
});

const claimSpec: Rule = fields({
  devices: (value, at, parent) => {
    const known = namesIn(fieldsList(fieldsOf(value)["requests"]));
    return fields({
      requests: setOf(most, nameOf, request),
      constraints: eachOf(most, constraint(known)),
      config: eachOf(most, fields({ requests: references(known) }), configuration),
    })(value, at, parent);
  },
});

/** A new `ResourceClaim`. */
export const deviceClaimRules: Rule = fields({ spec: claimSpec });

/** `ResourceClaimTemplate`. */
export const deviceClaimTemplateRules: Rule = fields({
  spec: fields({ metadata: metadataOfTemplates, spec: claimSpec }),
});

const adminLabel = "resource.kubernetes.io/admin-access";

/** Devices are given to administrators in namespaces that say so; also of templates the path is that of a claim. */
export function adminAccess(store: Pick<ObjectStore, "get">): Rule {
  return (value) => {
    const { metadata, spec } = fieldsOf(value);
    const { devices } = { ...fieldsOf(spec), ...fieldsOf(fieldsOf(spec)["spec"]) };
    const index = fieldsList(fieldsOf(devices)["requests"]).findIndex(
      ({ exactly }) => fieldsOf(exactly)["adminAccess"] === true,
    );
    const namespace = textOf(fieldsOf(metadata)["namespace"]);
    const labels = index < 0 ? undefined : store.get("namespaces", undefined, namespace)?.metadata.labels;
    if (index < 0 || labels?.[adminLabel] === "true") return [];
    const detail = `admin access to devices requires the \`${adminLabel}: true\` label on the containing namespace`;
    return [forbiddenValue(`spec.devices.requests[${index}].adminAccess`, detail)];
  };
}

/** What is asked for is settled once. */
export function deviceChanges(kind: "ResourceClaim" | "ResourceClaimTemplate"): ChangeRule {
  return ({ spec }, previous) =>
    equal(spec, previous["spec"])
      ? []
      : [invalidStruct("spec", goForm(`io.k8s.api.resource.v1.${kind}Spec`, spec), "field is immutable")];
}

const extendedName: Rule = optional((value, at) => {
  const name = textOf(value);
  const isExtended =
    name.includes("/") &&
    !name.includes("kubernetes.io/") &&
    !name.startsWith("requests.") &&
    qualifiedNameFaults(`requests.${name}`).length === 0;
  return isExtended ? [] : [invalidValue(at, value, "must be a valid extended resource name")];
});

/** `DeviceClass`. */
export const deviceClassRules: Rule = fields({
  spec: fields({ selectors, config: eachOf(most, configuration), extendedResourceName: extendedName }),
});
