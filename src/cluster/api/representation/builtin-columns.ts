// The columns of `kubectl get` for the built-in types.
import type { Column } from "../served-type.ts";
import { formatAgeOf } from "./age.ts";
import { nameColumn } from "./custom-columns.ts";

const age: Column = {
  name: "Age",
  type: "string",
  cell: (object, now) => formatAgeOf(object.metadata.creationTimestamp, now),
};

/** The columns of a built-in type by its plural. */
export function builtinColumns(_plural: string): readonly Column[] {
  return [nameColumn, age];
}
