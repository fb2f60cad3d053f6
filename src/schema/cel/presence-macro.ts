// `has(a.b)`: whether a field is there. The evaluator's own macro takes chains of plain names only, and fields that no schema declares.
import { Optional, ParseError, TypeError as CelTypeError, type ASTNode } from "@marcbachmann/cel-js";
import { placeOf } from "./expression-tree.ts";
import { standFor } from "./macro.ts";

/** Lets calls of `has` ask for whatever a field can be selected from. */
export function askAnyPresence(node: ASTNode): void {
  if (node.op !== "call" || node.args[0] !== "has") return;
  const [asked] = node.args[1];
  if (asked === undefined || node.args[1].length !== 1) return;
  if (asked.op !== ".") {
    const start = placeOf(asked);
    const message = "invalid argument to has() macro";
    throw new ParseError({ code: "invalid_macro_argument", message, range: { start, end: start } });
  }
  const [operand, field] = asked.args;
  const place = placeOf(node);
  standFor(node, {
    async: false,
    typeCheck(checker, _, context) {
      const found = checker.check(operand, context);
      const type = found.kind === "optional" ? found.valueType : found;
      if (type === undefined || type.kind === "dyn" || type.kind === "map") return checker.getType("bool");
      const fields = type.kind === "message" ? checker.objectTypes.get(type.name)?.fields : undefined;
      if (fields === undefined) {
        const text = `type '${checker.formatType(type)}' does not support field selection`;
        throw new CelTypeError({
          code: "no_field_selection",
          message: text,
          range: { start: place, end: place },
        });
      }
      if (Object.hasOwn(fields, field) || field in fields) return checker.getType("bool");
      throw undeclaredField(field, place);
    },
    evaluate(evaluator, _, context) {
      const found = evaluator.run(operand, context);
      const value = found instanceof Optional ? (found.hasValue() ? found.value() : undefined) : found;
      if (value === undefined || value === null) return false;
      return evaluator.debugType(value).fieldLazy(value, field, asked, evaluator) !== undefined;
    },
  });
}

/** A field that no schema declares. */
export function undeclaredField(field: string, at: number): CelTypeError {
  return new CelTypeError({
    code: "undeclared_presence",
    message: `No such key: ${field}`,
    range: { start: at, end: at },
  });
}
