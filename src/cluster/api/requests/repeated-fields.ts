// What occurs twice in a text, in the words of the real server's readers: its warnings, and what a strict reading refuses it with.
import { isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from "yaml";
import { isJsonArray, isJsonObject } from "../../../schema/json-value.ts";

/** What a text has that no reader should pass over. */
export interface TextFaults {
  /** One for each. */
  readonly warnings: readonly string[];
  /** All of them, for a refusal. */
  readonly refusal: string;
}

/** Of these paths, which occur twice in a JSON text. */
export function repeatedFields(paths: readonly string[]): TextFaults {
  return listed(paths.map((path) => `duplicate field "${path}"`));
}

/** Of a JSON patch, in which these paths occur twice: they, and the fields that operations do not have. */
export function patchFaults(paths: readonly string[], operations: unknown): TextFaults {
  const known = new Set(["op", "path", "from", "value"]);
  const unknown = (isJsonArray(operations) ? operations : []).flatMap((operation, index) =>
    isJsonObject(operation)
      ? Object.keys(operation)
          .filter((name) => !known.has(name))
          .map((name) => `[${index}].${name}`)
      : [],
  );
  return listed([
    ...paths.map((path) => `json patch duplicate field "${path}"`),
    ...unknown.map((path) => `json patch unknown field "${path}"`),
  ]);
}

/** Of a YAML text, whose keys occur twice as these texts say. */
export function repeatedKeys(texts: readonly string[]): TextFaults {
  const refusal = texts.length === 0 ? "" : ["yaml: unmarshal errors:", ...texts].join("\n  ");
  return { warnings: texts, refusal };
}

function listed(warnings: readonly string[]): TextFaults {
  return { warnings, refusal: warnings.join(", ") };
}

/**
 * Where keys of a YAML document occur twice, such as `line 4: key "a" already set in map`: at the line of the value, after what is inside
 * of it. `before` lines stand above the document.
 */
export function repeatedKeysIn(document: string, before: number): readonly string[] {
  const lineCounter = new LineCounter();
  const found: string[] = [];
  const walk = (node: unknown): void => {
    if (isSeq(node)) node.items.forEach(walk);
    if (!isMap(node)) return;
    const seen = new Set<unknown>();
    for (const { key, value } of node.items) {
      walk(value);
      if (!isScalar(key) || key.value === "<<") continue;
      if (seen.has(key.value)) {
        const at = (isNode(value) ? value.range : key.range)?.[0] ?? 0;
        const line = lineCounter.linePos(at).line + before;
        found.push(`line ${line}: key ${JSON.stringify(key.value)} already set in map`);
      }
      seen.add(key.value);
    }
  };
  walk(parseDocument(document, { version: "1.1", uniqueKeys: false, lineCounter }).contents);
  return found;
}
