// The log of one reconcile: every line of it, the author's too, says which run it belongs to, what caused that run, how
// long it waited and how far it has come, and holds no value of a Secret that the run has read.
import { monotonicNow, type Clock } from "../../ports/clock.ts";
import type { LogFields, Logger } from "../../ports/logger.ts";
import type { Cause } from "../../queue/cause.ts";
import type { WorkItem } from "../../queue/work-queue.ts";
import { maskTexts } from "../../reconcile/secrets/mask-values.ts";

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
