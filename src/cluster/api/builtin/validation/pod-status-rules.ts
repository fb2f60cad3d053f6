// What the status of a pod may say, and how it may change: by whoever runs its containers, or is about to.
import { isIP } from "node:net";
import {
  duplicateValue,
  forbiddenValue,
  invalidValue,
  requiredValue,
  tooLong,
  type StatusCause,
} from "../../../../schema/status-cause.ts";
import { equal } from "../../../../schema/json-value.ts";
import { labelNameFaults, qualifiedNameFaults, subdomainFaults } from "../../../../meta/name-rules.ts";
import { fieldsList, fieldsOf, isFields, listOf, textOf, type Fields } from "../../api-object.ts";
import { ipFault } from "./ip-rules.ts";
import { all, between, each, fields, filled, forbidden, oneOf, optional, required, text } from "./rule.ts";
import type { ChangeRule, Rule } from "./rule.ts";

const systemConditions = ["PodScheduled", "Ready", "Initialized"];

const notNegative: Rule = optional((value, at) =>
  Number(value) < 0 ? [invalidValue(at, value, "must be a non-negative integer")] : [],
);

const condition: Rule = all(fields({ observedGeneration: notNegative }), (value, at) => {
  const type = textOf(fieldsOf(value)["type"]);
  if (systemConditions.includes(type)) return [];
  // The real server names this field as Go does.
  return qualifiedNameFaults(type).map((fault) => invalidValue(`${at}.Type`, type, fault));
});

/** Addresses of a pod or its host: one of each family. */
function addresses(value: unknown, at: string): readonly StatusCause[] {
  const given = fieldsList(value).map(({ ip }) => textOf(ip));
  const causes: StatusCause[] = given.flatMap((ip, index) => {
    const fault = ipFault(ip);
    return fault === undefined ? [] : [invalidValue(`${at}[${index}]`, ip, fault)];
  });
  if (given.length < 2) return causes;
  const shown = given.map((ip) => ({ IP: ip }));
  const wrong = given.findIndex((ip) => isIP(ip) === 0);
  if (wrong >= 0) {
    const message = `Internal error: failed to check for dual stack with error:invalid IP[${wrong}]: ${given[wrong] ?? ""}`;
    causes.push({ reason: "InternalError", message, field: at });
  }
  const families = new Set(given.map((ip) => isIP(ip)));
  if (wrong < 0 && families.size === 2 && given.length === 2) return causes;
  return [...causes, invalidValue(at, shown, "may specify no more than one IP for each IP family")];
}

/** The first address of the host has a field of its own. */
const hostAddresses: Rule = (value, at, status) => {
  const [first] = fieldsList(value);
  const { hostIP = "" } = status;
  if (first === undefined) return [];
  const isOther = textOf(first["ip"]) !== hostIP;
  const detail = "must be equal to `hostIP`";
  const other = isOther ? [invalidValue(`${at}[0].ip`, textOf(first["ip"]), detail)] : [];
  return [...other, ...addresses(value, at)];
};

const identity = between(0, 2_147_483_647);
const user: Rule = optional(
  fields({
    linux: optional(fields({ uid: identity, gid: identity, supplementalGroups: eachIndexed(identity) })),
  }),
);

function eachIndexed(rule: Rule): Rule {
  return (value, at, parent) => listOf(value).flatMap((item, index) => rule(item, `${at}[${index}]`, parent));
}

const longestHealthMessage = 1_024;
const healths = ["Healthy", "Unhealthy", "Unknown"];

const deviceHealth: Rule = all(
  fields({
    health: oneOf(...healths),
    message: optional((value, at) => {
      if (value === "") return [requiredValue(at, "must be non-empty if specified")];
      return textOf(value).length > longestHealthMessage ? [tooLong(at, longestHealthMessage)] : [];
    }),
  }),
);

/** The devices of a container: each is one that it asks for. */
function allocated(status: Fields, at: string, container: Fields | undefined): readonly StatusCause[] {
  const { requests, claims } = fieldsOf(container?.["resources"]);
  const claimed = fieldsList(claims).map(({ name, request = "" }) =>
    request === "" ? `claim:${textOf(name)}` : `claim:${textOf(name)}/${textOf(request)}`,
  );
  return fieldsList(status["allocatedResourcesStatus"]).flatMap((given, index) => {
    const name = textOf(given["name"]);
    const field = `${at}.allocatedResourcesStatus[${index}]`;
    const isClaim = name.startsWith("claim:");
    const isKnown = isClaim ? claimed.includes(name) : Object.hasOwn(fieldsOf(requests), name);
    const detail = isClaim
      ? "must match one of the container's resource claims in a format 'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty"
      : "must match one of the container's resource requests";
    const seen = new Set<string>();
    const devices = fieldsList(given["resources"]).flatMap((device, place) => {
      const id = textOf(device["resourceID"]);
      const twice = seen.has(id) ? [duplicateValue(`${field}.resources[${place}].resourceID`, id)] : [];
      seen.add(id);
      return [...deviceHealth(device, `${field}.resources[${place}]`, given), ...twice];
    });
    const unknown = container !== undefined && !isKnown ? [invalidValue(`${field}.name`, name, detail)] : [];
    return [...unknown, ...devices];
  });
}

const lists = { containerStatuses: "containers", initContainerStatuses: "initContainers" } as const;

const containers: Rule = (value, at) => {
  const { spec, status } = fieldsOf(value);
  const faults = Object.entries(lists).flatMap(([name, list]) => {
    const known = fieldsList(fieldsOf(spec)[list]);
    return fieldsList(fieldsOf(status)[name]).flatMap((given, index) => {
      const container = known.find((each_) => each_["name"] === (given["name"] ?? ""));
      return allocated(given, `${at}status.${name}[${index}]`, container);
    });
  });
  return faults;
};

const claimName: Rule = text(subdomainFaults);

/** The claims that were made for a pod: each for one that it names. */
const claims: Rule = (value) => {
  const { spec, status } = fieldsOf(value);
  const known = fieldsList(fieldsOf(spec)["resourceClaims"]).map(({ name }) => name);
  const seen = new Set<unknown>();
  return each((claim, at) => {
    const { name = "", resourceClaimName } = fieldsOf(claim);
    const isTwice = seen.has(name);
    seen.add(name);
    const detail = "must match the name of an entry in `spec.resourceClaims`";
    return [
      ...(known.includes(name) ? [] : [invalidValue(`${at}.name`, name, detail)]),
      ...(isTwice ? [duplicateValue(`${at}.name`, name)] : []),
      ...claimName(resourceClaimName, `${at}.resourceClaimName`, fieldsOf(claim)),
    ];
  })(fieldsOf(status)["resourceClaimStatuses"], "status.resourceClaimStatuses", fieldsOf(status));
};

/** The claim that was made of devices that containers ask for as resources. */
const extendedClaim: Rule = (value) => {
  const { spec, status } = fieldsOf(value);
  const { extendedResourceClaimStatus: claim } = fieldsOf(status);
  if (!isFields(claim)) return [];
  const at = "status.extendedResourceClaimStatus";
  const known = ["initContainers", "containers"].flatMap((list) => fieldsList(fieldsOf(spec)[list]));
  const mappings = fieldsList(claim["requestMappings"]);
  const seen = new Set<string>();
  const causes = mappings.flatMap((mapping, index): readonly StatusCause[] => {
    const { containerName = "", resourceName = "", requestName = "" } = mapping;
    const field = `${at}.requestMappings[${index}]`;
    const container = known.findLast(({ name }) => name === containerName);
    const { requests } = fieldsOf(container?.["resources"]);
    const key = JSON.stringify([containerName, resourceName, requestName]);
    const twice = seen.has(key) ? Object.entries({ containerName, resourceName, requestName }) : [];
    seen.add(key);
    const noContainer = "must match the name of an entry in spec.initContainers.name or spec.containers.name";
    const noRequest =
      "must match the extended resource name of an entry in spec.initContainers.resources.requests or spec.containers.resources.requests";
    return [
      ...(container === undefined
        ? [invalidValue(`${field}.containerName`, containerName, noContainer)]
        : Object.hasOwn(fieldsOf(requests), textOf(resourceName))
          ? []
          : [invalidValue(`${field}.resourceName`, resourceName, noRequest)]),
      ...labelNameFaults(textOf(requestName)).map((fault) =>
        invalidValue(`${at}.requestName`, requestName, fault),
      ),
      ...twice.map(([name, given]) => duplicateValue(`${field}.${name}`, given)),
    ];
  });
  const none =
    mappings.length === 0
      ? [requiredValue(`${at}.requestMappings`, "at least one request mapping is required")]
      : [];
  const named = all(required(), filled(claimName));
  return [...none, ...causes, ...named(claim["resourceClaimName"], `${at}.resourceClaimName`, claim)];
};

const noDevices = fields({
  allocatedResourcesStatus: forbidden("must not be specified in container status"),
});

/** The status of a `Pod`. */
export const podStatusRules: Rule = all(
  fields({ status: fields({ conditions: each(condition), observedGeneration: notNegative }) }),
  claims,
  extendedClaim,
  fields({
    status: fields({
      podIPs: addresses,
      hostIPs: hostAddresses,
      containerStatuses: each(fields({ user })),
      initContainerStatuses: each(fields({ user })),
      ephemeralContainerStatuses: each(fields({ user }), noDevices),
    }),
  }),
  containers,
);

/** Whether a container that has ended so may run again. */
function mayRestart(container: Fields, pod: Fields, exitCode: number): boolean {
  const rules = container["restartPolicy"] === undefined ? [] : fieldsList(container["restartPolicyRules"]);
  const met = rules.find(({ exitCodes }) => {
    const { operator, values } = fieldsOf(exitCodes);
    const isNamed = listOf(values).includes(exitCode);
    return operator === "In" ? isNamed : operator === "NotIn" && !isNamed;
  });
  if (met !== undefined) return met["action"] === "Restart" || met["action"] === "RestartAllContainers";
  const policy = container["restartPolicy"] ?? pod["restartPolicy"];
  return policy === "Always" || (policy === "OnFailure" && exitCode !== 0);
}

/** Whether a container may end so that all of them run again. */
function restartsAll(pod: Fields): boolean {
  const listed = Object.values(lists).flatMap((list) => fieldsList(pod[list]));
  return listed.some(({ restartPolicyRules }) =>
    fieldsList(restartPolicyRules).some(({ action }) => action === "RestartAllContainers"),
  );
}

/** What has ended stays so, unless it may run again. */
function restarts(status: Fields, before: Fields, name: string, pod: Fields): readonly StatusCause[] {
  const list = lists[name as keyof typeof lists] as string | undefined;
  if (list !== undefined && restartsAll(pod)) return [];
  const known = list === undefined ? [] : fieldsList(pod[list]);
  const next = fieldsList(status[name]);
  return fieldsList(before[name]).flatMap((old, index) => {
    const { terminated } = fieldsOf(old["state"]);
    const now = next.find((each_) => each_["name"] === old["name"]);
    const hasLeft =
      isFields(terminated) && now !== undefined && !isFields(fieldsOf(now["state"])["terminated"]);
    if (!hasLeft) return [];
    const container = known.find((each_) => each_["name"] === old["name"]);
    const isAllowed =
      container !== undefined && mayRestart(container, pod, Number(terminated["exitCode"] ?? 0));
    const detail = "may not be transitioned to non-terminated state";
    return isAllowed ? [] : [forbiddenValue(`status.${name}[${index}].state`, detail)];
  });
}

/** What of the status of a `Pod` is settled. */
export const podStatusChanges: ChangeRule = (object, previous) => {
  const [status, before] = [fieldsOf(object["status"]), fieldsOf(previous["status"])];
  const pod = fieldsOf(previous["spec"]);
  const nominated = textOf(status["nominatedNodeName"]);
  const isNominated = nominated !== "" && nominated !== before["nominatedNodeName"];
  const bound = "may not be set on pods that are already bound to a node";
  const isBound = isNominated && textOf(pod["nodeName"]) !== "";
  const field = "status.nominatedNodeName";
  return [
    ...(isNominated ? subdomainFaults(nominated) : []).map((fault) => invalidValue(field, nominated, fault)),
    ...(isBound ? [forbiddenValue(field, bound)] : []),
    ...(equal(status["qosClass"], before["qosClass"])
      ? []
      : [invalidValue("status.qosClass", status["qosClass"] ?? "", "field is immutable")]),
    ...[...Object.keys(lists), "ephemeralContainerStatuses"].flatMap((name) =>
      restarts(status, before, name, pod),
    ),
  ];
};
