// What the real server writes of a struct whatever of it is set.
import { emptyObjectOf } from "../../../patch/empty-object.ts";
import { ensureFields, isFields, setDefault, type Fields } from "../../api-object.ts";
import { builtinSchema, presenceOf } from "../builtin-schemas.ts";

/** Sets what of a struct of a type is absent and always written, also in what is there. */
export function fillStruct(struct: Fields, typeName: string): void {
  fillIn(
    struct,
    emptyObjectOf(builtinSchema(typeName), (schema, field) => presenceOf(schema, field) === "always"),
  );
}

function fillIn(given: Fields, empty: Readonly<Fields>): void {
  for (const [name, value] of Object.entries(empty)) {
    if (isFields(value)) fillIn(ensureFields(given, name), value);
    else setDefault(given, name, value);
  }
}
