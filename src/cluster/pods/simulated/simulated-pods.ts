// Pods without processes: containers become ready after a delay of the injected clock, unless a script says otherwise.
// Used by tests and by clusters whose operators only need the API to behave.
import { imageNameFault } from "../../image-name.ts";
import type { Pod } from "../../../kinds/builtin/core.ts";
import type { Container } from "../../../kinds/builtin/parts.ts";
import { sleep } from "../../../ports/clock.ts";
import { OperatorError } from "../../../ports/operator-error.ts";
import { answerCommand, answerPort, type AnswerRule, type SimulatedAnswers } from "./simulated-answers.ts";
import {
  type ContainerBackend,
  ContainerStartError,
  ImageNameError,
  ImagePullError,
  type PodSandbox,
} from "../container-backend.ts";
import { createNodeAgent, type NodeAgentOptions } from "../node-agent.ts";
import { createPodAddresses, hostAddress } from "../pod-addresses.ts";
import { selectLogLines, shownLines, type LogLine } from "../log-line.ts";
import type { PodHost, PodLogRequest, PodRuntime } from "../pod-runtime.ts";
import { checkEnvironment, keysIn } from "../pod-sources.ts";
import {
  behaviourOf,
  type SimulatedBehaviour,
  type SimulatedMatch,
  type SimulatedRule,
} from "./simulated-behaviour.ts";
import { NodeConnection } from "./node-connection.ts";
import { Evictions } from "./evictions.ts";
import { SimulatedContainer } from "./simulated-container.ts";

/** Options of {@link createSimulatedPods}. */
export interface SimulatedPodsOptions extends NodeAgentOptions {
  /** Milliseconds until a container runs and is ready; default 50. */
  readonly startDelay?: number;
  /** When the node is lost; default never. */
  readonly node?: SimulatedNode;
}

/** When the node of simulated pods is lost to the API server. */
export interface SimulatedNode {
  /** Milliseconds since the node has started. */
  readonly lostAfter: number;
  /** Milliseconds until it is back; default never. */
  readonly backAfter?: number;
}

/** Simulated pods, and the script they follow. */
export interface SimulatedPods extends PodRuntime {
  /** Pods are made up. */
  readonly mode: "simulated";
  /**
   * Loses the node: its pods run on, but nothing is heard of them. It is `Unknown` and tainted, its pods are not ready, and after the
   * 300 seconds that pods tolerate by default they are deleted, which ends them only once the node is back. The function returned brings it back.
   */
  loseNode(): () => void;
  /**
   * Adds a rule; the newest that matches wins, also for containers that run already. The function returned removes it.
   *
   * @example
   * pods.simulate({ labels: { app: "web" } }, { imagePullFails: true });
   * pods.simulate({ name: /^migrate-/ }, { exit: { code: 1, after: 2_000 }, times: 2 });
   */
  simulate(match: SimulatedMatch, behaviour: SimulatedBehaviour): () => void;
  /**
   * Adds answers to commands and connections; of those that match, the newest is asked first. The function returned removes them.
   *
   * @example
   * pods.answer({ labels: { app: "broker" } }, {
   *   exec: ({ command }) => (command[0] === "brokerctl" ? { stdout: "running\n" } : undefined),
   *   connect: (port) => (port === 15672 ? managementPort : undefined),
   * });
   */
  answer(match: SimulatedMatch, answers: SimulatedAnswers): () => void;
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
  /** When each instance of each container of a pod has begun to run, in milliseconds since the epoch. */
  const started = new Map<string, Map<string, readonly number[]>>();
  const addresses = createPodAddresses(256 * 254, addressOf, 1);
  const evictions = new Evictions();
  let rules: readonly SimulatedRule[] = [];
  let answered: readonly AnswerRule[] = [];
  let host: PodHost | undefined;

  function reconsider(): void {
    for (const each of Array.from(running)) {
      each.instance.behave(behaviourOf(rules, each.pod, each.container, each.attempt));
    }
    if (host !== undefined) evictions.reconsider(rules, host.clock);
  }

  /** The newest instance of a container that runs. Errors: `CONTAINER_NOT_STARTED`. */
  function runningOf(pod: Pod, container: string): Running {
    const found = [...running].findLast(
      (each) => each.pod.metadata.uid === pod.metadata.uid && each.container.name === container,
    );
    if (found !== undefined) return found;
    throw notStarted(`container "${container}" in pod "${pod.metadata.name}" is not running`);
  }

  async function* logs(pod: Pod, container: string, request: PodLogRequest): AsyncIterable<string> {
    const { containers, initContainers = [], ephemeralContainers = [] } = pod.spec;
    const found = [...containers, ...initContainers, ...ephemeralContainers].find(
      ({ name }) => name === container,
    );
    const starts = started.get(pod.metadata.uid)?.get(container) ?? [];
    const attempt = starts.length - (request.previous === true ? 2 : 1);
    const begun = starts[attempt];
    if (found === undefined || begun === undefined) {
      throw notStarted(
        request.previous === true
          ? `previous terminated container "${container}" in pod "${pod.metadata.name}" not found`
          : `container "${container}" in pod "${pod.metadata.name}" is waiting to start: ContainerCreating`,
      );
    }
    const { namespace, name } = pod.metadata;
    const said =
      behaviourOf(rules, pod, found, attempt).logs ??
      `simulated container ${container} of pod ${namespace}/${name}\n`;
    // All that a container says, it says as it begins to run.
    const time = new Date(begun).toISOString();
    const lines = said.split(/(?<=\n)/).map((text): LogLine => {
      const complete = text.endsWith("\n");
      return { time, stream: "stdout", text: complete ? text.slice(0, -1) : text, complete };
    });
    yield* shownLines(selectLogLines(lines, request, host?.clock.now() ?? begun), request);
    if (request.follow !== true) return;
    const instance = [...running].find(
      (each) =>
        each.pod.metadata.uid === pod.metadata.uid &&
        each.container.name === container &&
        each.attempt === attempt,
    );
    await Promise.race([instance?.instance.exited, abortOf(request.signal)]);
  }

  function createSandbox(pod: Pod): Promise<PodSandbox> {
    if (host === undefined)
      return Promise.reject(new ContainerStartError("NodeNotReady", "the node has not started"));
    const { clock } = host;
    const { namespace } = pod.metadata;
    const keysOf = keysIn(host, namespace);
    // A pod in the network of its node has the node's address.
    const own = pod.spec.hostNetwork === true ? undefined : addresses.take();
    const { evicted, leave } = evictions.join(pod, rules, clock);
    return Promise.resolve({
      ip: own ?? hostAddress,
      evicted,
      async start(container, attempt, events, signal) {
        await sleep(clock, behaviourOf(rules, pod, container, attempt).startAfter ?? startDelay, signal);
        // Read again: a rule that was added during the delay counts.
        const behaviour = behaviourOf(rules, pod, container, attempt);
        const fault = imageNameFault(container.image ?? "");
        if (fault !== undefined) throw new ImageNameError(fault);
        if (behaviour.imagePullFails !== undefined && behaviour.imagePullFails !== false) {
          const why = behaviour.imagePullFails === true ? "not found" : behaviour.imagePullFails;
          throw new ImagePullError(container.image ?? "", why);
        }
        await checkEnvironment(container, namespace, keysOf);
        const instance = new SimulatedContainer({
          id: `simulated://${pod.metadata.uid}/${container.name}/${attempt}`,
          clock,
          events,
          exitAfter: startDelay,
        });
        const entry = { pod, container, attempt, instance };
        running.add(entry);
        const starts = started.get(pod.metadata.uid) ?? new Map<string, readonly number[]>();
        started.set(
          pod.metadata.uid,
          starts.set(container.name, [...(starts.get(container.name) ?? []), clock.now()]),
        );
        void instance.exited.then(() => running.delete(entry));
        instance.behave(behaviour);
        return instance;
      },
      remove() {
        leave();
        if (own !== undefined) addresses.release(own);
        started.delete(pod.metadata.uid);
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
    logs,
    exec: (pod, container, request) => answerCommand(answered, pod, container, request),
    async attach(pod, container, { signal, stdin }) {
      const { instance } = runningOf(pod, container.name);
      void discard(stdin);
      await Promise.race([instance.exited, abortOf(signal)]);
    },
    connect: (pod, port) => answerPort(answered, pod, port),
    claimFolder: () => Promise.resolve(undefined),
    releaseClaim: () => Promise.resolve(),
    stop: () => Promise.resolve(),
  };

  const connection = new NodeConnection();
  const { report, ...agent } = createNodeAgent(backend, options);
  const ended = new AbortController();

  function restoreNode(): void {
    for (const pod of connection.restore()) agent.sync(pod);
    report();
  }

  async function loseInTime({ clock }: PodHost, { lostAfter, backAfter }: SimulatedNode): Promise<void> {
    await sleep(clock, lostAfter, ended.signal);
    if (ended.signal.aborted) return;
    connection.lose();
    if (backAfter === undefined) return;
    await sleep(clock, backAfter, ended.signal);
    if (!ended.signal.aborted) restoreNode();
  }

  return {
    ...agent,
    mode: "simulated",
    async start(given) {
      await agent.start(connection.hostOf(given));
      if (options.node !== undefined) void loseInTime(given, options.node);
    },
    sync(pod) {
      if (!connection.misses(pod)) agent.sync(pod);
    },
    forget(pod) {
      connection.forget(pod);
      agent.forget(pod);
    },
    stop() {
      ended.abort();
      return agent.stop();
    },
    loseNode() {
      connection.lose();
      return restoreNode;
    },
    answer(match, answers) {
      const rule = { match, answers };
      answered = [...answered, rule];
      return () => {
        answered = answered.filter((each) => each !== rule);
      };
    },
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

function notStarted(message: string): OperatorError {
  return new OperatorError("CONTAINER_NOT_STARTED", message, {
    remedy: "Look at the container's state in `kubectl describe pod`.",
  });
}

/** Resolves when the signal is aborted, if there is one. */
function abortOf(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) resolve();
    signal?.addEventListener("abort", () => resolve(), { once: true });
  });
}

async function discard(input: AsyncIterable<Uint8Array> | undefined): Promise<void> {
  for await (const _chunk of input ?? []);
}

/** Addresses that look like a pod network's; nothing listens on them. */
function addressOf(index: number): string {
  return `10.244.${Math.floor(index / 254)}.${(index % 254) + 1}`;
}
