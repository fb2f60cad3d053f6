// Lease: who leads, and until when.
import type { NamespacedObject } from "../../meta/object.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import { builtin } from "./builtin-type.ts";

/** A Lease (coordination.k8s.io v1). */
export interface Lease extends NamespacedObject {
  readonly spec?: {
    readonly holderIdentity?: string;
    readonly leaseDurationSeconds?: number;
    /** metav1.MicroTime: RFC 3339 with exactly six digits of fraction. */
    readonly acquireTime?: string;
    /** metav1.MicroTime. */
    readonly renewTime?: string;
    readonly leaseTransitions?: number;
    readonly preferredHolder?: string;
    readonly strategy?: string;
  };
}

/** The type of {@link Lease}. */
export const Lease: ResourceType<Lease> = builtin<Lease>("coordination.k8s.io/v1", "Lease", "leases");
