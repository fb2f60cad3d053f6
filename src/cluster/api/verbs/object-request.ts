// One request for objects of a type, after routing and authentication: what every verb gets.
import type { GatedWrite } from "../admission/admission-gate.ts";
import type { ApiUser } from "../requests/users.ts";
import type { WriteQuery } from "../options/write-options.ts";
import type { ServedType } from "../served-type.ts";

/** A request for a type or one of its objects. */
export interface ObjectRequest {
  readonly type: ServedType;
  /** Empty for a cluster-scoped type, or for all namespaces. */
  readonly namespace: string;
  /** Empty for a request on the collection. */
  readonly name: string;
  readonly subresource: string | undefined;
  readonly user: ApiUser;
  /** Texts for the answer's Warning headers; verbs add to it. */
  readonly warnings: string[];
}

/** A create, update or patch. */
export interface WriteObjectRequest extends ObjectRequest {
  readonly query: WriteQuery;
  /** Nulls that nothing allows stay, and are refused: what an apply has merged is read that way. Default false. */
  readonly keepNulls?: boolean;
  /** What is stored has empty parts that fall out when it is read: the real server stores it again at the next chance. Default false. */
  readonly leavesEmpty?: boolean;
  /** Nothing is filled in: by an apply that changes nothing, and by a Scale. Default false. */
  readonly leavesUnset?: boolean;
  /** Who owns its fields stays with an object that can be stored without that alone: by an apply. Default false. */
  readonly keepsOwners?: boolean;
}

/** What admission has to know of a write besides its objects. */
export function gatedWrite(
  operation: GatedWrite["operation"],
  { query }: WriteObjectRequest,
  kind?: GatedWrite["kind"],
): GatedWrite {
  const { dryRun, options } = query;
  return { operation, dryRun, options, ...(kind === undefined ? {} : { kind }) };
}
