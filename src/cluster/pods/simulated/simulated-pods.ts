// Pods without processes: containers become ready after a delay of the injected clock, unless a script says otherwise.
// Used by tests and by clusters whose operators only need the API to behave.
import type { Pod } from "../../../kinds/builtin/core.ts";
import type { Container } from "../../../kinds/builtin/parts.ts";
import { sleep } from "../../../ports/clock.ts";
import { OperatorError } from "../../../ports/operator-error.ts";
import { type ContainerBackend, ContainerStartError, type PodSandbox } from "../container-backend.ts";
import { createNodeAgent, type NodeAgentOptions } from "../node-agent.ts";
import { createPodAddresses } from "../pod-addresses.ts";
import type { PodHost, PodRuntime } from "../pod-runtime.ts";
import {
  behaviourOf,
  type SimulatedBehaviour,
  type SimulatedMatch,
  type SimulatedRule,
} from "./simulated-behaviour.ts";
import { SimulatedContainer } from "./simulated-container.ts";

/** Options of {@link createSimulatedPods}. */
export interface SimulatedPodsOptions extends NodeAgentOptions {
  /** Milliseconds until a container runs and is ready; default 50. */
  readonly startDelay?: number;
}

/** Simulated pods, and the script they follow. */
export interface SimulatedPods extends PodRuntime {
  /** Pods are made up. */
  readonly mode: "simulated";
  /**
   * Adds a rule; the newest that matches wins, also for containers that run already. The function returned removes it.
   *
   * @example
   * pods.simulate({ labels: { app: "web" } }, { imagePullFails: true });
   * pods.simulate({ name: /^migrate-/ }, { exit: { code: 1, after: 2_000 }, times: 2 });
   */
  simulate(match: SimulatedMatch, behaviour: SimulatedBehaviour): () => void;
}

interface Running {
  readonly pod: Pod;
  readonly container: Container;
  readonly attempt: number;
  readonly instance: SimulatedContainer;
}

/** A runtime of simulated pods. */
export function createSimulatedPods(options: SimulatedPodsOptions = {}): SimulatedPods {
  const startDelay = options.startDelay ?? 50;
  const running = new Set<Running>();
  const addresses = createPodAddresses(256 * 254, addressOf, 1);
  let rules: readonly SimulatedRule[] = [];
  let host: PodHost | undefined;

  function reconsider(): void {
    for (const each of Array.from(running)) {
      each.instance.behave(behaviourOf(rules, each.pod, each.container, each.attempt));
    }
  }

  function createSandbox(pod: Pod): Promise<PodSandbox> {
    const address = addresses.take();
    return Promise.resolve({
      ip: address,
      async start(container, attempt, events, signal) {
        if (host === undefined) throw new ContainerStartError("NodeNotReady", "the node has not started");
        const { clock } = host;
        await sleep(clock, behaviourOf(rules, pod, container, attempt).startAfter ?? startDelay, signal);
        // Read again: a rule that was added during the delay counts.
        const behaviour = behaviourOf(rules, pod, container, attempt);
        if (behaviour.imagePullFails !== undefined && behaviour.imagePullFails !== false) {
          const why = behaviour.imagePullFails === true ? "not found" : behaviour.imagePullFails;
          throw new ContainerStartError(
            "ImagePullBackOff",
            `Back-off pulling image "${container.image}": ${why}`,
          );
        }
        const instance = new SimulatedContainer({
          id: `simulated://${pod.metadata.uid}/${container.name}/${attempt}`,
          clock,
          events,
          exitAfter: startDelay,
        });
        const entry = { pod, container, attempt, instance };
        running.add(entry);
        void instance.exited.then(() => running.delete(entry));
        instance.behave(behaviour);
        return instance;
      },
      remove() {
        addresses.release(address);
        return Promise.resolve();
      },
    });
  }

  const backend: ContainerBackend = {
    mode: "simulated",
    probes: false,
    start(given) {
      host = given;
      return Promise.resolve();
    },
    createSandbox,
    async *logs(pod, container) {
      yield `simulated container ${container} of pod ${pod.metadata.namespace}/${pod.metadata.name}\n`;
    },
    exec(pod) {
      const error = new OperatorError(
        "EXEC_UNSUPPORTED",
        `pod ${pod.metadata.namespace}/${pod.metadata.name} is simulated: no command can be run in it`,
        { remedy: 'Start the cluster with pods: "process".' },
      );
      return Promise.reject(error);
    },
    claimFolder: () => Promise.resolve(undefined),
    releaseClaim: () => Promise.resolve(),
    stop: () => Promise.resolve(),
  };

  return {
    ...createNodeAgent(backend, options),
    mode: "simulated",
    simulate(match, behaviour) {
      const rule = { match, behaviour };
      rules = [...rules, rule];
      reconsider();
      return () => {
        rules = rules.filter((each) => each !== rule);
        reconsider();
      };
    },
  };
}

/** Addresses that look like a pod network's; nothing listens on them. */
function addressOf(index: number): string {
  return `10.244.${Math.floor(index / 254)}.${(index % 254) + 1}`;
}
