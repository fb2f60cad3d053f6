// An embedded cluster in a process of its own, which says what it has used: what its client costs is not counted.
import { fork } from "node:child_process";
import { once } from "node:events";
import { startCluster, type ClusterOptions } from "xstate-operator/cluster";

/** What the process of a cluster has used so far. */
export interface ClusterUsage {
  /** Seconds of CPU. */
  readonly cpu: number;
  /** Megabytes. */
  readonly resident: number;
  /** Megabytes of heap, after a collection where `--expose-gc` is given. */
  readonly heap: number;
}

/** A cluster in another process. */
export interface OtherCluster {
  readonly kubeconfig: string;
  usage(): Promise<ClusterUsage>;
  /** Ends the cluster and its process. */
  stop(): Promise<void>;
}

/** In the other process: runs the cluster until its parent is gone. */
export async function serveCluster(options: ClusterOptions = {}): Promise<void> {
  const cluster = await startCluster(options);
  process.on("message", () => {
    globalThis.gc?.();
    const { user, system } = process.cpuUsage();
    const { rss, heapUsed } = process.memoryUsage();
    process.send?.({ cpu: (user + system) / 1e6, resident: rss / 1e6, heap: heapUsed / 1e6 });
  });
  process.on("disconnect", () => void cluster.stop());
  process.send?.({ kubeconfig: cluster.kubeconfig });
}

/** Starts a module as the other process; there it calls {@link serveCluster}. */
export async function startOtherCluster(module: string, args: readonly string[] = []): Promise<OtherCluster> {
  const child = fork(module, args, { execArgv: process.execArgv });
  const told = async <T>(): Promise<T> => ((await once(child, "message")) as [T])[0];
  const { kubeconfig } = await told<{ readonly kubeconfig: string }>();
  return {
    kubeconfig,
    usage() {
      const answer = told<ClusterUsage>();
      child.send("usage");
      return answer;
    },
    async stop() {
      const ended = once(child, "exit");
      child.disconnect();
      await ended;
    },
  };
}

/** Does the work for each, so many at a time. */
export async function withMany<T>(
  items: Iterable<T>,
  atOnce: number,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const left = items[Symbol.iterator]();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let next = left.next(); next.done !== true; next = left.next()) await work(next.value);
    }),
  );
}
