// What a simulated container does, and which pods a script is about. Declared by tests, read by the simulated backend.
import type { Pod } from "../../../kinds/builtin/core.ts";
import type { Container } from "../../../kinds/builtin/parts.ts";
import { restartPolicyOf } from "../restart-policy.ts";

/** Selects pods, and containers of them; all that is given must hold. */
export interface SimulatedMatch {
  /** The pod's namespace. */
  readonly namespace?: string | RegExp;
  /** The pod's name. */
  readonly name?: string | RegExp;
  /** Labels of the pod, each with this value. */
  readonly labels?: Readonly<Record<string, string>>;
  /** The container's name; default each container. */
  readonly container?: string;
  /** The container's image. */
  readonly image?: string | RegExp;
}

/** How a container ends by itself. */
export interface SimulatedExit {
  /** Its exit code. */
  readonly code: number;
  /** Milliseconds since it runs; default the runtime's start delay. */
  readonly after?: number;
  /** What the state says besides; default nothing. */
  readonly message?: string;
  /** Default Completed for 0, else Error; of one that took too much memory (code 137) it is `OOMKilled`. */
  readonly reason?: string;
}

/** When a node evicts a pod. */
export interface SimulatedEviction {
  /** Milliseconds since the node has taken the pod. */
  readonly after: number;
  /** Default that the node was low on memory. */
  readonly message?: string;
  /** At most so many pods; default all. */
  readonly pods?: number;
}

/** What a container does instead of becoming ready and running for ever. */
export interface SimulatedBehaviour {
  /** Milliseconds until the container runs; default the runtime's start delay. */
  readonly startAfter?: number;
  /** Milliseconds from running to ready; default 0. */
  readonly readyAfter?: number;
  /** Runs, but never becomes ready. */
  readonly neverReady?: boolean;
  /** The image cannot be pulled: the container waits with ErrImagePull and ImagePullBackOff. */
  readonly imagePullFails?: boolean | string;
  /** Ends by itself; the restart policy says what follows. Default it runs for ever, or succeeds if it is not to be restarted. */
  readonly exit?: SimulatedExit;
  /**
   * The node evicts the pod so many milliseconds after it has taken it: the containers are killed, and the pod fails with the reason
   * `Evicted`. Default never; `pods`: only so many, the first, default all. Of several rules that have one, the newest counts.
   */
  readonly evict?: SimulatedEviction;
  /** Only for the first so many starts of each container; then the default holds. */
  readonly times?: number;
  /** Milliseconds that the container takes to end after SIGTERM; default 0. */
  readonly endAfter?: number;
  /** What its log says; default one line that says who it is. */
  readonly logs?: string;
}

/** One entry of a script. */
export interface SimulatedRule {
  readonly match: SimulatedMatch;
  readonly behaviour: SimulatedBehaviour;
}

/** Whether a container of a pod is meant. */
export function isMatch(match: SimulatedMatch, pod: Pod, container: Container): boolean {
  const labels = pod.metadata.labels ?? {};
  return (
    isText(match.namespace, pod.metadata.namespace) &&
    isText(match.name, pod.metadata.name) &&
    isText(match.image, container.image ?? "") &&
    (match.container === undefined || match.container === container.name) &&
    Object.entries(match.labels ?? {}).every(([name, value]) => labels[name] === value)
  );
}

function isText(pattern: string | RegExp | undefined, text: string): boolean {
  return pattern === undefined || (typeof pattern === "string" ? pattern === text : pattern.test(text));
}

/** The behaviour for a start of a container: the newest rule that matches and is not used up. */
export function behaviourOf(
  rules: readonly SimulatedRule[],
  pod: Pod,
  container: Container,
  attempt: number,
): SimulatedBehaviour {
  const rule = rules.findLast(
    ({ match, behaviour }) =>
      isMatch(match, pod, container) && (behaviour.times === undefined || attempt < behaviour.times),
  );
  if (rule !== undefined) return rule.behaviour;
  // What is not to run for ever completes.
  const isInitial = pod.spec.initContainers?.some((each) => each.name === container.name) ?? false;
  const { policy } = restartPolicyOf(pod, container, isInitial ? "initial" : "main");
  return policy === "Always" ? {} : { exit: { code: 0 } };
}
