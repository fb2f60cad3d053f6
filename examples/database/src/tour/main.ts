// The guided tour: a cluster, an operator and a real database in one temporary folder, from start to end in a minute.
// `npm start` comes here through the command line's `tour`; everything it made is gone when it returns.
import { join } from "node:path";
import { createKubeClient, isNotFound, loadConnection } from "xstate-operator/client";
import { CustomResourceDefinition } from "xstate-operator/kinds";
import type { KubeClient } from "xstate-operator/client";
import { startCluster } from "xstate-operator/cluster";
import { findDashboardPlace } from "./dashboard-place.ts";
import { createNarrator, type Narrator, type TourOutput } from "./narrator.ts";
import { createOperatorProcess } from "./operator-process.ts";
import { playTour } from "./script.ts";
import { watchDatabase } from "./watcher.ts";
import { createWorkspace } from "./workspace.ts";

/** Options of {@link runTour}. */
export interface TourOptions {
  /** Ends after the tour instead of keeping the cluster until the signal is aborted. */
  readonly exit: boolean;
  readonly output: TourOutput;
  /** Colours and bold type. */
  readonly color: boolean;
  /** Characters in a line of the terminal; default as many as a line needs. */
  readonly columns?: number;
  /** Ends the tour early, in order: nothing is left behind. */
  readonly signal: AbortSignal;
}

/** What was interrupted by the user is no failure. */
class Interrupted extends Error {}

/**
 * Runs the tour; resolves with the exit code: 0 when all of it was shown, 1 when something failed, 130 when it was
 * interrupted before its end. Never rejects.
 *
 * **Guarantees**: when it resolves, nothing of it runs any more and its folder is gone.
 */
export async function runTour(options: TourOptions): Promise<number> {
  const { output, color, columns } = options;
  const narrator = createNarrator({ output, color, columns, now: () => performance.now() });
  const abort = new AbortController();
  const interrupt = (): void => abort.abort(new Interrupted("interrupted"));
  options.signal.addEventListener("abort", interrupt, { once: true });
  if (options.signal.aborted) interrupt();
  const undo = new AsyncDisposableStack();
  let code = 0;
  try {
    await tour(options, narrator, abort, undo);
  } catch (error) {
    code = explain(error, output);
  } finally {
    options.signal.removeEventListener("abort", interrupt);
    try {
      await undo.disposeAsync();
    } catch (error) {
      code = explain(error, output);
    }
  }
  return code;
}

async function tour(
  options: TourOptions,
  narrator: Narrator,
  abort: AbortController,
  undo: AsyncDisposableStack,
): Promise<void> {
  const { signal } = abort;
  narrator.step("A Kubernetes cluster starts in this process, and an operator beside it");
  const workspace = await createWorkspace();
  undo.defer(() => workspace.remove());
  signal.throwIfAborted();
  const cluster = await startCluster({
    directory: join(workspace.folder, "cluster"),
    pods: "process",
    podPath: workspace.programs,
  });
  undo.defer(() => cluster.stop());
  signal.throwIfAborted();
  narrator.say(`the API server is ${cluster.url}; everything of it is in ${workspace.folder}`);

  const client = createKubeClient(await loadConnection({ path: cluster.kubeconfig, env: {} }), {
    userAgent: "tour",
  });
  undo.defer(() => client.close());
  const dashboard = await findDashboardPlace();
  const operator = createOperatorProcess({
    dashboard,
    kubeconfig: cluster.kubeconfig,
    logFile: join(workspace.folder, "operator.log"),
    onUnexpectedEnd: (error) => abort.abort(error),
  });
  undo.defer(() => operator.stop());
  operator.start();
  narrator.say(`the operator is process ${operator.pid}; see it in a browser: ${dashboard.url}`);
  await waitForKind(client, signal);

  const watching = new AbortController();
  undo.defer(() => watching.abort());
  const watcher = watchDatabase({
    client,
    namespace: "default",
    name: "orders",
    onHappening: (happening) => narrator.tell(happening),
    signal: AbortSignal.any([signal, watching.signal]),
  });
  const { restored } = await playTour({
    client,
    kubeconfig: cluster.kubeconfig,
    narrator,
    operator,
    signal,
    watcher,
    workspace,
  });

  narrator.step("What was seen");
  narrator.say(`the path: ${narrator.path.join(" -> ")}`);
  narrator.say(`the row that the restored backup gave: ${JSON.stringify(restored)}`);
  if (!options.exit) await keepUp(options, cluster.kubeconfig, signal);
}

/** Says how to go on by hand, and waits for the end. */
async function keepUp(options: TourOptions, kubeconfig: string, signal: AbortSignal): Promise<void> {
  options.output.write(`
The cluster stays up until Ctrl-C. In another terminal:

  export KUBECONFIG=${kubeconfig}
  kubectl get databases
  kubectl describe database orders
  kubectl patch database orders --type merge -p '{"spec":{"lifecycle":{"desiredState":"Running"}}}'

`);
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
  if (!(signal.reason instanceof Interrupted)) throw signal.reason;
}

/** Waits until the operator has installed its kind. */
async function waitForKind(client: KubeClient, signal: AbortSignal): Promise<void> {
  for (const deadline = performance.now() + 30_000; ;) {
    try {
      const crd = await client.get(
        CustomResourceDefinition,
        { name: "databases.data.example.com" },
        { signal },
      );
      if (crd.status?.conditions?.some(({ type, status }) => type === "Established" && status === "True"))
        return;
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    if (performance.now() > deadline) throw new Error("the operator has not installed its kind within 30 s");
    await new Promise((resolve) => setTimeout(resolve, 100));
    signal.throwIfAborted();
  }
}

/** Tells what went wrong; returns the exit code. */
function explain(error: unknown, output: TourOutput): number {
  if (error instanceof Interrupted) {
    output.write("\nThe tour was interrupted.\n");
    return 130;
  }
  const remedy = (error as { remedy?: unknown } | null)?.remedy;
  const message = error instanceof Error ? error.message : String(error);
  output.write(`\nThe tour has failed: ${message}\n${typeof remedy === "string" ? `${remedy}\n` : ""}`);
  return 1;
}
