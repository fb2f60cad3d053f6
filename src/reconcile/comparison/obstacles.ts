// What of a live object stands in the way of what we declare, by what the API server says of the two together: an element of
// a keyed list with the unique value of one of ours, an alternative to a member of a union that we declare, a field that may
// not be set beside ours. Pure: fed by object-writer.ts with a refusal; an object whose obstacles are taken out may be sent again.
//
// Only what is not declared is ever taken out. Which fields exclude one another only the server knows, so nothing here names a type.
import { isMisfit, type ApiError, type StatusDetails } from "../../client/api-error.ts";
import type { KubeObject } from "../../meta/object.ts";
import { isImmutable } from "./immutable-fields.ts";
import { elementKey, listTypeAt, type ElementKeys, type ListRules } from "./list-types.ts";

type Fields = Record<string, unknown>;
type Cause = NonNullable<StatusDetails["causes"]>[number];

/** Reasons that may mean that two things exclude one another. */
const excluding = new Set([
  "FieldValueDuplicate",
  "FieldValueForbidden",
  "FieldValueInvalid",
  "FieldValueRequired",
]);
const oneOfMany = /\b(?:more than|only|at most|exactly) (?:1|one)\b|mutually exclusive|\boneOf\b/i;
const notBeside =
  /\b(?:may|must|can) ?not (?:be (?:both )?(?:specified|set|used)|set)\b|\bnot allowed\b|\bonly allowed\b|\bmust be (?:less|greater) than\b/i;

/** What a refusal blames: its causes, or what its text names, as some have none. */
export function causesOf({ details, message }: ApiError): readonly Cause[] {
  const { causes = [] } = details;
  if (causes.length > 0) return causes;
  const [, field] = duplicated.exec(message) ?? [];
  return field === undefined ? [] : [{ reason: "FieldValueDuplicate", field, message }];
}

/** `duplicate nodePort: {TCP 30080}`: a field of elements of a list, and the values that two of them have, its own last. */
const duplicated = /\bduplicate (\w+): \{([^}]+)\}/;

/** Whether a refusal says that what is declared is no instance of its type, whatever there is beside it. */
export function isAboutDeclared(refusal: ApiError): boolean {
  return isMisfit(refusal) && causesOf(refusal).length === 0 && !isAboutLive(refusal);
}

/** Whether what is stored is no instance of its type: it is older than the schema. What is declared may take the place of that. */
function isAboutLive(refusal: ApiError): boolean {
  return (
    isMisfit(refusal) &&
    /failed to create typed live object|failed to create manager for existing fields/.test(refusal.message)
  );
}

/** Whether a refusal may be about what stands in the way; the server may have had the elements of lists in another order. */
export function mayStandInTheWay(
  object: KubeObject,
  declared: object,
  refusal: ApiError,
  rules: ListRules,
): boolean {
  const isInList = causesOf(refusal)
    .filter(excludes)
    .some(({ field = "" }) => /\[\d+\]/.test(field));
  if (isInList || isAboutLive(refusal)) return true;
  return withoutObstacles(object, declared, refusal, rules) !== undefined;
}

/**
 * A copy of the object without what stands in the way of the declared; undefined when the causes of its refusal name nothing
 * that could be taken out.
 */
export function withoutObstacles<T extends KubeObject>(
  object: T,
  declared: object,
  refusal: ApiError,
  rules: ListRules,
): T | undefined {
  const copy = structuredClone(object);
  const root = { value: copy, declared, path: "" };
  const found = causesOf(refusal)
    .filter(excludes)
    .flatMap((cause) => obstaclesOf(cause, root, rules));
  if (found.length === 0) return undefined;
  for (const { parent, name } of found) delete parent[name];
  // What was taken out of a list has left a hole, so that the places of the others hold until all are taken out.
  for (const { parent } of found) if (Array.isArray(parent)) closeHoles(parent);
  return copy;
}

/** Whether a cause may say that two things exclude one another. */
function excludes({ reason = "", message = "" }: Cause): boolean {
  return excluding.has(reason) && !isImmutable(message);
}

/** A field, or an element of a list, that is to be taken out. */
interface Obstacle {
  readonly parent: Fields;
  readonly name: string;
}

/** A place in the object, with what is declared of it. */
interface Spot {
  readonly value: unknown;
  readonly declared: unknown;
  /** For {@link listTypeAt}. */
  readonly path: string;
}

/** An element of a keyed list on the way to a place, and the steps from it on. */
interface Passed {
  readonly list: readonly unknown[];
  readonly declaredList: readonly unknown[];
  readonly keys: ElementKeys;
  readonly rest: readonly string[];
}

function obstaclesOf(cause: Cause, root: Spot, rules: ListRules): readonly Obstacle[] {
  const [, shared, values] = duplicated.exec(cause.message ?? "") ?? [];
  if (shared !== undefined && values !== undefined) {
    return sharedIn(root, { field: shared, values: values.split(" ") }, rules);
  }
  const steps = stepsOf(cause.field ?? "");
  if (steps[0] === "metadata" || steps[0] === "status") return [];
  const passed: Passed[] = [];
  let spot = root;
  let parent: Spot | undefined;
  for (const [index, step] of steps.entries()) {
    if (!isContainer(spot.value)) return [];
    if (Array.isArray(spot.value)) {
      const type = listTypeAt(spot.path, rules);
      if (type.type !== "map" || !Array.isArray(spot.declared)) return [];
      passed.push({
        list: spot.value,
        declaredList: spot.declared,
        keys: type,
        rest: steps.slice(index + 1),
      });
    }
    const next = stepInto(spot, step, rules);
    if (next.value === undefined) return [];
    if (next.declared === undefined) return [{ parent: spot.value as Fields, name: step }];
    parent = spot;
    spot = next;
  }
  const { reason, message = "" } = cause;
  if (reason === "FieldValueDuplicate") return duplicatesOf(passed, spot.value);
  const beside = parent === undefined ? [] : alternativesIn(parent, message);
  return [...beside, ...alternativesIn(spot, message)];
}

/** Elements that are not declared and hold the same value as an element of ours, in the innermost list that has any. */
function duplicatesOf(passed: readonly Passed[], value: unknown): readonly Obstacle[] {
  for (const { list, declaredList, keys, rest } of [...passed].reverse()) {
    const ours = new Set(declaredList.map((each) => elementKey(each, keys)));
    const found = list.flatMap((each, index) =>
      !ours.has(elementKey(each, keys)) && valueAt(each, rest) === value
        ? [{ parent: list as unknown as Fields, name: String(index) }]
        : [],
    );
    if (found.length > 0) return found;
  }
  return [];
}

/** A field of elements of a list, and the values that two of them have: its own, and those of other fields. */
interface Shared {
  readonly field: string;
  readonly values: readonly string[];
}

/** That field where it is not declared: the server chooses another value, or says what the element lacks then. */
function sharedIn(spot: Spot, shared: Shared, rules: ListRules): readonly Obstacle[] {
  const { value } = spot;
  if (!isContainer(value)) return [];
  const inner = Object.keys(value).flatMap((name) => sharedIn(stepInto(spot, name, rules), shared, rules));
  const { field, values } = shared;
  if (!isFields(value) || String(value[field]) !== values.at(-1)) return inner;
  const isDeclared = isFields(spot.declared) && spot.declared[field] !== undefined;
  const held = new Set(Object.values(value).map(String));
  const isIt = !isDeclared && values.every((each) => held.has(each));
  return isIt ? [...inner, { parent: value, name: field }] : inner;
}

/** Fields beside declared ones that the refusal says may not be there, by what it says or by their name. */
function alternativesIn(
  { value, declared }: Pick<Spot, "value" | "declared">,
  message: string,
): readonly Obstacle[] {
  if (!isFields(value) || !isFields(declared)) return [];
  const isUnion = oneOfMany.test(message);
  const named = notBeside.test(message) ? message.split(/\W+/) : [];
  return Object.keys(value).flatMap((name) => {
    // "the cpu limit" is in `limits`.
    const isNamed = named.includes(name) || named.includes(name.replace(/s$/, ""));
    if (declared[name] !== undefined) {
      return isNamed ? alternativesIn({ value: value[name], declared: declared[name] }, message) : [];
    }
    return isNamed || (isUnion && isContainer(value[name])) ? [{ parent: value, name }] : [];
  });
}

function stepInto({ value, declared, path }: Spot, name: string, rules: ListRules): Spot {
  if (!Array.isArray(value)) {
    return {
      value: (value as Fields)[name],
      declared: isFields(declared) ? declared[name] : undefined,
      path: path === "" ? name : `${path}.${name}`,
    };
  }
  const element: unknown = value[Number(name)];
  const type = listTypeAt(path, rules);
  const keys = type.type === "map" ? type : { keys: [] };
  const key = elementKey(element, keys);
  const elements: readonly unknown[] = Array.isArray(declared) ? declared : [];
  return {
    value: element,
    declared: key === undefined ? undefined : elements.find((each) => elementKey(each, keys) === key),
    path: `${path}.*`,
  };
}

/** The steps of a path as API servers write it: `spec.ports[1].name`, `data[a.b]`. */
function stepsOf(field: string): readonly string[] {
  return [...field.matchAll(/([^.[\]]+)|\[([^\]]*)\]/g)].map(([, name, key]) => name ?? key ?? "");
}

function closeHoles(list: unknown[]): void {
  const left = list.filter(() => true);
  list.splice(0, list.length, ...left);
}

function valueAt(value: unknown, steps: readonly string[]): unknown {
  return steps.reduce<unknown>(
    (inner, step) => (isContainer(inner) ? (inner as Fields)[step] : undefined),
    value,
  );
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function isFields(value: unknown): value is Fields {
  return isContainer(value) && !Array.isArray(value);
}
