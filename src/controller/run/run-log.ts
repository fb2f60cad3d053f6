// What may be said of a run: the log, every line of which says which run it belongs to, what caused it, how long it waited
// and how far it has come; and neither the log nor the Kubernetes Events hold a value of a Secret that the run has read.
import { BoundedMap } from "../../collections/bounded-map.ts";
import type { EventRecorder } from "../../events/event-recorder.ts";
import type { KubeObject } from "../../meta/object.ts";
import { monotonicNow, type Clock } from "../../ports/clock.ts";
import type { LogFields, Logger } from "../../ports/logger.ts";
import { noSecrets, type SecretKeeper } from "../../ports/secret-keeper.ts";
import { traceFields, type Tracing } from "../../ports/tracing.ts";
import type { Cause } from "../../queue/cause.ts";
import type { WorkItem } from "../../queue/work-queue.ts";
import { maskTexts } from "../../reconcile/secrets/mask-values.ts";
import { errorFields } from "../../ports/author-code.ts";
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

/** What {@link RunLog} is made of. */
export interface RunLogParts {
  readonly log: Logger;
  readonly item: WorkItem;
  readonly reconcileId: string;
  readonly clock: Clock;
  /** When the run began, in monotonic milliseconds. */
  readonly since: number;
  /** Leaves out of a text what nobody may read. */
  readonly secrets: Pick<SecretValues, "mask">;
  /** Names the span within which something is logged; default none. */
  readonly tracing?: Tracing;
}

type Level = "debug" | "info" | "warn" | "error";

/** The log of a run; `elapsed` on each line is milliseconds since it began. */
export class RunLog implements Logger {
  readonly #parts: RunLogParts;
  readonly #parent: RunLog | undefined;
  readonly #fields: LogFields;
  /** Made with the first line: most runs have nothing to say above the level that is logged. */
  #inner: Logger | undefined;

  constructor(parts: RunLogParts, parent?: RunLog, fields: LogFields = {}) {
    this.#parts = parts;
    this.#parent = parent;
    this.#fields = fields;
  }

  child(fields: LogFields): Logger {
    return new RunLog(this.#parts, this, fields);
  }

  debug(fields: LogFields, message: string): void {
    if (this.isLevelEnabled("debug")) this.#say("debug", fields, message);
  }

  info(fields: LogFields, message: string): void {
    if (this.isLevelEnabled("info")) this.#say("info", fields, message);
  }

  warn(fields: LogFields, message: string): void {
    if (this.isLevelEnabled("warn")) this.#say("warn", fields, message);
  }

  error(fields: LogFields, message: string): void {
    if (this.isLevelEnabled("error")) this.#say("error", fields, message);
  }

  isLevelEnabled(level: Level): boolean {
    return this.#parts.log.isLevelEnabled?.(level) !== false;
  }

  #say(level: Level, fields: LogFields, message: string): void {
    const { clock, since, secrets, tracing } = this.#parts;
    const elapsed = Math.round(monotonicNow(clock) - since);
    const span = tracing?.current;
    const trace = span === undefined ? {} : traceFields(span);
    const error = Object.values(fields).find((each) => each instanceof Error);
    const place = error === undefined ? {} : errorFields(error);
    this.#whole()[level](
      { elapsed, ...trace, ...this.#masked({ ...place, ...fields }) },
      secrets.mask(message),
    );
  }

  #whole(): Logger {
    const { log, item, reconcileId } = this.#parts;
    this.#inner ??=
      this.#parent === undefined
        ? log.child(runFields(item, reconcileId))
        : this.#parent.#whole().child(this.#masked(this.#fields));
    return this.#inner;
  }

  #masked(fields: LogFields): LogFields {
    return maskTexts(fields, (text) => this.#parts.secrets.mask(text)) as LogFields;
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
