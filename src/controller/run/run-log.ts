// What may be said of a run: the log, every line of which says which run it belongs to, what caused it, how long it waited
// and how far it has come; and neither the log nor the Kubernetes Events hold a value of a Secret that the run has read.
import { BoundedMap } from "../../collections/bounded-map.ts";
import type { EventRecorder } from "../../events/event-recorder.ts";
import type { KubeObject } from "../../meta/object.ts";
import { monotonicNow, type Clock } from "../../ports/clock.ts";
import type { LogFields, Logger } from "../../ports/logger.ts";
import { noSecrets, type SecretKeeper } from "../../ports/secret-keeper.ts";
import type { Cause } from "../../queue/cause.ts";
import type { WorkItem } from "../../queue/work-queue.ts";
import { maskTexts } from "../../reconcile/secrets/mask-values.ts";
import { SecretValues } from "../../reconcile/secrets/secret-values.ts";

/** What every line of a run says. */
export function runFields({ key, causes, moreCauses, waited }: WorkItem, reconcileId: string): LogFields {
  return {
    object: key,
    reconcileId,
    causes: causes.map(shownCause),
    ...(moreCauses > 0 ? { moreCauses } : {}),
    waited: Math.round(waited),
  };
}

/** Options of {@link createRunLog}. */
export interface RunLogOptions {
  readonly log: Logger;
  readonly item: WorkItem;
  readonly reconcileId: string;
  readonly clock: Clock;
  /** Leaves out of a text what nobody may read. */
  readonly mask: (text: string) => string;
}

/** The log of a run that begins now; `elapsed` on each line is milliseconds since then. */
export function createRunLog({ log, item, reconcileId, clock, mask }: RunLogOptions): Logger {
  const started = monotonicNow(clock);
  const maskFields = (fields: LogFields): LogFields => maskTexts(fields, mask) as LogFields;
  // Made with the first line: most runs have nothing to say above the level that is logged.
  const wrap = (make: () => Logger): Logger => {
    let made: Logger | undefined;
    const inner = (): Logger => (made ??= make());
    const at =
      (level: "debug" | "info" | "warn" | "error") =>
      (fields: LogFields, message: string): void => {
        if (log.isLevelEnabled?.(level) === false) return;
        const elapsed = Math.round(monotonicNow(clock) - started);
        inner()[level]({ elapsed, ...maskFields(fields) }, mask(message));
      };
    return {
      child: (fields) => wrap(() => inner().child(maskFields(fields))),
      debug: at("debug"),
      info: at("info"),
      warn: at("warn"),
      error: at("error"),
      isLevelEnabled: (level) => log.isLevelEnabled?.(level) !== false,
    };
  };
  return wrap(() => log.child({ ...runFields(item, reconcileId) }));
}

/** Without what only the tracer needs. */
function shownCause({ reason, kind, object, detail }: Cause): Cause {
  return {
    reason,
    ...(kind === undefined ? {} : { kind }),
    ...(object === undefined ? {} : { object }),
    ...(detail === undefined ? {} : { detail }),
  };
}

/** Custom resources whose Secrets are remembered between two runs: an error may be logged after the run that read them. */
const remembered = 1_000;

/** What the runs of one controller have read. */
export class RunSecrets {
  readonly #byOwner = new BoundedMap<string, SecretValues>(remembered);
  readonly #keeper: SecretKeeper;
  readonly #words: ReadonlySet<string>;

  /** `keeper` knows what others have read; `words` are no secret whatever a Secret says. */
  constructor(keeper: SecretKeeper = noSecrets, words: ReadonlySet<string> = new Set()) {
    this.#keeper = keeper;
    this.#words = words;
  }

  /** The Secrets read for a custom resource. */
  of({ kind, metadata: { uid, name, namespace = "" } }: KubeObject): SecretValues {
    const isPublic = (found: string): boolean =>
      this.#words.has(found) || found === kind || found === name || found === namespace;
    const secrets = this.#byOwner.get(uid) ?? new SecretValues(isPublic, this.#keeper);
    this.#byOwner.set(uid, secrets);
    return secrets;
  }

  /** A text about a custom resource without the values of what was read for it. */
  mask(uid: string, text: string): string {
    return this.#byOwner.get(uid)?.mask(text) ?? this.#keeper.mask(text);
  }
}

/** A recorder whose Events hold no value of a Secret that was read for their object. */
export function withoutSecrets(events: EventRecorder, secrets: RunSecrets): EventRecorder {
  return {
    record: (regarding, event) =>
      events.record(regarding, { ...event, note: secrets.mask(regarding.metadata.uid, event.note) }),
    flush: (signal) => events.flush(signal),
    get dropped() {
      return events.dropped;
    },
  };
}
