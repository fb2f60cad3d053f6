// The node's agent (Kubernetes calls it kubelet): keeps one life per pod uid and makes a runtime of any container backend.
// Fed with pods by the pod controller; asked for logs and commands by the API server.
import type { Pod } from "../../kinds/builtin/core.ts";
import type { Container } from "../../kinds/builtin/parts.ts";
import { hostAddress } from "./pod-addresses.ts";
import { formatKey, keyOf } from "../../meta/object-key.ts";
import { OperatorError } from "../../ports/operator-error.ts";
import type { ContainerBackend } from "./container-backend.ts";
import { PodLife } from "./pod-life.ts";
import type { PodHost, PodRuntime } from "./pod-runtime.ts";
import { isPodFinished } from "./pod-state.ts";
import { kubernetesRestartDelays, type RestartDelays } from "./restart-backoff.ts";

/** Options of {@link createNodeAgent}. */
export interface NodeAgentOptions {
  /** Delays between restarts of a container; default Kubernetes' own (none, 10 s, 20 s … 5 min). */
  readonly restartDelays?: Partial<RestartDelays>;
  /** `status.hostIP`; default `127.0.0.1`. */
  readonly hostIP?: string;
  /** Milliseconds that running pods get when the node stops; default 2 s. */
  readonly stopGrace?: number;
}

/** The agent of a node. */
export interface NodeAgent extends PodRuntime {
  /** Writes the status of each pod, if somebody has changed it. */
  readonly report: () => void;
}

/** A {@link PodRuntime} that runs the containers of a backend. */
export function createNodeAgent(backend: ContainerBackend, options: NodeAgentOptions = {}): NodeAgent {
  const lives = new Map<string, PodLife>();
  const delays = { ...kubernetesRestartDelays, ...options.restartDelays };
  let host: PodHost | undefined;
  let stopped: Promise<void> | undefined;

  function find(namespace: string, name: string): Pod {
    for (const { pod } of lives.values()) {
      if (pod.metadata.namespace === namespace && pod.metadata.name === name) return pod;
    }
    throw new OperatorError("POD_NOT_FOUND", `pod ${namespace}/${name} does not run on this node`, {
      remedy: "Check the name and the namespace, and that the pod has been scheduled.",
    });
  }

  function containerOf(pod: Pod, name: string | undefined): Container {
    const { containers, initContainers = [], ephemeralContainers = [] } = pod.spec;
    const all = [...containers, ...initContainers, ...ephemeralContainers];
    const found = name === undefined ? all[0] : all.find((each) => each.name === name);
    if (found !== undefined) return found;
    throw new OperatorError(
      "CONTAINER_NOT_FOUND",
      `container ${name} is not valid for pod ${formatKey(keyOf(pod))}`,
      { remedy: `Name one of: ${all.map((each) => each.name).join(", ")}.` },
    );
  }

  return {
    mode: backend.mode,
    async start(given) {
      host = given;
      await backend.start(given);
    },
    sync(pod) {
      if (host === undefined || stopped !== undefined) return;
      const known = lives.get(pod.metadata.uid);
      if (known !== undefined) return known.sync(pod);
      // A pod that ended before we started is not run again, only removed when that is asked for.
      if (isPodFinished(pod) && pod.metadata.deletionTimestamp === undefined) return;
      const life = new PodLife({ pod, backend, host, delays, hostIP: options.hostIP ?? hostAddress });
      lives.set(pod.metadata.uid, life);
      life.sync(pod);
    },
    report() {
      for (const life of lives.values()) life.report();
    },
    forget(pod) {
      const life = lives.get(pod.metadata.uid);
      lives.delete(pod.metadata.uid);
      void life?.abandon(0);
    },
    logs(request) {
      const pod = find(request.namespace, request.name);
      return backend.logs(pod, containerOf(pod, request.container).name, request);
    },
    async exec(request) {
      const pod = find(request.namespace, request.name);
      return backend.exec(pod, containerOf(pod, request.container), request);
    },
    async attach(request) {
      const pod = find(request.namespace, request.name);
      return backend.attach(pod, containerOf(pod, request.container), request);
    },
    async connect({ namespace, name, port }) {
      return backend.connect(find(namespace, name), port);
    },
    claimFolder: (namespace, name) => backend.claimFolder(namespace, name),
    releaseClaim: (namespace, name) => backend.releaseClaim(namespace, name),
    stop() {
      stopped ??= (async () => {
        await Promise.all([...lives.values()].map((life) => life.abandon(options.stopGrace ?? 2_000)));
        lives.clear();
        await backend.stop();
      })();
      return stopped;
    },
  };
}
