// What FlowSchemas and PriorityLevelConfigurations must be: whose requests flow together, and how many are served at once.
import {
  duplicateValue,
  forbiddenValue,
  invalidValue,
  requiredValue,
  unsupportedValue,
  type StatusCause,
} from "../../../../schema/status-cause.ts";
import { labelNameFault, subdomainFault, subdomainFaults } from "../../../../meta/name-rules.ts";
import { fieldsList, fieldsOf, isFields, listOf, textOf, type Fields } from "../../api-object.ts";
import {
  all,
  each,
  fields,
  isEmpty,
  oneOf,
  optional,
  required,
  type Rule,
  unsupportedStruct,
} from "./rule.ts";

const mostPrecedence = 10_000;

const precedence: Rule = (value, at) => {
  const number = Number(value);
  return [
    ...(number <= 0 ? [invalidValue(at, number, "must be a positive value")] : []),
    ...(number > mostPrecedence
      ? [invalidValue(at, number, `must not be greater than ${mostPrecedence}`)]
      : []),
  ];
};

/** The parts of a subject that another kind of subject has. */
const subjectParts: Readonly<Record<string, string>> = {
  ServiceAccount: "serviceAccount",
  User: "user",
  Group: "group",
};

const named: Rule = fields({ name: required() });

const account: Rule = (value, at) => {
  const { name, namespace } = fieldsOf(value);
  const nameFault = isEmpty(name) || name === "*" ? undefined : subdomainFault(textOf(name));
  const spaceFault = isEmpty(namespace) ? undefined : labelNameFault(textOf(namespace));
  return [
    ...(isEmpty(name) ? [requiredValue(`${at}.name`)] : []),
    ...(nameFault === undefined ? [] : [invalidValue(`${at}.name`, name, nameFault)]),
    ...(isEmpty(namespace)
      ? [requiredValue(`${at}.namespace`, "must specify namespace for service account")]
      : []),
    ...(spaceFault === undefined ? [] : [invalidValue(`${at}.namespace`, namespace, spaceFault)]),
  ];
};

const subject: Rule = (value, at) => {
  const given = fieldsOf(value);
  const kind = textOf(given["kind"]);
  const part = Object.hasOwn(subjectParts, kind) ? subjectParts[kind] : undefined;
  if (part === undefined) return [unsupportedValue(`${at}.kind`, kind, ["Group", "ServiceAccount", "User"])];
  const causes = isFields(given[part])
    ? [...(part === "serviceAccount" ? account : named)(given[part], `${at}.${part}`, given)]
    : [requiredValue(`${at}.${part}`, `${part} is required when subject kind is '${kind}'`)];
  for (const [other, name] of Object.entries(subjectParts)) {
    if (name === part || given[name] === undefined) continue;
    const detail = `${name} is forbidden when subject kind is not '${other}'`;
    causes.push(forbiddenValue(`${at}.${name}`, detail));
  }
  return causes;
};

const verbs = ["create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"];

/** A list that is not empty, and in which `*` stands alone. */
function wholeOrListed(absent: string, others: string): Rule {
  return (value, at) => {
    const items = listOf(value);
    if (items.length === 0) return [requiredValue(at, absent)];
    if (items.length === 1 || !items.includes("*")) return [];
    return [invalidValue(at, items, `if '*' is present, must not specify other ${others}`)];
  };
}

const knownVerbs: Rule = all(wholeOrListed("verbs must contain at least one value", "verbs"), (value, at) => {
  const items = listOf(value);
  if (items.length === 0 || items.includes("*")) return [];
  if (items.every((verb) => verbs.includes(textOf(verb)))) return [];
  return [unsupportedValue(at, items, verbs)];
});

function pathFault(path: string): string | undefined {
  if (path === "") return "must not be empty";
  if (path === "/") return undefined;
  if (!path.startsWith("/")) return "must start with slash";
  if (path.includes(" ")) return "must not contain white-space";
  if (path.includes("//")) return "must not contain double slash";
  const stars = path.split("*").length - 1;
  return stars > 1 || (stars === 1 && !path.endsWith("/*"))
    ? "wildcard can only do suffix matching"
    : undefined;
}

const otherRule: Rule = fields({
  verbs: knownVerbs,
  nonResourceURLs: all(
    wholeOrListed("nonResourceURLs must contain at least one value", "non-resource URLs"),
    (value, at) => {
      if (listOf(value).includes("*")) return [];
      return listOf(value).flatMap((path, index) => {
        const fault = pathFault(textOf(path));
        return fault === undefined ? [] : [invalidValue(`${at}[${index}]`, path, fault)];
      });
    },
  ),
});

const whereFault = "each member of this list must be '*' or a DNS-1123 label; ";

const resourceRule: Rule = fields({
  verbs: knownVerbs,
  apiGroups: wholeOrListed("resource rules must supply at least one api group", "api groups"),
  resources: wholeOrListed("resource rules must supply at least one resource", "resources"),
  namespaces: (value, at, { clusterScope }) => {
    const items = listOf(value);
    if (items.length === 0 && clusterScope !== true) {
      const detail = "resource rules that are not cluster scoped must supply at least one namespace";
      return [requiredValue(at, detail)];
    }
    if (items.includes("*")) return wholeOrListed("", "namespaces")(value, at, {});
    return items.flatMap((namespace, index) => {
      const fault = labelNameFault(textOf(namespace));
      return fault === undefined ? [] : [invalidValue(`${at}[${index}]`, namespace, whereFault + fault)];
    });
  },
});

const flowRule: Rule = all(
  fields({
    subjects: all(
      (value, at) =>
        listOf(value).length === 0 ? [requiredValue(at, "subjects must contain at least one value")] : [],
      each(subject),
    ),
  }),
  (value, at) => {
    const { resourceRules, nonResourceRules } = fieldsOf(value);
    return listOf(resourceRules).length + listOf(nonResourceRules).length > 0
      ? []
      : [requiredValue(at, "at least one of resourceRules and nonResourceRules has to be non-empty")];
  },
  fields({ resourceRules: each(resourceRule), nonResourceRules: each(otherRule) }),
);

/** `FlowSchema`. */
export const flowSchemaRules: Rule = (value, at, parent) => {
  const name = textOf(fieldsOf(fieldsOf(value)["metadata"])["name"]);
  const reserved: Rule = (given, place) =>
    given === 1 && name !== "exempt"
      ? [invalidValue(place, given, "only the schema named 'exempt' may have matchingPrecedence 1")]
      : [];
  return fields({
    spec: fields({
      matchingPrecedence: all(precedence, reserved),
      distinguisherMethod: optional((method, place) => {
        const supported = ["ByNamespace", "ByUser"];
        const { type } = fieldsOf(method);
        return supported.includes(textOf(type))
          ? []
          : [unsupportedStruct(`${place}.type`, { Type: textOf(type) }, supported)];
      }),
      priorityLevelConfiguration: fields({
        name: (level, place) => {
          if (isEmpty(level)) return [requiredValue(place, "must reference a priority level")];
          return subdomainFaults(textOf(level)).map((fault) => invalidValue(place, level, fault));
        },
      }),
      rules: each(flowRule),
    }),
  })(value, at, parent);
};

const notNegative = (detail: string): Rule =>
  optional((value, at) => (Number(value) < 0 ? [invalidValue(at, value, detail)] : []));
const share: Rule = optional((value, at) =>
  Number(value) >= 0 && Number(value) <= 100
    ? []
    : [invalidValue(at, value, "must be between 0 and 100, inclusive")],
);
const shares = notNegative("must be a non-negative integer");
const mostQueues = 10_000_000;

/** The bits that tell hands of so many queues apart. */
function entropyBits(queues: number, hand: number): number {
  return Math.ceil(
    Array.from({ length: hand }, (_, index) => Math.log2(queues - index)).reduce((a, b) => a + b, 0),
  );
}
const mostBits = 60;

const queuing: Rule = (value, at) => {
  const { queueLengthLimit, queues, handSize } = fieldsOf(value);
  const [deck, hand] = [Number(queues), Number(handSize)];
  const causes: StatusCause[] = [];
  if (Number(queueLengthLimit) <= 0) {
    causes.push(invalidValue(`${at}.queueLengthLimit`, queueLengthLimit, "must be positive"));
  }
  if (deck <= 0) causes.push(invalidValue(`${at}.queues`, queues, "must be positive"));
  else if (deck > mostQueues) {
    causes.push(invalidValue(`${at}.queues`, queues, `must not be greater than ${mostQueues}`));
  }
  const detail =
    hand <= 0
      ? "must be positive"
      : hand > deck
        ? `should not be greater than queues (${deck})`
        : entropyBits(deck, hand) > mostBits
          ? `required entropy bits of deckSize ${deck} and handSize ${hand} should not be greater than ${mostBits}`
          : undefined;
  return detail === undefined ? causes : [...causes, invalidValue(`${at}.handSize`, handSize, detail)];
};

const limitResponse: Rule = (value, at) => {
  const { type, queuing: given } = fieldsOf(value);
  const field = `${at}.queuing`;
  if (type === "Reject") {
    const detail = "must be nil if limited.limitResponse.type is not Limited";
    return given === undefined ? [] : [forbiddenValue(field, detail)];
  }
  if (type !== "Queue") return [unsupportedValue(`${at}.type`, type ?? "", ["Queue", "Reject"])];
  if (!isFields(given)) {
    return [requiredValue(field, "must not be empty if limited.limitResponse.type is Limited")];
  }
  return queuing(given, field, {});
};

const limited: Rule = fields({
  nominalConcurrencyShares: shares,
  limitResponse,
  lendablePercent: share,
  borrowingLimitPercent: notNegative("if specified, must be a non-negative integer"),
});
const exempt: Rule = fields({ nominalConcurrencyShares: shares, lendablePercent: share });

function levelFaults(spec: Fields, name: string, at: string): readonly StatusCause[] {
  const { type, limited: limits, exempt: freedom } = spec;
  const causes: StatusCause[] = [];
  if ((name === "exempt") !== (type === "Exempt")) {
    const detail = "must be 'Exempt' if and only if `name` is 'exempt'";
    causes.push(invalidValue(`${at}.type`, type ?? "", detail));
  }
  if (type === "Exempt") {
    if (limits !== undefined) {
      causes.push(forbiddenValue(`${at}.limited`, "must be nil if the type is not Limited"));
    }
    return [...causes, ...optional(exempt)(freedom, `${at}.exempt`, spec)];
  }
  if (type !== "Limited") {
    return [...causes, ...oneOf("Exempt", "Limited")(type, `${at}.type`, spec)];
  }
  if (freedom !== undefined) {
    causes.push(forbiddenValue(`${at}.exempt`, "must be nil if the type is Limited"));
  }
  if (!isFields(limits)) {
    return [...causes, requiredValue(`${at}.limited`, "must not be empty when type is Limited")];
  }
  return [...causes, ...limited(limits, `${at}.limited`, spec)];
}

/** `PriorityLevelConfiguration`. */
export const priorityLevelRules: Rule = (value) => {
  const { metadata, spec } = fieldsOf(value);
  return levelFaults(fieldsOf(spec), textOf(fieldsOf(metadata)["name"]), "spec");
};

/** The status of either: each type of condition is there once. */
export const flowStatusRules: Rule = (value) => {
  const seen = new Set<string>();
  return fieldsList(fieldsOf(fieldsOf(value)["status"])["conditions"]).flatMap(
    ({ type }, index): readonly StatusCause[] => {
      const field = `status.conditions[${index}].type`;
      const isTwice = seen.has(textOf(type));
      seen.add(textOf(type));
      return [
        ...(isTwice ? [duplicateValue(field, type ?? "")] : []),
        ...(isEmpty(type) ? [requiredValue(field)] : []),
      ];
    },
  );
};
