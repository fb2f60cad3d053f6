// A rule of validation that no API server takes, as a finding at the place in the rule that is wrong.
import { meantBy } from "../../ports/misspelling.ts";
import type { RuleFault } from "../../schema/cel/check-rule-declarations.ts";
import type { StructuralSchema } from "../../schema/structural-schema.ts";
import type { FileReader, Path } from "./file-reader.ts";

/** Reports what is wrong with a rule of a schema; the path is that of the text that is wrong. */
export function reportRule(
  { fault, message }: RuleFault,
  schema: StructuralSchema,
  { reader, path }: { readonly reader: FileReader; readonly path: Path },
): void {
  const detail = message.replace(/^[A-Z][\w ]*: (?:\{"Rule":.*?"OptionalOldSelf":\w+\}: )?/s, "");
  const said = fault?.text.replace(" (in container '')", "") ?? detail.replace(/\n[\s\S]*/, "");
  const [, name = ""] = /^(?:undeclared reference to|undefined field) '([^']*)'/.exec(said) ?? [];
  const meant = name === "" ? undefined : meantBy(name, ["self", "oldSelf", ...fieldNamesIn(schema)]);
  reader.report({
    code: "RULE_INVALID",
    path,
    message: `the API server would refuse this rule: ${said}`,
    remedy: remedyOf(said, name, meant),
    ...(fault === undefined ? {} : { inside: { text: fault.expression.trim(), at: fault.at } }),
  });
}

function remedyOf(said: string, name: string, meant: string | undefined): string {
  if (name === "spec") return "Leave out spec: self is the spec itself, unless the rule has on: object.";
  if (name === "metadata") return "Write on: object beside the rule: then self is the whole object.";
  if (meant !== undefined && meant === name)
    return `Name it from where the rule stands: with on: object, the spec is self.spec.`;
  if (meant !== undefined) return `Did you mean "${meant}"?`;
  if (said.includes("Unexpected character: =")) return "Compare by ==.";
  if (said.includes("evaluate to a bool")) return "Write a condition, such as self.replicas <= 9.";
  if (said.includes("evaluate to a string")) return "Write a text, such as 'at most ' + string(self.most).";
  if (said.includes("valid path"))
    return "Write the path of a field of the schema, with a dot before it: .replicas.";
  return "Correct it here: self is what the rule is for, and its fields are those of the schema.";
}

function fieldNamesIn({ properties = {}, items, additionalProperties }: StructuralSchema): readonly string[] {
  const inner = [...Object.values(properties), items, additionalProperties].filter(
    (each) => typeof each === "object",
  );
  return [...Object.keys(properties), ...inner.flatMap(fieldNamesIn)];
}
