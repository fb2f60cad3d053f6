// A client between a controller and a server without sockets: its watches lag, repeat and break, its answers come late or
// fail. Everything that waits, waits for the test or for the virtual clock.
import type { ApplyOptions, KubeClient, WatchEvent, WatchOptions } from "../../../src/client/kube-client.ts";
import { ApiError } from "../../../src/client/api-error.ts";
import type { KubeObject } from "../../../src/meta/object.ts";
import type { ResourceType } from "../../../src/meta/resource-type.ts";
import { sleep, type Clock } from "../../../src/ports/clock.ts";
import { OperatorError } from "../../../src/ports/operator-error.ts";

/** A write as it reached the server. */
export interface SeenWrite {
  readonly verb: "create" | "update" | "patch" | "apply" | "delete";
  readonly kind: string;
  readonly subresource: string | undefined;
  /** What the server answered; undefined for a delete. */
  readonly object: KubeObject | undefined;
}

export class FaultyClient {
  readonly client: KubeClient;
  readonly writes: SeenWrite[] = [];
  /** Milliseconds by which the answers to writes are late. */
  lateness = 0;
  /** Each watch event is told twice. */
  repeats = false;
  /** Watches opened so far. */
  watches = 0;
  /** Answers to this many further creations are lost: they happen, and nobody is told. */
  lostCreations = 0;
  /** The same of changes of children. */
  lostChanges = 0;
  #failures: Error[] = [];
  #cut = new AbortController();
  readonly #held = new Map<string, PromiseWithResolvers<void>>();

  constructor(inner: KubeClient, clock: Clock) {
    const write = async <T>(
      verb: SeenWrite["verb"],
      type: ResourceType,
      options: Partial<Pick<ApplyOptions, "signal" | "subresource" | "onlyIfAbsent">> | undefined,
      send: () => Promise<T>,
    ): Promise<T> => {
      options?.signal?.throwIfAborted();
      const failure = this.#failures.shift();
      if (failure !== undefined) throw failure;
      const result = await send();
      const object = result as KubeObject | undefined;
      this.writes.push({ verb, kind: type.kind, subresource: options?.subresource, object });
      const creates = verb === "create" || options?.onlyIfAbsent === true;
      if (creates && this.lostCreations > 0) {
        this.lostCreations -= 1;
        throw new OperatorError("CONNECTION_FAILED", "the connection was reset");
      }
      if (!creates && type.kind === "ConfigMap" && this.lostChanges > 0) {
        this.lostChanges -= 1;
        throw new OperatorError("CONNECTION_FAILED", "the connection was reset");
      }
      if (this.lateness > 0) await sleep(clock, this.lateness);
      return result;
    };
    this.client = {
      ...inner,
      watch: (type, options) => this.#watch(inner, type, options),
      follow: async (type, options, receive) => {
        for await (const event of this.#watch(inner, type, options)) await receive(event);
      },
      create: (type, manifest, options) =>
        write("create", type, options, () => inner.create(type, manifest, options)),
      update: (type, manifest, options) =>
        write("update", type, options, () => inner.update(type, manifest, options)),
      patch: (type, key, patch, options) =>
        write("patch", type, options, () => inner.patch(type, key, patch, options)),
      apply: (type, manifest, options) =>
        write("apply", type, options, () => inner.apply(type, manifest, options)),
      delete: (type, key, options) => write("delete", type, options, () => inner.delete(type, key, options)),
    };
  }

  /** Holds back what the watches of a type tell, until it is released. */
  hold(plural: string): void {
    if (!this.#held.has(plural)) this.#held.set(plural, Promise.withResolvers());
  }

  release(plural: string): void {
    this.#held.get(plural)?.resolve();
    this.#held.delete(plural);
  }

  /** Breaks every open watch. */
  cut(): void {
    const cut = this.#cut;
    this.#cut = new AbortController();
    cut.abort(new OperatorError("CONNECTION_FAILED", "the connection was reset"));
  }

  /** Fails the next write before the server sees it. */
  refuse(status: number, reason: string): void {
    this.#failures.push(
      new ApiError(reason, { status, reason, details: {}, retryAfter: undefined, request: "scripted" }),
    );
  }

  async *#watch<T extends KubeObject>(
    inner: KubeClient,
    type: ResourceType<T>,
    options: WatchOptions,
  ): AsyncGenerator<WatchEvent<T>, void, undefined> {
    this.watches += 1;
    const signal = AbortSignal.any([options.signal, this.#cut.signal]);
    const aborted = new Promise<never>((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
    });
    aborted.catch(() => undefined);
    for await (const event of inner.watch(type, { ...options, signal })) {
      for (let held = this.#held.get(type.plural); held !== undefined; held = this.#held.get(type.plural)) {
        await Promise.race([held.promise, aborted]);
      }
      signal.throwIfAborted();
      yield event;
      if (this.repeats && event.type !== "BOOKMARK") yield event;
    }
  }
}
