// Checks of the options of runOperator, for callers without a compiler: every option, known and unknown. What one option
// means together with another is checked where it is used.
import { isOperator } from "../controller/declaration/define-operator.ts";
import type { LeaderElectionOptions } from "../election/election-options.ts";
import {
  callable,
  duration,
  durationFromZero,
  fields,
  flag,
  listOf,
  required,
  text,
  valueCheck,
  whole,
  type OptionCheck,
  type OptionChecks,
} from "../lifecycle/checks/option-checks.ts";
import { refuseErrors } from "../ports/problem.ts";
import { OperatorError } from "../ports/operator-error.ts";
import { shown } from "../ports/shown.ts";
import type { ShardingOptions } from "../sharding/sharding-options.ts";
import type { RunOptions } from "./run-options.ts";

const address = valueCheck(
  (value) => typeof value === "string" && value !== "",
  "address",
  'Write ":8080" (this machine only), "0.0.0.0:8080" (all), or "0" (off), with quotes.',
);

const object = valueCheck(
  (value) => typeof value === "object" && value !== null,
  "object",
  "Write an object.",
);

const logger = having(
  ["child", "debug", "info", "warn", "error"],
  "logger",
  'Make it by createLogger({ level: "info", destination: process.stderr }), or give it pino\'s.',
);

const signal = having(
  ["addEventListener", "removeEventListener"],
  "AbortSignal",
  "Write signal: controller.signal, with a new AbortController().",
);

const connection: OptionChecks<RunOptions["connection"]> = { kubeconfig: text, context: text };

const times: OptionChecks<LeaderElectionOptions & ShardingOptions> = {
  namespace: text,
  name: text,
  leaseDuration: duration,
  renewDeadline: duration,
  retryPeriod: duration,
};

const checks: OptionChecks<RunOptions> = {
  connection: required(fields(connection), "Write connection: {} for the cluster that kubectl would use."),
  namespaces: listOf(text),
  workers: whole(1),
  log: required(logger, "Write log: createLogger({ … })."),
  signal: required(signal, "Write signal: controller.signal; aborting it stops the operator."),
  installCrds: flag,
  leaderElection: fields(times),
  sharding: fields(times),
  drainTimeout: durationFromZero,
  healthProbeBindAddress: address,
  metricsBindAddress: address,
  metrics: having(
    ["counter", "gauge", "histogram", "expose"],
    "metrics",
    "Make it by createPrometheusMetrics().",
  ),
  tracerProvider: having(["getTracer"], "provider of tracers", "Give it a TracerProvider of OpenTelemetry."),
  inspector: having(["begin", "looksAt", "report", "addSource"], "inspector", "Leave it out."),
  journal: having(["record"], "journal", "Give it an object with record(run)."),
  onStart: callable,
  recorder: having(["record", "gone", "measure"], "recorder", "Leave it out."),
  secrets: having(["note", "mask"], "keeper of secrets", "Leave it out."),
  onSynced: callable,
  onReady: callable,
  clock: having(["now", "setTimeout", "clearTimeout"], "clock", "Give it systemClock, or leave it out."),
  random: callable,
  env: object,
};

/** Throws `OPERATOR_INVALID` for what is no operator. By shape, not by class: it may come from another copy of this package. */
export function refuseNoOperator(given: unknown): void {
  if (isOperator(given)) return;
  throw new OperatorError("OPERATOR_INVALID", `runOperator was given ${shown(given)} as its operator`, {
    remedy: "Write runOperator(operator, { … }), with an operator made by defineOperator.",
  });
}

/** Throws `RUN_OPTIONS_INVALID` with a line for each option that is unknown, missing, or has a wrong form. */
export function refuseRunOptions(operator: string, options: unknown): void {
  refuseErrors(fields(checks, "runOperator")(options ?? {}, ""), {
    code: "RUN_OPTIONS_INVALID",
    subject: `how the operator "${operator}" is to be run`,
    fields: { operator },
    remedy: "Correct each line.",
  });
}

/** A check for an object with these functions. */
function having(names: readonly string[], expected: string, example: string): OptionCheck {
  return valueCheck(
    (value) =>
      ((typeof value === "object" && value !== null) || typeof value === "function") &&
      names.every((name) => typeof (value as Readonly<Record<string, unknown>>)[name] === "function"),
    `${expected}, as it lacks one of ${names.join(", ")}`,
    example,
  );
}
