// Where writes meet the rules of field ownership in src/cluster/patch: who writes, from where, in which schema.
import { apiVersionOf } from "../../../meta/resource-type.ts";
import type { ManagedFieldsEntry } from "../../../meta/object.ts";
import { PatchError } from "../../patch/patch-error.ts";
import { recordUpdate, type Writer } from "../../patch/record-update.ts";
import { resetFieldsOf } from "../../patch/reset-fields.ts";
import { typeNodeOf } from "../../patch/type-atom.ts";
import { joinTypedErrors, typedErrors } from "../../patch/typed-errors.ts";
import type { ApiCore } from "../api-core.ts";
import type { ApiObject } from "../api-object.ts";
import { StatusError } from "../status-error.ts";
import type { ServedType } from "../served-type.ts";
import { typedSchemaOf } from "../typed-schema.ts";
import type { WriteObjectRequest } from "./object-request.ts";
import type { OwnershipStep } from "./store-write.ts";

/** Of a write, what tells who owns its fields. */
export type OwnedWrite = Pick<WriteObjectRequest, "type" | "subresource"> & {
  readonly query: Pick<WriteObjectRequest["query"], "fieldManager">;
};

/** Who writes by a request. */
export function writerOf(core: ApiCore, request: OwnedWrite): Writer {
  const { type, subresource, query } = request;
  const { hasStatus, custom, kind } = type;
  const place = subresource === undefined ? {} : { subresource };
  return {
    manager: query.fieldManager,
    apiVersion: apiVersionOf(type),
    ...place,
    schema: typedSchemaOf(type).schema,
    resetFields: resetFieldsOf({ ...place, hasStatus, custom, kind }),
    now: core.clock.now(),
    ...otherVersions(core, request),
  };
}

/** Fields may be owned in other versions of a custom type, whose fields have other names. */
function otherVersions(
  { registry }: ApiCore,
  { type, subresource }: OwnedWrite,
): Pick<Writer, "otherVersion"> {
  if (!type.custom) return {};
  const versions = registry.ofStorage(type.storageKey);
  if (versions.length === 1) return {};
  const byVersion = new Map(versions.map((each) => [apiVersionOf(each), each]));
  return {
    otherVersion(apiVersion) {
      const other = byVersion.get(apiVersion);
      if (other === undefined) return undefined;
      return {
        schema: typedSchemaOf(other).schema,
        ...(subresource === "status" && other.hasStatus
          ? { resetFields: resetFieldsOf({ ...other, subresource }) }
          : {}),
        convert(object) {
          const from = byVersion.get(String(object["apiVersion"]));
          if (from === undefined || from === other) return object;
          if (other.conversion !== undefined) return other.fromStorage(from.toStorage(object as ApiObject));
          // Nothing is filled in or left out here: what this version does not have cannot be owned in it.
          const converted = { ...object, apiVersion };
          const { schema } = typedSchemaOf(other);
          const { metadata } = object as Partial<ApiObject>;
          // What is left of an object may have no metadata any more.
          const typed =
            metadata === undefined
              ? converted
              : withManagedFields({ ...converted, metadata } as ApiObject, undefined);
          const errors = typedErrors(typeNodeOf(schema), typed);
          if (errors.length > 0) throw new PatchError(joinTypedErrors(errors), { status: 500 });
          return converted;
        },
      };
    },
  };
}

/**
 * The step that records an update; `sent` are the managedFields in the client's object, by which it may wipe the record, and
 * `ownerReferences` those that a patch has come to, some perhaps twice.
 */
export function recordOwnership(
  core: ApiCore,
  request: OwnedWrite,
  sent: readonly ManagedFieldsEntry[] | undefined,
  ownerReferences?: ApiObject["metadata"]["ownerReferences"],
): OwnershipStep {
  const { emptyObject } = typedSchemaOf(request.type);
  return (next, current) => {
    // Of what is no instance of its type nobody can say who owns it; the main endpoint refuses it.
    if (request.subresource !== undefined && !isInstance(request.type, next)) {
      return withManagedFields(next, undefined);
    }
    try {
      const managedFields = recordUpdate({
        ...writerOf(core, request),
        ...(current === undefined ? {} : { before: current }),
        after: withManagedFields(
          ownerReferences === undefined ? next : { ...next, metadata: { ...next.metadata, ownerReferences } },
          sent ?? next.metadata.managedFields,
        ),
        ...(emptyObject === undefined ? {} : { emptyObject }),
      });
      return withManagedFields(next, managedFields);
    } catch (error) {
      // Where another version cannot be looked at, nobody's fields change, and the write goes on.
      if (error instanceof StatusError) return next;
      // Where another version has no such fields, all that was known of owners is forgotten.
      if (error instanceof PatchError) return withManagedFields(next, undefined);
      throw error;
    }
  };
}

function isInstance(type: ServedType, object: ApiObject): boolean {
  if (!type.custom) return true;
  const { schema } = typedSchemaOf(type);
  return typedErrors(typeNodeOf(schema), withManagedFields(object, undefined), "stored").length === 0;
}

/** The object with these managedFields, or without any. */
export function withManagedFields(
  object: ApiObject,
  managedFields: readonly ManagedFieldsEntry[] | undefined,
): ApiObject {
  const { managedFields: _, ...metadata } = object.metadata;
  return {
    ...object,
    metadata: { ...metadata, ...(managedFields === undefined ? {} : { managedFields: [...managedFields] }) },
  };
}
