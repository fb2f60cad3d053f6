// What a container of a pod must be, besides its name, image and mounts, which pod-validation.ts looks at.
import {
  duplicateValue,
  forbiddenValue,
  invalidValue,
  requiredValue,
  unsupportedValue,
  type StatusCause,
} from "../../../../schema/status-cause.ts";
import { subdomainFault } from "../../../../meta/name-rules.ts";
import { fieldsList, fieldsOf, isFields, listOf, textOf, type Fields } from "../../api-object.ts";
import { configKeyFault } from "./config-rules.ts";
import { handlerRules } from "./handler-rules.ts";
import { containerPorts } from "./port-rules.ts";
import { resourceReference, variableFieldReference } from "./projected-volume-rules.ts";
import { containerResources } from "./resource-rules.ts";
import {
  all,
  each,
  fields,
  filled,
  isEmpty,
  notFound,
  oneOf,
  optional,
  required,
  text,
  type Rule,
} from "./rule.ts";
import { containerSecurity } from "./security-rules.ts";

const variableFault = (name: string): string | undefined =>
  /^[ -<>-~]+$/.test(name)
    ? undefined
    : "a valid environment variable name must consist only of printable ASCII characters other than '='";

/** A key in a ConfigMap or a Secret, which may be named by nothing only where it may be absent. */
const keyReference = fields({
  name: (value, at) => {
    const fault = subdomainFault(textOf(value));
    return fault === undefined ? [] : [invalidValue(at, value ?? "", fault)];
  },
  key: all(required(), filled(text(configKeyFault))),
});

const fileReference = fields({
  key: all(required(), filled(text(variableFault))),
  volumeName: required(),
  path: required(),
});

const valueSources: Readonly<Record<string, Rule>> = {
  fieldRef: variableFieldReference,
  resourceFieldRef: resourceReference(false),
  configMapKeyRef: keyReference,
  secretKeyRef: keyReference,
  fileKeyRef: fileReference,
};

/** Where the value of a variable comes from: one source, and no value beside it. */
const valueSource: Rule = optional((value, at, variable) => {
  const given = fieldsOf(value);
  const set = Object.keys(valueSources).filter((name) => given[name] !== undefined);
  const detail =
    set.length === 0
      ? "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"
      : !isEmpty(variable["value"])
        ? "may not be specified when `value` is not empty"
        : set.length > 1
          ? "may not have more than one field specified at a time"
          : undefined;
  return [
    ...set.flatMap((name) => valueSources[name]?.(given[name], `${at}.${name}`, given) ?? []),
    ...(detail === undefined ? [] : [invalidValue(at, "", detail)]),
  ];
});

const variable = fields({
  name: all(required(), filled(text(variableFault))),
  valueFrom: valueSource,
});

const named: Rule = fields({ name: all(required(), filled(text(subdomainFault))) });

/** Where several variables come from; how many sources there are is a fault of the whole list. */
const variables: Rule = (value, at) =>
  fieldsList(value).flatMap((entry, index): readonly StatusCause[] => {
    const { prefix, configMapRef, secretRef } = entry;
    const field = `${at}[${index}]`;
    const sources = Object.entries({ configMapRef, secretRef }).filter(([, source]) => source !== undefined);
    const detail =
      sources.length === 0
        ? "must specify one of: `configMapRef` or `secretRef`"
        : sources.length > 1
          ? "may not have more than one field specified at a time"
          : undefined;
    return [
      ...filled(text(variableFault))(prefix, `${field}.prefix`, entry),
      ...sources.flatMap(([name, source]) => named(source, `${field}.${name}`, entry)),
      ...(detail === undefined ? [] : [invalidValue(at, "", detail)]),
    ];
  });

/** How a container takes to other resources; the faults name the list. */
function resizePolicy(restartPolicy: unknown): Rule {
  return (value, at) => {
    const seen = new Set<unknown>();
    return fieldsList(value).flatMap((policy, index): readonly StatusCause[] => {
      const { resourceName, restartPolicy: wanted } = policy;
      const isTwice = seen.has(resourceName);
      seen.add(resourceName);
      const known = (given: unknown, supported: readonly string[]): readonly StatusCause[] =>
        isEmpty(given)
          ? [requiredValue(at)]
          : supported.includes(textOf(given))
            ? []
            : [unsupportedValue(at, given, supported)];
      const detail = "must be 'NotRequired' when `restartPolicy` is 'Never'";
      return [
        ...(isTwice ? [duplicateValue(`${at}[${index}]`, resourceName)] : []),
        ...known(resourceName, ["cpu", "memory"]),
        ...known(wanted, ["NotRequired", "RestartContainer"]),
        ...(restartPolicy === "Never" && wanted !== "NotRequired" ? [invalidValue(at, wanted, detail)] : []),
      ];
    });
  };
}

const forms: Rule = fields({
  terminationMessagePolicy: filled(oneOf("File", "FallbackToLogsOnError")),
  ports: containerPorts,
  env: each(variable),
  envFrom: variables,
  imagePullPolicy: oneOf("Always", "IfNotPresent", "Never"),
});

/** The files with values of variables lie in volumes of the pod. */
function fileVolumes(spec: Fields): Rule {
  const volumes = new Set(fieldsList(spec["volumes"]).map(({ name }) => name));
  return fields({
    env: each(
      fields({
        valueFrom: fields({
          fileKeyRef: optional(
            fields({
              volumeName: (value, at) => (volumes.has(value) ? [] : [notFound(at, value ?? "")]),
            }),
          ),
        }),
      }),
    ),
  });
}

const notForStarting = "may not be set for init containers without restartPolicy=Always";

/** What a container that starts before the others has only where it stays beside them. */
const startingOnly: Rule = (value, at) =>
  ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"].flatMap((name) =>
    isFields(fieldsOf(value)[name]) ? [forbiddenValue(`${at}.${name}`, notForStarting)] : [],
  );

const restartedByRules: Rule = (value, at, { restartPolicyRules }) =>
  value === undefined && listOf(restartPolicyRules).length > 0
    ? [requiredValue(at, "must specify restartPolicy when restart rules are used")]
    : [];

/** When a container is restarted against its policy. */
const restartRule: Rule = fields({
  action: (value, at, parent) => oneOf("Restart", "RestartAllContainers")(value, at, parent),
  exitCodes: (value, at, parent) =>
    isFields(value)
      ? fields({ operator: oneOf("In", "NotIn") })(value, at, parent)
      : [requiredValue(at, "must be specified")],
});

/** The containers of a pod, whose spec is given: those that start first, and the others. */
export function containerRules(spec: Fields): Readonly<Record<"containers" | "initContainers", Rule>> {
  const handlers = handlerRules(spec["terminationGracePeriodSeconds"]);
  const common = all(
    forms,
    fileVolumes(spec),
    fields({
      resources: containerResources(spec),
      resizePolicy: resizePolicy(spec["restartPolicy"]),
      securityContext: optional(containerSecurity(spec)),
      restartPolicy: all(optional(oneOf("Always", "Never", "OnFailure")), restartedByRules),
    }),
  );
  return {
    containers: each(common, fields({ restartPolicyRules: each(restartRule) }), handlers),
    initContainers: each(common, (value, at, parent) =>
      fieldsOf(value)["restartPolicy"] === "Always"
        ? handlers(value, at, parent)
        : startingOnly(value, at, parent),
    ),
  };
}
