// The Leases of the members on the API server: this member's own is created, renewed and given back, all are listed, and those
// of members long gone are removed. What an answer means for the membership is decided by the member.
import { isAlreadyExists, isConflict, isNotFound } from "../client/api-error.ts";
import type { KubeClient } from "../client/kube-client.ts";
import type { ElectionOptions } from "../election/election-options.ts";
import { Lease } from "../kinds/builtin/coordination.ts";
import type { Clock } from "../ports/clock.ts";
import { leaseOf, releasedLeaseOf, shardsLabel } from "./member-lease.ts";

/** Options of {@link MemberLeases}. */
export interface MemberLeasesOptions extends Pick<ElectionOptions, "namespace" | "name" | "leaseDuration"> {
  readonly client: KubeClient;
  /** Who this process is, for people. */
  readonly identity: string;
  /** Ends the Lease's name: unique for every process that ever runs. */
  readonly suffix: string;
  /** What is shared, as in `databases.data.example.com`. */
  readonly resources: readonly string[];
  readonly fieldManager: string;
  readonly clock: Clock;
}

/** How long a request may take, in milliseconds. */
export interface LeasesRequest {
  readonly timeout: number;
}

/** What a member publishes. */
export interface Published {
  readonly slots: Iterable<number>;
  readonly leaving: boolean;
}

/**
 * The Leases under one name.
 *
 * **Guarantees**: every write names the uid and resourceVersion that were read, so that of two writers one is refused.
 * **Errors**: what the client rejects with.
 * **RBAC**: `list`, `get`, `create`, `update`, `delete` on `leases.coordination.k8s.io` in the Leases' namespace.
 */
export class MemberLeases {
  /** Name of this member's own. */
  readonly own: string;
  readonly #options: MemberLeasesOptions;

  constructor(options: MemberLeasesOptions) {
    this.#options = options;
    this.own = `${options.name}-shard-${options.suffix}`;
  }

  /** Creates our own, which claims nothing; when an answer was lost, takes up the one that is there: nobody else has our name. */
  async create(request: LeasesRequest): Promise<Lease> {
    const { client, namespace, fieldManager } = this.#options;
    const nothing = { slots: [], leaving: false };
    try {
      return await client.create(Lease, this.#manifest(undefined, nothing), { ...request, fieldManager });
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      return this.renew(await client.get(Lease, { namespace, name: this.own }, request), nothing, request);
    }
  }

  /** All of them, as new as the last acknowledged write: there is no resourceVersion in the request. */
  async list(request: LeasesRequest): Promise<readonly Lease[]> {
    const { client, namespace, name } = this.#options;
    const labelSelector = `${shardsLabel}=${name}`;
    return (await client.list(Lease, { namespace, labelSelector, ...request })).items;
  }

  /** Writes a new time and what is published over our own as it was read. */
  renew(lease: Lease, published: Published, request: LeasesRequest): Promise<Lease> {
    const { client, fieldManager } = this.#options;
    return client.update(Lease, this.#manifest(lease, published), { ...request, fieldManager });
  }

  /** Marks our own as given back. */
  async release(lease: Lease, request: LeasesRequest): Promise<void> {
    const { client, clock, fieldManager, namespace } = this.#options;
    const write = (over: Lease): Promise<Lease> =>
      client.update(Lease, releasedLeaseOf(over, clock.now()), { ...request, fieldManager });
    try {
      await write(lease);
    } catch (error) {
      if (isNotFound(error)) return;
      if (!isConflict(error)) throw error;
      // A renewal whose answer was lost, or a label set by other hands.
      await write(await client.get(Lease, { namespace, name: this.own }, request));
    }
  }

  /** Removes a Lease that was left behind, unless it has changed since. */
  async remove({ metadata }: Lease, request: LeasesRequest): Promise<void> {
    const { client, namespace } = this.#options;
    const { name, uid, resourceVersion } = metadata;
    try {
      await client.delete(
        Lease,
        { namespace, name },
        { preconditions: { uid, resourceVersion }, ...request },
      );
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }

  #manifest(lease: Lease | undefined, { slots, leaving }: Published): ReturnType<typeof leaseOf> {
    const { namespace, name, identity, leaseDuration, resources, clock } = this.#options;
    return leaseOf(lease, {
      namespace,
      name: this.own,
      shards: name,
      identity,
      leaseDuration,
      resources,
      slots,
      leaving,
      now: clock.now(),
    });
  }
}
