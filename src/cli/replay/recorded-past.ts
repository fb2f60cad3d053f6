// The boards of a recording: at each moment what the runs until then had left.
import { BoundedMap } from "../../collections/bounded-map.ts";
import { Board } from "../../dashboard/board.ts";
import type { RecordedPast } from "../../dashboard/recorded-past.ts";
import { RunLog } from "../../dashboard/run-log.ts";
import type { ObjectEvent } from "../../explain/explanation.ts";
import { readFields, readText } from "../../lifecycle/values/untrusted.ts";
import type { KubeObject } from "../../meta/object.ts";
import { formatKey } from "../../meta/object-key.ts";
import type { RunLine } from "../../recording/recording-format.ts";
import type { RecordedChildren, RecordedEvent } from "../../recording/run-recorder.ts";
import type { IndexedRun, RecordedResource, RecordingReader } from "../../recording/recording-reader.ts";
import { objectAfter } from "../../recording/to-run-line.ts";

/** Runs of one resource that its page is made of. */
const runsOfPage = 1_000;
/** Runs kept in memory after they were read. */
const runsKept = 2_000;

/** The past that a recording holds. */
export function createRecordedPast(
  name: string,
  reader: RecordingReader,
  sanitize: (value: unknown) => unknown,
): RecordedPast {
  const kept = new BoundedMap<string, RunLine>(runsKept);

  async function read(run: IndexedRun): Promise<RunLine> {
    const place = `${run.file} ${run.offset}`;
    const line = kept.get(place) ?? (await reader.read(run));
    kept.set(place, line);
    return line;
  }

  return {
    name,
    from: reader.from,
    to: reader.to,
    at: async (instant, address) => {
      let now = instant;
      const runs = new RunLog();
      const events = new Map<string, readonly ObjectEvent[]>();
      const children = new Map<string, RecordedChildren>();
      const board = new Board({ now: () => now, sanitize });
      const tell = new Map<string, (object: KubeObject) => void>();
      for (const kind of reader.kinds) {
        board.add({
          type: kind,
          ...(kind.graph === undefined ? {} : { graph: kind.graph }),
          list: () => [],
          subscribe: (listener) => {
            tell.set(kind.kind, (object) => listener(object, false));
            return () => undefined;
          },
          childrenOf: ({ metadata }) => children.get(metadata.uid)?.items ?? [],
          unknownOf: ({ metadata }) => unknownChildrenOf(children.get(metadata.uid)),
          eventsOf: ({ metadata }) => Promise.resolve(events.get(metadata.uid) ?? []),
        });
      }
      for (const resource of reader.resources) {
        if (resource.goneAt !== undefined && resource.goneAt <= instant) continue;
        if (address !== undefined && (resource.kind !== address.kind || resource.key !== formatKey(address)))
          continue;
        const past = runsUntil(resource, instant, address === undefined ? 1 : runsOfPage);
        for (const run of past) {
          const line = await read(run);
          now = run.at;
          tell.get(resource.kind)?.(objectAfter(line));
          if (address === undefined) continue;
          runs.record(line);
          events.set(resource.uid, withEvents(events.get(resource.uid) ?? [], eventsOf(line)));
        }
        if (address === undefined) continue;
        const telling = runsUntil(resource, instant).findLast(({ hasChildren }) => hasChildren);
        const reported = telling === undefined ? undefined : (await read(telling)).children;
        if (reported !== undefined) children.set(resource.uid, reported);
      }
      return { board, runs };
    },
  };
}

/** The last runs that had ended by then, oldest first. */
function runsUntil({ runs }: RecordedResource, instant: number, most = runs.length): readonly IndexedRun[] {
  let [low, high] = [0, runs.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((runs[middle]?.at ?? 0) <= instant) low = middle + 1;
    else high = middle;
  }
  return runs.slice(Math.max(0, low - most), low);
}

/** The Kubernetes Events that were reported in a run, oldest first; of an older recording those of the lifecycle. */
function eventsOf({ events, cycles, startedAt }: RunLine): readonly RecordedEvent[] {
  if (events !== undefined) return events;
  return cycles.flatMap(({ plan }) => {
    const recorded = plan["pendingEvents"] ?? plan["notices"];
    const pendingEvents: readonly unknown[] = Array.isArray(recorded) ? recorded : [];
    return pendingEvents.map((event) => {
      const { type, reason, message } = readFields(event) ?? {};
      const [word = "Normal", why = "", text = ""] = [type, reason, message].map(readText);
      return { at: startedAt, type: word, reason: why, message: text };
    });
  });
}

/** With more of them, newest first; what was reported before is counted, as in a cluster. */
function withEvents(before: readonly ObjectEvent[], more: readonly RecordedEvent[]): readonly ObjectEvent[] {
  return more.reduce((events, { at, type, reason, message }) => {
    const isSame = (event: ObjectEvent): boolean =>
      event.type === type && event.reason === reason && event.message === message;
    const count = (events.find(isSame)?.count ?? 0) + 1;
    const lastSeen = new Date(at).toISOString();
    return [{ type, reason, message, count, lastSeen }, ...events.filter((event) => !isSame(event))];
  }, before);
}

function unknownChildrenOf(children: RecordedChildren | undefined): readonly string[] {
  const { items = [], more = 0 } = children ?? {};
  return more === 0 ? [] : [`${more} more owned objects: a recording has the first ${items.length}.`];
}
