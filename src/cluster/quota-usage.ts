// What objects use of a ResourceQuota, and which quotas are about them. Pure; shared by the admission that charges a quota and by
// the controller that counts it again.
// https://kubernetes.io/docs/concepts/policy/resource-quotas/
import { formatQuantity, nanoOf, Quantity, quantityFormOf } from "../schema/cel/quantity.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Amounts by the names of their resources. */
export type Amounts = Readonly<Record<string, string>>;

/** The resource that an object is one of. */
export interface CountedType {
  readonly group: string;
  readonly plural: string;
}

const compute = ["cpu", "memory", "ephemeral-storage"];
/** What a quota may require the containers of a pod to say. */
const required = new Set([
  "cpu",
  "memory",
  ...["cpu", "memory"].flatMap((name) => [`requests.${name}`, `limits.${name}`]),
]);
/** Resources of the core group that are counted by their plain names too. */
const plain = new Set([
  "configmaps",
  "persistentvolumeclaims",
  "pods",
  "replicationcontrollers",
  "resourcequotas",
  "secrets",
  "services",
]);

/** What one object uses. */
export function usageOf(type: CountedType, object: Fields): Amounts {
  const usage: Record<string, string> = { [countOf(type)]: "1" };
  if (type.group !== "" || !plain.has(type.plural)) return usage;
  const spec = fields(object["spec"]);
  if (type.plural === "pods") {
    const { phase } = fields(object["status"]);
    if (phase === "Succeeded" || phase === "Failed") return usage;
    const of = (container: Fields): Fields => fields(container["resources"]);
    const overhead = fields(spec["overhead"]) as Amounts;
    const requests = addAmounts(
      sumOf(spec, (container) => fields(of(container)["requests"])),
      overhead,
    );
    const limited = sumOf(spec, (container) => fields(of(container)["limits"]));
    // Of what is not limited, the overhead is no limit either.
    const isLimited = ([name]: readonly [string, unknown]): boolean => Object.hasOwn(limited, name);
    const limits = addAmounts(limited, Object.fromEntries(Object.entries(overhead).filter(isLimited)));
    return { ...usage, pods: "1", ...computeUsage(requests, limits) };
  }
  usage[type.plural] = "1";
  if (type.plural === "services") {
    // A load balancer may need no ports of nodes but those that it names.
    const isGiven = spec["type"] !== "LoadBalancer" || spec["allocateLoadBalancerNodePorts"] !== false;
    const ports = list(spec["ports"]).filter(({ nodePort }) => isGiven || Number(nodePort ?? 0) !== 0).length;
    if (spec["type"] === "LoadBalancer") usage["services.loadbalancers"] = "1";
    if (spec["type"] === "NodePort" || spec["type"] === "LoadBalancer") {
      usage["services.nodeports"] = String(ports);
    }
  }
  if (type.plural === "persistentvolumeclaims") {
    const asked = fields(fields(spec["resources"])["requests"])["storage"];
    const given = fields(fields(object["status"])["allocatedResources"])["storage"];
    // What is being made larger is not given back before it is seen to have become smaller.
    const isMore = typeof given === "string" && typeof asked === "string" && isAbove(given, asked);
    const storage = isMore ? given : asked;
    if (typeof storage === "string") usage["requests.storage"] = storage;
    const name = spec["storageClassName"];
    if (typeof name === "string" && name !== "") {
      const prefix = `${name}.storageclass.storage.k8s.io/`;
      usage[`${prefix}persistentvolumeclaims`] = "1";
      if (typeof storage === "string") usage[`${prefix}requests.storage`] = storage;
    }
  }
  return usage;
}

/** The name under which objects of a type are counted. */
export function countOf({ group, plural }: CountedType): string {
  return `count/${plural}${group === "" ? "" : `.${group}`}`;
}

/** Whether a resource of a quota is used by objects of a type. */
export function isUsedBy(name: string, type: CountedType): boolean {
  if (name === countOf(type)) return true;
  if (type.group !== "" || !plain.has(type.plural)) return false;
  if (name === type.plural) return true;
  if (type.plural === "pods") {
    return compute.includes(name) || (/^(requests|limits)\./.test(name) && name !== "requests.storage");
  }
  if (type.plural === "services") return name.startsWith("services.");
  return (
    type.plural === "persistentvolumeclaims" &&
    (name === "requests.storage" || name.includes(".storageclass.storage.k8s.io/"))
  );
}

/** What the containers of a pod must say and do not, in the words of a refusal. */
export function missingAmounts(names: readonly string[], pod: Fields): string | undefined {
  const missing = new Map<string, string[]>();
  const spec = fields(pod["spec"]);
  for (const container of [...list(spec["containers"]), ...list(spec["initContainers"])]) {
    const { requests, limits } = fields(container["resources"]);
    const said = computeUsage(fields(requests) as Amounts, fields(limits) as Amounts);
    for (const name of names) {
      if (!required.has(name) || Object.hasOwn(said, name)) continue;
      missing.set(name, [...(missing.get(name) ?? []), String(container["name"])]);
    }
  }
  if (missing.size === 0) return undefined;
  const parts = [...missing].sort(([a], [b]) => (a < b ? -1 : 1));
  return `must specify ${parts.map(([name, containers]) => `${name} for: ${containers.join(",")}`).join("; ")}`;
}

/** Whether the scopes of a quota are about an object; only pods have any. */
export function isInScope(quotaSpec: Fields, type: CountedType, object: Fields): boolean {
  const scopes = [
    ...list(quotaSpec["scopes"]).map((scopeName) => ({ scopeName, operator: "Exists", values: undefined })),
    ...list(fields(quotaSpec["scopeSelector"])["matchExpressions"]),
  ] as readonly Fields[];
  if (scopes.length === 0) return true;
  if (type.group !== "" || type.plural !== "pods") return false;
  const spec = fields(object["spec"]);
  const containers = [...list(spec["containers"]), ...list(spec["initContainers"])];
  const isBestEffort = containers.every((container) => {
    const { requests, limits } = fields(container["resources"]);
    return Object.keys({ ...fields(requests), ...fields(limits) }).length === 0;
  });
  return scopes.every(({ scopeName, operator, values }) => {
    switch (scopeName) {
      case "Terminating":
        return spec["activeDeadlineSeconds"] !== undefined;
      case "NotTerminating":
        return spec["activeDeadlineSeconds"] === undefined;
      case "BestEffort":
        return isBestEffort;
      case "NotBestEffort":
        return !isBestEffort;
      case "PriorityClass": {
        const name = typeof spec["priorityClassName"] === "string" ? spec["priorityClassName"] : "";
        if (operator === "Exists") return name !== "";
        if (operator === "DoesNotExist") return name === "";
        return list(values).map(String).includes(name) === (operator === "In");
      }
      default:
        return false;
    }
  });
}

/** The sum of two sets of amounts, written as the first of them is. */
export function addAmounts(left: Amounts, right: Amounts): Amounts {
  const sum: Record<string, string> = { ...left };
  for (const [name, amount] of Object.entries(right)) {
    const before = sum[name];
    if (before === undefined || nanoOf(before) === 0n) sum[name] = amount;
    else {
      const total = new Quantity(nanoOf(before) + nanoOf(amount));
      sum[name] = formatQuantity(total, quantityFormOf(before));
    }
  }
  return sum;
}

/** Whether an amount is above another. */
export function isAbove(amount: string, most: string): boolean {
  return nanoOf(amount) > nanoOf(most);
}

/** What a pod asks for: the sum of its containers, or what one of its init containers needs, if that is more. */
export function sumOf(spec: Fields, amountsOf: (container: Fields) => Fields): Amounts {
  let total: Amounts = {};
  let beside: Amounts = {};
  for (const container of list(spec["containers"]))
    total = addAmounts(total, amountsOf(container) as Amounts);
  let most: Amounts = {};
  for (const container of list(spec["initContainers"])) {
    const amounts = amountsOf(container) as Amounts;
    const isSidecar = container["restartPolicy"] === "Always";
    if (isSidecar) [total, beside] = [addAmounts(total, amounts), addAmounts(beside, amounts)];
    most = maximum(most, isSidecar ? beside : addAmounts(beside, amounts));
  }
  return maximum(total, most);
}

function maximum(left: Amounts, right: Amounts): Amounts {
  const most: Record<string, string> = { ...left };
  for (const [name, amount] of Object.entries(right)) {
    if (most[name] === undefined || isAbove(amount, most[name])) most[name] = amount;
  }
  return most;
}

function computeUsage(requests: Amounts, limits: Amounts): Amounts {
  const usage: Record<string, string> = {};
  for (const [name, amount] of Object.entries(requests)) {
    if (compute.includes(name)) usage[name] = amount;
    usage[`requests.${name}`] = amount;
  }
  for (const [name, amount] of Object.entries(limits)) {
    if (compute.includes(name)) usage[`limits.${name}`] = amount;
  }
  return usage;
}

function fields(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

function list(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? (value as readonly Fields[]) : [];
}
