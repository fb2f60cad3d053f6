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
export function createRunLog(options: RunLogOptions): Logger {
  const { log, item, reconcileId, clock } = options;
  return new RunLog(options, monotonicNow(clock), () => log.child(runFields(item, reconcileId)));
}

type Level = "debug" | "info" | "warn" | "error";

class RunLog implements Logger {
  readonly #options: RunLogOptions;
  readonly #started: number;
  readonly #make: () => Logger;
  /** Made with the first line: most runs have nothing to say above the level that is logged. */
  #inner: Logger | undefined;

  constructor(options: RunLogOptions, started: number, make: () => Logger) {
    this.#options = options;
    this.#started = started;
    this.#make = make;
  }

  child(fields: LogFields): Logger {
    const make = (): Logger => this.#whole().child(this.#masked(fields));
    return new RunLog(this.#options, this.#started, make);
  }

  debug(fields: LogFields, message: string): void {
    this.#say("debug", fields, message);
  }

  info(fields: LogFields, message: string): void {
    this.#say("info", fields, message);
  }

  warn(fields: LogFields, message: string): void {
    this.#say("warn", fields, message);
  }

  error(fields: LogFields, message: string): void {
    this.#say("error", fields, message);
  }

  isLevelEnabled(level: Level): boolean {
    return this.#options.log.isLevelEnabled?.(level) !== false;
  }

  #say(level: Level, fields: LogFields, message: string): void {
    if (!this.isLevelEnabled(level)) return;
    const { clock, mask } = this.#options;
    const elapsed = Math.round(monotonicNow(clock) - this.#started);
    this.#whole()[level]({ elapsed, ...this.#masked(fields) }, mask(message));
  }

  #whole(): Logger {
    return (this.#inner ??= this.#make());
  }

  #masked(fields: LogFields): LogFields {
    return maskTexts(fields, this.#options.mask) as LogFields;
  }
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
    let secrets = this.#byOwner.get(uid);
    if (secrets === undefined) {
      const isPublic = (found: string): boolean =>
        this.#words.has(found) || found === kind || found === name || found === namespace;
      secrets = new SecretValues(isPublic, this.#keeper);
    }
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
