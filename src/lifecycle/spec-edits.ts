// Changes of the spec: which one the application has been told about, and which wait while it is on its way.
import type { SpecEditPolicy } from "./compile-lifecycle.ts";
import type { ConfigRecord } from "./snapshot.ts";

/** The spec as it is now. */
export interface CurrentSpec {
  readonly generation: number;
  /** Of the spec without `lifecycle`: a wish alone is no change of the configuration. */
  readonly hash: string;
}

/** Edits kept waiting under the policy `queue`; later ones coalesce into the last. */
const longestQueue = 16;

/** The record with what is seen now; nothing is acknowledged yet. */
export function noticeEdits(
  before: ConfigRecord | undefined,
  { generation, hash }: CurrentSpec,
  policy: SpecEditPolicy,
): ConfigRecord {
  if (before === undefined) return { generation, hash };
  if (policy !== "queue") return before.hash === hash ? { generation, hash } : { ...withoutEdits(before) };
  const edits = before.edits ?? [];
  const last = edits.at(-1) ?? before.hash;
  if (last === hash) return edits.length > 0 ? before : { generation, hash };
  return { ...before, edits: [...edits.slice(0, longestQueue - 1), hash] };
}

/** Whether the application has yet to be told about a change. */
export function hasEdits(config: ConfigRecord, spec: CurrentSpec): boolean {
  return config.hash !== spec.hash || (config.edits ?? []).length > 0;
}

/** The record once the application was told about the next change. */
export function acknowledgeEdit(config: ConfigRecord, spec: CurrentSpec): ConfigRecord {
  const [next, ...edits] = config.edits ?? [];
  const hash = next ?? spec.hash;
  return { generation: spec.generation, hash, ...(edits.length === 0 ? {} : { edits }) };
}

function withoutEdits({ generation, hash }: ConfigRecord): ConfigRecord {
  return { generation, hash };
}
