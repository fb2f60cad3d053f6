// Finds the data of Secrets inside texts: as JSON however often it was escaped, as JavaScript prints it, as YAML. Pure.
// Where a text was cut off in the middle of it, or is not quite of the form, too much is left out rather than too little.

/** Put in the place of what is left out. */
export const redacted = "[redacted]";

/** Field names whose values are never published; `data` is that of Secrets and of ConfigMaps that stand in for them. */
const secretFields = new Set([
  "token",
  "password",
  "authorization",
  "clientkey",
  "key-data",
  "client-key-data",
  "stringdata",
  "binarydata",
  "data",
]);

/** Whether a field's name says that its value is a secret. */
export function isSecretField(name: string): boolean {
  return secretFields.has(name.toLowerCase());
}

const names = "data|stringData|binaryData";
/** A key of JSON. The backslashes before its quotes tell how often the text was escaped. */
const jsonKey = new RegExp(String.raw`(?<!\\)(\\*)"(?:${names})\1"\s*:\s*(?=[\[{"\\])`, "gi");
/** A key before an object as JavaScript prints it, or as YAML has it on one line. */
const plainKey = new RegExp(
  String.raw`(?<![\w$"'-])(?:${names}):\s*(?=(?:[\w$]+(?:\(\d+\))?\s+|\[[^\]\n]*\]\s+)?\{)`,
  "gi",
);
/** A key of YAML with its value on the lines below. */
const yamlKey = new RegExp(String.raw`^([ \t]*(?:-[ \t]+)*)["']?(?:${names})["']?:[ \t]*$`, "i");

/** A text without the data of Secrets that it quotes. */
export function redactText(text: string): string {
  if (!/data/i.test(text)) return text;
  // YAML before the others, because its indentation tells for sure where a value ends, whatever the value looks like.
  const withoutYaml = cutYaml(text);
  const withoutJson = cut(withoutYaml, jsonKey, ([, escape = ""], start) => ({
    end: endOfJson(withoutYaml, start, escape.length),
    instead: `${escape}"${redacted}${escape}"`,
  }));
  return cut(withoutJson, plainKey, (_, start) => ({
    end: endOfPrinted(withoutJson, start),
    instead: redacted,
  }));
}

/** Replaces what follows each key, up to the end that is found for it. */
function cut(
  text: string,
  key: RegExp,
  find: (match: RegExpExecArray, start: number) => { readonly end: number; readonly instead: string },
): string {
  let [result, kept] = ["", 0];
  for (const match of text.matchAll(key)) {
    const start = match.index + match[0].length;
    // Within what was cut out already.
    if (match.index < kept) continue;
    const { end, instead } = find(match, start);
    result += text.slice(kept, start) + instead;
    kept = end;
  }
  return result + text.slice(kept);
}

/**
 * The end of the JSON value that starts there. Escaping a text n times puts 2^n - 1 backslashes before a quote that
 * begins or ends a string; within the string there are more, by an odd multiple of 2^n.
 */
function endOfJson(text: string, start: number, backslashes: number): number {
  let [depth, run, quoted] = [0, 0, false];
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (character === "\\") {
      run += 1;
      continue;
    }
    if (character === '"' && run % (2 * (backslashes + 1)) === backslashes) quoted = !quoted;
    else if (!quoted && (character === "{" || character === "[")) depth += 1;
    else if (!quoted && (character === "}" || character === "]")) depth -= 1;
    run = 0;
    if (depth === 0 && !quoted) return at + 1;
  }
  return text.length;
}

function endOfPrinted(text: string, start: number): number {
  let [depth, quote] = [0, ""];
  for (let at = start; at < text.length; at += 1) {
    const character = text[at] ?? "";
    if (quote !== "") {
      if (character === "\\") at += 1;
      else if (character === quote) quote = "";
    } else if (character === "'" || character === '"' || character === "`") {
      quote = character;
    } else if (character === "{") {
      depth += 1;
    } else if (character === "}") {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return text.length;
}

/** Leaves out the lines below a key that are blank or further in than it. */
function cutYaml(text: string): string {
  if (!text.includes("\n")) return text;
  const kept: string[] = [];
  let inside: number | undefined;
  for (const line of text.split("\n")) {
    const indent = line.length - line.trimStart().length;
    if (inside !== undefined && (line.trim() === "" || indent > inside)) continue;
    const key = yamlKey.exec(line.trimEnd());
    inside = key?.[1]?.length;
    kept.push(key === null ? line : `${line.trimEnd()} ${redacted}`);
  }
  return kept.join("\n");
}
