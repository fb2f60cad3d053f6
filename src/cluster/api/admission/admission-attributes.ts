// What admission is asked about: one write, and how it is shown to webhooks.
// https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#request
import type { ApiObject, Fields } from "../api-object.ts";
import type { ApiUser } from "../requests/users.ts";
import type { ServedType } from "../served-type.ts";

/** What a write does, in the words of admission. */
export type Operation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

/** Group, version and kind of an object. */
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** A write before it is admitted. */
export interface AdmissionAttributes {
  readonly operation: Operation;
  /** The type that the path names, also for its subresources. */
  readonly type: ServedType;
  readonly subresource: string | undefined;
  /** The kind of the object, which that of a subresource may be another one of. */
  readonly kind: GroupVersionKind;
  /** Empty while it is still to be generated, and for a whole collection. */
  readonly name: string;
  /** Empty at the cluster scope; of a Namespace its own name. */
  readonly namespace: string;
  readonly user: ApiUser;
  readonly dryRun: boolean;
  /** The options object of the request; undefined where it has none. */
  readonly options: Fields | undefined;
  /** Absent for a deletion. */
  readonly object: Fields | undefined;
  /** Absent for a creation. */
  readonly oldObject: ApiObject | undefined;
}

/** The attributes as webhooks and expressions see them, in the version that `shown` names. */
export function admissionRequest(
  attributes: AdmissionAttributes,
  shown: Pick<AdmissionAttributes, "type" | "kind" | "object" | "oldObject"> = attributes,
): Fields {
  const { operation, subresource, name, namespace, user, dryRun, options } = attributes;
  const place = subresource === undefined ? {} : { subResource: subresource };
  const requestPlace = subresource === undefined ? {} : { requestSubResource: subresource };
  return {
    kind: shown.kind,
    resource: resourceOf(shown.type),
    ...place,
    requestKind: attributes.kind,
    requestResource: resourceOf(attributes.type),
    ...requestPlace,
    ...(name === "" ? {} : { name }),
    ...(namespace === "" ? {} : { namespace }),
    operation,
    userInfo: userInfo(user),
    object: shown.object ?? null,
    oldObject: shown.oldObject ?? null,
    dryRun,
    options: options ?? null,
  };
}

/** A user as `authentication.k8s.io/v1` writes one. */
export function userInfo({ name, uid, groups, extra }: ApiUser): Fields {
  return {
    username: name,
    ...(uid === undefined ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups: [...groups] }),
    ...(extra === undefined ? {} : { extra }),
  };
}

function resourceOf({ group, version, plural }: ServedType): Fields {
  return { group, version, resource: plural };
}
