// Whether the node of simulated pods reaches the API server. While it does not, its pods run on, and nobody hears of it.
import type { Pod } from "../../../kinds/builtin/core.ts";
import type { PodHost } from "../pod-runtime.ts";

/** The connection of one node, which rests or is lost. */
export class NodeConnection {
  readonly #missed = new Map<string, Pod>();
  #host: PodHost | undefined;
  #restored: PromiseWithResolvers<void> | undefined;

  /** What the node's agent works with: its writes wait while the connection is lost, and its events are lost. */
  hostOf(given: PodHost): PodHost {
    this.#host = given;
    const { events } = given;
    return {
      ...given,
      reachable: () => this.#restored?.promise,
      ...(events === undefined
        ? {}
        : {
            events: {
              from: (component) => ({
                record: (pod, event) => {
                  if (this.#restored === undefined) events.from(component).record(pod, event);
                },
              }),
            },
          }),
    };
  }

  /** Whether a change of a pod does not reach the node; it does when the connection is back. */
  misses(pod: Pod): boolean {
    if (this.#restored === undefined) return false;
    this.#missed.set(pod.metadata.uid, pod);
    return true;
  }

  /** The object of a pod is gone. */
  forget(pod: Pod): void {
    this.#missed.delete(pod.metadata.uid);
  }

  /** Loses the connection, unless it is lost. */
  lose(): void {
    if (this.#restored !== undefined) return;
    this.#restored = Promise.withResolvers();
    this.#host?.nodeLost?.(true);
  }

  /** Gets it back; what the node has missed is what is returned. */
  restore(): readonly Pod[] {
    const missed = [...this.#missed.values()];
    this.#missed.clear();
    this.#restored?.resolve();
    if (this.#restored !== undefined) this.#host?.nodeLost?.(false);
    this.#restored = undefined;
    return missed;
  }
}
