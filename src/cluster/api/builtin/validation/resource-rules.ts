// What containers and pods may ask for: processors, memory, pages, devices.
import {
  duplicateValue,
  forbiddenValue,
  invalidValue,
  requiredValue,
  unsupportedValue,
  type StatusCause,
} from "../../../../schema/status-cause.ts";
import { parseQuantity } from "../../../../schema/cel/quantity.ts";
import { labelNameFault, qualifiedNameFaults, subdomainFault } from "../../../../meta/name-rules.ts";
import { fieldsList, fieldsOf, textOf, type Fields } from "../../api-object.ts";
import { isSentEmpty } from "../../sent-empty.ts";
import { invalidStruct, isEmpty, notFound, type Rule } from "./rule.ts";

const unit = 1_000_000_000n;
const standard = ["cpu", "memory", "ephemeral-storage"];
const ofPods = ["cpu", "memory"];

const isPages = (name: string): boolean => name.startsWith("hugepages-");
const standardNames = new Set(
  (
    "cpu memory ephemeral-storage requests.cpu requests.memory requests.ephemeral-storage limits.cpu limits.memory " +
    "limits.ephemeral-storage pods resourcequotas services replicationcontrollers secrets persistentvolumeclaims configmaps " +
    "requests.storage storage services.nodeports services.loadbalancers"
  ).split(" "),
);
const isStandard = (name: string): boolean =>
  standardNames.has(name) || isPages(name) || name.startsWith("requests.hugepages-");
/** What is Kubernetes' own, by its name. */
const isNative = (name: string): boolean => !name.includes("/") || name.includes("kubernetes.io/");
/** Devices and the like, of which there are whole ones only. */
const isExtended = (name: string): boolean => !isNative(name) && !name.startsWith("requests.");
/** What several containers may ask more of than there is. */
const isOvercommitAllowed = (name: string): boolean => isNative(name) && !isPages(name);

function amountOf(value: unknown): bigint | undefined {
  return parseQuantity(typeof value === "number" ? String(value) : textOf(value))?.nano;
}

/** What is wrong with the name of something that containers may ask for. */
export function containerResourceFaults(name: string, at: string): readonly StatusCause[] {
  const faults = qualifiedNameFaults(name).map((fault) => invalidValue(at, name, fault));
  const notExtended = invalidValue(at, name, "doesn't follow extended resource name standard");
  if (faults.length > 0 && name.includes("/")) return isNative(name) ? faults : [...faults, notExtended];
  const notOfContainers = invalidValue(at, name, "must be a standard resource for containers");
  if (faults.length > 0) return [...faults, notOfContainers];
  if (!name.includes("/")) {
    if (standard.includes(name) || isPages(name)) return [];
    return [invalidValue(at, name, "must be a standard resource type or fully qualified"), notOfContainers];
  }
  return isNative(name) || isExtended(name) ? [] : [notExtended];
}

function podNameFaults(name: string, at: string): readonly StatusCause[] {
  const faults = qualifiedNameFaults(name).map((fault) => invalidValue(at, name, fault));
  if (faults.length > 0) return faults;
  if (!name.includes("/") && !isStandard(name)) {
    return [invalidValue(at, name, "must be a standard resource type or fully qualified")];
  }
  return ofPods.includes(name) || isPages(name) ? [] : [unsupportedValue(at, name, ofPods)];
}

function amountFaults(name: string, value: unknown, at: string): readonly StatusCause[] {
  const amount = amountOf(value);
  if (amount === undefined) return [];
  const pages = isPages(name) ? amountOf(name.slice("hugepages-".length)) : undefined;
  const isDivisible = pages === undefined || pages <= 0n || amount % pages === 0n;
  return [
    ...(amount < 0n ? [invalidValue(at, value, "must be greater than or equal to 0")] : []),
    ...(isExtended(name) && amount % unit !== 0n ? [invalidValue(at, value, "must be an integer")] : []),
    ...(isDivisible
      ? []
      : [invalidValue(at, value, `${String(value)} is not positive integer multiple of ${name}`)]),
  ];
}

/** A request beside its limit. */
function requestFaults(name: string, value: unknown, limits: Fields, at: string): readonly StatusCause[] {
  if (!Object.hasOwn(limits, name)) {
    const detail = "Limit must be set for non overcommitable resources";
    return isOvercommitAllowed(name) ? [] : [requiredValue(`${at}.limits`, detail)];
  }
  const [asked, most] = [amountOf(value), amountOf(limits[name])];
  if (asked === undefined || most === undefined || asked === most) return [];
  const limit = `${name} limit of ${String(limits[name])}`;
  if (!isOvercommitAllowed(name)) return [invalidValue(`${at}.requests`, value, `must be equal to ${limit}`)];
  return asked > most
    ? [invalidValue(`${at}.requests`, value, `must be less than or equal to ${limit}`)]
    : [];
}

function amountsRule(namesRule: (name: string, at: string) => readonly StatusCause[]): Rule {
  return (value, at) => {
    const { limits, requests } = fieldsOf(value);
    const given = { limits: fieldsOf(limits), requests: fieldsOf(requests) };
    const causes: StatusCause[] = Object.entries(given).flatMap(([part, amounts]) =>
      Object.entries(amounts).flatMap(([name, amount]) => [
        ...namesRule(name, `${at}.${part}[${name}]`),
        ...amountFaults(name, amount, `${at}.${part}[${name}]`),
        ...(part === "requests" ? requestFaults(name, amount, given.limits, at) : []),
      ]),
    );
    const names = [...Object.keys(given.limits), ...Object.keys(given.requests)];
    if (names.some(isPages) && !names.some((name) => ofPods.includes(name))) {
      causes.push(forbiddenValue(at, "HugePages require cpu or memory"));
    }
    return causes;
  };
}

const containerAmounts = amountsRule(containerResourceFaults);
const podAmounts = amountsRule(podNameFaults);

/** What running a pod costs besides its containers. */
export const overheadRule: Rule = (value, at, parent) =>
  value === undefined ? [] : containerAmounts({ limits: value }, at, parent);

function claimFaults(claims: readonly Fields[], known: readonly string[], at: string): StatusCause[] {
  const seen = new Set<string>();
  return claims.flatMap(({ name: given, request }, index): readonly StatusCause[] => {
    const field = `${at}[${index}]`;
    const name = textOf(given);
    if (name === "") return [requiredValue(field)];
    const causes: StatusCause[] = [];
    const key = isEmpty(request) ? name : `${name}/${textOf(request)}`;
    const isWhole = isEmpty(request) && [...seen].some((other) => other.startsWith(`${name}/`));
    if (seen.has(name) || isWhole) causes.push(duplicateValue(field, name));
    else {
      const fault = isEmpty(request) ? undefined : labelNameFault(textOf(request));
      if (fault !== undefined) causes.push(invalidValue(`${field}.request`, request, fault));
      if (seen.has(key)) causes.push(duplicateValue(field, key));
    }
    seen.add(key);
    if (known.includes(name)) return causes;
    const rest = known.length === 0 ? " which is empty" : `: ${[...known].sort().join(", ")}`;
    return [...causes, notFound(field, name, `must be one of the names in pod.spec.resourceClaims${rest}`)];
  });
}

function claimNames(spec: Fields): readonly string[] {
  return fieldsList(spec["resourceClaims"]).map(({ name }) => textOf(name));
}

/** What a container of a pod asks for, the claims of the pod included. */
export function containerResources(spec: Fields): Rule {
  const known = claimNames(spec);
  return (value, at, parent) => [
    ...containerAmounts(value, at, parent),
    ...claimFaults(fieldsList(fieldsOf(value)["claims"]), known, `${at}.claims`),
  ];
}

/** What all containers of a pod ask for together: those that run beside each other, or the greatest that starts before. */
function requestedTogether(spec: Fields): ReadonlyMap<string, bigint> {
  const total = new Map<string, bigint>();
  const requestsOf = (container: Fields): readonly (readonly [string, bigint])[] =>
    Object.entries(fieldsOf(fieldsOf(container["resources"])["requests"])).map(
      ([name, amount]) => [name, amountOf(amount) ?? 0n] as const,
    );
  const starting = fieldsList(spec["initContainers"]);
  const lasting = starting.filter(({ restartPolicy }) => restartPolicy === "Always");
  for (const container of [...fieldsList(spec["containers"]), ...lasting]) {
    for (const [name, amount] of requestsOf(container)) total.set(name, (total.get(name) ?? 0n) + amount);
  }
  for (const container of starting) {
    if (lasting.includes(container)) continue;
    for (const [name, amount] of requestsOf(container)) {
      if (amount > (total.get(name) ?? 0n)) total.set(name, amount);
    }
  }
  return total;
}

/** What a pod asks for as a whole. */
export const podResources: Rule = (value, at, parent) => {
  const spec = fieldsOf(value);
  const field = `${at}.resources`;
  if (spec["resources"] === undefined) return [];
  const { claims, limits, requests } = fieldsOf(spec["resources"]);
  const causes: StatusCause[] = [];
  if (claims !== undefined || isSentEmpty(fieldsOf(spec["resources"]), "claims")) {
    causes.push(forbiddenValue(`${field}.claims`, "claims may not be set for Resources at pod-level"));
  }
  causes.push(
    ...podAmounts(spec["resources"], field, parent),
    ...claimFaults(fieldsList(claims), claimNames(spec), `${field}.claims`),
  );
  for (const [name, amount] of requestedTogether(spec)) {
    if (!ofPods.includes(name) && !isPages(name)) continue;
    // What is limited and not asked for is asked for in full.
    const whole = fieldsOf(requests)[name] ?? fieldsOf(limits)[name];
    if (whole === undefined || (amountOf(whole) ?? 0n) >= amount) continue;
    const detail = `must be greater than or equal to aggregate container requests of ${String(amount / unit)}`;
    causes.push(invalidValue(`${field}.requests[${name}]`, whole, detail));
  }
  for (const [index, container] of fieldsList(spec["containers"]).entries()) {
    for (const [name, limit] of Object.entries(fieldsOf(fieldsOf(container["resources"])["limits"]))) {
      const whole = fieldsOf(limits)[name];
      if (whole === undefined || (amountOf(limit) ?? 0n) <= (amountOf(whole) ?? 0n)) continue;
      const detail = `must be less than or equal to pod limits of ${textOf(whole)}`;
      causes.push(invalidValue(`${field}.containers[${index}][${name}].limits`, limit, detail));
    }
  }
  return causes;
};

/** The claims of a pod: each with one source. */
export const resourceClaims: Rule = (value, at) => {
  const seen = new Set<string>();
  return fieldsList(value).flatMap((claim, index): readonly StatusCause[] => {
    const field = `${at}[${index}]`;
    const { name: given, resourceClaimName, resourceClaimTemplateName } = claim;
    const name = textOf(given);
    const causes: StatusCause[] = [];
    const fault = labelNameFault(name);
    if (name === "") causes.push(requiredValue(`${field}.name`));
    else if (seen.has(name)) causes.push(duplicateValue(`${field}.name`, name));
    else if (fault !== undefined) causes.push(invalidValue(`${field}.name`, name, fault));
    seen.add(name);
    const struct = {
      Name: name,
      ResourceClaimName: resourceClaimName ?? null,
      ResourceClaimTemplateName: resourceClaimTemplateName ?? null,
    };
    const sources = Object.entries({ resourceClaimName, resourceClaimTemplateName }).filter(
      ([, source]) => source !== undefined,
    );
    if (sources.length > 1) {
      const detail = "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified";
      causes.push(invalidStruct(field, struct, detail));
    }
    if (sources.length === 0) {
      const detail = "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`";
      causes.push(invalidStruct(field, struct, detail));
    }
    for (const [part, source] of sources) {
      const wrong = subdomainFault(textOf(source));
      if (wrong !== undefined) causes.push(invalidValue(`${field}.${part}`, source, wrong));
    }
    return causes;
  });
};
