// The operator that is tested: it runs in this process while the cases do, and what it warns of is kept for when one fails.
import type { OperatorDefinition } from "../../controller/declaration/define-operator.ts";
import { untilAborted } from "../../ports/deadline.ts";
import { formatLogLine } from "../log-lines.ts";

/** A running operator. */
export interface TestOperator {
  /** Resolves once it works. Errors: what kept it from that. */
  ready(signal: AbortSignal): Promise<void>;
  /** Aborted with its error when it ends by itself. */
  readonly failed: AbortSignal;
  /** The last warnings and errors of its log. */
  readonly lines: readonly string[];
  /** Lets it drain. */
  stop(): Promise<void>;
}

/** Lines of its log that are kept. */
const mostLines = 20;

/** Starts it on a cluster, where it installs its definitions. */
export function startTestOperator(
  operator: OperatorDefinition,
  kubeconfig: string,
  context: string | undefined,
): TestOperator {
  const stop = new AbortController();
  const failed = new AbortController();
  const lines: string[] = [];
  const started = Promise.withResolvers<void>();
  const write = (line: string): void => {
    lines.push(formatLogLine(line, { color: false }).trimEnd());
    if (lines.length > mostLines) lines.shift();
  };
  const run = async (): Promise<void> => {
    const [{ runOperator }, { createLogger }] = await Promise.all([
      import("../../manager/run-operator.ts"),
      import("../../manager/pino-logger.ts"),
    ]);
    await runOperator(operator, {
      connection: { kubeconfig, ...(context === undefined ? {} : { context }) },
      installCrds: true,
      webhookBindAddress: "127.0.0.1:0",
      webhookUrl: true,
      env: process.env,
      log: createLogger({ level: "warn", destination: { write } }),
      signal: stop.signal,
      onReady: started.resolve,
    });
  };
  const ended = run().catch((error: unknown) => {
    started.reject(error);
    failed.abort(error);
  });
  // Who waits for it hears of it; who does not finds it in the signal.
  started.promise.catch(() => undefined);
  return {
    ready: (signal) => untilAborted(started.promise, signal),
    failed: failed.signal,
    lines,
    stop: async () => {
      stop.abort();
      await ended;
    },
  };
}
