// What a patch came to, and how the refusals of src/cluster/patch become answers.
import { PatchError } from "../../patch/patch-error.ts";
import type { ApiObject } from "../api-object.ts";
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
