// Starts the embedded cluster for a command, and says how to reach it.
import type { Cluster, ClusterOptions } from "../cluster/cluster.ts";
import { createProgress } from "./progress.ts";
import type { Terminal } from "./terminal.ts";

/** How the embedded cluster runs pods. */
export type PodMode = NonNullable<ClusterOptions["pods"]>;

/** What a command may ask of it. */
export interface EmbeddedClusterOptions {
  readonly directory?: string | undefined;
  readonly port?: number | undefined;
  readonly pods?: PodMode | undefined;
}

/** Starts it, with progress on the terminal. Errors: those of `startCluster`. */
export async function startEmbeddedCluster(
  terminal: Terminal,
  options: EmbeddedClusterOptions,
): Promise<Cluster> {
  const progress = createProgress(terminal);
  progress.begin("starting a cluster in this process");
  try {
    const { startCluster } = await import("../cluster/index.ts");
    const { directory, port, pods } = options;
    const cluster = await startCluster({
      ...(directory === undefined ? {} : { directory }),
      ...(port === undefined ? {} : { port }),
      ...(pods === undefined ? {} : { pods }),
    });
    progress.done(`the cluster is up: ${cluster.url}`);
    terminal.err(`  export KUBECONFIG=${cluster.kubeconfig}\n`);
    return cluster;
  } catch (error: unknown) {
    progress.abandon();
    throw error;
  }
}
