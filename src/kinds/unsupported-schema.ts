// The one refusal of constructs that a CRD cannot carry.
import { OperatorError } from "../ports/operator-error.ts";

/** Why a construct cannot be declared to an API server, and what to write instead. */
export interface Unsupported {
  readonly what: string;
  readonly remedy: string;
}

/** Throws `CRD_SCHEMA_UNSUPPORTED` for the construct at a path such as `spec.backends[].port`. */
export function refuseSchema(path: string, { what, remedy }: Unsupported): never {
  throw new OperatorError("CRD_SCHEMA_UNSUPPORTED", `${path}: ${what}`, { fields: { path }, remedy });
}
