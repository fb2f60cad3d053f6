// Events are stored once, as v1, and served as v1 and as events.k8s.io/v1, whose fields have other names.
import type { ApiObject, Fields } from "../api-object.ts";

const renamed: readonly (readonly [core: string, events: string])[] = [
  ["involvedObject", "regarding"],
  ["message", "note"],
  ["source", "deprecatedSource"],
  ["firstTimestamp", "deprecatedFirstTimestamp"],
  ["lastTimestamp", "deprecatedLastTimestamp"],
  ["count", "deprecatedCount"],
  ["reportingComponent", "reportingController"],
];
const toEvents = new Map(renamed);
const toCore = new Map(renamed.map(([core, events]) => [events, core]));

/** A stored event as events.k8s.io/v1. */
export function toEventsGroup(object: ApiObject): ApiObject {
  return rename(object, "events.k8s.io/v1", toEvents);
}

/** An event of events.k8s.io/v1 as it is stored. */
export function fromEventsGroup(object: ApiObject): ApiObject {
  return rename(object, "v1", toCore);
}

function rename(object: ApiObject, apiVersion: string, names: ReadonlyMap<string, string>): ApiObject {
  const { kind, metadata, ...content } = object;
  const mapped: Fields = {};
  for (const [name, value] of Object.entries(content)) mapped[names.get(name) ?? name] = value;
  return { kind, metadata, ...mapped, apiVersion };
}
