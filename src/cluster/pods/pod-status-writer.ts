// Writes one pod's status to the API server when it differs, one request at a time, and removes its object at the end.
// The pod's life says when something may have changed; what is written is computed from the newest object.
import { equal } from "../../schema/json-value.ts";
import { isConflict, isNotFound } from "../../client/api-error.ts";
import { Pod } from "../../kinds/builtin/core.ts";
import type { PodStatus } from "../../kinds/builtin/parts.ts";
import { formatKey, keyOf } from "../../meta/object-key.ts";
import { sleep } from "../../ports/clock.ts";
import { messageOf } from "../../ports/operator-error.ts";
import type { PodHost } from "./pod-runtime.ts";

/** What a status writer needs. */
export interface PodStatusWriterOptions {
  readonly pod: Pod;
  readonly host: PodHost;
  readonly statusOf: (newest: Pod) => PodStatus;
}

/** Milliseconds before a write that failed is tried again. */
const retryDelay = 500;

/** The status of one pod on its way to the API server. */
export class PodStatusWriter {
  #options: PodStatusWriterOptions;
  #pod: Pod;
  #dirty = false;
  #writing = false;
  #closed = new AbortController();

  constructor(options: PodStatusWriterOptions) {
    this.#options = options;
    this.#pod = options.pod;
  }

  /** The newest object that is known. */
  get pod(): Pod {
    return this.#pod;
  }

  /** Takes in an object, unless a newer one is known. */
  see(pod: Pod): void {
    const known = Number(this.#pod.metadata.resourceVersion);
    if (Number(pod.metadata.resourceVersion) >= known) this.#pod = pod;
  }

  /** The status may have changed: it is written soon, several changes at once. */
  report(): void {
    this.#dirty = true;
    if (this.#writing) return;
    this.#writing = true;
    void this.#write();
  }

  /** Writes nothing any more. */
  close(): void {
    this.#closed.abort();
  }

  /**
   * Removes the object now that nothing of the pod runs. An object that finalizers keep shows how its containers ended, if
   * they `ran` at all.
   */
  async removeObject(ran: boolean): Promise<void> {
    const { host } = this.#options;
    const { uid } = this.#pod.metadata;
    while (!this.#closed.signal.aborted) {
      const back = host.reachable?.();
      if (back !== undefined) await back;
      try {
        const left = await host.client.delete(Pod, keyOf(this.#pod), {
          gracePeriodSeconds: 0,
          preconditions: { uid },
          signal: this.#closed.signal,
        });
        if (left === undefined) return this.close();
        this.see(left);
        return ran ? this.report() : this.close();
      } catch (error) {
        if (isGone(error)) return this.close();
        await this.#waitAfter(error);
      }
    }
  }

  async #write(): Promise<void> {
    // Several changes of one instant make one write.
    await Promise.resolve();
    while (this.#dirty && !this.#closed.signal.aborted) {
      const back = this.#options.host.reachable?.();
      if (back !== undefined) await back;
      this.#dirty = false;
      try {
        await this.#writeOnce();
      } catch (error) {
        if (isGone(error)) this.close();
        else {
          this.#dirty = true;
          await this.#waitAfter(error);
        }
      }
    }
    // In the same step as the last look at `dirty`: no report can fall between.
    this.#writing = false;
  }

  async #writeOnce(): Promise<void> {
    const { host, statusOf } = this.#options;
    const status = statusOf(this.#pod);
    if (isCovered(this.#pod.status, status)) return;
    const { uid } = this.#pod.metadata;
    const body = { metadata: { uid }, status: withoutStale(this.#pod.status, status) };
    const options = { subresource: "status", signal: this.#closed.signal } as const;
    this.see(await host.client.patch(Pod, keyOf(this.#pod), { type: "merge", body }, options));
  }

  async #waitAfter(error: unknown): Promise<void> {
    const { host } = this.#options;
    if (this.#closed.signal.aborted) return;
    host.log.debug({ pod: formatKey(keyOf(this.#pod)), error: messageOf(error) }, "pod write failed");
    await sleep(host.clock, retryDelay, this.#closed.signal);
  }
}

/** Whether the object no longer exists, or another one has taken its name. */
function isGone(error: unknown): boolean {
  return isNotFound(error) || isConflict(error);
}

/** Whether every field of `next` is already in `before`, and none that we own is left over. */
function isCovered(before: PodStatus | undefined, next: PodStatus): boolean {
  const old = (before ?? {}) as Readonly<Record<string, unknown>>;
  const fields = { reason: undefined, message: undefined, ...next };
  return Object.entries(fields).every(([name, value]) => equal(old[name], value));
}

/** The merge patch that also removes a reason and message that no longer hold. */
function withoutStale(before: PodStatus | undefined, next: PodStatus): object {
  return {
    ...(before?.reason === undefined ? {} : { reason: null }),
    ...(before?.message === undefined ? {} : { message: null }),
    ...next,
  };
}
