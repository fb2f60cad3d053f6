// The lines of a recording: one JSON object each, the first a header. A reader of these takes them from a file that anyone
// may have edited, so each is checked for what is worked with.
import { readCount, readField, readFields, type Fields } from "../lifecycle/values/untrusted.ts";
import type { AnyObject } from "../meta/object.ts";
import type { JournalRun } from "../ports/run-journal.ts";
import type { MachineGraph } from "../statechart/graph.ts";
import type { RecordedChildren, RecordedEvent, RecordedWrite } from "./run-recorder.ts";

/** The version of the format that is written, and the newest that is read. */
export const formatVersion = 1;

/** A kind of the operator that was recorded. */
export interface RecordedKind {
  readonly kind: string;
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** `id@version` of its machine; absent when the kind has no lifecycle. */
  readonly machine?: string;
  readonly graph?: MachineGraph;
}

/** Begins what one process has recorded. Instants are milliseconds since the epoch. */
export interface HeaderLine {
  readonly type: "header";
  readonly recording: "xstate-operator";
  readonly format: number;
  /** Tells the lines of this process from those of another one. */
  readonly session: string;
  /** Of this package. */
  readonly package: string;
  readonly operator: string;
  readonly pid: number;
  readonly startedAt: number;
  readonly kinds: readonly RecordedKind[];
  /** The file goes on where a former one was full. */
  readonly continued?: boolean;
}

/** What one cycle of a lifecycle was given and decided, as JSON. */
export interface RecordedCycle {
  /** `CycleInput` without what is compiled from the operator. */
  readonly input: Fields;
  /** `CyclePlan`. */
  readonly plan: Fields;
  /** Dotted paths of the input, and of the plan, that do not say what they said: secrets, and what is no JSON. */
  readonly altered: readonly string[];
}

/** One run. */
export interface RunLine extends JournalRun {
  readonly type: "run";
  readonly session: string;
  readonly uid: string;
  readonly waited: number;
  readonly failures: number;
  readonly moreCauses: number;
  readonly requests: readonly RecordedWrite[];
  /** Kubernetes Events; absent when there were none, and in older recordings. */
  readonly events?: readonly RecordedEvent[];
  /** Absent when they are those of the last line of the resource that has them, and in older recordings. */
  readonly children?: RecordedChildren;
  /** As read, with its status. */
  readonly object: AnyObject;
  /** Its status after the run; absent when that was not written. */
  readonly after?: Fields;
  readonly cycles: readonly RecordedCycle[];
}

/** A resource is no more. */
export interface GoneLine {
  readonly type: "gone";
  readonly session: string;
  readonly kind: string;
  readonly key: string;
  readonly at: number;
}

/** Runs that are not in the recording. */
export interface DroppedLine {
  readonly type: "dropped";
  readonly session: string;
  readonly at: number;
  readonly runs: number;
}

/** The process has drained. */
export interface EndLine {
  readonly type: "end";
  readonly session: string;
  readonly at: number;
}

/** Any line. */
export type RecordingLine = HeaderLine | RunLine | GoneLine | DroppedLine | EndLine;

/** How every header begins, with its version. */
const headerStart = /^\{"type":"header","recording":"xstate-operator","format":(\d{1,9})[,}]/;

/** The format version of a text that begins with a header; undefined when it is no recording. */
export function formatOf(text: string): number | undefined {
  const [, version] = headerStart.exec(text) ?? [];
  return version === undefined ? undefined : Number(version);
}

/** One line as text, with its end. */
export function formatLine(line: RecordingLine): string {
  return `${JSON.stringify(line)}\n`;
}

/** A line that is whole; undefined for anything else, and for a line of a type that is not known. */
export function readLine(text: string): RecordingLine | undefined {
  let fields: Fields | undefined;
  try {
    fields = readFields(JSON.parse(text));
  } catch {
    return undefined;
  }
  if (fields === undefined || !isText(fields, "session")) return undefined;
  switch (readField(fields, "type")) {
    case "header":
      return isHeader(fields) ? (fields as unknown as HeaderLine) : undefined;
    case "run":
      return isRun(fields) ? (fields as unknown as RunLine) : undefined;
    case "gone":
      return isText(fields, "kind") && isText(fields, "key") && isInstant(fields, "at")
        ? (fields as unknown as GoneLine)
        : undefined;
    case "dropped":
      return isInstant(fields, "at") && readCount(fields["runs"]) !== undefined
        ? (fields as unknown as DroppedLine)
        : undefined;
    case "end":
      return isInstant(fields, "at") ? (fields as unknown as EndLine) : undefined;
    default:
      return undefined;
  }
}

function isHeader(fields: Fields): boolean {
  const { recording, format, kinds } = fields;
  return (
    recording === "xstate-operator" &&
    readCount(format) !== undefined &&
    ["package", "operator"].every((name) => isText(fields, name)) &&
    isInstant(fields, "startedAt") &&
    isList(kinds, isKind)
  );
}

function isKind(fields: Fields): boolean {
  const graph = readField(fields, "graph");
  return (
    ["kind", "version", "plural"].every((name) => isText(fields, name)) &&
    typeof fields["group"] === "string" &&
    typeof fields["namespaced"] === "boolean" &&
    (graph === undefined || isGraph(graph))
  );
}

function isGraph(value: unknown): boolean {
  const graph = readFields(value);
  const isInvoke = (invoke: Fields): boolean => isText(invoke, "id") && isText(invoke, "src");
  const isNode = (node: Fields): boolean =>
    isText(node, "path") &&
    typeof node["name"] === "string" &&
    isText(node, "type") &&
    ["tags", "entry", "exit"].every((name) => isListOfTexts(node[name])) &&
    isList(node["invokes"], isInvoke) &&
    ["parent", "initial", "description"].every((name) => isTextOrNothing(node[name]));
  const isEdge = (edge: Fields): boolean =>
    ["source", "event", "kind", "eventType"].every((name) => typeof edge[name] === "string") &&
    ["targets", "actions"].every((name) => isListOfTexts(edge[name])) &&
    ["guard", "delay", "description"].every((name) => isTextOrNothing(edge[name])) &&
    (edge["guardNames"] === undefined || isListOfTexts(edge["guardNames"]));
  return (
    graph !== undefined &&
    isText(graph, "id") &&
    typeof graph["initial"] === "string" &&
    isList(graph["nodes"], isNode) &&
    isList(graph["edges"], isEdge)
  );
}

function isRun(fields: Fields): boolean {
  return (
    ["id", "kind", "key", "uid"].every((name) => isText(fields, name)) &&
    isInstant(fields, "startedAt") &&
    ["took", "waited", "failures", "moreCauses", "writes"].every((name) => isInstant(fields, name)) &&
    isList(fields["causes"], (cause) => isText(cause, "reason")) &&
    isList(fields["stages"], (stage) => isText(stage, "stage") && isInstant(stage, "at")) &&
    isList(fields["operations"], (operation) => isText(operation, "code")) &&
    isList(
      fields["requests"],
      (request) =>
        ["verb", "type", "key"].every((name) => isText(request, name)) && Array.isArray(request["paths"]),
    ) &&
    (fields["events"] === undefined || isList(fields["events"], isEvent)) &&
    (fields["children"] === undefined || isChildren(fields["children"])) &&
    isList(fields["cycles"], isCycle) &&
    isObject(fields["object"]) &&
    (fields["after"] === undefined || readFields(fields["after"]) !== undefined) &&
    (fields["error"] === undefined || typeof fields["error"] === "string")
  );
}

function isEvent(fields: Fields): boolean {
  return (
    isInstant(fields, "at") && ["type", "reason", "message"].every((name) => typeof fields[name] === "string")
  );
}

function isChildren(value: unknown): boolean {
  const { items, more } = readFields(value) ?? {};
  const isChild = (child: Fields): boolean =>
    ["kind", "name"].every((name) => isText(child, name)) &&
    ["namespace", "state", "deletingSince"].every((name) => isTextOrNothing(child[name])) &&
    isListOfTexts(child["finalizers"]) &&
    typeof child["blocksOwner"] === "boolean";
  return isList(items, isChild) && readCount(more) !== undefined;
}

function isCycle(fields: Fields): boolean {
  return (
    readFields(fields["input"]) !== undefined &&
    readFields(fields["plan"]) !== undefined &&
    Array.isArray(fields["altered"])
  );
}

function isObject(value: unknown): boolean {
  const object = readFields(value);
  const metadata = readFields(object?.["metadata"]);
  return (
    object !== undefined &&
    metadata !== undefined &&
    isText(object, "kind") &&
    ["name", "uid"].every((name) => isText(metadata, name))
  );
}

function isText(fields: Fields, name: string): boolean {
  const value = readField(fields, name);
  return typeof value === "string" && value !== "";
}

/** A number from 0 that a date can hold. */
function isInstant(fields: Fields, name: string): boolean {
  const value = readField(fields, name);
  return typeof value === "number" && value >= 0 && value <= 8.64e15;
}

function isTextOrNothing(value: unknown): boolean {
  return value === undefined || typeof value === "string";
}

function isListOfTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}

function isList(value: unknown, isItem: (fields: Fields) => boolean): boolean {
  return Array.isArray(value) && value.every((each) => isItem(readFields(each) ?? {}));
}
