// What claims of devices, their templates and classes of devices must be. Expressions that choose devices are stored as they are.
import { equal } from "../../../../schema/json-value.ts";
import {
  duplicateValue,
  invalidValue,
  requiredValue,
  tooLong,
  tooMany,
  type StatusCause,
} from "../../../../schema/status-cause.ts";
import { labelNameFault, subdomainFault } from "../../../../meta/name-rules.ts";
import { fieldsList, fieldsOf, isFields, listOf, textOf, type Fields } from "../../api-object.ts";
import { annotationsRule, labelsRule } from "./label-rules.ts";
import {
  all,
  each,
  fields,
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
const longestExpression = 10_240;
const longestParameters = 10_240;

/** The rule for each item of a list that is not too long. */
export function eachOf(limit: number, rule: Rule): Rule {
  return (value, at, parent) => [
    ...each(rule)(value, at, parent),
    ...(listOf(value).length > limit ? [tooMany(at, listOf(value).length, limit)] : []),
  ];
}

/** No item is there twice, as far as its key goes. */
export function once(keyOf: (item: unknown) => unknown): Rule {
  return (value, at) => {
    const seen = new Set<unknown>();
    return listOf(value).flatMap((item, index) => {
      const key = keyOf(item);
      const isTwice = seen.has(key);
      seen.add(key);
      return isTwice ? [duplicateValue(`${at}[${index}]`, key)] : [];
    });
  };
}

const nameOf = (item: unknown): unknown => fieldsOf(item)["name"];

/** A label that must be there. */
export const label: Rule = (value, at) => {
  const fault = labelNameFault(textOf(value));
  return fault === undefined ? [] : [invalidValue(at, value ?? "", fault)];
};

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
      const { expression } = value;
      return textOf(expression).length > longestExpression
        ? [tooLong(`${at}.expression`, longestExpression)]
        : [];
    },
  }),
);

const toleration: Rule = (value, at) => {
  const { operator, value: given, effect } = fieldsOf(value);
  const causes: StatusCause[] = [];
  if (operator === "Exists") {
    if (!isEmpty(given))
      causes.push(invalidValue(`${at}.value`, given, "must be empty for operator `Exists`"));
  } else if (!isEmpty(operator)) causes.push(...oneOf("Equal", "Exists")(operator, `${at}.operator`, {}));
  if (!isEmpty(effect)) causes.push(...oneOf("NoExecute", "NoSchedule", "None")(effect, `${at}.effect`, {}));
  return causes;
};

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

const request: Rule = (value, at, parent) => {
  const { firstAvailable, exactly } = fieldsOf(value);
  const others = listOf(firstAvailable).length > 0;
  const causes = [...fields({ name: label })(value, at, parent)];
  if (others) {
    causes.push(
      ...all(eachOf(8, all(fields({ name: label }), asked)), once(nameOf))(
        firstAvailable,
        `${at}.firstAvailable`,
        {},
      ),
    );
  }
  if (isFields(exactly)) causes.push(...asked(exactly, `${at}.exactly`, {}));
  const detail = "exactly one of `exactly` or `firstAvailable` is required";
  if (others && isFields(exactly)) {
    causes.push(invalidValue(at, null, `${detail}, but multiple fields are set`));
  } else if (!others && !isFields(exactly)) causes.push(requiredValue(at, detail));
  return causes;
};

/** The names of requests and of their alternatives. */
function namesIn(requests: readonly Fields[]): ReadonlySet<string> {
  return new Set(
    requests.flatMap(({ name, firstAvailable }) => [
      textOf(name),
      ...fieldsList(firstAvailable).map((each) => `${textOf(name)}/${textOf(each["name"])}`),
    ]),
  );
}

const referenceFault =
  "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";

function references(known: ReadonlySet<string>): Rule {
  const one: Rule = (value, at, parent) => {
    const name = textOf(value);
    const segments = name.split("/");
    if (segments.length > 2) return [invalidValue(at, name, referenceFault)];
    return [
      ...segments.flatMap((segment) => label(segment, at, parent)),
      ...(known.has(name) ? [] : [invalidValue(at, name, referenceFault)]),
    ];
  };
  return all(
    eachOf(most, one),
    once((item) => item),
  );
}

function identifierFaults(name: string, at: string): readonly StatusCause[] {
  const detail =
    "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')";
  return [
    ...(name.length > most ? [tooLong(at, most)] : []),
    ...(/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? [] : [invalidValue(at, name, detail)]),
  ];
}

/** The name of an attribute or a capacity, with a domain or without. */
export const attributeName: Rule = (value, at, parent) => {
  const name = textOf(value);
  if (name === "") return [requiredValue(at, "name required")];
  const parts = name.split("/");
  const [domain = "", id = ""] = parts;
  if (parts.length === 1) return identifierFaults(domain, at);
  if (parts.length > 2) return [];
  return [
    ...(domain === "" ? [requiredValue(at, "the domain must not be empty")] : csiDriver(domain, at, parent)),
    ...(id === "" ? [requiredValue(at, "the name must not be empty")] : identifierFaults(id, at)),
  ];
};

const fullName: Rule = all(attributeName, (value, at) =>
  textOf(value) === "" || textOf(value).includes("/")
    ? []
    : [invalidValue(at, value, "must include a domain")],
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

const configuration: Rule = fields({
  opaque: (value, at) => {
    if (!isFields(value)) return [requiredValue(at)];
    const { driver, parameters } = value;
    const field = `${at}.parameters`;
    const said = parameters === undefined ? "" : JSON.stringify(parameters);
    return [
      ...csiDriver(driver, `${at}.driver`, value),
      ...(said === "" || said === "null" ? [requiredValue(field)] : []),
      ...(said.length > longestParameters ? [tooLong(field, longestParameters)] : []),
    ];
  },
});

const claimSpec: Rule = fields({
  devices: (value, at, parent) => {
    const known = namesIn(fieldsList(fieldsOf(value)["requests"]));
    return fields({
      requests: all(eachOf(most, request), once(nameOf)),
      constraints: eachOf(most, constraint(known)),
      config: eachOf(most, all(fields({ requests: references(known) }), configuration)),
    })(value, at, parent);
  },
});

/** `ResourceClaim`. */
export const deviceClaimRules: Rule = fields({ spec: claimSpec });

/** `ResourceClaimTemplate`. */
export const deviceClaimTemplateRules: Rule = fields({
  spec: fields({
    metadata: fields({ labels: labelsRule, annotations: annotationsRule }),
    spec: claimSpec,
  }),
});

/** What is asked for is settled once. */
export const deviceClaimChanges: ChangeRule = ({ spec }, previous) =>
  equal(spec, previous["spec"]) ? [] : [invalidStruct("spec", fieldsOf(spec), "field is immutable")];

const extendedName: Rule = optional((value, at) => {
  const name = textOf(value);
  const isExtended =
    name.includes("/") &&
    !name.includes("kubernetes.io/") &&
    !name.startsWith("requests.") &&
    subdomainFault(name.split("/")[0] ?? "") === undefined;
  return isExtended ? [] : [invalidValue(at, value, "must be a valid extended resource name")];
});

/** `DeviceClass`. */
export const deviceClassRules: Rule = fields({
  spec: fields({ selectors, config: eachOf(most, configuration), extendedResourceName: extendedName }),
});
