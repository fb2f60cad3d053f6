// An API server that knows the Leases of members and one kind of data, on a virtual clock. Data writes are noted with the
// slot that they are for.
import type { KubeClient } from "../../src/client/kube-client.ts";
import type { Lease } from "../../src/kinds/builtin/coordination.ts";
import type { Clock } from "../../src/ports/clock.ts";
import { notServed } from "../election/lease-server.ts";
import { LeaseStore } from "../election/lease-store.ts";
import type { LocalClock } from "../election/local-clock.ts";
import { Wire, type Sending } from "../election/wire.ts";

/** One data write that the server took. */
export interface Taken {
  readonly at: number;
  readonly by: string;
  readonly slot: number;
}

/** The server. */
export class ShardServer extends Wire {
  readonly taken: Taken[] = [];
  readonly #now: () => number;
  readonly #leases = new LeaseStore();

  constructor(clock: Clock) {
    super(clock);
    this.#now = () => clock.now();
  }

  get leases(): readonly Lease[] {
    return this.#leases.all();
  }

  /** A deletion by other hands. */
  delete(name: string): void {
    this.#leases.delete(name);
  }

  /** The client of one member, on that member's clock. */
  client(by: string, clock: LocalClock): KubeClient {
    const send = <T>(call: string, serve: () => T, options?: Sending): Promise<T> =>
      this.send(by, clock, call, serve, options);
    return {
      server: "https://shards.test",
      get: (_, { name }, options) => send("get", () => this.#leases.get(name) as never, options),
      list: (_, options) =>
        send(
          "list",
          () => ({
            metadata: { resourceVersion: this.#leases.resourceVersion },
            items: this.leases as never,
          }),
          options,
        ),
      create: (_, manifest, options) => send("create", () => this.#leases.create(manifest) as never, options),
      update: (_, manifest, options) => send("update", () => this.#leases.update(manifest) as never, options),
      delete: (_, { name }, options) =>
        send(
          "delete",
          () => {
            this.#leases.delete(name, options?.preconditions?.resourceVersion ?? "");
            return undefined;
          },
          options,
        ),
      apply: (_, manifest, options) =>
        send(
          "apply",
          () => {
            this.taken.push({ at: this.#now(), by, slot: Number(manifest.metadata.name) });
            return manifest as never;
          },
          options,
        ),
      watch: notServed,
      follow: notServed,
      patch: notServed,
      request: notServed,
      exec: notServed,
      close: () => Promise.resolve(),
    };
  }
}
