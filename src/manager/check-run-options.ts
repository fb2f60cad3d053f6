// Checks of the options of runOperator, for callers without a compiler: every option, known and unknown. What one option
// means together with another is checked where it is used.
import { isOperator } from "../controller/declaration/define-operator.ts";
import { leaseOptions } from "../election/election-options.ts";
import { optionProblems } from "../options/option-problems.ts";
import {
  anyObject,
  callable,
  clock,
  durationFromZero,
  either,
  flag,
  having,
  hinted,
  listOf,
  logger,
  optionsOf,
  required,
  text,
  valueOf,
  whole,
} from "../options/option-schemas.ts";
import { refuseErrors } from "../ports/problem.ts";
import { OperatorError } from "../ports/operator-error.ts";
import { shown } from "../ports/shown.ts";
import type { RunOptions } from "./run-options.ts";
import type { CertificateFiles } from "./serving-certificate.ts";

const address = hinted(text, {
  expected: "an address",
  remedy: 'Write ":8080" (every address), "127.0.0.1:8080" (this machine only), or "0" (off), with quotes.',
});

const signal = having(
  ["addEventListener", "removeEventListener"],
  "an AbortSignal",
  "Write signal: controller.signal, with a new AbortController().",
);

const connection = optionsOf<RunOptions["connection"]>()({
  kubeconfig: text.optional(),
  context: text.optional(),
});

const certificateFiles = optionsOf<CertificateFiles>()({
  cert: required(text, "Name the file with the certificate, in PEM."),
  key: required(text, "Name the file with its key, in PEM."),
});

const metricsSecure = either(flag, certificateFiles, {
  expected: "true, false, or files { cert, key }",
  remedy: "Write true for a certificate that signs itself, or name both files.",
});

function isSecureUrl(value: unknown): boolean {
  if (typeof value !== "string" || !URL.canParse(value)) return false;
  const { protocol, search, hash } = new URL(value);
  return protocol === "https:" && search === "" && hash === "";
}

const runOptions = optionsOf<RunOptions>()({
  connection: required(connection, "Write connection: {} for the cluster that kubectl would use."),
  namespaces: listOf(text).optional(),
  workers: whole(1).optional(),
  log: required(logger, "Write log: createLogger({ … })."),
  signal: required(signal, "Write signal: controller.signal; aborting it stops the operator."),
  installCrds: flag.optional(),
  leaderElection: leaseOptions.optional(),
  sharding: leaseOptions.optional(),
  drainTimeout: durationFromZero.optional(),
  healthProbeBindAddress: address.optional(),
  metricsBindAddress: address.optional(),
  metricsSecure: metricsSecure.optional(),
  webhookBindAddress: address.optional(),
  webhookCertDir: text.optional(),
  webhookUrl: valueOf((value) => value === true || isSecureUrl(value), {
    expected: "true, or a URL that begins with https://",
    remedy: 'Write true for the address that is bound, or a base such as "https://10.0.0.5:9443".',
  }).optional(),
  metrics: having(
    ["counter", "gauge", "histogram", "expose"],
    "a registry of metrics",
    "Make it by createPrometheusMetrics().",
  ).optional(),
  tracerProvider: having(
    ["getTracer"],
    "a TracerProvider",
    "Pass an OpenTelemetry TracerProvider.",
  ).optional(),
  inspector: having(["begin", "end", "looksAt", "onLook"], "an inspector", "Leave it out.").optional(),
  journal: having(["record"], "a journal", "Give it an object with record(run).").optional(),
  onStart: callable.optional(),
  recorder: having(["record", "gone", "measure"], "a recorder", "Leave it out.").optional(),
  secrets: having(["note", "mask"], "a keeper of secrets", "Leave it out.").optional(),
  onSynced: callable.optional(),
  onReady: callable.optional(),
  clock: clock.optional(),
  random: callable.optional(),
  env: anyObject("Give it process.env, or leave it out.").optional(),
});

/** Throws `OPERATOR_INVALID` for what is not an operator. By shape, not by class: it may come from another copy of this package. */
export function refuseNoOperator(given: unknown): void {
  if (isOperator(given)) return;
  throw new OperatorError("OPERATOR_INVALID", `runOperator was given ${shown(given)} as its operator`, {
    remedy: "Write runOperator(operator, { … }), with an operator made by defineOperator.",
  });
}

/** Throws `RUN_OPTIONS_INVALID` with a line for each option that is unknown, missing, or has a wrong form. */
export function refuseRunOptions(operator: string, options: unknown): void {
  refuseErrors(optionProblems(runOptions, options ?? {}, "runOperator"), {
    code: "RUN_OPTIONS_INVALID",
    subject: `the options of runOperator for "${operator}"`,
    fields: { operator },
    remedy: "Correct each line.",
  });
}
