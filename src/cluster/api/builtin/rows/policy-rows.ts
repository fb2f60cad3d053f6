// The types of all groups besides the core, apps and batch ones.
import * as policy from "../behaviours/policy-behaviours.ts";
import type { RowGroup } from "./row.ts";

const extensions = ["api-extensions"];

/** The other groups. */
export const otherGroups: readonly RowGroup[] = [
  { group: "coordination.k8s.io", version: "v1", packageName: "io.k8s.api.coordination.v1", rows: [{ kind: "Lease", plural: "leases", behaviour: policy.leaseBehaviour }],
    ],
    [
      "discovery.k8s.io",
      "v1",
      "io.k8s.api.discovery.v1",
      [{ kind: "EndpointSlice", plural: "endpointslices", behaviour: policy.sliceBehaviour }],
    ],
    [
      "events.k8s.io",
      "v1",
      "io.k8s.api.events.v1",
      [
        {
          kind: "Event",
          plural: "events",
          shortNames: ["ev"],
          selectableFields: ["regarding.kind", "regarding.namespace", "regarding.name", "reason", "type"],
        },
      ],
    ],
    ["rbac.authorization.k8s.io", "v1", "io.k8s.api.rbac.v1", rbacRows],
    [
      "policy",
      "v1",
      "io.k8s.api.policy.v1",
      [
        {
          kind: "PodDisruptionBudget",
          plural: "poddisruptionbudgets",
          shortNames: ["pdb"],
          hasStatus: true,
          behaviour: policy.budgetBehaviour,
        },
      ],
    ],
    ["networking.k8s.io", "v1", "io.k8s.api.networking.v1", networkingRows],
    ["admissionregistration.k8s.io", "v1", "io.k8s.api.admissionregistration.v1", webhookRows],
    [
      "authorization.k8s.io",
      "v1",
      "io.k8s.api.authorization.v1",
      [
        {
          kind: "SelfSubjectAccessReview",
          plural: "selfsubjectaccessreviews",
          clusterScoped: true,
          review: true,
        },
        { kind: "SubjectAccessReview", plural: "subjectaccessreviews", clusterScoped: true, review: true },
      ],
    ],
    [
      "authentication.k8s.io",
      "v1",
      "io.k8s.api.authentication.v1",
      [{ kind: "TokenReview", plural: "tokenreviews", clusterScoped: true, review: true }],
    ] },
];
