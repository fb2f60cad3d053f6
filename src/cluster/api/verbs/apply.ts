// Server-side apply; the rules of ownership and conflicts are in src/cluster/patch.
import { applyMergePatch } from "../../patch/merge-patch.ts";
import type { ApiCore } from "../api-core.ts";
import { isFields } from "../api-object.ts";
import { badRequest } from "../status-error.ts";
import { createObject } from "./create.ts";
import { toIncomingObject } from "./incoming-object.ts";
import type { WriteObjectRequest } from "./object-request.ts";
import type { PatchOutcome } from "./patch.ts";
import { findCurrent, replaceObject } from "./update.ts";

/** Applies a manifest: creates the object or merges into it. Errors: 400, 404, 409, 422. */
export function applyObject(core: ApiCore, request: WriteObjectRequest, body: unknown): PatchOutcome {
  if (!isFields(body)) throw badRequest("invalid object type: /, Kind=");
  const current = findCurrent(core, request);
  if (current === undefined) {
    return { object: createObject(core, request, toIncomingObject(request, body)), created: true };
  }
  const merged = applyMergePatch(current, body);
  const incoming = toIncomingObject(request, isFields(merged) ? merged : {});
  return { object: replaceObject(core, request, incoming, current), created: false };
}
