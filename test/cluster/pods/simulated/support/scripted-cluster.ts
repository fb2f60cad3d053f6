import { readPodScript } from "../../../../../src/cli/pod-script.ts";
import type { KubeClient } from "../../../../../src/client/kube-client.ts";
import { createApiCore } from "../../../../../src/cluster/api/create-core.ts";
import { createCoreClient } from "../../../../../src/cluster/api/in-process/core-client.ts";
import { controllersUser } from "../../../../../src/cluster/api/requests/users.ts";
import { startControllers } from "../../../../../src/cluster/controllers/start-controllers.ts";
import { createScriptedPods } from "../../../../../src/cluster/pods/simulated/script/scripted-pods.ts";
import type { SimulatedPods } from "../../../../../src/cluster/pods/simulated/simulated-pods.ts";
import { silentLogger } from "../../../../../src/ports/logger.ts";
import { seededRandom } from "../../../../../src/testing/simulation/seeded-random.ts";
import { createVirtualClock, type VirtualClock } from "../../../../../src/testing/virtual-clock.ts";

/** A cluster whose pods follow a script, on a virtual clock and without sockets. */
export interface ScriptedCluster {
  readonly clock: VirtualClock;
  readonly client: KubeClient;
  readonly pods: SimulatedPods;
  stop(): Promise<void>;
}

/** Starts one; `script` is the text of its script of pods. */
export async function startScriptedCluster(script: string): Promise<ScriptedCluster> {
  const clock = createVirtualClock();
  /** What the work comes to; time passes until it is done. */
  const withTime = async <T>(work: Promise<T>): Promise<T> => {
    let isDone = false;
    const noted = work.finally(() => (isDone = true));
    await clock.advanceUntil(() => isDone);
    return noted;
  };
  const random = seededRandom(1);
  const core = createApiCore({ clock, random, log: silentLogger });
  const client = createCoreClient({ core, userAgent: "controllers", user: controllersUser });
  const pods = createScriptedPods(readPodScript(script, "pods.yaml"));
  const running = await withTime(startControllers({ client, clock, random, log: silentLogger, pods }));
  return {
    clock,
    client: createCoreClient({ core, userAgent: "somebody" }),
    pods,
    stop: () => withTime(running.stop()),
  };
}
