// The form of a file as a JSON Schema: for editors, which complete its fields and underline what is wrong.
import { z } from "zod";
import { hintOf } from "../../options/option-schemas.ts";
import { operatorForm } from "./form-schemas.ts";

const durationSchema = {
  anyOf: [
    { type: "number", exclusiveMinimum: 0 },
    { type: "string", pattern: "^(\\d+(\\.\\d+)?(ms|s|m|h|d))+$" },
  ],
};

/** The JSON Schema (draft 2020-12) of a file that declares an operator. What its expressions mean, only `check` knows. */
export function operatorFileSchema(): object {
  const schema = z.toJSONSchema(operatorForm, {
    unrepresentable: "any",
    io: "input",
    override: ({ zodSchema, jsonSchema }) => {
      const { expected, missing, code } = hintOf(zodSchema);
      // What zod cannot look into.
      if (code === "DURATION_INVALID") Object.assign(jsonSchema, durationSchema);
      else if (expected === "an object" && jsonSchema.type === undefined) jsonSchema.type = "object";
      const said = missing ?? expected;
      if (said !== undefined) jsonSchema.description ??= said;
    },
  });
  return { title: "An operator of xstate-operator", ...schema };
}
