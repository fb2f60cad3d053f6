// PATCH: computes the next state of an object with one of the patch types, then updates it as a PUT would.
import { applyJsonPatch } from "../../patch/json-patch.ts";
import { applyMergePatch, readMergePatch } from "../../patch/merge-patch.ts";
import { applyStrategicMergePatch } from "../../patch/strategic-merge-patch.ts";
import { typedSchemaOf } from "./typed-schema.ts";
import type { ApiCore } from "../api-core.ts";
import { isFields, type ApiObject, type Fields } from "../api-object.ts";
import { parseMediaType } from "../requests/media-type.ts";
import { parseYaml } from "../requests/yaml-text.ts";
import { badRequest, unsupportedMediaType } from "../status-error.ts";
import { toIncomingObject } from "./incoming-object.ts";
import type { WriteObjectRequest } from "./object-request.ts";
import { currentObject, replaceObject } from "./update.ts";
import { messageOf } from "../../../ports/operator-error.ts";
import { applyObject } from "./apply.ts";
import { withPatchErrors, type PatchOutcome } from "./patch-outcome.ts";

/** How a patch is written. */
export type PatchType = "json" | "merge" | "strategic" | "apply";

const types: Readonly<Record<string, PatchType>> = {
  "application/json-patch+json": "json",
  "application/merge-patch+json": "merge",
  "application/strategic-merge-patch+json": "strategic",
  "application/apply-patch+yaml": "apply",
};

/** The patch type of a content type. Errors: 415. */
export function patchTypeOf(contentType: string | undefined, custom: boolean): PatchType {
  const type = types[parseMediaType(contentType ?? "").type];
  if (type === undefined) throw unsupportedMediaType();
  if (type === "strategic" && custom) {
    throw unsupportedMediaType(Object.keys(types).filter((each) => !each.includes("strategic")));
  }
  return type;
}

/** The body of a patch. Errors: 400. */
export function parsePatchBody(bytes: Buffer, type: PatchType): unknown {
  const text = bytes.toString("utf8");
  if (type === "apply") return parseYaml(text);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw badRequest(`error decoding patch: ${messageOf(error)}`);
  }
}

/** Patches the object of a request. Errors: 400, 404, 409, 413, 415, 422. */
export function patchObject(
  core: ApiCore,
  request: WriteObjectRequest,
  type: PatchType,
  body: unknown,
): PatchOutcome {
  if (type === "apply") return applyObject(core, request, body);
  const current = currentObject(core, request);
  const next = patched(current, type, body, request);
  const incoming = toIncomingObject(request, next);
  return { object: replaceObject(core, request, incoming, current), created: false };
}

function patched(current: ApiObject, type: PatchType, body: unknown, request: WriteObjectRequest): Fields {
  const result = withPatchErrors(() => {
    if (type === "json") return applyJsonPatch(current, body);
    const patch = readMergePatch(body);
    return type === "strategic"
      ? applyStrategicMergePatch(typedSchemaOf(request.type).schema, current, patch)
      : applyMergePatch(current, patch);
  });
  return isFields(result) ? result : {};
}
