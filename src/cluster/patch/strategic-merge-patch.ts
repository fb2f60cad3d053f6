// Applies a strategic merge patch: like a merge patch, but lists merge item by item where the type says so.
// Fed with the body of an `application/strategic-merge-patch+json` request; only Kubernetes' own types take it.
// https://github.com/kubernetes/community/blob/master/contributors/devel/sig-api-machinery/strategic-merge-patch.md
import {
  canonicalJson,
  fieldOf,
  isJsonArray,
  isJsonObject,
  setField,
  jsonTypeOf,
} from "../../schema/json-value.ts";
import type { JsonObject } from "../../schema/json-value.ts";
import { additionalSchema, propertySchema } from "../../schema/structural-schema.ts";
import type { StructuralSchema } from "../../schema/structural-schema.ts";
import { identityOf, orderItems, placesOf } from "./element-order.ts";
import { goPrint } from "./go-print.ts";
import { badPatch, PatchError } from "./patch-error.ts";

const directive = "$patch";
const retainKeys = "$retainKeys";
const deleteFromList = "$deleteFromPrimitiveList/";
const setElementOrder = "$setElementOrder";

/**
 * The object with a strategic merge patch applied; neither argument is changed.
 *
 * **Guarantees**: honours `$patch`, `$retainKeys`, `$deleteFromPrimitiveList` and `$setElementOrder`; new items of a
 * merged list come first, as on the server.
 *
 * **Errors**: {@link PatchError} 400 for directives that contradict the patch, 500 for items without their merge key.
 */
export function applyStrategicMergePatch(
  schema: StructuralSchema,
  object: JsonObject,
  patch: JsonObject,
): JsonObject {
  return mergeObject(schema, object, patch);
}

function mergeObject(schema: StructuralSchema, live: JsonObject, patch: JsonObject): JsonObject {
  if (Object.hasOwn(patch, directive)) return replaceObject(patch);
  const merged = retained(live, patch);
  const changes = mergeOrderedLists(schema, merged, patch);
  for (const [rawName, change] of changes) {
    const isDeletion = rawName.startsWith(deleteFromList);
    const name = isDeletion ? rawName.slice(deleteFromList.length) : rawName;
    const before = fieldOf(merged, name);
    if (change === null) {
      delete merged[name];
    } else if (isDeletion) {
      if (isJsonArray(before) && isJsonArray(change)) {
        assertAlike(before, change);
        const deleted = new Set(change.map(canonicalJson));
        setField(
          merged,
          name,
          before.filter((item) => !deleted.has(canonicalJson(item))),
        );
      }
    } else if (before === undefined && isJsonObject(change) && Object.hasOwn(change, directive)) {
      // On the real server a directive for what is not there does nothing, whatever it says.
      delete merged[name];
    } else {
      setField(merged, name, mergeField(fieldSchema(schema, name), before, change));
    }
  }
  return merged;
}

function mergeField(schema: StructuralSchema, before: unknown, change: unknown): unknown {
  const { strategy } = strategyOf(schema);
  if (isJsonObject(before) && isJsonObject(change)) {
    return strategy === "replace" ? change : mergeObject(schema, before, change);
  }
  if (isJsonArray(before) && isJsonArray(change)) {
    return strategy === "merge" ? mergeList(schema, before, change) : change;
  }
  return withoutDirectives(change);
}

function mergeList(
  schema: StructuralSchema,
  live: readonly unknown[],
  patch: readonly unknown[],
): readonly unknown[] {
  if (live.length === 0 && patch.length === 0) return live;
  assertAlike(live, patch);
  const { mergeKey } = strategyOf(schema);
  const first = live[0] ?? patch[0];
  if (!isJsonObject(first)) {
    const seen = new Set<string>();
    const merged = [...live, ...patch].filter((item) => {
      const known = canonicalJson(item);
      const isFirst = !seen.has(known);
      seen.add(known);
      return isFirst;
    });
    return orderItems(merged, { mergeKey: undefined, patchOrder: patch, liveOrder: live });
  }
  if (mergeKey === undefined) throw failed("cannot merge lists without merge key");
  const { base, changes } = applyItemDirectives(mergeKey, live, patch);
  const merged = [...base];
  const places = placesOf({ mergeKey }, base);
  for (const change of changes) {
    keyOf(change, mergeKey);
    const known = identityOf({ mergeKey }, change) ?? "";
    const place = places.get(known);
    if (place === undefined) {
      places.set(known, merged.length);
      merged.push(withoutDirectives(change));
      continue;
    }
    const before = merged[place];
    if (isJsonObject(before)) merged[place] = mergeObject(schema.items ?? {}, before, change);
  }
  return orderItems(merged, { mergeKey, patchOrder: changes, liveOrder: base });
}

/** Items of different types are not merged. Errors: 500. */
function assertAlike(live: readonly unknown[], patch: readonly unknown[]): void {
  const [first, ...others] = [...live, ...patch].map(jsonTypeOf);
  if (first === "array") throw failed("lists of lists are not supported");
  if (others.some((type) => type !== first)) {
    throw failed(`list element types are not identical: ${goPrint([live, patch])}`);
  }
}

/** The live items after `$patch` items, and the patch's ordinary items. */
function applyItemDirectives(
  mergeKey: string,
  live: readonly unknown[],
  patch: readonly unknown[],
): { readonly base: readonly unknown[]; readonly changes: readonly JsonObject[] } {
  const items = patch.filter(isJsonObject);
  const changes = items.filter((item) => !Object.hasOwn(item, directive));
  const deleted = new Set<string | undefined>();
  for (const item of items) {
    if (!Object.hasOwn(item, directive)) continue;
    const wanted = item[directive];
    if (wanted === "delete") {
      keyOf(item, mergeKey);
      deleted.add(identityOf({ mergeKey }, item));
    } else if (wanted === "merge") {
      throw failed("merging lists cannot yet be specified in the patch");
    } else if (wanted !== "replace") {
      throw unknownDirective(wanted, item);
    }
  }
  const base =
    deleted.size === 0 ? live : live.filter((each) => !deleted.has(identityOf({ mergeKey }, each)));
  return items.some((item) => item[directive] === "replace")
    ? { base: changes, changes: [] }
    : { base, changes };
}

/**
 * Merges the lists that the patch gives an order, into `merged`.
 * Returns the changes that are left to do.
 */
function mergeOrderedLists(
  schema: StructuralSchema,
  merged: Record<string, unknown>,
  patch: JsonObject,
): readonly [string, unknown][] {
  const left = new Map(Object.entries(patch).filter(([name]) => name !== retainKeys));
  for (const [directiveName, order] of Object.entries(patch)) {
    if (!directiveName.startsWith(setElementOrder)) continue;
    left.delete(directiveName);
    const [, name = "", ...rest] = directiveName.split("/");
    if (!directiveName.startsWith(`${setElementOrder}/`) || rest.length > 0) {
      throw badPatch("invalid patch format of setElementOrder list");
    }
    const live = fieldOf(merged, name);
    const change = fieldOf(patch, name);
    if (!isJsonArray(order) || (change !== undefined && !isJsonArray(change))) {
      throw badPatch("invalid patch format of setElementOrder list");
    }
    const listSchema = fieldSchema(schema, name);
    const { mergeKey } = strategyOf(listSchema);
    assertOrder(mergeKey, order, change ?? []);
    const items = change === undefined ? live : mergeField(listSchema, live, change);
    if (!isJsonArray(items)) continue;
    const liveOrder = isJsonArray(live) ? live : [];
    setField(merged, name, orderItems(items, { mergeKey, patchOrder: order, liveOrder }));
    left.delete(name);
  }
  return [...left];
}

/** Every item of a patched list must be in the order given with it, and in that order. */
function assertOrder(
  mergeKey: string | undefined,
  order: readonly unknown[],
  items: readonly unknown[],
): void {
  const ordered = placesOf({ mergeKey }, order);
  const places = items
    .filter((item) => !isJsonObject(item) || !Object.hasOwn(item, directive))
    .map((item) => {
      const known = identityOf({ mergeKey }, item);
      return known === undefined ? -1 : (ordered.get(known) ?? -1);
    });
  if (places.some((place, index) => place < 0 || place < (places[index - 1] ?? 0))) {
    throw failed(
      `The order in patch list:\n${goPrint(items)}\n doesn't match $setElementOrder list:\n${goPrint(order)}\n`,
    );
  }
}

function retained(live: JsonObject, patch: JsonObject): Record<string, unknown> {
  const keys = patch[retainKeys];
  if (keys === undefined) return { ...live };
  const isKept = (name: string): boolean => isJsonArray(keys) && keys.includes(name);
  const strays = Object.keys(patch).filter(
    (name) => !name.startsWith("$") && patch[name] !== null && !isKept(name),
  );
  if (!isJsonArray(keys) || strays.length > 0) throw badPatch("invalid patch format of retainKeys");
  return Object.fromEntries(Object.entries(live).filter(([name]) => isKept(name)));
}

function replaceObject(patch: JsonObject): JsonObject {
  const { [directive]: wanted, ...rest } = patch;
  if (wanted === "replace") return rest;
  if (wanted === "delete") return {};
  throw unknownDirective(wanted, patch);
}

/** A value that the patch adds: without nulls and directives, and without the items that those delete. */
function withoutDirectives(value: unknown): unknown {
  if (isJsonArray(value)) {
    return value
      .filter((item) => !isJsonObject(item) || !Object.hasOwn(item, directive))
      .map(withoutDirectives);
  }
  if (!isJsonObject(value)) return value;
  const kept: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    const isDirective =
      name === directive ||
      name === retainKeys ||
      /^\$(?:deleteFromPrimitiveList|setElementOrder)\//.test(name);
    const child = fieldOf(value, name);
    if (!isDirective && child !== null) setField(kept, name, withoutDirectives(child));
  }
  return kept;
}

function fieldSchema(schema: StructuralSchema, name: string): StructuralSchema {
  return propertySchema(schema, name) ?? additionalSchema(schema) ?? {};
}

function strategyOf(schema: StructuralSchema): {
  readonly strategy: string | undefined;
  readonly mergeKey: string | undefined;
} {
  const strategies = schema["x-kubernetes-patch-strategy"]?.split(",") ?? [];
  return {
    strategy: strategies.find((each) => each !== "retainKeys"),
    mergeKey: schema["x-kubernetes-patch-merge-key"],
  };
}

function keyOf(item: JsonObject, mergeKey: string): unknown {
  if (Object.hasOwn(item, mergeKey)) return item[mergeKey];
  throw failed(`map: ${goPrint(item)} does not contain declared merge key: ${mergeKey}`);
}

function unknownDirective(wanted: unknown, item: JsonObject): PatchError {
  return failed(`unknown patch type: ${goPrint(wanted)} in map: ${goPrint(item)}`);
}

function failed(message: string): PatchError {
  return new PatchError(message, { status: 500 });
}
