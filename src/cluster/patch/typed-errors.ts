// What keeps a manifest from being read as an instance of its type: unknown fields, wrong types, duplicate items.
// Server-side apply refuses such a manifest as a whole, with these texts.
import { fieldOf, isJsonArray, isJsonObject, jsonTypeOf } from "../../schema/json-value.ts";
import { goPrint, goSyntax } from "./go-print.ts";
import { itemElement } from "./list-items.ts";
import { fieldElement, printElement, printPath } from "./path-element.ts";
import type { PathElement } from "./path-element.ts";
import { formFor } from "./type-atom.ts";
import type { ListAtom, MapAtom, ScalarAtom, TypeNode } from "./type-atom.ts";

/** Every reason why a value is no instance of its type; what is stored already may hold one item twice. */
export function typedErrors(
  node: TypeNode,
  value: unknown,
  duplicates: "refused" | "stored" = "refused",
): readonly string[] {
  if (fits(node, value, duplicates)) return [];
  return check(node, value, { path: [], duplicates }).map(({ path, text }) => {
    const place = printPath(path);
    return place === "" ? text : `${place}: ${text}`;
  });
}

/** Several typed errors as one text. */
export function joinTypedErrors(errors: readonly string[]): string {
  return errors.length === 1
    ? (errors[0] ?? "")
    : ["errors:", ...errors.map((each) => `  ${each}`)].join("\n");
}

/** Whether there is no error: what is said of one is only worked out where there is. */
function fits(node: TypeNode, value: unknown, duplicates: Place["duplicates"]): boolean {
  const form = formFor(node, value);
  if (form.form === "scalar") return fitsScalar(form.scalar, value);
  if (value === null || value === undefined) return true;
  if (form.form === "map") {
    if (!isJsonObject(value)) return false;
    for (const name of Object.keys(value)) {
      const type = form.map.typeOf(name);
      if (type === undefined || !fits(type, value[name], duplicates)) return false;
    }
    return true;
  }
  if (!isJsonArray(value)) return false;
  const { list } = form;
  if (!list.atomic) {
    const seen = new Set<PathElement>();
    for (const item of value) {
      const identity = itemElement(list, item);
      if ("error" in identity || (duplicates === "refused" && seen.has(identity.element))) return false;
      seen.add(identity.element);
    }
  }
  return value.every((item) => fits(list.item, item, duplicates));
}

function fitsScalar(scalar: ScalarAtom, value: unknown): boolean {
  if (value === null || value === undefined) return true;
  if (scalar === "untyped") return typeof value !== "object";
  return typeof value === (scalar === "numeric" ? "number" : scalar);
}

interface TypedError {
  readonly path: readonly PathElement[];
  readonly text: string;
}

/** A place, and what may be in it. */
interface Place {
  readonly path: readonly PathElement[];
  readonly duplicates: "refused" | "stored";
}

function within(place: Place, element: PathElement): Place {
  return { ...place, path: [...place.path, element] };
}

function check(node: TypeNode, value: unknown, place: Place): TypedError[] {
  const form = formFor(node, value);
  if (form.form === "map") return checkMap(form.map, value, place);
  if (form.form === "list") return checkList(form.list, value, place);
  return checkScalar(form.scalar, value, place);
}

function checkScalar(scalar: ScalarAtom, value: unknown, { path }: Place): TypedError[] {
  if (fitsScalar(scalar, value)) return [];
  if (scalar === "numeric") {
    return [{ path, text: `expected numeric (int or float), got ${goTypeOf(value)}` }];
  }
  if (scalar === "string") {
    return [{ path, text: `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}` }];
  }
  const expected = scalar === "untyped" ? "any scalar" : scalar;
  return [{ path, text: `expected ${expected}, got &{${goPrint(value)}}` }];
}

function checkMap(map: MapAtom, value: unknown, place: Place): TypedError[] {
  const { path } = place;
  if (value === null || value === undefined) return [];
  if (!isJsonObject(value)) return [{ path, text: `expected map, got &{${goPrint(value)}}` }];
  const names = Object.keys(value).sort();
  return names.flatMap((name) => {
    const type = map.typeOf(name);
    const here = within(place, fieldElement(name));
    return type === undefined
      ? [{ path: here.path, text: "field not declared in schema" }]
      : check(type, fieldOf(value, name), here);
  });
}

function checkList(list: ListAtom, value: unknown, place: Place): TypedError[] {
  const { path, duplicates } = place;
  if (value === null || value === undefined) return [];
  if (!isJsonArray(value)) return [{ path, text: `expected list, got &{${goPrint(value)}}` }];
  const seen = new Set<PathElement>();
  return value.flatMap((item, index) => {
    if (list.atomic) return check(list.item, item, within(place, `i:${index}`));
    const identity = itemElement(list, item);
    if ("error" in identity) return [{ path, text: `element ${index}: ${identity.error}` }];
    const { element } = identity;
    if (duplicates === "refused" && seen.has(element)) {
      return [{ path, text: `duplicate entries for key ${printElement(element)}` }];
    }
    seen.add(element);
    return check(list.item, item, within(place, element));
  });
}

const goTypes = {
  null: "<nil>",
  string: "string",
  integer: "int64",
  number: "float64",
  boolean: "bool",
  array: "[]interface {}",
  object: "map[string]interface {}",
} as const;

function goTypeOf(value: unknown): string {
  return goTypes[jsonTypeOf(value)];
}
