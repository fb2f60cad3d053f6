// An API server that knows Leases and config maps, on a virtual clock: requests and answers can be slow, lost or refused.
import { ApiError } from "../../src/client/api-error.ts";
import type { KubeClient } from "../../src/client/kube-client.ts";
import type { Lease } from "../../src/kinds/builtin/lease.ts";
import type { Manifest } from "../../src/meta/object.ts";
import type { Clock } from "../../src/ports/clock.ts";
import { OperatorError } from "../../src/ports/operator-error.ts";
import type { LocalClock } from "./local-clock.ts";

/** What happens to one request; nothing by default. Times in milliseconds. */
export interface Fate {
  readonly requestDelay?: number;
  readonly answerDelay?: number;
  readonly lost?: "request" | "answer";
  /** An HTTP status to refuse it with. */
  readonly status?: number;
}

/** One request that has reached the server, in order. */
export interface Served {
  readonly at: number;
  readonly by: string;
  readonly call: string;
}

/** The server. */
export class LeaseServer {
  readonly served: Served[] = [];
  /** Decides on each request, when it is sent. */
  fate: (by: string, call: string) => Fate = () => ({});
  /** Called when a write of something else than the Lease is taken. */
  onWrite: (by: string) => void = () => undefined;
  readonly #clock: Clock;
  #lease: Lease | undefined;
  #version = 0;
  #uid = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get lease(): Lease | undefined {
    return this.#lease;
  }

  /** Calls of that candidate, in order. */
  calls(by: string): string[] {
    return this.served.filter((each) => each.by === by).map(({ call }) => call);
  }

  /** An edit by other hands. */
  edit(change: { readonly spec?: Lease["spec"]; readonly labels?: Record<string, string> }): void {
    const lease = this.#lease;
    if (lease === undefined) throw new Error("no Lease");
    this.#store({
      ...lease,
      metadata: { ...lease.metadata, ...(change.labels && { labels: change.labels }) },
      spec: { ...lease.spec, ...change.spec },
    });
  }

  delete(): void {
    this.#lease = undefined;
  }

  /** The client of one candidate, on that candidate's clock. */
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
      server: "https://leases.test",
      get: (_, __, options) => send("get", () => this.#get() as never, options),
      create: (_, manifest, options) => send("create", () => this.#create(manifest) as never, options),
      update: (_, manifest, options) => send("update", () => this.#update(manifest) as never, options),
      apply: (_, manifest, options) =>
        send(
          "apply",
          () => {
            this.onWrite(by);
            return manifest as never;
          },
          options,
        ),
      list: unused,
      watch: unused,
      patch: unused,
      delete: unused,
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
        this.served.push({ at: this.#clock.now(), by, call });
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

  #get(): Lease {
    if (this.#lease === undefined) throw apiError(404, "NotFound");
    return this.#lease;
  }

  #create(manifest: Manifest): Lease {
    if (this.#lease !== undefined) throw apiError(409, "AlreadyExists");
    this.#uid += 1;
    return this.#store({
      ...manifest,
      metadata: { ...manifest.metadata, uid: `uid-${this.#uid}`, resourceVersion: "", creationTimestamp: "" },
    });
  }

  #update(manifest: Manifest): Lease {
    const { uid, resourceVersion } = manifest.metadata;
    const stored = this.#lease?.metadata;
    if (uid === undefined || resourceVersion === undefined) throw new Error("an update without lock");
    if (uid !== stored?.uid || resourceVersion !== stored.resourceVersion) throw apiError(409, "Conflict");
    return this.#store(manifest as Lease);
  }

  #store(lease: Lease): Lease {
    this.#version += 1;
    this.#lease = { ...lease, metadata: { ...lease.metadata, resourceVersion: String(this.#version) } };
    return this.#lease;
  }
}

/** A refusal. */
export function apiError(status: number, reason: string): ApiError {
  return new ApiError(`${reason} (${status})`, {
    status,
    reason,
    details: {},
    retryAfter: undefined,
    request: "test",
  });
}
