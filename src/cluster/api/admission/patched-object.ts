// What a webhook's patch makes of an object: it must still say that it is one of its type.
import { applyJsonPatch } from "../../patch/json-patch.ts";
import { PatchError } from "../../patch/patch-error.ts";
import { apiVersionOf, parseApiVersion } from "../../../meta/resource-type.ts";
import { canonicalJson } from "../../../schema/json-value.ts";
import { isFields, type Fields } from "../api-object.ts";
import type { ServedType } from "../served-type.ts";
import { internalError, StatusError } from "../status-error.ts";
import { assertCustomKindOf, foreignKind, statedKindFault } from "../stated-kind.ts";

/**
 * The object after the JSON patch of a webhook; `type` is the type in which the webhook sees it, `isWhole` whether it is an object of that
 * type and not what is sent to a subresource.
 *
 * **Errors**: 500 for a patch that does not apply and for what is no object of the type any more, 422 for another kind of a custom resource.
 */
export function patchedObject(type: ServedType, object: Fields, patch: unknown, isWhole: boolean): Fields {
  const patched = applied(object, patch);
  const fault = statedKindFault(patched);
  if (fault !== undefined || !isFields(patched)) throw internalError(fault ?? "");
  if (isWhole) assertOfType(type, patched);
  // One in another version of its group is taken for one in this version.
  return isWhole && type.custom ? { ...patched, apiVersion: apiVersionOf(type) } : patched;
}

function applied(object: Fields, patch: unknown): unknown {
  try {
    return applyJsonPatch(object, patch);
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    throw internalError(error.detail);
  }
}

function assertOfType(type: ServedType, patched: Fields): void {
  const expected = apiVersionOf(type);
  const { apiVersion = "", kind = "" } = patched as { readonly apiVersion?: string; readonly kind?: string };
  if (type.custom) {
    if (kind === "") throw internalError(`Object 'Kind' is missing in '${canonicalJson(patched)}'`);
    if (parseApiVersion(apiVersion).group !== type.group) {
      const given = `${apiVersion.includes("/") ? "" : "/"}${apiVersion}, Kind=${kind}`;
      const text = `${given} is unstructured and is not suitable for converting to "${expected}"`;
      throw new StatusError(500, undefined, text);
    }
    assertCustomKindOf(type, patched, "");
    return;
  }
  const [said, version] = [kind === "" ? type.kind : kind, apiVersion === "" ? expected : apiVersion];
  if (said === type.kind && version === expected) return;
  const { isKnown, text } = foreignKind(type, version, said);
  throw isKnown ? new StatusError(500, undefined, text) : internalError(text);
}
