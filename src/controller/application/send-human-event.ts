// Sends a human event, by the annotations that the operator looks at; one that still waits there is never written over.
import { randomUUID } from "node:crypto";
import { isConflict } from "../../client/api-error.ts";
import type { KubeClient } from "../../client/kube-client.ts";
import type { HumanRequest } from "../../lifecycle/cycle-plan.ts";
import { humanEventAnnotation, humanEventIdAnnotation } from "../../lifecycle/human-event-annotation.ts";
import type { KubeObject } from "../../meta/object.ts";
import type { ObjectKey } from "../../meta/object-key.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import { monotonicNow, sleep, type Clock } from "../../ports/clock.ts";
import { OperatorError } from "../../ports/operator-error.ts";
import { humanRequestOf, ownerOf } from "./human-event.ts";

/** Options of {@link sendHumanEvent}. */
export interface HumanEventOptions<T extends KubeObject> {
  readonly client: KubeClient;
  readonly type: ResourceType<T>;
  readonly key: ObjectKey;
  /** Without the prefix `human.`. */
  readonly event: string;
  readonly fieldManager: string;
  readonly clock: Clock;
  readonly signal?: AbortSignal;
  /** Asked of the object before each attempt; throws when the event must not be sent to it. */
  readonly check?: (object: T) => void;
  /** An event that still waits is replaced. */
  readonly force?: boolean;
  /** How the object is called in what is said about it. */
  readonly typed: string;
}

/** How long an event that still waits is waited for: an operator that runs takes it sooner. Milliseconds. */
const patience = 5_000;
/** Between two looks. */
const lookInterval = 200;

/**
 * Sends it, with an id by which the operator tells it from any other request.
 *
 * **Guarantees**: written only to the version of the object that was read, so that of two who send at the same time one waits for
 * the other's to be taken.
 * **Errors**: `EVENT_PENDING`; what `check` throws; the client's.
 * **RBAC**: `get` and `patch` on the custom resource.
 */
export async function sendHumanEvent<T extends KubeObject>(
  options: HumanEventOptions<T>,
): Promise<HumanRequest> {
  const { client, type, key, event, fieldManager, clock, signal } = options;
  const reading = signal === undefined ? {} : { signal };
  const deadline = monotonicNow(clock) + patience;
  for (;;) {
    const object = await client.get(type, key, reading);
    options.check?.(object);
    const pending = options.force === true ? undefined : humanRequestOf(object);
    const isLate = monotonicNow(clock) >= deadline;
    if (pending === undefined) {
      const annotations = { [humanEventAnnotation]: event, [humanEventIdAnnotation]: randomUUID() };
      const { resourceVersion } = object.metadata;
      const body = { metadata: { resourceVersion, annotations } };
      try {
        const written = await client.patch(type, key, { type: "merge", body }, { fieldManager, ...reading });
        return humanRequestOf(written) ?? { event, id: event };
      } catch (error) {
        // The object was written meanwhile, and not necessarily an event.
        if (!isConflict(error) || isLate) throw error;
      }
    } else if (isLate) {
      throw stillPending(options.typed, object, pending);
    }
    await sleep(clock, lookInterval, signal);
    signal?.throwIfAborted();
  }
}

function stillPending(typed: string, object: KubeObject, { event, by }: HumanRequest): OperatorError {
  const since = ownerOf(object)?.time;
  const whose = by === undefined ? "" : ` of ${by}`;
  const when = since === undefined ? "" : ` (sent at ${since})`;
  return new OperatorError(
    "EVENT_PENDING",
    `the event "${event}"${whose} is still pending on ${typed}${when}; nothing was sent`,
    {
      fields: { pending: event, ...(since === undefined ? {} : { since }) },
      remedy:
        "Check that the operator is running, and send it again once the other event has been handled; " +
        `\`xstate-operator send ${typed} … --force\` replaces the other event.`,
    },
  );
}
