// Runs an operator in this process, against a cluster or against an embedded one, as flags say: those of `run`, and of an operator
// that was built into one file. Loads nothing that only the command line needs.
import { setFlagsFromString } from "node:v8";
import { InvalidArgumentError, Option, type Command } from "commander";
import type { Cluster } from "../cluster/cluster.ts";
import type { OperatorDefinition } from "../controller/declaration/define-operator.ts";
import type { RunOptions } from "../manager/run-options.ts";
import type { LogLevel } from "../manager/pino-logger.ts";
import type { Recording } from "../recording/recording-writer.ts";
import { untilAborted } from "../ports/deadline.ts";
import { toMilliseconds } from "../ports/duration.ts";
import type { Logger } from "../ports/logger.ts";
import { startEmbeddedCluster, type PodsChoice } from "./embedded-cluster.ts";
import { parsePort, startDashboardFor, type RunningDashboard } from "./dashboard.ts";
import { parseInspect, startInspection, type InspectChoice, type RunningInspection } from "./inspection.ts";
import { defaultLimit, parseSize, startRecording } from "./recording.ts";
import { knowSecrets } from "./process-secrets.ts";
import { formatLogLine } from "./log-lines.ts";
import type { Terminal } from "./terminal.ts";
import { UsageError } from "./usage-error.ts";

/** The flags, as they were typed. */
export interface RunFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly embedded?: boolean;
  readonly pods?: PodsChoice;
  readonly namespace?: readonly string[];
  readonly workers?: number;
  readonly logLevel: LogLevel;
  /** Of the whole command line. */
  readonly debug?: boolean;
  readonly logFormat?: "text" | "json" | "ecs" | "gcp";
  readonly installCrds?: boolean;
  readonly metricsBindAddress: string;
  readonly metricsSecure?: boolean;
  readonly metricsCert?: string;
  readonly metricsKey?: string;
  readonly healthProbeBindAddress: string;
  readonly webhookBindAddress?: string;
  readonly webhookCertDir?: string;
  readonly webhookUrl?: string | true;
  readonly drainTimeout?: number;
  readonly leaderElect?: boolean;
  readonly leaderElectionNamespace?: string;
  readonly sharding?: boolean;
  readonly shardingNamespace?: string;
  readonly leaseDuration?: number;
  readonly inspect?: InspectChoice | true;
  readonly dashboard?: number | true;
  readonly allowEvents?: boolean;
  readonly record?: string;
  readonly recordLimit?: number;
}

/** Adds the flags; `more` are where to run beside the cluster of a kubeconfig: none in a built operator. */
export function withRunFlags(command: Command, more: readonly Option[] = []): Command {
  command
    .option("--kubeconfig <file>", "path to the kubeconfig (default: $KUBECONFIG, then ~/.kube/config)")
    .option("--context <name>", "kubeconfig context to use");
  for (const option of more) command.addOption(option);
  return command
    .option("-n, --namespace <name...>", "serve only these namespaces (default: all)")
    .option("--workers <number>", "maximum number of concurrent reconciles per controller", positiveInteger)
    .option("--install-crds", "create the operator's CRDs first, and update those that it has created")
    .addOption(
      new Option("--log-level <level>", "minimum level of log messages")
        .choices(["debug", "info", "warn", "error", "silent"])
        .default("info"),
    )
    .addOption(
      new Option(
        "--log-format <format>",
        "log format: ecs is the Elastic Common Schema, gcp is for Google Cloud Logging; default text on a terminal, otherwise json",
      ).choices(["text", "json", "ecs", "gcp"]),
    )
    .option(
      "--metrics-bind-address <address>",
      'address of /metrics: ":8080" for every address, "127.0.0.1:8080" for this machine only, "0" for off',
      "0",
    )
    .option(
      "--metrics-secure",
      "serve /metrics over TLS, to bearer tokens whose user may get the URL /metrics",
    )
    .option("--metrics-cert <file>", "certificate for it, in PEM; default one that signs itself")
    .option("--metrics-key <file>", "its key, in PEM")
    .option("--health-probe-bind-address <address>", "address of /healthz and /readyz, in the same form", "0")
    .option(
      "--webhook-bind-address <address>",
      `address of the webhooks, in the same form (default: 0${more.length === 0 ? "" : "; with --embedded, this machine"})`,
    )
    .option(
      "--webhook-cert-dir <folder>",
      "folder with tls.crt and tls.key for them (default: made by the operator, in a Secret)",
    )
    .option(
      "--webhook-url [url]",
      "for development: have the API server call them at this URL, or at the address, while the operator runs",
    )
    .option(
      "--drain-timeout <duration>",
      "how long running reconciles may take to finish at shutdown (default: 25s)",
      duration,
    )
    .option("--leader-elect", "elect a leader: stand by while another replica leads")
    .option(
      "--leader-election-namespace <namespace>",
      "namespace of the Lease (default: the namespace of the pod or of the kubeconfig's context)",
    )
    .option("--sharding", "share the objects with the other replicas")
    .option("--sharding-namespace <namespace>", "where their Leases are; default likewise")
    .option(
      "--lease-duration <duration>",
      "how long others wait before they take over from a lost replica (default: 15s)",
      duration,
    )
    .option(
      "--inspect [where]",
      'show every machine live in a browser: a port, "local" (our viewer, the default) or "stately" (Stately\'s)',
      parseInspect,
    )
    .option("--dashboard [port]", "serve a live page of every resource, on this machine only", parsePort)
    .option("--allow-events", "allow human events to be sent from the dashboard")
    .option("--record <file>", "record every reconcile to this file, without secrets, for `replay`")
    .option(
      "--record-limit <size>",
      "maximum size of the recording, including its previous part in <file>.1 (default: 512Mi)",
      parseSize,
    );
}

/**
 * Bytes of WebAssembly, roughly, that are executed before V8 optimises a function: undici parses answers by one so large that a handful
 * of them would do, and optimising it takes a fifth of the CPU of a start. After a thousand answers it is worth it.
 */
const executedBeforeOptimised = 2_000_000_000;

/**
 * Calls of a function before V8 optimises it for the second time, by its most thorough compiler; by itself after a tenth of them. Of an
 * operator's code there is much, and each part of it is called seldom: compiling took a tenth of the CPU of a burst of 2,000 resources,
 * and what it gains shows after many thousand (bench/micro/burst.ts).
 */
const calledBeforeOptimisedAgain = 30_000;

/** Runs the operator until a signal stops it. */
export async function runWithFlags(
  terminal: Terminal,
  loading: Promise<OperatorDefinition>,
  options: RunFlags,
): Promise<void> {
  loading.catch(() => undefined);
  refuseContradictions(options);
  setFlagsFromString(`--wasm-tiering-budget=${executedBeforeOptimised}`);
  setFlagsFromString(`--invocation-count-for-turbofan=${calledBeforeOptimisedAgain}`);
  const signal = terminal.stopSignal();
  const operator = await unlessStopped(loading, signal);
  if (operator === undefined) return;
  const log = await createCommandLogger(terminal, options);
  const secrets = await knowSecrets(operator);
  let cluster: Cluster | undefined;
  let inspection: RunningInspection | undefined;
  let dashboard: RunningDashboard | undefined;
  let recording: Recording | undefined;
  try {
    if (options.record !== undefined) {
      const { record: file, recordLimit: limit = defaultLimit } = options;
      recording = await startRecording(terminal, { operator, file, limit }, log);
    }
    if (options.inspect !== undefined)
      inspection = await startInspection(terminal, choiceOf(options.inspect), log, secrets.sanitizer());
    if (options.dashboard !== undefined) {
      const port = options.dashboard === true ? 0 : options.dashboard;
      const allowEvents = options.allowEvents === true;
      dashboard = await startDashboardFor(terminal, { operator, port, allowEvents }, log, secrets);
    }
    if (options.embedded === true) cluster = await startEmbeddedCluster(terminal, { pods: options.pods });
    const { runOperator } = await import("../manager/run-operator.ts");
    const kubeconfig =
      cluster?.kubeconfig ??
      (options.kubeconfig === undefined ? undefined : terminal.path(options.kubeconfig));
    await runOperator(operator, {
      connection: {
        ...(kubeconfig === undefined ? {} : { kubeconfig }),
        ...(options.context === undefined ? {} : { context: options.context }),
      },
      ...(options.namespace === undefined ? {} : { namespaces: options.namespace }),
      ...(options.workers === undefined ? {} : { workers: options.workers }),
      installCrds: options.installCrds === true || cluster !== undefined,
      metricsBindAddress: options.metricsBindAddress,
      metricsSecure: securityOf(options, terminal),
      healthProbeBindAddress: options.healthProbeBindAddress,
      ...webhooksOf(options, terminal),
      ...(options.drainTimeout === undefined ? {} : { drainTimeout: options.drainTimeout }),
      ...electionOf(options),
      ...(inspection === undefined ? {} : { inspector: inspection.inspector }),
      ...dashboard?.options,
      secrets: secrets.keeper,
      ...(recording === undefined ? {} : { recorder: recording }),
      env: terminal.env,
      log,
      signal,
    });
  } finally {
    await recording?.close();
    await inspection?.close();
    await dashboard?.close();
    await cluster?.stop();
  }
}

/** What the work comes to; undefined when the command is to stop before that. */
async function unlessStopped<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  try {
    return await untilAborted(work, signal);
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

function securityOf(
  { metricsSecure = false, metricsCert, metricsKey }: RunFlags,
  terminal: Terminal,
): NonNullable<RunOptions["metricsSecure"]> {
  if (metricsCert === undefined || metricsKey === undefined) return metricsSecure;
  return { cert: terminal.path(metricsCert), key: terminal.path(metricsKey) };
}

/** The embedded cluster is on this machine, and knows no Service of the operator. */
function webhooksOf(
  { embedded = false, ...options }: RunFlags,
  terminal: Terminal,
): Pick<RunOptions, "webhookBindAddress" | "webhookCertDir" | "webhookUrl"> {
  const { webhookBindAddress = embedded ? "127.0.0.1:0" : "0", webhookCertDir } = options;
  const { webhookUrl = embedded ? true : undefined } = options;
  return {
    webhookBindAddress,
    ...(webhookCertDir === undefined ? {} : { webhookCertDir: terminal.path(webhookCertDir) }),
    ...(webhookUrl === undefined ? {} : { webhookUrl }),
  };
}

function choiceOf(inspect: InspectChoice | true): InspectChoice {
  return inspect === true ? { viewer: "local", port: 0 } : inspect;
}

function electionOf(options: RunFlags): Pick<RunOptions, "leaderElection" | "sharding"> {
  const { leaderElect, leaderElectionNamespace, sharding, shardingNamespace, leaseDuration } = options;
  // In the proportions of the defaults: 15 s, 10 s, 2 s.
  const times =
    leaseDuration === undefined
      ? {}
      : { leaseDuration, renewDeadline: (leaseDuration * 2) / 3, retryPeriod: (leaseDuration * 2) / 15 };
  const among = (namespace: string | undefined) => ({
    ...times,
    ...(namespace === undefined ? {} : { namespace }),
  });
  if (sharding === true) return { sharding: among(shardingNamespace) };
  return leaderElect === true ? { leaderElection: among(leaderElectionNamespace) } : {};
}

function refuseContradictions(options: RunFlags): void {
  if ((options.metricsCert === undefined) !== (options.metricsKey === undefined)) {
    throw new UsageError(
      "--metrics-cert requires --metrics-key, and the other way round",
      "Add the other one, or omit both.",
    );
  }
  if (options.allowEvents === true && options.dashboard === undefined) {
    throw new UsageError("--allow-events requires --dashboard", "Add --dashboard, or omit --allow-events.");
  }
  if (options.recordLimit !== undefined && options.record === undefined) {
    throw new UsageError("--record-limit requires --record", "Add --record, or omit --record-limit.");
  }
  const { webhookBindAddress, webhookCertDir, webhookUrl } = options;
  if (webhookBindAddress === undefined && options.embedded !== true) {
    const given = webhookCertDir !== undefined ? "--webhook-cert-dir" : "--webhook-url";
    if (webhookCertDir !== undefined || webhookUrl !== undefined) {
      throw new UsageError(
        `${given} requires --webhook-bind-address`,
        `Add --webhook-bind-address :9443, or omit ${given}.`,
      );
    }
  }
  const { embedded, kubeconfig, context, pods, leaderElect, leaderElectionNamespace } = options;
  const { sharding, shardingNamespace, leaseDuration } = options;
  if (leaderElect === true && sharding === true) {
    throw new UsageError(
      "--leader-elect and --sharding exclude each other: the first lets one replica work, the second all of them",
      "Omit one of the two.",
    );
  }
  if (sharding !== true && shardingNamespace !== undefined) {
    throw new UsageError(
      "--sharding-namespace requires --sharding",
      "Add --sharding, or omit --sharding-namespace.",
    );
  }
  if (leaderElect !== true && sharding !== true && leaseDuration !== undefined) {
    throw new UsageError(
      "--lease-duration requires --leader-elect or --sharding",
      "Add --leader-elect or --sharding, or omit --lease-duration.",
    );
  }
  if (leaderElect !== true && leaderElectionNamespace !== undefined) {
    throw new UsageError(
      "--leader-election-namespace requires --leader-elect",
      "Add --leader-elect, or omit --leader-election-namespace.",
    );
  }
  if (embedded === true && (kubeconfig !== undefined || context !== undefined)) {
    throw new UsageError(
      "--embedded starts its own cluster, so --kubeconfig and --context cannot be used with it",
      "Omit --embedded to run on the cluster of the kubeconfig.",
    );
  }
  if (embedded !== true && pods !== undefined) {
    throw new UsageError("--pods requires --embedded", "Add --embedded, or omit --pods.");
  }
}

async function createCommandLogger(
  terminal: Terminal,
  { logLevel, logFormat, debug = false }: RunFlags,
): Promise<Logger> {
  const { createLogger } = await import("../manager/pino-logger.ts");
  const format = logFormat ?? (terminal.interactive ? "text" : "json");
  const { color } = terminal;
  const shown = { color, stacks: debug || logLevel === "debug" };
  return format === "text"
    ? createLogger({
        level: logLevel,
        destination: { write: (line) => terminal.err(formatLogLine(line, shown)) },
      })
    : createLogger({ level: logLevel, format, destination: { write: terminal.err } });
}

function duration(text: string): number {
  try {
    return toMilliseconds(text);
  } catch {
    throw new InvalidArgumentError("It must be a duration, for example 10s or 1m30s.");
  }
}

function positiveInteger(text: string): number {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number from 1 to 9999.");
}
