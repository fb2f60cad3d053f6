// The schemas of all built-in types, read once from the tables in schemas/.
// Read by builtin-types.ts and by the OpenAPI documents.
import { OperatorError } from "../../../ports/operator-error.ts";
import type { StructuralSchema } from "../../../schema/structural-schema.ts";
import { readSchemaTables, type Presence } from "./schema-notation.ts";
import { admissionPolicySchemas } from "./schemas/admission-policy-schemas.ts";
import { admissionregistrationSchemas } from "./schemas/admissionregistration-schemas.ts";
import { apiextensionsSchemas } from "./schemas/apiextensions-schemas.ts";
import { appsSchemas } from "./schemas/apps-schemas.ts";
import { authenticationSchemas } from "./schemas/authentication-schemas.ts";
import { authorizationSchemas } from "./schemas/authorization-schemas.ts";
import { autoscalingSchemas, autoscalingV2Schemas } from "./schemas/autoscaling-schemas.ts";
import { batchSchemas } from "./schemas/batch-schemas.ts";
import { coordinationSchemas } from "./schemas/coordination-schemas.ts";
import { coreSchemas } from "./schemas/core-schemas.ts";
import { discoverySchemas } from "./schemas/discovery-schemas.ts";
import { eventsSchemas } from "./schemas/events-schemas.ts";
import { flowcontrolSchemas } from "./schemas/flowcontrol-schemas.ts";
import { metaSchemas } from "./schemas/meta-schemas.ts";
import { networkingSchemas } from "./schemas/networking-schemas.ts";
import { nodeSchemas } from "./schemas/node-schemas.ts";
import { podSchemas } from "./schemas/pod-schemas.ts";
import { apiregistrationSchemas } from "./schemas/apiregistration-schemas.ts";
import { certificatesSchemas } from "./schemas/certificates-schemas.ts";
import { quotaSchemas } from "./schemas/quota-schemas.ts";
import { resourceSchemas } from "./schemas/resource-schemas.ts";
import { schedulingSchemas } from "./schemas/scheduling-schemas.ts";
import { storageSchemas } from "./schemas/storage-schemas.ts";
import { policySchemas } from "./schemas/policy-schemas.ts";
import { rbacSchemas } from "./schemas/rbac-schemas.ts";
import { volumeSchemas } from "./schemas/volume-schemas.ts";

const tables = readSchemaTables(
  [
    { packageName: "io.k8s.apimachinery.pkg.apis.meta.v1", text: metaSchemas },
    { packageName: "io.k8s.api.core.v1", text: podSchemas },
    { packageName: "io.k8s.api.core.v1", text: volumeSchemas },
    { packageName: "io.k8s.api.core.v1", text: coreSchemas },
    { packageName: "io.k8s.api.core.v1", text: quotaSchemas },
    { packageName: "io.k8s.api.apps.v1", text: appsSchemas },
    { packageName: "io.k8s.api.batch.v1", text: batchSchemas },
    { packageName: "io.k8s.api.events.v1", text: eventsSchemas },
    { packageName: "io.k8s.api.coordination.v1", text: coordinationSchemas },
    { packageName: "io.k8s.api.discovery.v1", text: discoverySchemas },
    { packageName: "io.k8s.api.rbac.v1", text: rbacSchemas },
    { packageName: "io.k8s.api.policy.v1", text: policySchemas },
    { packageName: "io.k8s.api.networking.v1", text: networkingSchemas },
    { packageName: "io.k8s.api.admissionregistration.v1", text: admissionregistrationSchemas },
    { packageName: "io.k8s.api.admissionregistration.v1", text: admissionPolicySchemas },
    { packageName: "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1", text: apiextensionsSchemas },
    { packageName: "io.k8s.api.authorization.v1", text: authorizationSchemas },
    { packageName: "io.k8s.api.authentication.v1", text: authenticationSchemas },
    { packageName: "io.k8s.api.autoscaling.v1", text: autoscalingSchemas },
    { packageName: "io.k8s.api.autoscaling.v2", text: autoscalingV2Schemas },
    { packageName: "io.k8s.api.certificates.v1", text: certificatesSchemas },
    { packageName: "io.k8s.api.scheduling.v1", text: schedulingSchemas },
    { packageName: "io.k8s.api.storage.v1", text: storageSchemas },
    { packageName: "io.k8s.api.node.v1", text: nodeSchemas },
    { packageName: "io.k8s.api.flowcontrol.v1", text: flowcontrolSchemas },
    { packageName: "io.k8s.api.resource.v1", text: resourceSchemas },
    { packageName: "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1", text: apiregistrationSchemas },
  ],
  "ObjectMeta",
);

/** The schema of a type by the full name. Errors: `SCHEMA_NOTATION_INVALID`. */
export function builtinSchema(name: string): StructuralSchema {
  const schema = tables.schemas.get(name);
  if (schema === undefined) {
    throw new OperatorError("SCHEMA_NOTATION_INVALID", `no table declares ${name}`, {
      remedy: "Add it to a table under src/cluster/api/builtin/schemas.",
    });
  }
  return schema;
}

/** The full name of a schema that is a type of the tables. */
export function nameOfBuiltinSchema(schema: StructuralSchema): string | undefined {
  return tables.nameOf(schema);
}

/** The fields of a type of the tables by their numbers in its protobuf form. */
export function fieldNumbersOf(schema: StructuralSchema): ReadonlyMap<string, string> | undefined {
  return tables.fieldNumbersOf(schema);
}

/** The places of the fields of a type of the tables in JSON. */
export function fieldRanksOf(schema: StructuralSchema): ReadonlyMap<string, number> | undefined {
  return tables.fieldRanksOf(schema);
}

/** When a field of a type of the tables is written that is empty, zero or false. */
export function presenceOf(schema: StructuralSchema, field: string): Presence | undefined {
  return tables.presenceOf(schema, field);
}

/** The schema of every object's metadata. */
export const metadataSchema: StructuralSchema = builtinSchema(
  "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta",
);
