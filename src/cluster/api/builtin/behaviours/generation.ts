// When a change of a built-in object raises its generation.
import { equal, fieldOf, isJsonObject } from "../../../../schema/json-value.ts";
import { listOf, type ApiObject } from "../../api-object.ts";
import { hasSentEmpty, isSentEmpty } from "../../sent-empty.ts";

/** The spec differs. */
export function specDiffers(object: ApiObject, previous: ApiObject): boolean {
  return !alike(object["spec"], previous["spec"]);
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
  return !alike(next, before);
}

/** Equal, where a list of nothing is as good as none. */
function alike(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (isJsonObject(left) && isJsonObject(right)) {
    return Object.keys({ ...left, ...right }).every((name) =>
      alike(fieldOf(left, name), fieldOf(right, name)),
    );
  }
  if (isJsonObject(left) || isJsonObject(right)) return false;
  const [items, others] = [listOf(left), listOf(right)];
  if (items.length > 0 || others.length > 0) {
    return items.length === others.length && items.every((item, index) => alike(item, others[index]));
  }
  const isNone = (value: unknown): boolean => value === undefined || value === null || Array.isArray(value);
  return isNone(left) && isNone(right);
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
