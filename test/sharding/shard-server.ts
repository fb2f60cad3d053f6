// An API server that knows the Leases of members and one kind of data, on a virtual clock: requests and answers can be slow,
// lost or refused. Data writes are noted with the slot that they are for.
import type { KubeClient } from "../../src/client/kube-client.ts";
import type { Lease } from "../../src/kinds/builtin/lease.ts";
import type { Manifest } from "../../src/meta/object.ts";
import type { Clock } from "../../src/ports/clock.ts";
import { OperatorError } from "../../src/ports/operator-error.ts";
import { apiError, type Fate } from "../election/lease-server.ts";
import type { LocalClock } from "../election/local-clock.ts";

/** One data write that the server took. */
export interface Taken {
  readonly at: number;
  readonly by: string;
  readonly slot: number;
}

/** The server. */
export class ShardServer {
  readonly taken: Taken[] = [];
  /** Decides on each request, when it is sent. */
  fate: (by: string, call: string) => Fate = () => ({});
  readonly #clock: Clock;
  readonly #leases = new Map<string, Lease>();
  #version = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get leases(): readonly Lease[] {
    return [...this.#leases.values()];
  }

  /** A deletion by other hands. */
  delete(name: string): void {
    this.#leases.delete(name);
  }

  /** The client of one member, on that member's clock. */
  client(by: string, clock: LocalClock): KubeClient {
    const send = <T>(
      call: string,
      serve: () => T,
      { timeout = 30_000, signal }: { timeout?: number; signal?: AbortSignal } = {},
    ) => this.#send<T>(by, call, serve, clock, timeout, signal);
    const unused = (): never => {
      throw new Error("not served here");
    };
    return {
      server: "https://shards.test",
      get: (_, { name }, options) => send("get", () => this.#get(name) as never, options),
      list: (_, options) =>
        send(
          "list",
          () => ({ metadata: { resourceVersion: String(this.#version) }, items: this.leases as never }),
          options,
        ),
      create: (_, manifest, options) => send("create", () => this.#create(manifest) as never, options),
      update: (_, manifest, options) => send("update", () => this.#update(manifest) as never, options),
      delete: (_, { name }, options) =>
        send(
          "delete",
          () => {
            if (this.#get(name).metadata.resourceVersion !== options?.preconditions?.resourceVersion) {
              throw apiError(409, "Conflict");
            }
            this.#leases.delete(name);
            return undefined;
          },
          options,
        ),
      apply: (_, manifest, options) =>
        send(
          "apply",
          () => {
            this.taken.push({ at: this.#clock.now(), by, slot: Number(manifest.metadata.name) });
            return manifest as never;
          },
          options,
        ),
      watch: unused,
      patch: unused,
      request: unused,
      close: () => Promise.resolve(),
    };
  }

  #send<T>(
    by: string,
    call: string,
    serve: () => T,
    clock: LocalClock,
    timeout: number,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    const { requestDelay = 0, answerDelay = 0, lost, status } = this.fate(by, call);
    return new Promise<T>((resolve, reject) => {
      const fail = (error: Error): void => clock.whenAwake(() => settle(() => reject(error)));
      const timer = clock.setTimeout(
        () => fail(new OperatorError("REQUEST_TIMEOUT", `${call}: no answer within ${timeout} ms`)),
        timeout,
      );
      const abort = (): void => fail(signal?.reason as Error);
      const settle = (answer: () => void): void => {
        clock.clearTimeout(timer);
        signal?.removeEventListener("abort", abort);
        answer();
      };
      signal?.addEventListener("abort", abort, { once: true });
      if (signal?.aborted === true) abort();
      const answer = (outcome: () => void): void => {
        if (lost === "answer") return;
        this.#after(answerDelay, () => clock.whenAwake(() => settle(outcome)));
      };
      // An abort does not call back what is on its way.
      if (signal?.aborted === true || lost === "request") return;
      this.#after(requestDelay, () => {
        try {
          if (status !== undefined) throw apiError(status, "Refused");
          const value = serve();
          answer(() => resolve(value));
        } catch (error) {
          answer(() => reject(error));
        }
      });
    });
  }

  #after(delay: number, callback: () => void): void {
    if (delay === 0) callback();
    else this.#clock.setTimeout(callback, delay);
  }

  #get(name: string): Lease {
    const lease = this.#leases.get(name);
    if (lease === undefined) throw apiError(404, "NotFound");
    return lease;
  }

  #create(manifest: Manifest): Lease {
    const { name } = manifest.metadata;
    if (this.#leases.has(name)) throw apiError(409, "AlreadyExists");
    return this.#store({
      ...manifest,
      metadata: { ...manifest.metadata, uid: `uid-${name}`, resourceVersion: "", creationTimestamp: "" },
    });
  }

  #update(manifest: Manifest): Lease {
    const { name, uid, resourceVersion } = manifest.metadata;
    const stored = this.#leases.get(name)?.metadata;
    if (uid !== stored?.uid || resourceVersion !== stored?.resourceVersion) throw apiError(409, "Conflict");
    return this.#store(manifest as Lease);
  }

  #store(lease: Lease): Lease {
    this.#version += 1;
    const stored = { ...lease, metadata: { ...lease.metadata, resourceVersion: String(this.#version) } };
    this.#leases.set(lease.metadata.name, stored);
    return stored;
  }
}
