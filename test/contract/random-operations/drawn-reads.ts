// Reads of objects and of lists, with selectors, limits and versions.
import type { Drawing } from "./drawing.ts";
import { isShared } from "./drawn-deletions.ts";
import { objectOf, type Operation, type Place } from "./operation.ts";
import { collectionOf } from "./random-kind.ts";

const partial = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";

/** A GET of an object or of a list, of all at once or as a stream. */
export function drawRead(draw: Drawing, place: Place): Operation {
  const { kind, namespace } = place;
  const accept = draw.chance(0.1) ? { accept: partial } : {};
  if (draw.chance(0.3)) return { method: "GET", path: objectOf(place), kind, object: objectOf(place) };
  if (isShared(kind)) {
    return {
      method: "GET",
      path: `${collectionOf(kind)}?labelSelector=app${draw.pick(["", "%3Da"])}`,
      kind,
      ...accept,
    };
  }
  const isEverywhere = kind.isCustom === true && draw.chance(0.3);
  const collection = isEverywhere ? collectionOf(kind) : collectionOf(kind, namespace);
  const ofFields = draw.pick([
    "metadata.name=one",
    "metadata.namespace=first",
    "metadata.x=1",
    ...(kind.selectors ?? []),
  ]);
  const selector = draw.pick([
    "",
    "labelSelector=app%3Da",
    "labelSelector=app",
    "labelSelector=!app",
    "labelSelector=app!%3Da,tier",
    "labelSelector=app+notin+(a,b)",
    "labelSelector=app%3D%3D",
    "labelSelector=app+in+()",
    "labelSelector=a+b",
    `fieldSelector=${encodeURIComponent(ofFields)}`,
  ]);
  const limit = draw.pick([
    "",
    "",
    "",
    "limit=1",
    "limit=2",
    "limit=500",
    "limit=x",
    "limit=-1",
    "resourceVersion=0",
    "resourceVersion=x",
    "resourceVersion=0&limit=1",
    "resourceVersionMatch=Exact",
    "resourceVersion=1&resourceVersionMatch=NotOlderThan",
    "resourceVersion=1&resourceVersionMatch=x",
    "resourceVersion=0&resourceVersionMatch=Exact",
    "sendInitialEvents=true",
  ]);
  if (draw.chance(0.2)) {
    const stream =
      "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    const parts = [
      stream,
      draw.chance(0.5) ? "labelSelector=app%3Da" : "",
      draw.chance(0.3) ? "resourceVersion=0" : "",
    ];
    const path = `${collection}?${parts.filter((each) => each !== "").join("&")}`;
    return {
      method: "GET",
      path,
      kind,
      isStream: true,
      ...(draw.chance(0.2) ? { accept: partial.replace("List", "") } : {}),
    };
  }
  const query = [selector, limit].filter((each) => each !== "").join("&");
  return { method: "GET", path: query === "" ? collection : `${collection}?${query}`, kind, ...accept };
}
