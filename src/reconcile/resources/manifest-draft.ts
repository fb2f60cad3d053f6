// A manifest while it is being made: the same shape as the object's, writable.
import type { KubeObject, ManifestOf } from "../../meta/object.ts";

/** A type whose fields can be written, all the way down. */
type Writable<T> = T extends readonly (infer TElement)[]
  ? Writable<TElement>[]
  : T extends object
    ? { -readonly [TField in keyof T]: Writable<T[TField]> }
    : T;

/**
 * The manifest that the parts of a Kubernetes resource fill in. It starts with `apiVersion`, `kind`, name and namespace
 * only, in every run: a field that no part sets is not declared, whatever the live object holds.
 */
export type ManifestDraft<TObject extends KubeObject> = Writable<ManifestOf<TObject>>;
