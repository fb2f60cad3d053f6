// What a simulated container does, and which pods a script is about. Declared by tests, read by the simulated backend.
import type { Pod } from "../../../kinds/builtin/core.ts";
import type { Container } from "../../../kinds/builtin/parts.ts";

/** Selects pods, and containers of them; all that is given must hold. */
export interface SimulatedMatch {
  /** The pod's namespace. */
  readonly namespace?: string;
  /** The pod's name. */
  readonly name?: string | RegExp;
  /** Labels of the pod, each with this value. */
  readonly labels?: Readonly<Record<string, string>>;
  /** The container's name; default each container. */
  readonly container?: string;
  /** The container's image. */
  readonly image?: string | RegExp;
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
  /** Ends with this code so many milliseconds after it runs; default the runtime's start delay. */
  readonly exit?: { readonly code: number; readonly after?: number; readonly message?: string };
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
    (match.namespace === undefined || match.namespace === pod.metadata.namespace) &&
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
  // A pod that is not to run for ever completes.
  return (pod.spec.restartPolicy ?? "Always") === "Always" && !isInitial(pod, container)
    ? {}
    : { exit: { code: 0 } };
}

function isInitial(pod: Pod, container: Container): boolean {
  const initial = pod.spec.initContainers?.find((each) => each.name === container.name);
  return initial !== undefined && initial.restartPolicy !== "Always";
}
