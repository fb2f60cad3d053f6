// A rule that the API server holds every write of a custom resource to.
import type { ValidationRule } from "./builtin/json-of.ts";

/** A rule in CEL, and where it stands. */
export type KindValidation = ValidationRule & {
  /** What `self` is: the spec (default), or the whole object with its `metadata.name` and status. */
  readonly on?: "spec" | "object";
};
