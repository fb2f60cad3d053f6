// LimitRanges: what they add to the pods of their namespace, and what they refuse of pods and claims.
// https://kubernetes.io/docs/concepts/policy/limit-range/
import { nanoOf } from "../../../schema/cel/quantity.ts";
import { sumOf, type Amounts } from "../../quota-usage.ts";
import type { ApiCore } from "../api-core.ts";
import {
  ensureFields,
  fieldsList,
  fieldsOf,
  setDefault,
  textOf,
  type ApiObject,
  type Fields,
} from "../api-object.ts";
import type { ServedType } from "../served-type.ts";
import { forbiddenObject } from "../status-error.ts";

const annotation = "kubernetes.io/limit-ranger";

/** What is asked for and what it is limited to. */
interface Asked {
  readonly requests: Amounts;
  readonly limits: Amounts;
}

/** Gives the containers of a new pod what the ranges of its namespace say by default, in place. */
export function settleLimits(core: Pick<ApiCore, "store">, pod: ApiObject): void {
  const spec = ensureFields(pod, "spec");
  for (const range of rangesOf(core, pod)) {
    const defaults = limitsIn(range).filter(({ type }) => type === "Container");
    const requests = Object.assign(
      {},
      ...defaults.map((each) => fieldsOf(each["defaultRequest"])),
    ) as Amounts;
    const limits = Object.assign({}, ...defaults.map((each) => fieldsOf(each["default"]))) as Amounts;
    const said: string[] = [];
    for (const [list, what] of [
      ["containers", "container"],
      ["initContainers", "init container"],
    ] as const) {
      for (const container of fieldsList(spec[list])) {
        for (const [field, amounts, word] of [
          ["limits", limits, "limit"],
          ["requests", requests, "request"],
        ] as const) {
          const added = addMissing(container, field, amounts);
          const text = `${added.sort().join(", ")} ${word} for ${what} ${textOf(container["name"])}`;
          // Requests are named first.
          if (added.length > 0)
            said.splice(word === "request" ? positionOf(said, container) : said.length, 0, text);
        }
      }
    }
    if (said.length === 0) continue;
    const { annotations = {} } = pod.metadata;
    pod.metadata = {
      ...pod.metadata,
      annotations: { ...annotations, [annotation]: `LimitRanger plugin set: ${said.join("; ")}` },
    };
  }
}

/** Where the texts about a container begin: before that about its limits. */
function positionOf(said: readonly string[], { name }: Fields): number {
  const last = said.at(-1) ?? "";
  return last.includes(" limit for ") && last.endsWith(` ${textOf(name)}`) ? said.length - 1 : said.length;
}

function addMissing(container: Fields, field: "limits" | "requests", amounts: Amounts): string[] {
  const given = fieldsOf(fieldsOf(container["resources"])[field]);
  const missing = Object.keys(amounts).filter((name) => given[name] === undefined);
  if (missing.length === 0) return [];
  const resources = ensureFields(container, "resources");
  const next = { ...given };
  for (const name of missing) setDefault(next, name, amounts[name]);
  resources[field] = next;
  return missing;
}

/** Refuses a pod or a claim outside the ranges of its namespace. Errors: 403. */
export function assertWithinLimits(core: Pick<ApiCore, "store">, type: ServedType, object: ApiObject): void {
  for (const range of rangesOf(core, object)) {
    const faults = type.storageKey === "pods" ? podFaults(range, object) : claimFaults(range, object);
    if (faults.length === 0) continue;
    const unique = [...new Set(faults)];
    const detail = unique.length === 1 ? (unique[0] ?? "") : `[${unique.join(", ")}]`;
    throw forbiddenObject(type, object.metadata.name, detail);
  }
}

function rangesOf({ store }: Pick<ApiCore, "store">, { metadata }: ApiObject): readonly ApiObject[] {
  return store.list("limitranges").filter((range) => range.metadata.namespace === metadata.namespace);
}

function limitsIn(range: ApiObject): readonly Fields[] {
  return fieldsList(fieldsOf(range["spec"])["limits"]);
}

function podFaults(range: ApiObject, pod: ApiObject): readonly string[] {
  const spec = fieldsOf(pod["spec"]);
  const [containers, init] = [fieldsList(spec["containers"]), fieldsList(spec["initContainers"])];
  return limitsIn(range).flatMap((limit) => {
    if (limit["type"] === "Container") {
      return [...containers, ...init].flatMap((container) => faultsOf(limit, askedBy(container)));
    }
    if (limit["type"] !== "Pod") return [];
    return faultsOf(limit, {
      requests: sumOf(spec, (container) => askedBy(container).requests),
      limits: sumOf(spec, (container) => askedBy(container).limits),
    });
  });
}

function claimFaults(range: ApiObject, claim: ApiObject): readonly string[] {
  const { requests } = fieldsOf(fieldsOf(claim["spec"])["resources"]);
  const asked = { requests: fieldsOf(requests) as Amounts, limits: {} };
  return limitsIn(range)
    .filter(({ type }) => type === "PersistentVolumeClaim")
    .flatMap((limit) => [
      ...entriesOf(limit, "min").flatMap(([name, least]) => belowMinimum(limit, name, least, asked)),
      ...entriesOf(limit, "max").flatMap(([name, most]) => {
        const request = asked.requests[name];
        const usage = `maximum ${name} usage per ${textOf(limit["type"])} is ${most}`;
        if (request === undefined) return [`${usage}.  No request is specified`];
        return compare(request, most) > 0 ? [`${usage}, but request is ${request}`] : [];
      }),
    ]);
}

function faultsOf(limit: Fields, asked: Asked): readonly string[] {
  return [
    ...entriesOf(limit, "min").flatMap(([name, least]) => belowMinimum(limit, name, least, asked)),
    ...entriesOf(limit, "max").flatMap(([name, most]) => aboveMaximum(limit, name, most, asked)),
    ...entriesOf(limit, "maxLimitRequestRatio").flatMap(([name, ratio]) =>
      aboveRatio(limit, name, ratio, asked),
    ),
  ];
}

function belowMinimum({ type }: Fields, name: string, least: string, { requests, limits }: Asked): string[] {
  const [request, limit] = [requests[name], limits[name]];
  const usage = `minimum ${name} usage per ${textOf(type)} is ${least}`;
  if (request === undefined) return [`${usage}.  No request is specified`];
  if (compare(request, least) < 0) return [`${usage}, but request is ${request}`];
  return limit !== undefined && compare(limit, least) < 0 ? [`${usage}, but limit is ${limit}`] : [];
}

function aboveMaximum({ type }: Fields, name: string, most: string, { requests, limits }: Asked): string[] {
  const [request, limit] = [requests[name], limits[name]];
  const usage = `maximum ${name} usage per ${textOf(type)} is ${most}`;
  if (limit === undefined) return [`${usage}.  No limit is specified`];
  if (compare(limit, most) > 0) return [`${usage}, but limit is ${limit}`];
  return request !== undefined && compare(request, most) > 0 ? [`${usage}, but request is ${request}`] : [];
}

function aboveRatio({ type }: Fields, name: string, ratio: string, { requests, limits }: Asked): string[] {
  const [request, limit] = [nanoOf(requests[name]), nanoOf(limits[name])];
  const most = `${name} max limit to request ratio per ${textOf(type)} is ${ratio}`;
  if (request === 0n) return [`${most}, but no request is specified or request is 0`];
  if (limit === 0n) return [`${most}, but no limit is specified or limit is 0`];
  const observed = Number(limit) / Number(request);
  return observed > Number(nanoOf(ratio)) / 1e9
    ? [`${most}, but provided ratio is ${observed.toFixed(6)}`]
    : [];
}

function askedBy(container: Fields): Asked {
  const { requests, limits } = fieldsOf(container["resources"]);
  return { requests: fieldsOf(requests) as Amounts, limits: fieldsOf(limits) as Amounts };
}

function entriesOf(limit: Fields, list: string): readonly (readonly [string, string])[] {
  return Object.entries(fieldsOf(limit[list])).map(([name, amount]) => [name, textOf(amount)] as const);
}

function compare(a: string, b: string): number {
  const difference = nanoOf(a) - nanoOf(b);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}
