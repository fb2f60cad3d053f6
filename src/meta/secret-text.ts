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
  "stringdata",
  "binarydata",
  "data",
]);

/** How names end, without their case and separators, whose texts are secrets: `adminPassword`, `API_KEY`, `jwt-secret`. */
const secretEndings =
  "password|passwd|passphrase|token|secret|dsn|credentials?|authorization|cookie|connectionstring|keydata|" +
  "(?:api|access|secret|private|client|signing|encryption|master|shared|account)key";
const secretName = new RegExp(`(?:${secretEndings})$`);
/** Shorter words that end a name, where a separator or a capital tells that they are words: `DB_PASS`, `Pwd`, not `bypass`. */
const secretWord = /(?:^|[-_.\s])(?:[Pp]ass|PASS|[Pp]wd|PWD)$|[a-z0-9](?:Pass|Pwd)$/;
/** The name of a Secret is often all that a field of such a name has. */
const referenceField = /^(?:(?:existing|pull|tls)secret|imagepullsecret|secret)$/;

/**
 * Whether a field holds a secret, by its name: whatever it has under a name such as `data`, and a text or a number under a
 * name that ends like `adminPassword`.
 */
export function isSecretField(name: string, value: unknown): boolean {
  if (value === undefined) return false;
  const holds = known.get(name) ?? holdsOf(name);
  return (
    holds === "secrets" || (holds === "a secret" && (typeof value === "string" || typeof value === "number"))
  );
}

/** What a field of a name holds: secrets, whatever it is; a secret, if it is a text or a number; nothing of the kind. */
type Holds = "secrets" | "a secret" | "nothing";

/** Of names that were asked for: those of log lines are a few, which come again and again. */
const known = new Map<string, Holds>();
const mostKnown = 1_000;
/** Longer ones are no names that come again. */
const longestKnown = 64;

function holdsOf(name: string): Holds {
  const plain = name.toLowerCase().replace(/[-_.\s]/g, "");
  const isNamed = secretName.test(plain) || secretWord.test(name);
  const holds = secretFields.has(plain)
    ? "secrets"
    : isNamed && !referenceField.test(plain)
      ? "a secret"
      : "nothing";
  if (known.size < mostKnown && name.length <= longestKnown) known.set(name, holds);
  return holds;
}

/** Characters of one text that are looked through and reported: what is longer is an object that somebody quotes. */
export const longestText = 16_384;
/** Characters looked through beyond those that are reported: a secret that begins before the cut is found whole. */
const overlap = 2_048;

/**
 * The masked beginning of a text, and how much is left out. It is cut before it is looked through, because the author of a
 * resource decides how long its texts are.
 */
export function maskStart(text: string, mask: (text: string) => string, longest = longestText): string {
  if (text.length <= longest) return mask(text);
  const start = mask(text.slice(0, longest + overlap)).slice(0, -overlap);
  return `${start}… (${text.length - longest} more characters)`;
}

const names = "data|stringData|binaryData";
/** A key of JSON. The backslashes before its quotes tell how often the text was escaped. */
const jsonKey = new RegExp(String.raw`(?<!\\)(\\*)"(?:${names})\1"\s*:\s*(?=[\[{"\\])`, "gi");
/** A key before an object as JavaScript prints it, or as YAML has it on one line. */
const plainKey = new RegExp(
  String.raw`(?<![\w$"'-])(?:${names}):\s*(?=(?:[\w$]+(?:\(\d+\))?\s+|\[[^\]\n]{0,100}\]\s+)?\{)`,
  "gi",
);
/** A key of YAML with its value on the lines below. */
const yamlKey = new RegExp(String.raw`^([ \t]*(?:-[ \t]+)*)["']?(?:${names})["']?:[ \t]*$`, "i");

/** A password in a URL, after the user or alone: RFC 3986, section 3.2.1. */
const userInfo = /(\b[a-z][a-z0-9+.-]{0,30}:\/\/(?:[^\s/?#@:"']{0,256}:)?)[^\s/?#@"']{1,1024}@/gi;
/** What stands in an Authorization header; a word of an ordinary sentence has no digit. */
const authorization = /\b(Basic|Bearer)(\s+)(?=[^\s"',;]{0,256}[\d=])[\w+/=.~-]{8,}/g;
/** `"adminPassword": "…"`, however often the text was escaped. */
const jsonField = new RegExp(
  String.raw`(?<!\\)(\\{0,7})"([\w.-]{1,64})\1"(\s{0,8}:\s{0,8})\1"((?:(?!\1").)+)`,
  "gs",
);
/** `password=…`, as in the connection strings of databases, and in queries. */
const assignment = /\b([\w.-]{2,48})(\s{0,4}=\s{0,4})('[^']+'|"[^"]+"|[^\s&;,"']+)/g;

/** A text without the data of Secrets that it quotes, and without what its own words call a secret. */
export function redactText(text: string): string {
  return redactData(redactNamed(text));
}

function redactNamed(text: string): string {
  let result = text;
  if (text.includes("://")) result = result.replace(userInfo, `$1${redacted}@`);
  if (/basic|bearer/i.test(text)) result = result.replace(authorization, `$1$2${redacted}`);
  if (text.includes('"')) {
    result = result.replace(
      jsonField,
      (found, escape: string, name: string, between: string, value: string) =>
        isSecretField(name, value) ? `${escape}"${name}${escape}"${between}${escape}"${redacted}` : found,
    );
  }
  if (!text.includes("=")) return result;
  return result.replace(assignment, (found, name: string, between: string, value: string) =>
    isSecretField(name, value) ? `${name}${between}${redacted}` : found,
  );
}

function redactData(text: string): string {
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
