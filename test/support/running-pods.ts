import {
  startControllers,
  type RunningControllers,
} from "../../src/cluster/controllers/start-controllers.ts";
import type { PodRuntime } from "../../src/cluster/pods/pod-runtime.ts";
import { createSimulatedPods } from "../../src/cluster/pods/simulated/simulated-pods.ts";
import type { KubeClient } from "../../src/client/kube-client.ts";
import { silentLogger } from "../../src/ports/logger.ts";
import { systemClock } from "../../src/ports/system-clock.ts";

/**
 * Starts the embedded cluster's controllers on a server that has none, such as a real one without a kubelet: from then on workloads
 * become pods there, and pods run, simulated unless said otherwise. The caller stops them.
 */
export function runPods(
  client: KubeClient,
  pods: PodRuntime = createSimulatedPods(),
): Promise<RunningControllers> {
  return startControllers({ client, clock: systemClock, random: Math.random, log: silentLogger, pods });
}
