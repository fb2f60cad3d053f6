// The clusters that tests run on: one in this process or a given one, and those that single steps name.
import { createKubeClient } from "../../client/http-client.ts";
import { loadConnection } from "../../client/kube-config.ts";
import { TestCluster } from "../../kuttl/running/test-cluster.ts";
import { startEmbeddedCluster, type PodsChoice } from "../embedded-cluster.ts";
import type { Terminal } from "../terminal.ts";

/** Clusters of a run. */
export interface TestClusters {
  readonly main: TestCluster;
  /** The cluster of a kubeconfig and a context; the same for the same. */
  readonly of: (kubeconfig: string | undefined, context: string | undefined) => Promise<TestCluster>;
  /** Ends the connections, and the cluster in this process. */
  readonly stop: () => Promise<void>;
}

/** Connects to the cluster that was named, or starts one. Errors: those of both. */
export async function connectTests(
  terminal: Terminal,
  flags: { readonly kubeconfig?: string; readonly context?: string; readonly pods?: PodsChoice },
): Promise<TestClusters> {
  const { kubeconfig, context, pods } = flags;
  const isGiven = kubeconfig !== undefined || context !== undefined;
  const embedded = isGiven ? undefined : await startEmbeddedCluster(terminal, { pods });
  const path = embedded?.kubeconfig ?? (kubeconfig === undefined ? undefined : terminal.path(kubeconfig));
  const known = new Map<string, Promise<TestCluster>>();
  const connect = async (file: string | undefined, name: string | undefined): Promise<TestCluster> => {
    const connection = await loadConnection({ path: file, context: name, env: terminal.env });
    const client = createKubeClient(connection, { userAgent: "xstate-operator-test" });
    const [first] = (terminal.env["KUBECONFIG"] ?? "").split(":");
    return new TestCluster(client, file ?? (first || `${terminal.env["HOME"] ?? ""}/.kube/config`));
  };
  const of: TestClusters["of"] = (file = path, name = context) => {
    const key = JSON.stringify([file, name]);
    const found = known.get(key) ?? connect(file, name);
    known.set(key, found);
    return found;
  };
  const stop = async (): Promise<void> => {
    for (const connecting of known.values()) {
      // One that could not be connected has been reported by who asked for it.
      const cluster = await connecting.catch(() => undefined);
      await cluster?.client.close();
    }
    await embedded?.stop();
  };
  try {
    return { main: await of(undefined, undefined), of, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
