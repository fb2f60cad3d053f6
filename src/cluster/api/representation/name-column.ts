// The column that every table begins with.
import type { Column } from "../served-type.ts";

/** What the real server says about the column Name. */
const nameDescription =
  "Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names";

/** The column Name, first in every table. */
export const nameColumn: Column = {
  name: "Name",
  type: "string",
  format: "name",
  description: nameDescription,
  // A bookmark is an object without one.
  cell: ({ metadata }) => (metadata as { readonly name?: string }).name ?? "",
};
