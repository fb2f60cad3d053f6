// When simulated pods are evicted by their node, as rules say: a timer for each pod that one is about.
import type { Pod } from "../../../kinds/builtin/core.ts";
import type { Clock, TimerHandle } from "../../../ports/clock.ts";
import { isMatch, type SimulatedEviction, type SimulatedRule } from "./simulated-behaviour.ts";

/** What the node says when a rule has no words for it. */
const usualMessage = "The node was low on resource: memory. ";

/** One pod that may be evicted. */
interface Candidate {
  readonly pod: Pod;
  readonly evict: (message: string) => void;
  due: SimulatedEviction | undefined;
  timer: TimerHandle | undefined;
}

/** The evictions of all pods of a node. */
export class Evictions {
  readonly #candidates = new Set<Candidate>();
  /** The pods that each eviction is for, so that it is for no more than it may. */
  readonly #taken = new Map<SimulatedEviction, Set<string>>();

  /** Takes in a pod; the promise resolves with the message when it is evicted. `leave` takes it out. */
  join(
    pod: Pod,
    rules: readonly SimulatedRule[],
    clock: Clock,
  ): { readonly evicted: Promise<string>; readonly leave: () => void } {
    const { promise, resolve } = Promise.withResolvers<string>();
    const candidate: Candidate = { pod, evict: resolve, due: undefined, timer: undefined };
    this.#candidates.add(candidate);
    this.#follow(candidate, rules, clock);
    const leave = (): void => {
      this.#candidates.delete(candidate);
      if (candidate.timer !== undefined) clock.clearTimeout(candidate.timer);
    };
    return { evicted: promise, leave };
  }

  /** Takes on other rules; the time of a pod that falls under another eviction begins now. */
  reconsider(rules: readonly SimulatedRule[], clock: Clock): void {
    for (const candidate of this.#candidates) this.#follow(candidate, rules, clock);
  }

  #follow(candidate: Candidate, rules: readonly SimulatedRule[], clock: Clock): void {
    const due = this.#evictionOf(candidate.pod, rules);
    if (due === candidate.due) return;
    if (candidate.timer !== undefined) clock.clearTimeout(candidate.timer);
    candidate.due = due;
    candidate.timer =
      due === undefined
        ? undefined
        : clock.setTimeout(() => candidate.evict(due.message ?? usualMessage), due.after);
  }

  #evictionOf(pod: Pod, rules: readonly SimulatedRule[]): SimulatedEviction | undefined {
    for (const { match, behaviour } of rules.toReversed()) {
      const { evict } = behaviour;
      if (evict === undefined || !pod.spec.containers.some((each) => isMatch(match, pod, each))) continue;
      const taken = this.#taken.get(evict) ?? new Set<string>();
      const { uid } = pod.metadata;
      if (!taken.has(uid) && taken.size >= (evict.pods ?? Infinity)) continue;
      // Without a limit nothing has to be counted.
      if (evict.pods !== undefined) this.#taken.set(evict, taken.add(uid));
      return evict;
    }
    return undefined;
  }
}
