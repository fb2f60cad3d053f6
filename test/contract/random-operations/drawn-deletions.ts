// Deletions of objects and of collections, with preconditions, policies and periods of grace.
import type { Drawing } from "./drawing.ts";
import { objectOf, type Operation, type Place } from "./operation.ts";
import { collectionOf, type Fields, type RandomKind } from "./random-kind.ts";

/** A DELETE of an object. */
export function drawDeletion(draw: Drawing, place: Place): Operation {
  const object = objectOf(place);
  const preconditions = draw.chance(0.25)
    ? {
        preconditions: draw.pick([
          { uid: `@uid(${object})` },
          { resourceVersion: draw.version(place) ?? "1" },
          { uid: "x" },
        ]),
      }
    : {};
  const policy = draw.chance(0.4)
    ? { propagationPolicy: draw.pick(["Background", "Foreground", "Orphan", "Orphan", "x"]) }
    : {};
  const grace = draw.chance(0.2) ? { gracePeriodSeconds: draw.pick([0, 5, 0, -1]) } : {};
  const dry = draw.chance(0.08) ? { dryRun: draw.pick([["All"], ["x"]]) } : {};
  const more = draw.chance(0.05) ? { orphanDependents: true } : {};
  const options = { ...preconditions, ...policy, ...grace, ...dry, ...more };
  const isEmpty = Object.keys(options).length === 0;
  const body = { kind: "DeleteOptions", apiVersion: "v1", ...options };
  return {
    method: "DELETE",
    path: draw.chance(0.1)
      ? `${object}?propagationPolicy=${draw.pick(["Foreground", "Orphan", "x"])}`
      : object,
    kind: place.kind,
    ...(isEmpty ? {} : { body }),
    object,
  };
}

/** A DELETE of what a selector chooses. */
export function drawCollectionDeletion(draw: Drawing, { kind, namespace }: Place): Operation {
  const query = isShared(kind)
    ? "labelSelector=app%3Da"
    : draw.pick([
        "labelSelector=app%3Da",
        "labelSelector=app+in+(b,c)",
        "labelSelector=!app",
        "labelSelector=tier,app!%3Dc",
        "fieldSelector=metadata.name%3Done",
        "fieldSelector=metadata.name!%3Done&labelSelector=app",
        "labelSelector=tier%3Dfront&dryRun=All",
        "labelSelector=app%3Db&propagationPolicy=Orphan",
        "labelSelector=app%3Da&gracePeriodSeconds=0",
        "labelSelector=-x-",
        "fieldSelector=x%3Dy",
      ]);
  const options = draw.chance(0.35)
    ? draw.pick<Fields>([
        { propagationPolicy: "Foreground" },
        { propagationPolicy: "Orphan", gracePeriodSeconds: 0 },
        { preconditions: { resourceVersion: "1" } },
        { dryRun: ["All"] },
      ])
    : undefined;
  return {
    method: "DELETE",
    path: `${collectionOf(kind, namespace)}?${query}`,
    kind,
    ...(options === undefined ? {} : { body: { kind: "DeleteOptions", apiVersion: "v1", ...options } }),
  };
}

/** Whether a server keeps objects of its own in the collection. */
export function isShared({ isClusterScoped, isCustom }: RandomKind): boolean {
  return isClusterScoped === true && isCustom !== true;
}
