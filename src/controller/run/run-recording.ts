// A run as it is recorded: what it read, what it planned, the Events it published, and what it wrote, which object and which
// fields of it and never the values. Nothing here costs anything while no recording is made.
import { isWrite, keyOfWrite, layered, outcomeOf, type WriteCall } from "../../client/client-layers.ts";
import type { KubeClient, Patch } from "../../client/kube-client.ts";
import { BoundedMap } from "../../collections/bounded-map.ts";
import type { EventRecorder } from "../../events/event-recorder.ts";
import { childOf } from "../../kinds/builtin/child-of.ts";
import { changedPaths } from "../../meta/changed-paths.ts";
import { isMetadataOnly, metadataOnly } from "../../meta/metadata-only.ts";
import type { KubeObject } from "../../meta/object.ts";
import { formatKey, keyOf, type ObjectKey } from "../../meta/object-key.ts";
import { apiVersionOf, typeKeyOf, type ResourceType } from "../../meta/resource-type.ts";
import type { Clock } from "../../ports/clock.ts";
import { messageOf } from "../../ports/operator-error.ts";
import type { JournalRun } from "../../ports/run-journal.ts";
import type { WorkItem } from "../../queue/work-queue.ts";
import { knownChildren } from "../../reconcile/resources/ongoing-deletion.ts";
import type { SecretValues } from "../../reconcile/secrets/secret-values.ts";
import type {
  PlannedCycle,
  RecordedChildren,
  RecordedEvent,
  RecordedWrite,
  RunRecorder,
} from "../../recording/run-recorder.ts";
import type { OnCycle } from "../application/shared-parts.ts";
import type { ScopedReader } from "./scoped-reader.ts";

/** What {@link recordRun} needs. */
export interface RecordRunOptions {
  readonly cr: KubeObject;
  readonly kind: ResourceType;
  readonly item: WorkItem;
  readonly reader: ScopedReader;
  /** The types of what the custom resource owns. */
  readonly owned: readonly ResourceType[];
  /** The Secrets that the run reads; those that it writes are added. */
  readonly read: SecretValues;
  readonly clock: Clock;
}

/** One run that is being recorded. */
export interface RunUnderRecord {
  /** The client through which the run is to write. */
  observe(client: KubeClient): KubeClient;
  readonly onCycle: OnCycle;
  end(run: JournalRun): void;
}

/** Most writes recorded of one run. */
const mostWrites = 1_000;
/** Most children recorded after one run. */
const mostChildren = 500;

/** Begins to gather. */
export function recordRun(
  { recorder, events }: { readonly recorder: RunRecorder; readonly events: DeliveredEvents },
  { cr, kind, item, reader, owned, read, clock }: RecordRunOptions,
): RunUnderRecord {
  const requests: RecordedWrite[] = [];
  const cycles: PlannedCycle[] = [];
  const own = formatKey(keyOf(cr));
  let after: KubeObject | undefined;
  return {
    observe: (client) =>
      noteWrites({
        client,
        clock,
        cached: (type, key) => {
          if (!reader.holds(type, key)) return undefined;
          const informer = reader.informerOf(type, key);
          return isMetadataOnly(informer.type) ? undefined : informer.lister.get(key);
        },
        onWrite: (write) => {
          if (requests.length < mostWrites) requests.push(write);
        },
        onWritten: (type, object) => {
          read.note(object);
          if (typeKeyOf(type) === typeKeyOf(kind) && formatKey(keyOf(object)) === own) after = object;
        },
      }),
    onCycle: (input, plan) => {
      cycles.push({ input, plan });
    },
    end: (run) => {
      const { failures, waited, moreCauses } = item;
      recorder.record(
        {
          ...run,
          uid: cr.metadata.uid,
          failures,
          waited: Math.round(waited),
          moreCauses,
          object: cr,
          ...(after === undefined ? {} : { after }),
          requests,
          events: events.take(cr.metadata.uid),
          children: childrenOf(cr, owned, reader),
          cycles,
        },
        () => read.masker(),
      );
    },
  };
}

/** What a custom resource owns now, as far as it is cached. */
function childrenOf(cr: KubeObject, owned: readonly ResourceType[], reader: ScopedReader): RecordedChildren {
  const all = owned.flatMap((type) =>
    // As metadata, so that any way of declaring the type is one that may be read.
    knownChildren({ owned: (each) => reader.ownedBy(each, cr) }, metadataOnly(type)).map(
      (object) => [type.kind, object] as const,
    ),
  );
  const items = all.slice(0, mostChildren).map(([kind, object]) => childOf(kind, object, cr.metadata.uid));
  return { items, more: all.length - items.length };
}

/** Options of {@link noteWrites}. */
export interface NoteWritesOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  /** The object as it is cached; undefined when it is not there, or not cached. */
  readonly cached: (type: ResourceType, key: ObjectKey) => KubeObject | undefined;
  readonly onWrite: (write: RecordedWrite) => void;
  /** Receives each object as a write left it. */
  readonly onWritten: (type: ResourceType, object: KubeObject) => void;
}

/** A client that does what the other one does, and notes it. */
export function noteWrites(options: NoteWritesOptions): KubeClient {
  const { client, clock, cached, onWrite, onWritten } = options;

  async function note(write: Write, send: () => Promise<unknown>): Promise<unknown> {
    const { paths, ...named } = write;
    const at = clock.now();
    try {
      const answer = await send();
      onWrite({ ...named, at, paths: paths(answer) });
      return answer;
    } catch (error) {
      onWrite({ ...named, at, paths: paths(undefined), error: messageOf(error) });
      throw error;
    }
  }

  return layered(client, {
    place: "recording",
    request: async (call, send) => {
      if (call.verb === "request") {
        const { method, path } = call.options;
        if (method === "GET") return send(call);
        return note({ verb: "request", type: method, key: path, paths: () => [] }, () => send(call));
      }
      if (!isWrite(call)) return send(call);
      const seen = cached(call.type, keyOfWrite(call));
      const answer = await note(writeOf(call, seen), () => send(call));
      const outcome = call.verb === "delete" ? undefined : outcomeOf(call, answer, seen);
      if (outcome?.object !== undefined) onWritten(call.type, outcome.object);
      return answer;
    },
  });
}

/** A write, and the fields that it has changed by what was answered. */
type Write = Omit<RecordedWrite, "at" | "paths"> & { readonly paths: (answer: unknown) => readonly string[] };

function writeOf(call: WriteCall, seen: KubeObject | undefined): Write {
  const { verb, type, options } = call;
  const named = {
    verb,
    type: `${apiVersionOf(type)} ${type.kind}`,
    key: formatKey(keyOfWrite(call)),
  };
  if (verb === "delete") return { ...named, paths: () => [] };
  const { subresource } = options;
  const before = subresource === "scale" ? undefined : seen;
  const sent = "patch" in call ? sentBy(call.patch) : call.manifest;
  return {
    ...named,
    ...(subresource === undefined ? {} : { subresource }),
    paths: (answer) =>
      before === undefined || answer === undefined
        ? changedPaths({}, sent)
        : changedPaths(before, answer as KubeObject),
  };
}

/** The fields that a patch names. */
function sentBy(patch: Patch): object {
  if (patch.type !== "json") return typeof patch.body === "object" && patch.body !== null ? patch.body : {};
  const fields: Record<string, unknown> = {};
  for (const { op, path } of patch.body) {
    if (op !== "test") fields[path.split("/").filter(Boolean).join(".")] = op;
  }
  return fields;
}

/** Resources whose Events wait for their next run. */
const mostResources = 1_000;
/** Events of one resource that wait. */
const mostEvents = 100;

/** Events by the resource that they are about. */
export class DeliveredEvents {
  readonly #events = new BoundedMap<string, RecordedEvent[]>(mostResources);
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The recorder, with what it is delivered noted. */
  noting(events: EventRecorder): EventRecorder {
    return {
      record: (regarding, event) => {
        const { type, reason, note } = event;
        const { uid } = regarding.metadata;
        const delivered = this.#events.get(uid) ?? [];
        if (delivered.length < mostEvents)
          delivered.push({ at: this.#clock.now(), type, reason, message: note });
        this.#events.set(uid, delivered);
        events.record(regarding, event);
      },
      flush: (signal) => events.flush(signal),
      get dropped() {
        return events.dropped;
      },
    };
  }

  /** What was delivered of a resource since this was asked last. */
  take(uid: string): readonly RecordedEvent[] {
    const delivered = this.#events.get(uid) ?? [];
    this.#events.delete(uid);
    return delivered;
  }
}
