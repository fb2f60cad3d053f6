// Runs an operator in the test's process, and tells what it has done so far.
import { runOperator } from "../../src/manager/run-operator.ts";
import type { RunOptions } from "../../src/manager/run-options.ts";
import type { OperatorDefinition } from "../../src/controller/declaration/define-operator.ts";
import type { Logger } from "../../src/ports/logger.ts";

/** One log line. */
export interface LogLine {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** An operator that runs until it is stopped. */
export interface RunningOperator {
  readonly lines: readonly LogLine[];
  /** Reconciles ended so far; of one object, when its key is given. */
  reconciles(key?: string): number;
  /** Aborts it and waits until it has drained. */
  stop(): Promise<void>;
}

/** Starts the operator and waits until its workers run; rejects when it fails before that. */
export async function startOperator(
  definition: OperatorDefinition,
  kubeconfig: string,
  options: Partial<RunOptions> = {},
): Promise<RunningOperator> {
  const lines: LogLine[] = [];
  const abort = new AbortController();
  const log = recordingLogger(lines);
  let ended: Promise<void> = Promise.resolve();
  await new Promise<void>((resolve, reject) => {
    ended = runOperator(definition, {
      connection: { kubeconfig },
      env: {},
      log,
      signal: abort.signal,
      onReady: resolve,
      ...options,
    });
    ended.catch(reject);
  });
  return {
    lines,
    reconciles: (key) =>
      lines.filter(
        ({ message, fields }) =>
          message === "reconcile ended" && (key === undefined || fields["object"] === key),
      ).length,
    stop: async () => {
      abort.abort();
      await ended;
    },
  };
}

function recordingLogger(lines: LogLine[], bound: Readonly<Record<string, unknown>> = {}): Logger {
  const at = (level: LogLine["level"]) => (fields: Readonly<Record<string, unknown>>, message: string) => {
    lines.push({ level, message, fields: { ...bound, ...fields } });
  };
  return {
    child: (fields) => recordingLogger(lines, { ...bound, ...fields }),
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
  };
}
