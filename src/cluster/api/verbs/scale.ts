// The scale subresource: an autoscaling/v1 Scale read from an object, and written back to its replicas.
import { apiVersionOf } from "../../../meta/resource-type.ts";
import type { ManagedFieldsEntry } from "../../../meta/object.ts";
import { admissionGate } from "../admission/admission-gate.ts";
import type { ApiCore } from "../api-core.ts";
import { fieldsOf, isFields, type ApiMeta, type ApiObject, type Fields } from "../api-object.ts";
import { shapeObject } from "../builtin/shape-object.ts";
import { invalidValue } from "../../../schema/status-cause.ts";
import { formatLabelSelector } from "../selectors/label-selector.ts";
import { setAt, valueAt } from "../../../schema/json-path.ts";
import type { ServedType } from "../served-type.ts";
import { applyJsonPatch } from "../../patch/json-patch.ts";
import { applyMergePatch, readMergePatch } from "../../patch/merge-patch.ts";
import { recordUpdate, type Writer } from "../../patch/record-update.ts";
import {
  ownersAfterScale,
  ownersOfScale,
  scaleVersion,
  toReplicasPath,
  type ReplicasPaths,
} from "../../patch/scale-owners.ts";
import { badRequest, internalError, invalidObject, modified, notFound } from "../status-error.ts";
import { readManifest } from "./apply.ts";
import { toIncomingObject } from "./incoming-object.ts";
import { withManagedFields } from "./field-ownership.ts";
import { mergedManifest, withPatchErrors } from "./patch-outcome.ts";
import { asPatchFault, readApplied, type PatchBody, type PatchType } from "./patch.ts";
import { scales } from "./posted-types.ts";
import { givenVersion } from "./given-version.ts";
import { assertSameIdentity, currentObject, replaceObject } from "./update.ts";
import { orderMetadata } from "../metadata-order.ts";
import { gatedWrite, type ObjectRequest, type WriteObjectRequest } from "./object-request.ts";

const { schema: scaleSchema } = scales;
const scaleKind = { group: "autoscaling", version: "v1", kind: "Scale" };

/** The Scale of the object of a request. Errors: 404; 500 for a custom resource that says no replicas, as the real server has it. */
export function readScale(core: ApiCore, request: ObjectRequest): ApiObject {
  const object = currentObject(core, request);
  if (hasNoReplicas(request.type, object)) {
    throw internalError(`the spec replicas field ${placeOf(request.type)} does not exist`);
  }
  return scaleOf(request.type, object);
}

function hasNoReplicas({ custom, scale }: ServedType, object: ApiObject): boolean {
  return custom && scale !== undefined && valueAt(object, scale.specReplicasPath) === undefined;
}

function placeOf({ scale }: ServedType): string {
  return JSON.stringify(scale?.specReplicasPath ?? "");
}

/** Stands for replicas that a custom resource does not say, until a patch says them. */
const unsaid = -2_147_483_648;

/** Sets the replicas of the object of a request from the next state of its Scale. Errors: 400, 404, 409, 422. */
export function replaceScale(core: ApiCore, request: WriteObjectRequest, scale: Fields): ApiObject {
  assertSameIdentity(request, fieldsOf(scale["metadata"]));
  const current = currentObject(core, request);
  const before = ownedScaleOf(core, request.type, current);
  const after = withoutZero(request, scale);
  const owners = recordUpdate({ ...scaleWriterOf(core, request), before, after });
  return storeScale(core, request, scale, current, owners);
}

/** Stores a Scale, whose owners are given, in the object that it is of. */
function storeScale(
  core: ApiCore,
  request: WriteObjectRequest,
  scale: Fields,
  current: ApiObject,
  owners: readonly ManagedFieldsEntry[] | undefined,
): ApiObject {
  const { type } = request;
  if (type.scale === undefined) throw notFound(type, request.name);
  const gate = admissionGate(core, request, gatedWrite("UPDATE", request, scaleKind));
  const { metadata: given, ...content } = scale;
  const named = { ...fieldsOf(given), name: request.name, namespace: request.namespace } as ApiMeta;
  const sent = { ...content, kind: "Scale", apiVersion: scaleVersion, metadata: orderMetadata(named) };
  const before = scaleOf(type, current);
  const admitted: Fields = gate?.mutate<ApiObject>(sent, before) ?? scale;
  const metadata = fieldsOf(admitted["metadata"]);
  const version = givenVersion(metadata["resourceVersion"]);
  if (version !== "" && version !== current.metadata.resourceVersion) {
    throw modified(type, request.name);
  }
  const replicas = fieldsOf(admitted["spec"])["replicas"] ?? 0;
  assertWhole(scale);
  // What the replicas of a custom resource may be, the resource is asked.
  if (!type.custom && Number(replicas) < 0) {
    const fault = invalidValue("spec.replicas", replicas, "must be greater than or equal to 0");
    throw invalidObject("autoscaling", "Scale", request.name, [fault]);
  }
  const next = structuredClone(current);
  setAt(next, type.scale.specReplicasPath, replicas);
  const validated =
    gate === undefined
      ? undefined
      : {
          validate: (object: ApiObject | undefined) => gate.validate(object && scaleOf(type, object), before),
        };
  const paths = replicasPaths(core, type);
  const managedFields = ownersAfterScale(current.metadata.managedFields, owners, {
    apiVersion: apiVersionOf(type),
    paths,
  });
  const own = (object: ApiObject): ApiObject => withManagedFields(object, managedFields);
  // What the replicas of a custom resource come to be in has no defaults before it is read.
  const leavesEmpty = hasNoReplicas(type, current);
  const write: WriteObjectRequest = { ...request, leavesUnset: type.custom, leavesEmpty };
  return scaleOf(type, replaceObject(core, write, next, current, { own, gate: validated }));
}

/** Who writes a Scale. */
function scaleWriterOf(core: ApiCore, request: WriteObjectRequest): Writer {
  return {
    manager: request.query.fieldManager,
    apiVersion: scaleVersion,
    subresource: "scale",
    schema: scaleSchema,
    now: core.clock.now(),
  };
}

/** The Scale of an object, with the owners of its replicas. */
function ownedScaleOf(core: ApiCore, type: ServedType, object: ApiObject): ApiObject {
  const owners = ownersOfScale(object.metadata.managedFields, replicasPaths(core, type));
  return withManagedFields(scaleOf(type, object), owners.length === 0 ? undefined : owners);
}

/** Where the versions of a type have their replicas. */
function replicasPaths({ registry }: ApiCore, type: ServedType): ReplicasPaths {
  return new Map(
    registry
      .ofStorage(type.storageKey)
      .map((each) => [apiVersionOf(each), each.scale && toReplicasPath(each.scale.specReplicasPath)]),
  );
}

/** No replicas are an absent field of a Scale. */
function withoutZero({ name }: WriteObjectRequest, scale: Fields): Fields {
  const { replicas, ...spec } = fieldsOf(scale["spec"]);
  const metadata = { ...fieldsOf(scale["metadata"]), name };
  return {
    ...scale,
    metadata,
    spec: replicas === 0 || replicas === undefined ? spec : { ...spec, replicas },
  };
}

/** The Scale of an object. */
function scaleOf(type: ServedType, object: ApiObject): ApiObject {
  const paths = type.scale;
  const numberAt = (path: string | undefined): number => {
    const value = path === undefined ? undefined : valueAt(object, path);
    return typeof value === "number" ? value : 0;
  };
  const { name, namespace, uid = "", resourceVersion = "", creationTimestamp = "" } = object.metadata;
  const selector = selectorText(object, paths?.labelSelectorPath);
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      uid,
      resourceVersion,
      creationTimestamp,
    },
    spec: numberAt(paths?.specReplicasPath) === 0 ? {} : { replicas: numberAt(paths?.specReplicasPath) },
    status: {
      replicas: numberAt(paths?.statusReplicasPath),
      ...(selector === "" ? {} : { selector }),
    },
  };
}

function selectorText(object: ApiObject, path: string | undefined): string {
  const value = path === undefined ? undefined : valueAt(object, path);
  if (typeof value === "string") return value;
  if (!isFields(value)) return "";
  // A ReplicationController has nothing but labels.
  const isPlain = Object.values(value).every((each) => typeof each === "string");
  return formatLabelSelector(isPlain ? { matchLabels: value } : value);
}

/** Patches the Scale of the object of a request. Errors: as {@link replaceScale}, and those of the patch. */
export function patchScale(
  core: ApiCore,
  request: WriteObjectRequest,
  type: PatchType,
  read: () => PatchBody,
): ApiObject {
  if (type === "apply") return applyScale(core, request, readApplied(request, read()));
  const current = currentObject(core, request);
  const known = scaleOf(request.type, current);
  const scale = hasNoReplicas(request.type, current) ? { ...known, spec: { replicas: unsaid } } : known;
  const { value: body, textFaults } = read();
  const patched = withPatchErrors(() =>
    type === "json" ? applyJsonPatch(scale, body) : applyMergePatch(scale, readMergePatch(body)),
  );
  const next = isFields(patched) ? patched : {};
  if (fieldsOf(next["spec"])["replicas"] === unsaid) {
    throw badRequest(`the spec replicas field ${placeOf(request.type)} cannot be empty`);
  }
  const incoming = asPatchFault(
    () => JSON.stringify(next),
    () => toIncomingObject({ ...request, type: scales }, next, { patched: true, textFaults }),
  );
  return replaceScale(core, request, incoming);
}

/** A Scale counts in numbers of 32 bits. Errors: 400. */
function assertWhole(scale: Fields): void {
  const [fault] = shapeObject(scaleSchema, { spec: fieldsOf(scale["spec"]) }).typeErrors;
  if (fault !== undefined) throw badRequest(fault);
}

function applyScale(core: ApiCore, request: WriteObjectRequest, body: unknown): ApiObject {
  const manifest = readManifest(request, body);
  const current = currentObject(core, request);
  const live = ownedScaleOf(core, request.type, current);
  const { force } = request.query;
  const merged = mergedManifest({ ...scaleWriterOf(core, request), live, manifest, force });
  return storeScale(core, request, merged, current, (merged["metadata"] as ApiMeta).managedFields);
}
