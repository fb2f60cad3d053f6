// The templates of `.gotmpl.yaml` files, as far as they name values: `{{ .Namespace }}` and `{{ .Vars.name }}`. Pure.
import { isJsonObject, type JsonObject } from "../../schema/json-value.ts";
import { invalid } from "./read-documents.ts";

/** What templates may name. */
export interface TemplateValues {
  readonly namespace: string;
  readonly vars: JsonObject;
}

/** The text with its values. **Errors**: `TEST_FILE_INVALID` for a value that there is not, and for more than names. */
export function expandTemplate(text: string, shown: string, { namespace, vars }: TemplateValues): string {
  const values: JsonObject = { Namespace: namespace, Vars: vars };
  return text.replaceAll(/\{\{-?\s*(.*?)\s*-?\}\}/gs, (whole: string, said: string, at: number) => {
    const where = `${shown}:${text.slice(0, at).split("\n").length}`;
    if (/^\/\*[\s\S]*\*\/$/.test(said)) return "";
    if (!/^(?:\.\w+)+$/.test(said)) {
      const remedy = "Only names are known here: {{ .Namespace }}, {{ .Vars.name }}. Write out the rest.";
      throw invalid(where, `has a template that does more than name a value: ${whole}`, remedy);
    }
    const found = said
      .slice(1)
      .split(".")
      .reduce<unknown>((value, name) => (isJsonObject(value) ? value[name] : undefined), values);
    if (found === undefined) {
      throw invalid(
        where,
        `names a value that there is not: ${said}`,
        "Give it by --template-var name=value.",
      );
    }
    return typeof found === "string" ? found : JSON.stringify(found);
  });
}
