// Kinds of coordination.k8s.io/v1.
import type { V1LeaseSpec } from "@kubernetes/client-node/dist/gen/models/V1LeaseSpec.js";
import type { NamespacedObject } from "../../meta/object.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import { builtin } from "./builtin-type.ts";
import type { JsonOf } from "./json-of.ts";

/** A Lease (coordination.k8s.io v1): who leads, and until when; its times have exactly six digits of fraction. */
export interface Lease extends NamespacedObject {
  /** Who holds it, since when, and for how long. */
  readonly spec?: JsonOf<V1LeaseSpec>;
}
/** The type of {@link Lease}. */
export const Lease: ResourceType<Lease> = builtin("coordination.k8s.io/v1", "Lease", "leases");
