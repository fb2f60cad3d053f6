// What is taken for a kind.
import type { KubeObject } from "../meta/object.ts";
import type { Kind } from "./define-kind.ts";

/** Whether a value was made by `defineKind`; by shape, as an author's module may use another copy of this package. */
export function isKind(value: unknown): value is Kind<KubeObject> {
  if (typeof value !== "object" || value === null) return false;
  const { group, version, kind, plural, specSchema } = value as Readonly<Record<string, unknown>>;
  return [group, version, kind, plural].every((name) => typeof name === "string") && specSchema !== undefined;
}
