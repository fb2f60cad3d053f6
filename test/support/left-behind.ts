// What an operator and the cluster's controllers have left in a namespace, in a form in which two clusters can be compared:
// without times and versions, with the names that are drawn at random told apart from those that are chosen.
import type { KubeClient } from "../../src/client/kube-client.ts";
import { discover, type ServedResource } from "../../src/client/resource-discovery.ts";
import type { KubeObject } from "../../src/meta/object.ts";
import { apiVersionOf } from "../../src/meta/resource-type.ts";

/** JSON. */
type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
type Fields = Readonly<Record<string, Json>>;

/** What is left, by `Kind/name`; several of one generated name are told apart by a number. */
export type LeftBehind = ReadonlyMap<string, Fields>;

/** Types that only tell what happened, or who is at work. */
const passing = new Set(["events", "leases", "endpointslices"]);

/** Types whose objects are left in a namespace. */
export type ListableTypes = readonly ServedResource[];

/** The types of which something may be left in a namespace, and those in none whose `plural.group` matches. */
export async function listableTypes(client: KubeClient, clusterWide?: RegExp): Promise<ListableTypes> {
  const { preferred } = await discover(client, new AbortController().signal);
  return preferred.filter(
    ({ type, verbs }) =>
      (type.namespaced || clusterWide?.test(`${type.plural}.${type.group}`) === true) &&
      verbs.has("list") &&
      !passing.has(type.plural) &&
      !type.group.endsWith("metrics.k8s.io"),
  );
}

/** Reads everything in a namespace; `known` spares asking which types there are, and `names` are drawn at random, too. */
export async function leftBehind(
  client: KubeClient,
  namespace: string,
  known?: ListableTypes,
  names?: RegExp,
): Promise<LeftBehind> {
  const types = known ?? (await listableTypes(client));
  const lists = await Promise.all(
    types.map(async ({ type }) =>
      (await client.list(type, type.namespaced ? { namespace } : {})).items.map((item) => ({
        ...item,
        kind: type.kind,
        apiVersion: apiVersionOf(type),
      })),
    ),
  );
  const objects = lists.flat();
  const renamed = [...renamings(objects), ...(names === undefined ? [] : [[names, "NAME"] as const])];
  const plain = objects
    .filter(({ kind, metadata }) => !(kind === "ConfigMap" && metadata.name === "kube-root-ca.crt"))
    .map((object) => plainOf(object as unknown as Fields, renamed))
    .map((object) => [titleOf(object), object] as const)
    .toSorted(
      ([one, a], [other, b]) =>
        one.localeCompare(other) || JSON.stringify(a).localeCompare(JSON.stringify(b)),
    );
  const left = new Map<string, Fields>();
  for (const [title, object] of plain) {
    let number = 1;
    while (left.has(number === 1 ? title : `${title} (${number})`)) number += 1;
    left.set(number === 1 ? title : `${title} (${number})`, object);
  }
  return left;
}

function titleOf(object: Fields): string {
  const { name } = object["metadata"] as { readonly name: string };
  return `${object["kind"] as string}/${name}`;
}

/** What is written in place of what each cluster draws by itself; longer texts first. */
function renamings(objects: readonly KubeObject[]): readonly (readonly [RegExp, string])[] {
  const found = new Map<string, string>();
  const called = (object: KubeObject): string => {
    const { name, generateName, ownerReferences, annotations, labels } = object.metadata;
    const owner = ownerReferences?.find((each) => each.controller === true);
    const hash = labels?.["pod-template-hash"];
    if (object.kind === "ReplicaSet" && owner?.kind === "Deployment" && hash !== undefined) {
      // The hash is a matter of the controller's version.
      found.set(hash, `HASH${annotations?.["deployment.kubernetes.io/revision"] ?? ""}`);
    }
    if (object.kind === "ControllerRevision") {
      const { revision } = object as unknown as { readonly revision: number };
      found.set(name.slice(name.lastIndexOf("-") + 1), `REVISION${revision}`);
    }
    if (generateName === undefined || !hasRandomEnd.test(name.slice(generateName.length))) return name;
    found.set(name, `${generateName}*`);
    return `${generateName}*`;
  };
  for (const object of objects) found.set(object.metadata.uid, `uid of ${object.kind} ${called(object)}`);
  return [...found]
    .toSorted(([one], [other]) => other.length - one.length)
    .map(([from, to]) => [new RegExp(`\\b${from.replaceAll(".", "\\.")}\\b`, "g"), to] as const);
}

/** What API servers put behind a `generateName`. */
const hasRandomEnd = /^[bcdfghjklmnpqrstvwxz2456789]{5}$/;

/** Fields that hold a time, a version, or what a cluster gives out by itself. */
const drawn =
  /^(?:uid|resourceVersion|selfLink|creationTimestamp|deletionTimestamp|.*Time|.*Timestamp|.*At|managedFields|containerID|clusterIPs?|healthCheckNodePort|nodePort|endpoints\.kubernetes\.io\/last-change-trigger-time)$/;
const address = /\b\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\b/g;
const tokenVolume = /\bkube-api-access-[bcdfghjklmnpqrstvwxz2456789]{5}\b/g;
/** As Go writes what it has measured. */
const duration = /\b(?:\d+[hm])*\d+\.\d{3,}(?:[mµn])?s\b/g;
const time = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)/g;

function plainOf(object: Fields, renamed: readonly (readonly [RegExp, string])[]): Fields {
  const plain = (value: Json): Json => {
    if (typeof value === "string") {
      const text = renamed.reduce((sofar, [from, to]) => sofar.replaceAll(from, to), value);
      return text
        .replaceAll(address, "ADDRESS")
        .replaceAll(time, "TIME")
        .replaceAll(duration, "DURATION")
        .replaceAll(tokenVolume, "kube-api-access-*");
    }
    if (Array.isArray(value)) return (value as readonly Json[]).map(plain);
    if (value === null || typeof value !== "object") return value;
    const fields = Object.entries(value as Fields)
      .filter(([key]) => !drawn.test(key))
      .map(([key, each]) => [plain(key) as string, sorted(key, plain(each))] as const)
      .filter(([key, each]) => !(key === "annotations" && JSON.stringify(each) === "{}"));
    return Object.fromEntries(fields.toSorted(([one], [other]) => one.localeCompare(other)));
  };
  const owners = managersOf(object);
  return { ...(plain(object) as Fields), ...(owners.length === 0 ? {} : { writtenBy: owners }) };
}

/** Lists of an Endpoints object are in an order of hashes there, and conditions in that of their last changes. */
function sorted(key: string, value: Json): Json {
  if (!Array.isArray(value)) return value;
  if (key === "conditions") {
    return (value as readonly Fields[]).toSorted((one, other) =>
      JSON.stringify(one["type"]).localeCompare(JSON.stringify(other["type"])),
    );
  }
  if (key !== "addresses" && key !== "ports" && key !== "notReadyAddresses") return value;
  const text = (each: Json): string => JSON.stringify(each);
  return (value as readonly Json[]).toSorted((one, other) => text(one).localeCompare(text(other)));
}

/** Who has written fields of it, and how. */
function managersOf(object: Fields): readonly string[] {
  const { managedFields = [] } = object["metadata"] as {
    readonly managedFields?: readonly {
      readonly manager?: string;
      readonly operation?: string;
      readonly subresource?: string;
    }[];
  };
  return [
    ...new Set(
      managedFields.map(({ manager = "", operation = "", subresource = "" }) =>
        `${manager} ${operation} ${subresource}`.trim(),
      ),
    ),
  ].toSorted();
}

/** A difference between two clusters. */
export interface Difference {
  /** `Kind/name`. */
  readonly object: string;
  /** Where in it; empty for the object itself. */
  readonly path: string;
  readonly embedded: unknown;
  readonly real: unknown;
}

/** Everything in which two clusters differ. */
export function differencesBetween(embedded: LeftBehind, real: LeftBehind): readonly Difference[] {
  const found: Difference[] = [];
  const compare = (object: string, path: string, one: Json | undefined, other: Json | undefined): void => {
    if (isDeep(one) && isDeep(other) && Array.isArray(one) === Array.isArray(other)) {
      const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
      for (const key of keys) {
        compare(object, path === "" ? key : `${path}.${key}`, (one as Fields)[key], (other as Fields)[key]);
      }
    } else if (JSON.stringify(one) !== JSON.stringify(other)) {
      found.push({ object, path, embedded: one, real: other });
    }
  };
  for (const name of new Set([...embedded.keys(), ...real.keys()])) {
    compare(name, "", embedded.get(name), real.get(name));
  }
  return found;
}

/** A difference in one line. */
export function showDifference({ object, path, embedded, real }: Difference): string {
  const short = (value: unknown): string => JSON.stringify(value)?.slice(0, 200) ?? "nothing";
  return `${object} ${path}: embedded ${short(embedded)}, real ${short(real)}`;
}

function isDeep(value: Json | undefined): value is readonly Json[] | { readonly [key: string]: Json } {
  return typeof value === "object" && value !== null;
}
