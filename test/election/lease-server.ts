// An API server that knows one Lease and config maps, on a virtual clock.
import type { KubeClient } from "../../src/client/kube-client.ts";
import type { Lease } from "../../src/kinds/builtin/coordination.ts";
import { LeaseStore } from "./lease-store.ts";
import type { LocalClock } from "./local-clock.ts";
import { Wire, type Sending } from "./wire.ts";

/** The server. */
export class LeaseServer extends Wire {
  /** Called when a write of something else than the Lease is taken. */
  onWrite: (by: string) => void = () => undefined;
  readonly #leases = new LeaseStore();

  get lease(): Lease | undefined {
    return this.#leases.all()[0];
  }

  /** Calls of that candidate, in order. */
  calls(by: string): string[] {
    return this.served.filter((each) => each.by === by).map(({ call }) => call);
  }

  /** An edit by other hands. */
  edit(change: { readonly spec?: Lease["spec"]; readonly labels?: Record<string, string> }): void {
    const lease = this.lease;
    if (lease === undefined) throw new Error("no Lease");
    this.#leases.put({
      ...lease,
      metadata: { ...lease.metadata, ...(change.labels && { labels: change.labels }) },
      spec: { ...lease.spec, ...change.spec },
    });
  }

  /** A deletion by other hands. */
  delete(): void {
    const { name } = this.lease?.metadata ?? {};
    if (name !== undefined) this.#leases.delete(name);
  }

  /** The client of one candidate, on that candidate's clock. */
  client(by: string, clock: LocalClock): KubeClient {
    const send = <T>(call: string, serve: () => T, options?: Sending): Promise<T> =>
      this.send(by, clock, call, serve, options);
    return {
      server: "https://leases.test",
      get: (_, { name }, options) => send("get", () => this.#leases.get(name) as never, options),
      create: (_, manifest, options) => send("create", () => this.#leases.create(manifest) as never, options),
      update: (_, manifest, options) => send("update", () => this.#leases.update(manifest) as never, options),
      apply: (_, manifest, options) =>
        send(
          "apply",
          () => {
            this.onWrite(by);
            return manifest as never;
          },
          options,
        ),
      list: notServed,
      watch: notServed,
      follow: notServed,
      patch: notServed,
      delete: notServed,
      request: notServed,
      exec: notServed,
      close: () => Promise.resolve(),
    };
  }
}

/** A call that the tests do not expect. */
export function notServed(): never {
  throw new Error("not served here");
}
