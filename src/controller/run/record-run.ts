// Gathers one run for a recording: what it read, what it planned, what it wrote.
import type { KubeClient } from "../../client/kube-client.ts";
import { childOf } from "../../kinds/builtin/child-of.ts";
import { isMetadataOnly, metadataOnly } from "../../meta/metadata-only.ts";
import type { KubeObject } from "../../meta/object.ts";
import { formatKey, keyOf } from "../../meta/object-key.ts";
import { typeKeyOf, type ResourceType } from "../../meta/resource-type.ts";
import type { Clock } from "../../ports/clock.ts";
import type { JournalRun } from "../../ports/run-journal.ts";
import type { WorkItem } from "../../queue/work-queue.ts";
import type { SecretValues } from "../../reconcile/secrets/secret-values.ts";
import type {
  PlannedCycle,
  RecordedChildren,
  RecordedWrite,
  RunRecorder,
} from "../../recording/run-recorder.ts";
import type { OnCycle } from "../application/application.ts";
import { noteWrites } from "./recorded-writes.ts";
import type { ScopedReader } from "./scoped-reader.ts";
import type { DeliveredEvents } from "./delivered-events.ts";

/** What {@link recordRun} needs. */
export interface RecordRunOptions {
  readonly cr: KubeObject;
  readonly kind: ResourceType;
  readonly item: WorkItem;
  readonly reader: ScopedReader;
  /** The types of what the custom resource owns. */
  readonly owned: readonly ResourceType[];
  readonly events: DeliveredEvents;
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

/** Most writes that are told of one run. */
const mostWrites = 1_000;
/** Most children that are told of after one run. */
const mostChildren = 500;

/** Begins to gather. */
export function recordRun(
  recorder: RunRecorder,
  { cr, kind, item, reader, owned, events, read, clock }: RecordRunOptions,
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
          children: childrenOf(cr.metadata.uid, owned, reader),
          cycles,
        },
        () => read.masker(),
      );
    },
  };
}

/** What a custom resource owns now, as far as it is cached. */
function childrenOf(uid: string, owned: readonly ResourceType[], reader: ScopedReader): RecordedChildren {
  const all = owned.flatMap((type) =>
    // As metadata, so that any way of declaring the type is one that may be read.
    reader.ownedBy(metadataOnly(type), uid).map((object) => [type.kind, object] as const),
  );
  const items = all.slice(0, mostChildren).map(([kind, object]) => childOf(kind, object, uid));
  return { items, more: all.length - items.length };
}
