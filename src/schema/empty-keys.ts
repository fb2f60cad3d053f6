// Lists of Kubernetes' own types: a required key that an item leaves out is empty there, as the published schemas say by defaults.
// Noted in the lists by the tables of the built-in types, and known by copies of their schemas.
import type { StructuralSchema } from "./structural-schema.ts";

const mark = Symbol("empty keys");

interface Marked {
  readonly [mark]?: true;
}

/** What a schema of such a list has besides. */
export const emptyKeys: object = { [mark]: true };

/** Whether required keys of the list's items are empty where they are left out. */
export function hasEmptyKeys(schema: StructuralSchema): boolean {
  return (schema as Marked)[mark] === true;
}
