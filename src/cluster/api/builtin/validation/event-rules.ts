// What Events must be: little of those of v1, more of those of events.k8s.io/v1, of which hardly anything may change. Faults have the names
// that the fields have in v1.
import { equal } from "../../../../schema/json-value.ts";
import { invalidValue, requiredValue, type StatusCause } from "../../../../schema/status-cause.ts";
import { qualifiedNameFaults } from "../../../../meta/name-rules.ts";
import { fieldsOf, isFields, textOf, type ApiObject, type Fields } from "../../api-object.ts";
import { fromEventsGroup } from "../event-conversion.ts";
import { invalidStruct, type ChangeRule, type Rule } from "./rule.ts";

const longest = 128;
const longestMessage = 1024;

/** An Event is in the namespace of what it is about; one that has a time of its own says who tells it, and what was done. */
export const eventRules: Rule = (value) => {
  const event = fieldsOf(value);
  const { namespace = "" } = fieldsOf(event["metadata"]);
  const about = textOf(fieldsOf(event["involvedObject"])["namespace"]);
  const isNew = isSet(event["eventTime"]);
  const homes = isNew ? ["default", "kube-system"] : ["", "default"];
  const isElsewhere = about === "" ? !homes.includes(textOf(namespace)) : !isNew && namespace !== about;
  return [
    ...(isElsewhere
      ? [invalidValue("involvedObject.namespace", about, "does not match event.namespace")]
      : []),
    ...(isNew ? tellerFaults(event) : []),
  ];
};

function tellerFaults(event: Fields): readonly StatusCause[] {
  const teller = textOf(event["reportingComponent"]);
  return [
    ...(teller === "" ? [requiredValue("reportingComponent")] : []),
    ...qualifiedNameFaults(teller).map((fault) => invalidValue("reportingComponent", teller, fault)),
    ...["reportingInstance", "action", "reason"].flatMap((name) => [
      ...(textOf(event[name]) === "" ? [requiredValue(name)] : []),
      ...tooLong(event, name, longest),
    ]),
    ...tooLong(event, "message", longestMessage),
  ];
}

function tooLong(event: Fields, name: string, most: number): readonly StatusCause[] {
  return Buffer.byteLength(textOf(event[name])) > most
    ? [invalidValue(name, "", `can have at most ${most} characters`)]
    : [];
}

/** The same of `Event` of events.k8s.io/v1. */
export const groupedEventRules: Rule = (value, at, parent) => eventRules(asOfCore(value), at, parent);

/** A new `Event` of events.k8s.io/v1 has a time of its own, and none of the fields of former ones. */
export const newGroupedEventRules: Rule = (value) => {
  const event = asOfCore(value);
  const { type, source } = event;
  const { component, host } = fieldsOf(source);
  const unset = (name: string, isGiven: boolean): readonly StatusCause[] =>
    isGiven ? [invalidValue(name, "", "needs to be unset")] : [];
  return [
    ...seriesFaults(event),
    ...(isSet(event["eventTime"]) ? [] : [requiredValue("eventTime")]),
    ...(type === "Normal" || type === "Warning"
      ? []
      : [invalidValue("type", "", `has invalid value: ${textOf(type)}`)]),
    ...unset("firstTimestamp", isSet(event["firstTimestamp"])),
    ...unset("lastTimestamp", isSet(event["lastTimestamp"])),
    ...unset("count", Number(event["count"] ?? 0) !== 0),
    ...unset("source", textOf(component) !== "" || textOf(host) !== ""),
  ];
};

function seriesFaults({ series }: Fields): readonly StatusCause[] {
  if (!isFields(series)) return [];
  return [
    ...(Number(series["count"] ?? 0) < 2 ? [invalidValue("series.count", "", "should be at least 2")] : []),
    ...(isSet(series["lastObservedTime"]) ? [] : [requiredValue("series.lastObservedTime")]),
  ];
}

/** Fields of texts, times and numbers that are settled; of two of them the real server says so twice. */
const settled = [
  "reason",
  "message",
  "firstTimestamp",
  "lastTimestamp",
  "count",
  "reason",
  "type",
  "eventTime",
];
const settledTexts = ["action", "reportingComponent", "reportingInstance"];

/** Nothing of an `Event` of events.k8s.io/v1 changes but its series. */
export const groupedEventChanges: ChangeRule = (object, previous) => {
  const [event, before] = [asOfCore(object), asOfCore(previous)];
  const immutable = (name: string): readonly StatusCause[] => {
    const value = event[name] ?? unsetOf(name);
    if (equal(value, before[name] ?? unsetOf(name))) return [];
    const shown = shownStruct(name, value);
    const field = name === "reportingComponent" ? "reportingController" : name;
    return [
      shown === undefined
        ? invalidValue(field, value, "field is immutable")
        : invalidStruct(field, shown, "field is immutable"),
    ];
  };
  return [
    ...(equal(event["series"], before["series"]) ? [] : seriesFaults(event)),
    ...immutable("involvedObject"),
    ...settled.flatMap((name) => immutable(name)),
    ...immutable("source"),
    ...immutable("related"),
    ...settledTexts.flatMap((name) => immutable(name)),
  ];
};

function unsetOf(name: string): unknown {
  if (["firstTimestamp", "lastTimestamp", "eventTime", "related"].includes(name)) return null;
  if (["involvedObject", "source"].includes(name)) return {};
  return name === "count" ? 0 : "";
}

/** Structs as Go prints them; undefined for what is none. */
function shownStruct(name: string, value: unknown): Fields | undefined {
  if (!isFields(value)) return undefined;
  const { kind, namespace, name: of, uid, apiVersion, resourceVersion, fieldPath, component, host } = value;
  return name === "source"
    ? { Component: textOf(component), Host: textOf(host) }
    : {
        Kind: textOf(kind),
        Namespace: textOf(namespace),
        Name: textOf(of),
        UID: textOf(uid),
        APIVersion: textOf(apiVersion),
        ResourceVersion: textOf(resourceVersion),
        FieldPath: textOf(fieldPath),
      };
}

function asOfCore(value: unknown): Fields {
  return { ...fromEventsGroup(value as ApiObject) };
}

function isSet(time: unknown): boolean {
  return (time ?? null) !== null;
}
