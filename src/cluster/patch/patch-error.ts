// A patch that cannot be applied, with the status code and the text that the API server answers.
// Thrown by the appliers of this folder; the API server turns it into a Status.
import { OperatorError } from "../../ports/operator-error.ts";

/** What a Status says about a refused patch. */
export interface PatchErrorStatus {
  readonly status: 400 | 409 | 413 | 422 | 500;
  /** Absent where the server gives none (its 500 answers). */
  readonly reason?: "BadRequest" | "Conflict" | "Invalid" | "RequestEntityTooLarge";
}

/** A patch that cannot be applied; `message` is the server's text. */
export class PatchError extends OperatorError {
  readonly status: PatchErrorStatus["status"];
  readonly reason: PatchErrorStatus["reason"];

  /** What the applier itself said, which a client of the API never sees. */
  readonly detail: string;

  constructor(message: string, status: PatchErrorStatus, detail: string = message) {
    super("CLUSTER_PATCH_REFUSED", message, {
      remedy: "Correct the patch; the object was not changed.",
      fields: { ...status },
    });
    this.status = status.status;
    this.reason = status.reason;
    this.detail = detail;
  }
}

/** 400: the patch itself cannot be read. */
export function badPatch(message: string): PatchError {
  return new PatchError(message, { status: 400, reason: "BadRequest" });
}
