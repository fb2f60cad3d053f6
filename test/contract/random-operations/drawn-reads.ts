// Reads of objects and of lists, with selectors, limits and versions.
import type { Drawing } from "./drawing.ts";
import { isShared } from "./drawn-deletions.ts";
import { objectOf, type Operation, type Place } from "./operation.ts";
import { collectionOf } from "./random-kind.ts";

/** A GET of an object or of a list. */
export function drawRead(draw: Drawing, place: Place): Operation {
  const { kind, namespace } = place;
  const accept = draw.chance(0.1)
    ? { accept: "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io" }
    : {};
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
  ]);
  const query = [selector, limit].filter((each) => each !== "").join("&");
  return { method: "GET", path: query === "" ? collection : `${collection}?${query}`, kind, ...accept };
}
