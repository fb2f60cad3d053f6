// Kinds of discovery.k8s.io/v1.
import type { V1EndpointSlice } from "@kubernetes/client-node/dist/gen/models/V1EndpointSlice.js";
import type { ResourceType } from "../../meta/resource-type.ts";
import { builtin } from "./builtin-type.ts";
import type { NamespacedOf } from "./json-of.ts";

/** An EndpointSlice (discovery.k8s.io v1): addresses behind a service; the label `kubernetes.io/service-name` names it. */
export interface EndpointSlice extends NamespacedOf<V1EndpointSlice> {}
/** The type of {@link EndpointSlice}. */
export const EndpointSlice: ResourceType<EndpointSlice> = builtin(
  "discovery.k8s.io/v1",
  "EndpointSlice",
  "endpointslices",
);
