// What the containers of a pod must be: those that start first, the others, and those that are added to look at them.
import {
  duplicateValue,
  forbiddenValue,
  invalidValue,
  requiredValue,
  tooMany,
  unsupportedValue,
  type StatusCause,
} from "../../../../schema/status-cause.ts";
import { labelNameFaults, subdomainFaults } from "../../../../meta/name-rules.ts";
import { fieldsList, fieldsOf, isFields, listOf, textOf, type Fields } from "../../api-object.ts";
import { configKeyFaults } from "./config-rules.ts";
import { isSentEmpty } from "../../sent-empty.ts";
import { handlerRules } from "./handler-rules.ts";
import { mountFaults, deviceFaults } from "./pod-volume-rules.ts";
import { containerPorts, hostPortConflicts } from "./port-rules.ts";
import { resourceReference, variableFieldReference } from "./projected-volume-rules.ts";
import { containerResources } from "./resource-rules.ts";
import {
  all,
  each,
  fields,
  filled,
  forbidden,
  isEmpty,
  notFound,
  oneOf,
  optional,
  required,
  text,
  type Rule,
} from "./rule.ts";
import { containerSecurity } from "./security-rules.ts";
import { withoutDots } from "./volume-source-rules.ts";

const variableFault = (name: string): string | undefined =>
  /^[ -<>-~]+$/.test(name)
    ? undefined
    : "a valid environment variable name must consist only of printable ASCII characters other than '='";

/** A key in a ConfigMap or a Secret, which may be named by nothing only where it may be absent. */
const configKey: Rule = (value, at) =>
  isEmpty(value) ? [] : configKeyFaults(textOf(value)).map((fault) => invalidValue(at, value, fault));

const keyReference = fields({
  name: (value, at) => {
    return subdomainFaults(textOf(value)).map((fault) => invalidValue(at, value ?? "", fault));
  },
  key: all(required(), configKey),
});

/** A label that must be there. */
const containerName: Rule = (value, at) => {
  const name = textOf(value);
  if (name === "") return [requiredValue(at)];
  return labelNameFaults(name).map((fault) => invalidValue(at, name, fault));
};

const fileReference = fields({
  key: all(required(), filled(text(variableFault))),
  volumeName: containerName,
  path: all(required(), withoutDots),
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

const named: Rule = fields({ name: all(required(), filled(text(subdomainFaults))) });

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
      const detail = "must be 'NotRequired' when pod `restartPolicy` is 'Never'";
      return [
        ...(isTwice ? [duplicateValue(`${at}[${index}]`, resourceName ?? "")] : []),
        ...known(resourceName, ["cpu", "memory"]),
        ...known(wanted, ["NotRequired", "RestartContainer"]),
        ...(restartPolicy === "Never" && wanted !== "NotRequired"
          ? [invalidValue(at, wanted ?? "", detail)]
          : []),
      ];
    });
  };
}

const notForStarting = "may not be set for init containers without restartPolicy=Always";

/** What a container that starts before the others has only where it stays beside them. */
const startingOnly: Rule = (value, at) =>
  ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"].flatMap((name) =>
    isFields(fieldsOf(value)[name]) ? [forbiddenValue(`${at}.${name}`, notForStarting)] : [],
  );

const mostRules = 20;
const mostCodes = 255;

/** When a container is restarted against its policy. */
const restartRule: Rule = fields({
  action: oneOf("Restart", "RestartAllContainers"),
  exitCodes: (value, at, parent) =>
    isFields(value)
      ? fields({
          operator: oneOf("In", "NotIn"),
          values: (codes, field) =>
            listOf(codes).length > mostCodes ? [tooMany(field, listOf(codes).length, mostCodes)] : [],
        })(value, at, parent)
      : [requiredValue(at, "must be specified")],
});

const restarts: Rule = fields({
  restartPolicy: (value, at, { restartPolicyRules }) => {
    if (value !== undefined) return oneOf("Always", "Never", "OnFailure")(value, at, {});
    return listOf(restartPolicyRules).length > 0
      ? [requiredValue(at, "must specify restartPolicy when restart rules are used")]
      : [];
  },
  restartPolicyRules: (value, at, parent) => [
    ...(listOf(value).length > mostRules ? [tooMany(at, listOf(value).length, mostRules)] : []),
    ...each(restartRule)(value, at, parent),
  ],
});

/** The rules of a container that starts before the others are looked at where it has a policy of its own. */
const startingRestarts: Rule = (value, at, parent) => {
  const faults = restarts(value, at, parent);
  const isAlone = fieldsOf(value)["restartPolicy"] === undefined;
  return isAlone ? faults.filter(({ field }) => field === `${at}.restartPolicy`) : faults;
};

const notForSidecars = "must not be set to 'RestartContainer' for non-sidecar initContainers";
const startingResizes: Rule = fields({
  resizePolicy: each(
    fields({
      restartPolicy: (value, at) =>
        value === "RestartContainer" ? [invalidValue(at, value, notForSidecars)] : [],
    }),
  ),
});

/** What all containers of a pod must be, whose spec and volumes are given. */
function commonRules(spec: Fields, volumes: ReadonlyMap<unknown, Fields>): Rule {
  return all(
    fields({
      name: containerName,
      image: required(),
      terminationMessagePolicy: filled(oneOf("File", "FallbackToLogsOnError")),
      ports: containerPorts,
      env: each(variable),
      envFrom: variables,
    }),
    (value, at) => mountFaults(fieldsOf(value), at, volumes),
    (value, at) => deviceFaults(fieldsOf(value), at, volumes),
    fields({
      imagePullPolicy: oneOf("Always", "IfNotPresent", "Never"),
      resources: containerResources(spec),
      resizePolicy: resizePolicy(spec["restartPolicy"]),
      securityContext: optional(containerSecurity(spec)),
    }),
  );
}

/** What a pod's image is, while a template keeps what it is given. */
export const plainImage: Rule = fields({
  image: (value, at) =>
    textOf(value).trim() === textOf(value)
      ? []
      : [invalidValue(at, value, "must not have leading or trailing whitespace")],
});

const notInEphemeral = "cannot be set for an Ephemeral Container";
const forEphemeral = forbidden(notInEphemeral);
const neverEphemeral =
  "ports resources resizePolicy restartPolicy restartPolicyRules livenessProbe readinessProbe startupProbe lifecycle";

/** What a container has not that is added to look at the others. */
const ephemeralOnly: Rule = all(
  (value, at) =>
    neverEphemeral.split(" ").flatMap((name) => {
      const container = fieldsOf(value);
      const given = container[name];
      const isSet =
        (given !== undefined && !(name === "resources" && Object.keys(fieldsOf(given)).length === 0)) ||
        isSentEmpty(container, name);
      return isSet ? [forbiddenValue(`${at}.${name}`, notInEphemeral)] : [];
    }),
  fields({ volumeMounts: each(fields({ subPath: forEphemeral, subPathExpr: forEphemeral })) }),
);

/**
 * Containers one by one, each named otherwise than those that are `taken`, which it joins; `isUnnamedOnce`: not if it has no name.
 */
function eachNamed(taken: Set<unknown>, common: Rule, own: Rule, isUnnamedOnce = false): Rule {
  return (value, at) =>
    fieldsList(value).flatMap((container, index) => {
      const field = `${at}[${index}]`;
      const { name = "" } = container;
      const isTwice = taken.has(name);
      if (name !== "" || !isUnnamedOnce) taken.add(name);
      return [
        ...common(container, field, container),
        ...(isTwice ? [duplicateValue(`${field}.name`, name)] : []),
        ...own(container, field, container),
      ];
    });
}

/** The containers of a pod, in the volumes that it has; the rules are of its spec. */
export function containersRule(volumes: ReadonlyMap<unknown, Fields>): Rule {
  return (value, at, parent) => {
    const spec = fieldsOf(value);
    const common = commonRules(spec, volumes);
    const handlers = handlerRules(spec["terminationGracePeriodSeconds"]);
    const names = (...lists: readonly string[]): Set<unknown> =>
      new Set(lists.flatMap((list) => fieldsList(spec[list]).map(({ name }) => name ?? "")));
    const targets = names("containers", "initContainers");
    const target: Rule = fields({
      targetContainerName: filled((name, field) =>
        targets.has(name) ? [] : [notFound(field, textOf(name))],
      ),
    });
    // They run one after another, so that each has the ports to itself; the real server takes each for the first one.
    const ownPorts: Rule = (container) => hostPortConflicts([fieldsOf(container)], `${at}.initContainers`);
    return fields({
      containers: all(required(), eachNamed(new Set(), common, all(handlers, restarts)), (list, field) =>
        hostPortConflicts(fieldsList(list), field),
      ),
      initContainers: eachNamed(
        names("containers"),
        all(common, startingRestarts),
        all(ownPorts, (container, field) =>
          fieldsOf(container)["restartPolicy"] === "Always"
            ? handlers(container, field, parent)
            : all(startingOnly, startingResizes)(container, field, parent),
        ),
        true,
      ),
      ephemeralContainers: eachNamed(
        names("containers", "initContainers"),
        all(common, plainImage),
        all(target, ephemeralOnly),
      ),
    })(spec, at, parent);
  };
}

/** The files with values of variables lie in volumes of the pod, which are folders of its own. */
export const fileVolumes: Rule = (value, at) => {
  const spec = fieldsOf(value);
  const volumes = new Map(fieldsList(spec["volumes"]).map((volume) => [textOf(volume["name"]), volume]));
  const detail = "referenced volume must be of type emptyDir";
  const volumeName: Rule = (value, field) => {
    const name = textOf(value);
    const volume = volumes.get(name);
    if (volume === undefined) return [notFound(field, name)];
    return volume["emptyDir"] === undefined ? [invalidValue(field, name, detail)] : [];
  };
  const inEnvironment = fields({
    env: each(fields({ valueFrom: fields({ fileKeyRef: optional(fields({ volumeName })) }) })),
  });
  return ["initContainers", "containers", "ephemeralContainers"].flatMap((list) =>
    each(inEnvironment)(spec[list], `${at}.${list}`, spec),
  );
};
