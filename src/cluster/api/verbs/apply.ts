// Server-side apply: reads the manifest, lets src/cluster/patch merge it, and stores the result as a create or an update.
import { printObject } from "../../patch/server-side-apply.ts";
import { equal } from "../../../schema/json-value.ts";
import type { ApiCore } from "../api-core.ts";
import { fieldsOf, isFields, textOf, type ApiObject, type Fields } from "../api-object.ts";
import { badRequest, conflict, modified, notFound, StatusError } from "../status-error.ts";
import { createByWrite } from "./create-by-write.ts";
import { withManagedFields, writerOf } from "./field-ownership.ts";
import { toIncomingObject } from "./incoming-object.ts";
import type { WriteObjectRequest } from "./object-request.ts";
import { mergedManifest, type PatchOutcome } from "./patch-outcome.ts";
import { givenVersion } from "./given-version.ts";
import { findCurrent, replaceObject, undeterminable } from "./update.ts";
import { typedSchemaOf } from "../typed-schema.ts";

/** Applies a manifest: creates the object or merges into it. Errors: 400, 404, 409, 422; 500 for what is no instance of the type. */
export function applyObject(core: ApiCore, request: WriteObjectRequest, body: unknown): PatchOutcome {
  const manifest = readManifest(request, body);
  const { type, subresource, name } = request;
  const current = findCurrent(core, request);
  const isCreatable = subresource === undefined || type.behaviour.createOnUpdate === true;
  if (current === undefined && !isCreatable) throw notFound(type, name);
  const merged = merge(core, request, manifest, current);
  const incoming = toIncomingObject(request, withoutCreationTime(request, merged), {
    unreadable: (fault) => notConverted(merged, fault),
  });
  const { uid, resourceVersion } = fieldsOf(manifest["metadata"]);
  const version = givenVersion(resourceVersion);
  assertSameNamespace(request, manifest);
  if (current === undefined) {
    if (textOf(fieldsOf(manifest["metadata"])["name"]) === "") throw undeterminable(name);
    if (typeof uid === "string" && uid !== "") {
      const detail = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
      throw conflict(type, name, detail);
    }
  } else if (version !== "" && version !== current.metadata.resourceVersion) {
    throw modified(type, name);
  }
  const managedFields = (merged["metadata"] as ApiObject["metadata"]).managedFields ?? undefined;
  // The merge has decided who owns what; the next steps only carry it along.
  const own = (next: ApiObject): ApiObject => withManagedFields(next, managedFields);
  // A conversion leaves them out.
  const leavesEmpty =
    type.custom && type.isConverted !== true && hasEmptyParts(request, fieldsOf(merged["metadata"]));
  const leavesUnset =
    type.custom &&
    current !== undefined &&
    // Said to be none, they are a change.
    !Object.hasOwn(fieldsOf(manifest["metadata"]), "managedFields") &&
    equal(unowned(merged as ApiObject), unowned(current));
  const write: WriteObjectRequest = {
    ...request,
    keepNulls: true,
    leavesEmpty,
    leavesUnset,
    keepsOwners: true,
  };
  return current === undefined
    ? {
        object: createByWrite(core, write, incoming, own),
        created: true,
      }
    : {
        // The real server finds another uid twice: as a change of the metadata, and as one of the object.
        object: replaceObject(core, write, incoming, current, { own, otherUid: 2 }),
        created: false,
      };
}

function unowned(object: ApiObject): ApiObject {
  return withManagedFields(object, undefined);
}

/** Parts of the metadata that an apply stores as they are; whoever reads the object sees nothing of empty ones, and texts for nulls. */
const storedParts = ["labels", "annotations", "finalizers", "ownerReferences", "generateName"];

function hasEmptyParts({ namespace }: WriteObjectRequest, metadata: Fields): boolean {
  const parts = namespace === "" ? [...storedParts, "namespace"] : storedParts;
  return parts.some((name) => {
    if (metadata[name] === undefined) return false;
    const values = Object.values(metadata[name] ?? {});
    return values.length === 0 || values.includes(null);
  });
}

/** The time of creation is the server's; in a custom resource it is not even read. */
function withoutCreationTime({ type }: WriteObjectRequest, merged: Fields): Fields {
  if (!type.custom) return merged;
  const { creationTimestamp: _, ...metadata } = fieldsOf(merged["metadata"]);
  return { ...merged, metadata };
}

/** The real server reads what was merged from a form without types, and takes it for a fault of its own when it cannot. */
function notConverted(merged: Fields, fault: string): StatusError {
  const apiVersion = textOf(merged["apiVersion"]);
  const type = `${apiVersion.includes("/") ? "" : "/"}${apiVersion}, Kind=${textOf(merged["kind"])}`;
  const said = fault.replace(/Go struct field \S+ of type intstr\.IntOrString$/, "Go value of type int32");
  const from = said.startsWith("illegal base64") ? `error decoding from json: ${said}` : said;
  return new StatusError(
    500,
    undefined,
    `failed to convert new object (${printObject(merged)}) to proper version: unable to convert unstructured object to ${type}: ${from}`,
  );
}

/** The body of an apply as a manifest of the object in the path. Errors: 400. */
export function readManifest({ name }: WriteObjectRequest, body: unknown): Fields {
  if (!isFields(body)) throw badRequest("invalid object type: /, Kind=");
  const { apiVersion, kind } = body;
  if (typeof kind !== "string" || typeof apiVersion !== "string") {
    throw badRequest(`invalid object type: /, Kind=${typeof kind === "string" ? kind : ""}`);
  }
  const given = fieldsOf(body["metadata"])["name"];
  if (given !== undefined && given !== "" && given !== name) {
    throw badRequest(
      `the name of the object (${textOf(given)}) does not match the name on the URL (${name})`,
    );
  }
  return body;
}

function assertSameNamespace({ namespace }: WriteObjectRequest, manifest: Fields): void {
  const given = fieldsOf(manifest["metadata"])["namespace"];
  // Of an object that is in no namespace, one is not looked at.
  if (namespace === "" || given === undefined || given === "" || given === namespace) return;
  throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
}

function merge(
  core: ApiCore,
  request: WriteObjectRequest,
  manifest: Fields,
  current: ApiObject | undefined,
): Fields {
  const { emptyObject } = typedSchemaOf(request.type);
  const merged = mergedManifest({
    ...writerOf(core, request),
    ...(current === undefined ? {} : { live: current }),
    manifest,
    force: request.query.force,
    ...(emptyObject === undefined ? {} : { emptyObject }),
  });
  // Nobody has to repeat what the path says.
  return { ...merged, metadata: { ...fieldsOf(merged["metadata"]), name: request.name } };
}
