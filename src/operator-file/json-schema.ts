// The form of a file as a JSON Schema: for editors, which complete its fields and underline what is wrong.
import { z } from "zod";
import { hintOf } from "../options/option-schemas.ts";
import { operatorForm } from "./form-schemas.ts";

/** The JSON Schema (draft 2020-12) of a file that declares an operator. What its expressions mean, only `check` knows. */
export function operatorFileSchema(): object {
  const schema = z.toJSONSchema(operatorForm, {
    unrepresentable: "any",
    io: "input",
    override: ({ zodSchema, jsonSchema }) => {
      const { expected, missing } = hintOf(zodSchema);
      const said = missing ?? expected;
      if (said !== undefined) jsonSchema.description ??= said;
    },
  });
  return { title: "An operator of xstate-operator", ...schema };
}
