// Events of the built-in controllers, as kube-controller-manager writes them: in core/v1, with counts. Recording returns at once; one
// request at a time carries them to the API server, and what goes wrong there stays there.
import { builtin } from "../../kinds/builtin/builtin-type.ts";
import { apiVersionOf, type ResourceType } from "../../meta/resource-type.ts";
import type { KubeObject, NamespacedObject } from "../../meta/object.ts";
import { toTimestamp } from "../../meta/condition.ts";
import type { KubeClient } from "../../client/kube-client.ts";
import { monotonicNow, type Clock } from "../../ports/clock.ts";
import type { Logger } from "../../ports/logger.ts";
import { messageOf } from "../../ports/operator-error.ts";

/** What happened. */
export interface ControllerEvent {
  readonly type: "Normal" | "Warning";
  /** One word. */
  readonly reason: string;
  readonly message: string;
  /** The part of the object that it is about, such as `spec.containers{main}`; default the whole. */
  readonly fieldPath?: string;
}

/** Where events go. */
export interface EventSink {
  /** Notes what happened to an object; never throws. */
  record(object: KubeObject, event: ControllerEvent): void;
}

/** The events of all controllers. */
export interface ControllerEvents {
  /** Those of one controller, which says who it is. */
  from(component: string): EventSink;
}

interface CoreEvent extends NamespacedObject {
  readonly count?: number;
}

const CoreEvent: ResourceType<CoreEvent> = builtin<CoreEvent>("v1", "Event", "events");

/** Different events of one object at once, and milliseconds until it may have another one; as client-go has them. */
const burst = 25;
const refill = 300_000;
/** Milliseconds for which a repetition only counts, and within which messages are taken together. */
const remembered = 600_000;
/** From so many different messages on, Events that are alike but for it are one. */
const alike = 10;
/** Events, and objects, that are remembered. */
const most = 4_096;
/** Events that wait to be sent; what is beyond them is lost. */
const longestQueue = 10_000;

interface Known {
  readonly namespace: string;
  readonly name: string;
  count: number;
  readonly until: number;
}

/** Writes the events of controllers. */
export class ApiEvents implements ControllerEvents {
  /** The messages of Events that are alike but for them. */
  readonly #messages = new Map<string, { readonly said: Set<string>; last: number }>();
  readonly #client: KubeClient;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #signal: AbortSignal;
  readonly #known = new Map<string, Known>();
  readonly #budgets = new Map<string, { tokens: number; since: number }>();
  readonly #queue: (() => Promise<unknown>)[] = [];
  #sending = false;
  #sequence = 0;

  constructor(tools: {
    readonly client: KubeClient;
    readonly clock: Clock;
    readonly log: Logger;
    readonly signal: AbortSignal;
  }) {
    this.#client = tools.client;
    this.#clock = tools.clock;
    this.#log = tools.log;
    this.#signal = tools.signal;
  }

  from(component: string): EventSink {
    return { record: (object, event) => this.#record(component, object, event) };
  }

  #record(component: string, object: KubeObject, event: ControllerEvent): void {
    const now = monotonicNow(this.#clock);
    const { uid, namespace = "default", name: subject } = object.metadata;
    const group = JSON.stringify([component, uid, event.type, event.reason]);
    const isCombined = this.#areMany(group, event.message, now);
    const combined = `(combined from similar events): ${event.message}`;
    const key = isCombined ? group : JSON.stringify([group, event.message, event.fieldPath]);
    const known = this.#known.get(key);
    const time = toTimestamp(this.#clock.now());
    const isRepeated = known !== undefined && known.until > now;
    if (isRepeated) known.count += 1;
    if (!this.#spend(`${component} ${uid}`, now)) return;
    if (isRepeated) {
      const { name, count } = known;
      const body = { count, lastTimestamp: time, ...(isCombined ? { message: short(combined) } : {}) };
      this.#send(() =>
        this.#client.patch(CoreEvent, { namespace: known.namespace, name }, { type: "merge", body }),
      );
      return;
    }
    this.#sequence += 1;
    const suffix = (BigInt(Math.round(this.#clock.now())) * 1_000_000n + BigInt(this.#sequence)).toString(16);
    const name = `${subject.slice(0, 230)}.${suffix}`;
    remember(this.#known, key, { namespace, name, count: 1, until: now + remembered });
    const shown = isCombined ? { ...event, message: combined } : event;
    const manifest = eventManifest(component, object, shown, { namespace, name, time });
    this.#send(() => this.#client.create(CoreEvent, manifest));
  }

  /** Whether there are too many messages of a group for each to have an Event of its own. */
  #areMany(group: string, message: string, now: number): boolean {
    const known = this.#messages.get(group);
    const said = known === undefined || now - known.last > remembered ? new Set<string>() : known.said;
    said.add(message);
    remember(this.#messages, group, { said, last: now });
    if (said.size < alike) return false;
    const [first = ""] = said;
    said.delete(first);
    return true;
  }

  /** Whether the object may have one more event. */
  #spend(subject: string, now: number): boolean {
    const budget = this.#budgets.get(subject) ?? { tokens: burst, since: now };
    const earned = Math.floor((now - budget.since) / refill);
    const tokens = Math.min(burst, budget.tokens + earned);
    const since = tokens === burst ? now : budget.since + earned * refill;
    remember(this.#budgets, subject, { tokens: Math.max(0, tokens - 1), since });
    return tokens > 0;
  }

  #send(request: () => Promise<unknown>): void {
    if (this.#signal.aborted || this.#queue.length >= longestQueue) return;
    this.#queue.push(request);
    if (!this.#sending) void this.#drain();
  }

  async #drain(): Promise<void> {
    this.#sending = true;
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      if (this.#signal.aborted) break;
      try {
        await next();
      } catch (error) {
        // Its namespace ends, or somebody has deleted it: nobody will miss it.
        this.#log.debug({ error: messageOf(error) }, "an event of a controller was not written");
      }
    }
    this.#sending = false;
  }
}

/** Keeps a value as the newest one, and as many as may be kept. */
function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= most) return;
  const [oldest] = map.keys();
  if (oldest !== undefined) map.delete(oldest);
}

/** As much of a message as an Event takes. */
function short(message: string): string {
  return message.slice(0, 1_024);
}

function eventManifest(
  component: string,
  { apiVersion, kind, metadata }: KubeObject,
  { type, reason, message, fieldPath }: ControllerEvent,
  at: { readonly namespace: string; readonly name: string; readonly time: string },
) {
  const { uid, resourceVersion, namespace, name } = metadata;
  return {
    apiVersion: apiVersionOf(CoreEvent),
    kind: CoreEvent.kind,
    metadata: { name: at.name, namespace: at.namespace },
    involvedObject: {
      kind,
      ...(namespace === undefined ? {} : { namespace }),
      name,
      uid,
      apiVersion,
      resourceVersion,
      ...(fieldPath === undefined ? {} : { fieldPath }),
    },
    reason,
    message: short(message),
    source: { component },
    firstTimestamp: at.time,
    lastTimestamp: at.time,
    count: 1,
    type,
    reportingComponent: component,
    reportingInstance: "",
  };
}
