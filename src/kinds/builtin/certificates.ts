// Kinds of certificates.k8s.io/v1.
import type { V1CertificateSigningRequest } from "@kubernetes/client-node/dist/gen/models/V1CertificateSigningRequest.js";
import type { ResourceType } from "../../meta/resource-type.ts";
import { builtin } from "./builtin-type.ts";
import type { ClusterScopedOf } from "./json-of.ts";

/** A CertificateSigningRequest (certificates.k8s.io v1): a request for a certificate from a signer. */
export interface CertificateSigningRequest extends ClusterScopedOf<V1CertificateSigningRequest> {}
/** The type of {@link CertificateSigningRequest}. */
export const CertificateSigningRequest: ResourceType<CertificateSigningRequest> = builtin(
  "certificates.k8s.io/v1",
  "CertificateSigningRequest",
  "certificatesigningrequests",
  "Cluster",
);
