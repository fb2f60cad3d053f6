// Shorthands in which the columns of the built-in types are written down.
import type { ApiObject } from "../../api-object.ts";
import { fieldsList, fieldsOf, textOf, type Fields } from "../../api-object.ts";
import type { Column } from "../../served-type.ts";
import { formatAgeOf } from "../age.ts";
import { nameColumn } from "../name-column.ts";

/** A column that is declared as text: some of Kubernetes' are, and hold numbers. */
export function text(name: string, cell: (object: ApiObject, now: number) => string | number): Column {
  return { name, type: "string", cell };
}

/** A column that shows only with `-o wide`. */
export function wide(name: string, cell: (object: ApiObject, now: number) => string | number): Column {
  return { name, type: "string", priority: 1, cell };
}

/** A column of whole numbers. */
export function integer(name: string, cell: (object: ApiObject) => number): Column {
  return { name, type: "integer", cell };
}

/** The column Age. */
export const age: Column = text("Age", (object, now) => formatAgeOf(object.metadata.creationTimestamp, now));

/** The column Created At of types whose table the real server leaves to its default. */
export const createdAt: Column = {
  name: "Created At",
  type: "date",
  cell: (object) => object.metadata.creationTimestamp ?? null,
};

/** Name, and the columns of a type. */
export function named(...columns: readonly Column[]): readonly Column[] {
  return [nameColumn, ...columns];
}

/** The spec of an object. */
export function specOf(object: ApiObject): Fields {
  return fieldsOf(object["spec"]);
}

/** The status of an object. */
export function statusOf(object: ApiObject): Fields {
  return fieldsOf(object["status"]);
}

/** A number in a field; 0 when it is none. */
export function numberOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

/** `<none>` for an empty text. */
export function orNone(value: string): string {
  return value === "" ? "<none>" : value;
}

/** `<unset>` for an absent value. */
export function orUnset(value: unknown): string {
  return value === undefined || value === "" ? "<unset>" : textOf(value);
}

/** Each text once, in order, without the empty ones. */
export function sortedOnce(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].filter((each) => each !== "").sort();
}

/** Names and images of the containers of a pod template. */
export function containersOf(template: unknown): { readonly names: string; readonly images: string } {
  const containers = fieldsList(fieldsOf(fieldsOf(template)["spec"])["containers"]);
  const join = (field: string): string => containers.map((each) => textOf(each[field])).join(",");
  return { names: join("name"), images: join("image") };
}
