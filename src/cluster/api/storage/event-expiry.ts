// Events are gone some time after they were written last, an hour as kube-apiserver keeps them by default: else a cluster that runs for days would
// hold all that its operators have ever said.
import { monotonicNow, type Clock, type TimerHandle } from "../../../ports/clock.ts";
import { fieldsOf, type ApiObject } from "../api-object.ts";
import type { ObjectStore } from "./object-store.ts";

const space = "events";
const hour = 3_600_000;

/** The longest wait at once: timers of the system have no more than 24 days. */
const longest = 24 * hour;

/** Those that are due within such a time go together. */
const step = 10_000;

/** Removes Events when so many milliseconds have passed since their last write, until the returned function is called; watches see them deleted. */
export function expireEvents(
  { store, clock }: { readonly store: ObjectStore; readonly clock: Clock },
  lifetime = hour,
): () => void {
  /** When each was written, the oldest first: a map keeps the order in which its keys were added. */
  const written = new Map<string, { readonly object: ApiObject; readonly at: number }>();
  let timer: TimerHandle | undefined;
  const note = (object: ApiObject, at: number): void => {
    const key = keyOf(object);
    written.delete(key);
    written.set(key, { object, at });
  };
  const plan = (): void => {
    const [oldest] = written.values();
    if (timer !== undefined || oldest === undefined) return;
    timer = clock.setTimeout(
      () => {
        timer = undefined;
        removeOld();
        plan();
      },
      Math.min(Math.max(oldest.at + lifetime - monotonicNow(clock), 0), longest) + step,
    );
  };
  const removeOld = (): void => {
    for (const { object, at } of written.values()) {
      if (at + lifetime > monotonicNow(clock)) return;
      const { namespace, name } = object.metadata;
      const current = store.get(space, namespace, name);
      if (current === undefined) written.delete(keyOf(object));
      else if (!isRemoved(store, current)) return;
    }
  };
  const [now, today] = [monotonicNow(clock), clock.now()];
  const kept = store.list(space).map((object) => ({ object, age: Math.max(0, today - lastWriteOf(object)) }));
  for (const { object, age } of kept.toSorted((a, b) => b.age - a.age)) note(object, now - age);
  const unsubscribe = store.subscribe(space, ({ type, object }) => {
    if (type === "DELETED") written.delete(keyOf(object));
    else note(object, monotonicNow(clock));
    plan();
  });
  plan();
  return () => {
    unsubscribe();
    if (timer !== undefined) clock.clearTimeout(timer);
  };
}

/** What cannot be kept, as on a full disk, is tried again with the next ones. */
function isRemoved(store: ObjectStore, event: ApiObject): boolean {
  try {
    store.remove(space, event);
    return true;
  } catch {
    return false;
  }
}

function keyOf({ metadata: { namespace = "", name } }: ApiObject): string {
  return `${namespace}/${name}`;
}

/** When an Event that an earlier process has kept was written, as far as it says so itself. */
function lastWriteOf(event: ApiObject): number {
  const { creationTimestamp, managedFields = [] } = event.metadata;
  const { lastObservedTime } = fieldsOf(event["series"]);
  const times = [creationTimestamp, event["lastTimestamp"], lastObservedTime];
  return [...times, ...managedFields.map(({ time }) => time)]
    .map((time) => (typeof time === "string" ? Date.parse(time) : 0))
    .reduce((latest, time) => (time > latest ? time : latest), 0);
}
