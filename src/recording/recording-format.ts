// The lines of a recording: one JSON object each, the first a header. A reader of these takes them from a file that anyone
// may have edited, so each is checked for what is worked with.
import { z } from "zod";
import type { Fields } from "../lifecycle/values/untrusted.ts";
import type { AnyObject } from "../meta/object.ts";
import type { JournalRun } from "../ports/run-journal.ts";
import type { MachineGraph } from "../statechart/graph.ts";
import { graphSchema } from "../statechart/parse-graph.ts";
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
  /** Dotted paths of the input, and of the plan, that do not say what they said: secrets, and what is not JSON. */
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

/** The format version of a text that begins with a header; undefined when it is not a recording. */
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
  try {
    const value: unknown = JSON.parse(text);
    // As it was written: what the schema does not name stays, and in its order.
    return line.safeParse(value).success ? (value as RecordingLine) : undefined;
  } catch {
    return undefined;
  }
}

const name = z.string().min(1);
const optionalText = z.string().optional();
const texts = z.array(z.string());
const count = z.int().min(0);
/** A number from 0 that a date can hold. */
const instant = z.number().min(0).max(8.64e15);
const fields = z.record(z.string(), z.unknown());

const header = z.object({
  type: z.literal("header"),
  session: name,
  recording: z.literal("xstate-operator"),
  format: count,
  package: name,
  operator: name,
  startedAt: instant,
  kinds: z.array(
    z.object({
      kind: name,
      group: z.string(),
      version: name,
      plural: name,
      namespaced: z.boolean(),
      graph: graphSchema.optional(),
    }),
  ),
});

const children = z.object({
  items: z.array(
    z.object({
      kind: name,
      name,
      namespace: optionalText,
      state: optionalText,
      deletingSince: optionalText,
      finalizers: texts,
      blocksOwner: z.boolean(),
    }),
  ),
  more: count,
});

const run = z.object({
  type: z.literal("run"),
  session: name,
  id: name,
  kind: name,
  key: name,
  uid: name,
  startedAt: instant,
  took: instant,
  waited: instant,
  failures: instant,
  moreCauses: instant,
  writes: instant,
  causes: z.array(z.object({ reason: name })),
  stages: z.array(z.object({ stage: name, at: instant })),
  operations: z.array(z.object({ code: name })),
  requests: z.array(z.object({ verb: name, type: name, key: name, paths: z.array(z.unknown()) })),
  events: z
    .array(z.object({ at: instant, type: z.string(), reason: z.string(), message: z.string() }))
    .optional(),
  children: children.optional(),
  cycles: z.array(z.object({ input: fields, plan: fields, altered: z.array(z.unknown()) })),
  object: z.object({ kind: name, metadata: z.object({ name, uid: name }) }),
  after: fields.optional(),
  error: optionalText,
});

const gone = z.object({ type: z.literal("gone"), session: name, kind: name, key: name, at: instant });
const dropped = z.object({ type: z.literal("dropped"), session: name, at: instant, runs: count });
const end = z.object({ type: z.literal("end"), session: name, at: instant });

const line = z.discriminatedUnion("type", [header, run, gone, dropped, end]);
