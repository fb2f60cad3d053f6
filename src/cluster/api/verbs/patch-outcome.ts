// What a patch came to, and how the refusals of src/cluster/patch become answers.
import { conflictCauses, conflictMessage } from "../../patch/apply-conflict.ts";
import { PatchError } from "../../patch/patch-error.ts";
import { applyManifest, type ApplyRequest } from "../../patch/server-side-apply.ts";
import type { ApiObject, Fields } from "../api-object.ts";
import { StatusError } from "../status-error.ts";

/** A patched object and whether an apply created it. */
export interface PatchOutcome {
  readonly object: ApiObject;
  readonly created: boolean;
}

/** Runs a patch; its refusals become a StatusError. */
export function withPatchErrors<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    const details = error.status === 422 ? {} : undefined;
    throw new StatusError(error.status, error.reason, error.message, details);
  }
}

/** Merges a manifest into what is there. Errors: those of the patch; 409 with the conflicts. */
export function mergedManifest(request: ApplyRequest): Fields {
  const result = withPatchErrors(() => applyManifest(request));
  if ("object" in result) return result.object;
  throw new StatusError(409, "Conflict", conflictMessage(result.conflicts), {
    causes: conflictCauses(result.conflicts),
  });
}
