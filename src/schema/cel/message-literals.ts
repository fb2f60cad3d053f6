// Messages that are written out, as in `Object{spec: Object.spec{replicas: 3}}`, which the evaluator's parser does not know.
// Read by the expressions of mutations.
// https://kubernetes.io/docs/reference/access-authn-authz/mutating-admission-policy/
import type { Environment } from "@marcbachmann/cel-js";
import { isSpace, tokensOf } from "./cel-tokens.ts";

/** A message that an expression has made. */
export class Message {
  /** As it was written, such as `Object.spec`. */
  readonly type: string;
  readonly fields: ReadonlyMap<string, unknown>;

  constructor(type: string, fields: ReadonlyMap<string, unknown>) {
    this.type = type;
    this.fields = fields;
  }
}

const maker = "newMessage__";

/** Whether a function is one that {@link callForMessages} puts in the place of literals. */
export function isMessageMaker(name: string): boolean {
  return name.startsWith(maker);
}

/** Adds the types of messages whose names begin with one of these roots. {@link callForMessages} makes calls of their literals. */
export function registerMessages(environment: Environment, roots: readonly string[]): void {
  for (const root of roots) {
    const Root = class extends Message {};
    environment.registerType(root, Root);
    environment.registerFunction(
      `${maker}${root}(string, map<string, dyn>): ${root}`,
      (type: string, fields: unknown) =>
        new Root(
          type,
          fields instanceof Map ? (fields as Map<string, unknown>) : new Map(Object.entries(fields ?? {})),
        ),
    );
  }
}

/** The text with its literals of messages as calls. */
export function callForMessages(text: string, roots: readonly string[]): string {
  const tokens = tokensOf(text);
  const out: string[] = [];
  /** The brackets around, and whether a message's fields stand between them. */
  const open: boolean[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at] ?? "";
    const name = roots.includes(token) && !out.at(-1)?.endsWith(".") ? nameAt(tokens, at) : undefined;
    if (name !== undefined) {
      out.push(`${maker}${token}('${name.text}', {`);
      open.push(true);
      at = name.end;
    } else if (/^[([{]$/.test(token)) {
      out.push(token);
      open.push(false);
    } else if (/^[)\]}]$/.test(token)) {
      out.push(open.pop() === true ? "})" : token);
    } else if (open.at(-1) === true && /^[A-Za-z_]\w*$/.test(token) && isFieldName(tokens, at)) {
      out.push(`'${token}'`);
    } else out.push(token);
  }
  return out.join("");
}

/** The name of a message whose literal begins here. */
function nameAt(tokens: readonly string[], start: number): { text: string; end: number } | undefined {
  let text = tokens[start] ?? "";
  let at = start + 1;
  while (tokens[at] === "." && /^[A-Za-z_]\w*$/.test(tokens[at + 1] ?? "")) {
    text += `.${tokens[at + 1] ?? ""}`;
    at += 2;
  }
  while (isSpace(tokens[at] ?? "")) at += 1;
  return tokens[at] === "{" ? { text, end: at } : undefined;
}

/** Whether a word stands between `{` or `,` and `:`. */
function isFieldName(tokens: readonly string[], at: number): boolean {
  const next = tokens.slice(at + 1).find((each) => !isSpace(each));
  const before = tokens.slice(0, at).findLast((each) => !isSpace(each) && each !== "?");
  return next === ":" && (before === "{" || before === ",");
}
