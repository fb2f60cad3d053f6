// The Leases that a server of these tests holds, with the optimistic locks of a real one.
import type { Lease } from "../../src/kinds/builtin/coordination.ts";
import type { Manifest } from "../../src/meta/object.ts";
import { apiError } from "./wire.ts";

/** The Leases of one namespace. */
export class LeaseStore {
  readonly #leases = new Map<string, Lease>();
  #version = 0;
  #uid = 0;

  /** The version that a list has. */
  get resourceVersion(): string {
    return String(this.#version);
  }

  all(): readonly Lease[] {
    return [...this.#leases.values()];
  }

  get(name: string): Lease {
    const lease = this.#leases.get(name);
    if (lease === undefined) throw apiError(404, "NotFound");
    return lease;
  }

  create(manifest: Manifest): Lease {
    if (this.#leases.has(manifest.metadata.name)) throw apiError(409, "AlreadyExists");
    this.#uid += 1;
    const { namespace = "default", ...metadata } = manifest.metadata;
    const given = { uid: `uid-${this.#uid}`, resourceVersion: "", creationTimestamp: "" };
    return this.put({ ...manifest, metadata: { ...metadata, namespace, ...given } });
  }

  update(manifest: Manifest): Lease {
    const { name, uid, resourceVersion } = manifest.metadata;
    if (uid === undefined || resourceVersion === undefined) throw new Error("an update without lock");
    const stored = this.#leases.get(name)?.metadata;
    if (uid !== stored?.uid || resourceVersion !== stored.resourceVersion) throw apiError(409, "Conflict");
    return this.put(manifest as Lease);
  }

  /** Deletes the version that is named; by other hands, whatever is there. */
  delete(name: string, resourceVersion?: string): void {
    if (resourceVersion !== undefined && this.get(name).metadata.resourceVersion !== resourceVersion) {
      throw apiError(409, "Conflict");
    }
    this.#leases.delete(name);
  }

  /** Stores without a question, as the next version. */
  put(lease: Lease): Lease {
    this.#version += 1;
    const stored = { ...lease, metadata: { ...lease.metadata, resourceVersion: String(this.#version) } };
    this.#leases.set(lease.metadata.name, stored);
    return stored;
  }
}
