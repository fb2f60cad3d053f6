// Starts the embedded cluster for a command, and says how to reach it.
import type { Cluster, ClusterOptions } from "../cluster/cluster.ts";
import type { Logger } from "../ports/logger.ts";
import { messageOf, OperatorError } from "../ports/operator-error.ts";
import { loadOptional } from "../ports/optional-package.ts";
import { formatLogLine } from "./log-lines.ts";
import { createProgress } from "./progress.ts";
import { shellWord } from "./shell-word.ts";
import type { Terminal } from "./terminal.ts";

/** How the embedded cluster runs pods: in one of its ways, or in one that is made when it starts. */
export type PodsChoice = "simulated" | "process" | (() => Promise<NonNullable<ClusterOptions["pods"]>>);

/** What a command may ask of it. */
export interface EmbeddedClusterOptions {
  readonly directory?: string | undefined;
  readonly kubeconfig?: string | undefined;
  readonly data?: string | undefined;
  readonly port?: number | undefined;
  readonly pods?: PodsChoice | undefined;
  readonly rbac?: boolean | undefined;
  readonly metrics?: boolean | undefined;
}

/** Starts it, with progress on the terminal. Errors: those of `startCluster` and of making the pods, and `PACKAGE_MISSING`. */
export async function startEmbeddedCluster(
  terminal: Terminal,
  options: EmbeddedClusterOptions,
): Promise<Cluster> {
  const progress = createProgress(terminal);
  progress.begin("starting a cluster in this process");
  try {
    const { startCluster } = await loadOptional("the embedded cluster", () => import("../cluster/index.ts"));
    const { directory, kubeconfig, data, port, rbac, metrics } = options;
    const pods = typeof options.pods === "function" ? await options.pods() : options.pods;
    const cluster = await startCluster({
      ...(data === undefined ? {} : { data, log: await warningsOn(terminal) }),
      ...(directory === undefined ? {} : { directory }),
      ...(kubeconfig === undefined ? {} : { kubeconfig }),
      ...(port === undefined ? {} : { port }),
      ...(pods === undefined ? {} : { pods }),
      ...(rbac === undefined ? {} : { rbac }),
      ...(metrics === undefined ? {} : { metrics }),
    });
    progress.done(`the cluster is up: ${cluster.url}`);
    terminal.err(`  export KUBECONFIG=${shellWord(cluster.kubeconfig)}\n`);
    return cluster;
  } catch (error: unknown) {
    progress.abandon();
    throw explain(error, options);
  }
}

/** What a cluster that keeps its data has to tell, such as a change that was cut off. */
async function warningsOn(terminal: Terminal): Promise<Logger> {
  const { createLogger } = await import("../manager/pino-logger.ts");
  const write = (line: string): void => terminal.err(formatLogLine(line, { color: terminal.color }));
  return createLogger({ level: "warn", destination: { write } });
}

/** What the system says about a port or a folder, as a sentence. */
function explain(error: unknown, { port, directory }: EmbeddedClusterOptions): unknown {
  const code = (error as NodeJS.ErrnoException | null)?.code;
  if (code === "EADDRINUSE" || (code === "EACCES" && port !== undefined && port < 1024)) {
    const why = code === "EADDRINUSE" ? "another process uses it" : "ports below 1024 are reserved for root";
    return new OperatorError(
      "CLUSTER_NOT_STARTED",
      `the cluster cannot listen on port ${port ?? "chosen"}: ${why}`,
      {
        cause: error,
        remedy: "Omit --port to use a free port, or choose another one.",
      },
    );
  }
  if (code !== undefined && directory !== undefined && messageOf(error).includes(directory)) {
    return new OperatorError(
      "CLUSTER_NOT_STARTED",
      `the cluster cannot use ${directory}: ${messageOf(error)}`,
      {
        cause: error,
        remedy: "Choose a writable folder with --dir, or omit it.",
      },
    );
  }
  return error;
}
