// Changes of the spec: which one was delivered to the application, and which wait while it is on its way.
import type { SpecEditPolicy } from "./graph/compile-lifecycle.ts";
import { sizeOf } from "./values/json-size.ts";
import type { ConfigRecord, EditRecord } from "./stored/snapshot.ts";
import { editedPaths, fieldsOf } from "./stored/spec-fields.ts";

/** The spec as it is now. */
export interface CurrentSpec {
  readonly generation: number;
  /** Of the spec without `lifecycle`: a target alone is no change of the configuration. */
  readonly hash: string;
  /** The same spec. */
  readonly values: Readonly<Record<string, unknown>>;
}

/** Edits kept waiting under the policy `queue`; later ones coalesce into the last. */
const longestQueue = 16;

/** Bytes that the paths of one waiting edit may take in the status. */
const changedBudget = 128;

/** The record with what is seen now; nothing is acknowledged yet. */
export function noticeEdits(
  before: ConfigRecord | undefined,
  spec: CurrentSpec,
  policy: SpecEditPolicy,
): ConfigRecord {
  if (before === undefined) return recordOf(spec);
  const { edits = [], ...record } = before;
  if (policy !== "queue") return before.hash === spec.hash ? recordOf(spec, before) : record;
  const last = edits.at(-1)?.hash ?? before.hash;
  if (last === spec.hash) return edits.length > 0 ? before : recordOf(spec, before);
  const edit = { hash: spec.hash, changed: editedPaths(before.fields, spec.values) };
  return { ...record, ...withFields(spec), edits: queued(edits, edit) };
}

/** Whether the application has yet to receive a change. */
export function hasEdits(config: ConfigRecord, spec: CurrentSpec): boolean {
  return config.hash !== spec.hash || (config.edits ?? []).length > 0;
}

/** The dotted paths of the change that the application is to receive next; undefined when there is none. */
export function nextEdit(config: ConfigRecord, spec: CurrentSpec): readonly string[] | undefined {
  if (!hasEdits(config, spec)) return undefined;
  const [next] = config.edits ?? [];
  return next?.changed ?? editedPaths(config.fields, spec.values);
}

/** The record once the application received the next change. */
export function acknowledgeEdit(config: ConfigRecord, spec: CurrentSpec): ConfigRecord {
  const [next, ...edits] = config.edits ?? [];
  if (next === undefined) return recordOf(spec, config);
  const { fields } = config;
  return {
    generation: spec.generation,
    hash: next.hash,
    ...(fields === undefined ? {} : { fields }),
    ...(edits.length === 0 ? {} : { edits }),
  };
}

/** The record of a spec that is known; the hashes of an unchanged one are kept. */
function recordOf(spec: CurrentSpec, before?: ConfigRecord): ConfigRecord {
  const { generation, hash } = spec;
  const kept = before?.hash === hash ? before.fields : undefined;
  return { generation, hash, ...(kept === undefined ? withFields(spec) : { fields: kept }) };
}

function withFields({ values }: CurrentSpec): Pick<ConfigRecord, "fields"> {
  const fields = fieldsOf(values);
  return fields === undefined ? {} : { fields };
}

function queued(edits: readonly EditRecord[], edit: EditRecord): readonly EditRecord[] {
  if (edits.length < longestQueue) return [...edits, shortened(edit)];
  const changed = [...new Set([...(edits.at(-1)?.changed ?? []), ...edit.changed])].toSorted();
  return [...edits.slice(0, -1), shortened({ ...edit, changed })];
}

/** Too many paths are reported by the top-level fields that they are in. */
function shortened(edit: EditRecord): EditRecord {
  if (sizeOf(edit.changed) <= changedBudget) return edit;
  return { ...edit, changed: [...new Set(edit.changed.map((path) => path.split(".", 1)[0] ?? path))] };
}
