// The Lease on the API server: read, written with optimistic locking, let go. What an answer means for leadership is
// decided here; when to ask is the elector's business.
import { isAlreadyExists, isConflict, isNotFound } from "../client/api-error.ts";
import type { KubeClient } from "../client/kube-client.ts";
import { Lease } from "../kinds/builtin/coordination.ts";
import { apiVersionOf } from "../meta/resource-type.ts";
import type { Clock } from "../ports/clock.ts";
import { claimOf, releaseOf, type LeaseManifest, type LeaseSpec } from "./lease-record.ts";

/** Options of {@link LeaseLock}. */
export interface LeaseLockOptions {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly name: string;
  readonly identity: string;
  /** Milliseconds. */
  readonly leaseDuration: number;
  readonly fieldManager: string;
  readonly clock: Clock;
}

/** How long one request may take, in milliseconds, and what aborts it. */
export interface LeaseRequest {
  readonly timeout: number;
  readonly signal?: AbortSignal;
}

/**
 * The Lease that candidates contend for.
 *
 * **Guarantees**: every write names the uid and resourceVersion that were read, so that of two writers one is refused;
 * labels, annotations and foreign fields stay.
 * **Errors**: what the client rejects with, except for the answers that the methods name.
 * **RBAC**: `get`, `create`, `update` on `leases.coordination.k8s.io` in the Lease's namespace.
 */
export class LeaseLock {
  readonly #options: LeaseLockOptions;

  constructor(options: LeaseLockOptions) {
    this.#options = options;
  }

  /** The Lease as it is now, undefined when there is none. */
  async read({ timeout, signal }: LeaseRequest): Promise<Lease | undefined> {
    const { client, namespace, name } = this.#options;
    try {
      return await client.get(Lease, { namespace, name }, { timeout, ...(signal && { signal }) });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** Writes our name and the time over the Lease as it was read; undefined when another process wrote meanwhile. */
  claim(lease: Lease | undefined, request: LeaseRequest): Promise<Lease | undefined> {
    const { identity, leaseDuration, clock } = this.#options;
    return this.#write(lease, claimOf(lease, { identity, leaseDuration, now: clock.now() }), request);
  }

  /** Takes our name out of the Lease as it was read; undefined when another process wrote meanwhile. */
  release(lease: Lease, request: LeaseRequest): Promise<Lease | undefined> {
    return this.#write(lease, releaseOf(lease, this.#options.clock.now()), request);
  }

  async #write(
    lease: Lease | undefined,
    spec: LeaseSpec,
    { timeout, signal }: LeaseRequest,
  ): Promise<Lease | undefined> {
    const { client, namespace, name, fieldManager } = this.#options;
    const manifest: LeaseManifest = {
      apiVersion: apiVersionOf(Lease),
      kind: Lease.kind,
      metadata: lease?.metadata ?? { namespace, name },
      spec,
    };
    const options = { timeout, fieldManager, ...(signal && { signal }) };
    try {
      return await (lease === undefined
        ? client.create(Lease, manifest, options)
        : client.update(Lease, manifest, options));
    } catch (error) {
      if (isConflict(error) || isAlreadyExists(error)) return undefined;
      // Deleted meanwhile. A missing namespace is another case, and an error.
      if (lease !== undefined && isNotFound(error)) return undefined;
      throw error;
    }
  }
}
