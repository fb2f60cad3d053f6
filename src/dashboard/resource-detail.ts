// All that the page of one resource shows: what `explain` says, its past, its last runs, and itself as YAML.
import { stringify } from "yaml";
import { marksOf, type DiagramMarks } from "../diagram/marks.ts";
import { explain } from "../explain/explain.ts";
import type { Explanation, ObjectEvent } from "../explain/explanation.ts";
import type { KubeObject } from "../meta/object.ts";
import { formatKey, keyOf } from "../meta/object-key.ts";
import type { JournalRun } from "../ports/run-journal.ts";
import { indexGraph } from "../statechart/configuration.ts";
import type { BoardSource } from "./board-source.ts";
import { rowOf, type BoardRow } from "./board-row.ts";
import type { HistoryEntry } from "./resource-history.ts";

/** What a page is sent about one resource. */
export interface ResourceDetail {
  readonly row: BoardRow;
  readonly explanation: Explanation;
  /** Oldest first; each with what of the drawing was lit then. */
  readonly history: readonly (HistoryEntry & { readonly marks: DiagramMarks })[];
  /** Newest first. */
  readonly runs: readonly JournalRun[];
  /** Of how many resources runs are kept, those that ran last, when others may have been forgotten. */
  readonly keepsRunsOf?: number;
  /** Without secrets and without managed fields. */
  readonly yaml: string;
  /** Whether human events may be sent from here. */
  readonly mayAct: boolean;
  /** When this was worked out: milliseconds since the epoch. */
  readonly at: number;
}

/** What {@link detailOf} works with. */
export interface DetailInput {
  readonly object: KubeObject;
  readonly source: BoardSource;
  readonly history: readonly HistoryEntry[];
  readonly runs: (kind: string, key: string) => readonly JournalRun[];
  readonly keepsRunsOf?: number | undefined;
  readonly events: readonly ObjectEvent[];
  /** What could not be read. */
  readonly unknown: readonly string[];
  /** Takes secrets out. */
  readonly sanitize: (value: unknown) => unknown;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The detail of a resource. */
export function detailOf(input: DetailInput): ResourceDetail {
  const { object, source, history, runs, events, unknown, sanitize, now, keepsRunsOf } = input;
  const { type, graph } = source;
  const row = rowOf(object);
  const explanation = explain({
    object,
    type,
    ...(graph === undefined ? {} : { graph }),
    children: source.childrenOf(object),
    events,
    unknown,
    // The page has the runs from nearer by.
    asked: true,
    now,
  });
  const index = graph === undefined ? undefined : indexGraph(graph);
  const nothing: DiagramMarks = { active: [], planned: [], edges: [] };
  return {
    row,
    explanation,
    history: history.map((entry) => ({
      ...entry,
      marks:
        index === undefined
          ? nothing
          : marksOf(index, {
              state: entry.state,
              plan: entry.plan,
              ...(entry.target === undefined ? {} : { target: entry.target }),
            }),
    })),
    runs: runs(object.kind, formatKey(keyOf(object))),
    ...(keepsRunsOf === undefined ? {} : { keepsRunsOf }),
    yaml: yamlOf(object, sanitize),
    mayAct: source.sendEvent !== undefined,
    at: now,
  };
}

function yamlOf(object: KubeObject, sanitize: (value: unknown) => unknown): string {
  const { managedFields: _, ...metadata } = object.metadata;
  // Aliases are for machines: a page shows each value where it is.
  return stringify(sanitize({ ...object, metadata }), { aliasDuplicateObjects: false });
}
