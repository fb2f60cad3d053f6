// Events are stored once, as v1, and served as v1 and as events.k8s.io/v1, whose fields have other names.
import { fieldsOf, type ApiObject, type Fields } from "../api-object.ts";

const renamed: readonly (readonly [core: string, events: string])[] = [
  ["involvedObject", "regarding"],
  ["message", "note"],
  ["source", "deprecatedSource"],
  ["firstTimestamp", "deprecatedFirstTimestamp"],
  ["lastTimestamp", "deprecatedLastTimestamp"],
  ["count", "deprecatedCount"],
  ["reportingComponent", "reportingController"],
];

/** A stored event as events.k8s.io/v1. */
export function toEventsGroup(object: ApiObject): ApiObject {
  return rename(object, "events.k8s.io/v1", renamed);
}

/** An event of events.k8s.io/v1 as it is stored. */
export function fromEventsGroup(object: ApiObject): ApiObject {
  const reversed = renamed.map(([core, events]) => [events, core] as const);
  const stored = rename(object, "v1", reversed);
  // The core type has these without `omitempty`.
  for (const name of ["firstTimestamp", "lastTimestamp", "eventTime"]) stored[name] ??= null;
  stored["source"] ??= {};
  return stored;
}

function rename(
  object: ApiObject,
  apiVersion: string,
  names: readonly (readonly [from: string, to: string])[],
): ApiObject {
  const mapped: Fields = {};
  const targets = new Map(names);
  for (const [name, value] of Object.entries(object)) {
    if (value !== null && !isEmptySource(name, value)) mapped[targets.get(name) ?? name] = value;
  }
  return { ...mapped, apiVersion, kind: "Event", metadata: object.metadata };
}

function isEmptySource(name: string, value: unknown): boolean {
  return name === "source" && Object.keys(fieldsOf(value)).length === 0;
}
