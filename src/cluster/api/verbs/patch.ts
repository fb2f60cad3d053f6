// PATCH: computes the next state of an object with one of the patch types, then updates it as a PUT would.
import { applyJsonPatch } from "../../patch/json-patch.ts";
import { applyMergePatch, readMergePatch } from "../../patch/merge-patch.ts";
import { PatchError } from "../../patch/patch-error.ts";
import type { ApiCore } from "../api-core.ts";
import { isFields, type ApiObject, type Fields } from "../api-object.ts";
import { parseMediaType } from "../http/media-type.ts";
import { parseYaml } from "../http/request-body.ts";
import { badRequest, StatusError, unsupportedMediaType } from "../status-error.ts";
import { toIncomingObject } from "./incoming-object.ts";
import type { WriteObjectRequest } from "./object-request.ts";
import { currentObject, replaceObject } from "./update.ts";
import { messageOf } from "../../../ports/operator-error.ts";
import { applyObject } from "./apply.ts";

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

/** A patched object and whether an apply created it. */
export interface PatchOutcome {
  readonly object: ApiObject;
  readonly created: boolean;
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

/** Turns the refusals of src/cluster/patch into answers. */
export function withPatchErrors<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    const details = error.status === 422 ? {} : undefined;
    throw new StatusError(error.status, error.reason, error.message, details);
  }
}

function patched(current: ApiObject, type: PatchType, body: unknown, _request: WriteObjectRequest): Fields {
  const result = withPatchErrors(() => {
    switch (type) {
      case "json":
        return applyJsonPatch(current, body);
      default:
        return applyMergePatch(current, readMergePatch(body));
    }
  });
  return isFields(result) ? result : {};
}
