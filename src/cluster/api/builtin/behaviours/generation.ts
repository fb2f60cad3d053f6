// When a change of a built-in object raises its generation.
import { equal } from "../../../../schema/json-value.ts";
import type { ApiObject } from "../../api-object.ts";
import { hasSentEmpty, isSentEmpty } from "../../sent-empty.ts";

/** The spec differs. */
export function specDiffers(object: ApiObject, previous: ApiObject): boolean {
  return !equal(object["spec"], previous["spec"]);
}

/** The spec or an annotation differs, as Deployments count. */
export function specOrAnnotationsDiffer(object: ApiObject, previous: ApiObject): boolean {
  return (
    specDiffers(object, previous) ||
    !equal(object.metadata.annotations ?? {}, previous.metadata.annotations ?? {})
  );
}

/** Anything besides the metadata differs. */
export function contentDiffers(object: ApiObject, previous: ApiObject): boolean {
  const { metadata: _next, ...next } = object;
  const { metadata: _previous, ...before } = previous;
  return !equal(next, before);
}

/** The spec differs, or something in it was sent empty: the real server compares some types to the letter. */
export function specDiffersToTheLetter(object: ApiObject, previous: ApiObject): boolean {
  return specDiffers(object, previous) || isSentEmpty(object, "spec");
}

/** The same for anything besides the metadata. */
export function contentDiffersToTheLetter(object: ApiObject, previous: ApiObject): boolean {
  const { metadata: _, ...content } = object;
  return contentDiffers(object, previous) || hasSentEmpty(content);
}
