// Reads an audit of writes: each reconcile marks its first and last write, so that it can be seen whether two reconciled one
// key at once. A mark is a field manager: `process.run.first` or `process.run.last`.

/** One marked write, in the order in which the server took them. */
export interface MarkedWrite {
  readonly key: string;
  /** Process and run. */
  readonly run: string;
  readonly process: string;
}

/** The marked write of a request; undefined when it is another one. */
export function markedWrite(path: string, fieldManager: string | undefined): MarkedWrite | undefined {
  const mark = /^([a-z]\d+)\.(\d+)\.(first|last)$/.exec(fieldManager ?? "");
  const key = /\/configmaps\/([^/?]+)/.exec(path)?.[1];
  if (mark === null || key === undefined) return undefined;
  const [, process = "", run = ""] = mark;
  return { key, process, run: `${process}.${run}` };
}

/** Runs of which a write was taken after one of another process had been: two worked on the key at once. */
export function interleaved(writes: readonly MarkedWrite[]): readonly string[] {
  const found: string[] = [];
  const last = new Map<string, MarkedWrite>();
  /** Runs of a key that were followed by another process. */
  const over = new Set<string>();
  for (const write of writes) {
    const before = last.get(write.key);
    if (before !== undefined && before.process !== write.process) over.add(`${before.key} ${before.run}`);
    if (over.has(`${write.key} ${write.run}`)) found.push(`${write.key}: ${write.run} after ${before?.run}`);
    last.set(write.key, write);
  }
  return found;
}
