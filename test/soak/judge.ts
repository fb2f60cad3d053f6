// Compares what is on the cluster with what people asked for last. Pure but for the lists.
import {
  findCondition,
  type Condition,
  type CustomResource,
  type KubeObject,
  type ResourceType,
} from "../../src/index.ts";
import type { KubeClient } from "../../src/client/index.ts";
import { ConfigMap, Secret } from "../../src/kinds/index.ts";
import { listPages } from "../../src/client/paging.ts";
import { changedPaths } from "../../src/meta/changed-paths.ts";
import { namespace, requestOf, type Asked } from "./population.ts";
import { Engine, soakLabel, Widget } from "./soak-operator.ts";

/** Everything of the soak that is on the cluster. */
export interface World {
  readonly resources: readonly CustomResource[];
  readonly children: readonly ConfigMap[];
  readonly services: readonly Secret[];
}

/** Reads all of it. */
export async function readWorld(client: KubeClient): Promise<World> {
  const [widgets, engines, children, services] = await Promise.all([
    listAll(client, Widget),
    listAll(client, Engine),
    listAll(client, ConfigMap, soakLabel),
    listAll(client, Secret, soakLabel),
  ]);
  return { resources: [...widgets, ...engines], children, services };
}

/** What was written between two looks at it: each line names one object, what is different, which conditions, when and by whom. */
export function writtenBetween(before: World, after: World): readonly string[] {
  const known = new Map(objectsOf(before).map((each) => [each.metadata.uid, each]));
  const left = new Set(objectsOf(after).map(({ metadata }) => metadata.uid));
  const gone = objectsOf(before).filter(({ metadata }) => !left.has(metadata.uid));
  return [
    ...objectsOf(after).flatMap((object) => {
      const old = known.get(object.metadata.uid);
      if (old === undefined) return [`${nameOf(object)} is new`];
      if (old.metadata.resourceVersion === object.metadata.resourceVersion) return [];
      const what = [
        changedPaths(old, object, 4).join(", "),
        ...changedConditions(old, object),
        lastWrite(object),
      ];
      return [`${nameOf(object)} is different in ${what.join("; ")}`];
    }),
    ...gone.map((object) => `${nameOf(object)} is gone`),
  ];
}

/** Each condition that is not what it was. */
function changedConditions(before: KubeObject, after: KubeObject): readonly string[] {
  const [old, now] = [conditionsOf(before), conditionsOf(after)];
  const types = new Set([...old, ...now].map(({ type }) => type));
  return [...types].flatMap((type) => {
    const [was, is] = [findCondition(old, type), findCondition(now, type)].map(shown);
    return was === is ? [] : [`${type}: ${was} -> ${is}`];
  });
}

function conditionsOf(object: KubeObject): readonly Condition[] {
  const { status } = object as { readonly status?: { readonly conditions?: readonly Condition[] } };
  return status?.conditions ?? [];
}

function shown(condition: Condition | undefined): string {
  if (condition === undefined) return "absent";
  const { status, reason, message, lastTransitionTime, observedGeneration } = condition;
  return `${status} ${reason} "${message}" since ${lastTransitionTime} of generation ${observedGeneration}`;
}

/** Who wrote the object last, what part of it, and when. */
function lastWrite({ metadata: { managedFields = [] } }: KubeObject): string {
  const [last] = managedFields.toSorted((one, other) => (other.time ?? "").localeCompare(one.time ?? ""));
  return `last written ${last?.time} by ${last?.manager} (${last?.subresource ?? "object"})`;
}

/** All objects. */
export function objectsOf({ resources, children, services }: World): readonly KubeObject[] {
  return [...resources, ...children, ...services];
}

export function nameOf({ kind, metadata }: KubeObject): string {
  return `${kind}/${metadata.name}`;
}

/** What is not as it was asked for; each line names one object. */
export function complaintsAbout(world: World, asked: readonly Asked[]): readonly string[] {
  const resources = new Map(world.resources.map((each) => [`${each.kind}/${each.metadata.name}`, each]));
  const children = Map.groupBy(world.children, ownerOf);
  const services = Map.groupBy(world.services, ownerOf);
  const complaints = asked.flatMap((each) => {
    const id = `${each.kind}/${each.name}`;
    const resource = resources.get(id);
    if (resource === undefined) return [`${id} does not exist`];
    const { uid } = resource.metadata;
    return [
      ...statusComplaints(resource, each),
      ...childComplaints(children.get(uid) ?? [], each),
      ...serviceComplaints(services.get(uid) ?? [], each),
    ].map((complaint) => `${id} ${complaint}`);
  });
  const uids = new Set(world.resources.map(({ metadata }) => metadata.uid));
  const orphans = [...world.children, ...world.services].filter((child) => !uids.has(ownerOf(child)));
  return [...complaints, ...orphans.map((child) => `${nameOf(child)} belongs to nobody who is alive`)];
}

function statusComplaints(resource: CustomResource, { kind, size, ...asked }: Asked): readonly string[] {
  const { status, spec, metadata } = resource as Engine;
  const told = findCondition(status?.conditions, "ReconciliationSuccess");
  const complaints: string[] = [];
  if (spec.size !== size) complaints.push(`was asked for ${size} and has the spec ${spec.size}`);
  if (status?.seen !== size) complaints.push(`has seen ${status?.seen} instead of ${size}`);
  if (status?.observedGeneration !== metadata.generation) complaints.push("speaks of an older generation");
  if (told?.status !== "True") complaints.push(`is not reconciled: ${told?.message}`);
  complaints.push(...outstandingConditions(status?.conditions ?? []));
  if (kind === "Widget") return complaints;
  const { state, target } = status?.lifecycle ?? {};
  if (state !== "Running")
    complaints.push(`is in ${JSON.stringify(state)}: ${JSON.stringify(status?.lifecycle)}`);
  if (target?.reached !== true || target.request !== requestOf({ kind, size, ...asked }))
    complaints.push(`has the target ${JSON.stringify(target)}`);
  return complaints;
}

/** What still changes by itself: what is not ready, and what is said of other clients until they have been quiet for a while. */
function outstandingConditions(conditions: readonly Condition[]): readonly string[] {
  const passing = ["Reconciling", "Stalled", "FieldFight", "HotLoop"];
  return conditions.flatMap((condition) => {
    const { type, status } = condition;
    const isOutstanding = type === "Ready" ? status !== "True" : passing.includes(type) && status === "True";
    return isOutstanding ? [`says ${type}: ${shown(condition)}`] : [];
  });
}

function childComplaints(children: readonly ConfigMap[], { size }: Asked): readonly string[] {
  if (children.length !== 1) return [`has ${children.length} children`];
  const found = children[0]?.data?.["size"];
  return found === String(size) ? [] : [`has a child of size ${found} instead of ${size}`];
}

function serviceComplaints(done: readonly Secret[], { services }: Asked): readonly string[] {
  return done.length === services ? [] : [`was serviced ${done.length} times instead of ${services}`];
}

function ownerOf({ metadata }: KubeObject): string {
  return metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid ?? "";
}

async function listAll<T extends KubeObject>(
  client: KubeClient,
  type: ResourceType<T>,
  labelSelector?: string,
): Promise<readonly T[]> {
  let objects: T[] = [];
  const scope = labelSelector === undefined ? { namespace } : { namespace, labelSelector };
  for await (const { first, items } of listPages(client, type, scope)) {
    if (first) objects = [];
    objects.push(...items);
  }
  return objects;
}
