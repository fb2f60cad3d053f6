// Where the verbs meet admission: what they hand over before an object enters the storage, and what comes back.
import { decodeManagedFields } from "../../patch/managed-fields.ts";
import { answerTo, canAsk, changeable } from "../awaited-answers.ts";
import type { ApiCore } from "../api-core.ts";
import type { ApiObject, Fields } from "../api-object.ts";
import type { ApiUser } from "../requests/users.ts";
import type { ServedType } from "../served-type.ts";
import { settleCreation } from "./built-in-admission.ts";
import type { GroupVersionKind, Operation } from "./admission-attributes.ts";

/** What is to be admitted. */
export interface GatedWrite {
  readonly operation: Operation;
  readonly dryRun: boolean;
  /** Absent: that of the request, or of the object. */
  readonly name?: string;
  /** The options object of the request, without kind and version. */
  readonly options: Fields;
  /** Of the object, where a subresource has another kind than its type. */
  readonly kind?: GroupVersionKind;
}

/** The request that it came with. */
export interface GatedRequest {
  readonly type: ServedType;
  readonly namespace: string;
  /** Empty for a request on the collection. */
  readonly name: string;
  readonly subresource: string | undefined;
  readonly user: ApiUser;
  /** Texts for the answer's Warning headers; admission adds to it. */
  readonly warnings: string[];
}

/** Admission for one write. */
export interface AdmissionGate {
  /** The object as mutating webhooks leave it; undefined in a deletion, which they can but refuse. Errors: StatusError for a refusal. */
  mutate<T extends ApiObject | undefined>(object: T, oldObject: ApiObject | undefined): T;
  /** Asks the validating webhooks. Errors: StatusError for a refusal. */
  validate(object: ApiObject | undefined, oldObject: ApiObject | undefined): void;
}

const optionsKind: Readonly<Record<Operation, string>> = {
  CREATE: "CreateOptions",
  UPDATE: "UpdateOptions",
  DELETE: "DeleteOptions",
  CONNECT: "",
};

/** The gate that a write has to pass; undefined while it concerns nobody, or where nobody can be asked. */
export function admissionGate(
  core: ApiCore,
  request: GatedRequest,
  write: GatedWrite,
): AdmissionGate | undefined {
  const { admission } = core;
  const { type, subresource, user, warnings } = request;
  if (!canAsk() || !admission.concerns(type, subresource)) return undefined;
  const { operation, dryRun } = write;
  const { group, version, kind } = write.kind ?? type;
  const isNamespace = type.storageKey === "namespaces";
  const attributesOf = (object: ApiObject | undefined, oldObject: ApiObject | undefined) => {
    const name = write.name ?? (request.name === "" ? (object?.metadata.name ?? "") : request.name);
    const options = { kind: optionsKind[operation], apiVersion: "meta.k8s.io/v1", ...write.options };
    return {
      operation,
      type,
      subresource,
      kind: { group, version, kind },
      name,
      namespace: isNamespace ? (oldObject?.metadata.name ?? name) : request.namespace,
      user,
      dryRun,
      options: operation === "CONNECT" ? undefined : options,
      object,
      oldObject,
    };
  };
  const decode = (object: Fields): ApiObject => {
    if (write.kind !== undefined) return object as ApiObject;
    const { object: shaped, typeErrors } = type.shape(object);
    if (typeErrors[0] !== undefined) throw new TypeError(typeErrors[0]);
    const decoded = { ...shaped, kind: shaped.kind ?? kind };
    // A null that the schema does not let be there is left out of what a client sends, and a fault of what a webhook makes of it.
    type.behaviour.setDefaults?.(decoded, { keepNulls: true });
    return decoded;
  };
  /** What is admitted may need what the server itself adds to it: containers that were injected, their token and limits. */
  const settle = (object: Fields): Fields => {
    if (write.kind !== undefined) return object;
    const settled = structuredClone(object) as ApiObject;
    settleCreation(core, { type, subresource }, settled);
    return settled;
  };
  const question = (phase: string, attributes: ReturnType<typeof attributesOf>): string => {
    const { type: _type, user: _user, ...rest } = attributes;
    return `${phase} ${JSON.stringify(rest)}`;
  };
  return {
    mutate(object, oldObject) {
      const attributes = attributesOf(object, oldObject);
      const admitted = answerTo(question("mutate", attributes), () =>
        admission.mutate(attributes, decode, operation === "CREATE" ? settle : undefined),
      );
      warnings.push(...admitted.warnings);
      const changed = changeable(admitted.object) as typeof object;
      return object === undefined || changed === undefined
        ? changed
        : withUsableOwners(changed, object, warnings);
    },
    validate(object, oldObject) {
      const attributes = attributesOf(object, oldObject);
      warnings.push(...answerTo(question("validate", attributes), () => admission.validate(attributes)));
    },
  };
}

/** A webhook may change who owns what, but not into what nobody understands. */
function withUsableOwners<T extends ApiObject>(changed: T, sent: T, warnings: string[]): T {
  // The options of a connection have no metadata.
  const { managedFields } = (changed as Partial<ApiObject>).metadata ?? {};
  if (managedFields === undefined || decodeManagedFields(managedFields) !== undefined) return changed;
  warnings.push(
    ".metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests: operation must be `Apply` or `Update`",
  );
  const { managedFields: before } = sent.metadata;
  return {
    ...changed,
    metadata: { ...changed.metadata, ...(before === undefined ? {} : { managedFields: before }) },
  };
}
