// Finds the error codes that the sources use, by reading the syntax tree: not by their place in the text, so that a code
// is found wherever it stands, and a comment is no code.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "oxc-parser";

/** Capitals in several words that are no codes: environment variables, and what other software calls things. */
export const otherNames: readonly string[] = [
  "AUDIT_WRITE",
  "CAP_SYS_ADMIN",
  "DAC_OVERRIDE",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "DUPLICATE_KEY",
  "DYLD_LIBRARY_PATH",
  "HPE_HEADER_OVERFLOW",
  "HPE_INVALID_METHOD",
  "HTTPS_PROXY",
  "HTTP_PROXY",
  "IDEMPOTENCY_KEY",
  "INCLUDE_CHILDREN",
  "JOB_COMPLETION_INDEX",
  "KUBERNETES_EXEC_INFO",
  "KUBERNETES_SERVICE_HOST",
  "KUBERNETES_SERVICE_PORT",
  "LC_ALL",
  "LC_CTYPE",
  "LD_LIBRARY_PATH",
  "MINIMUM_SIZE",
  "MULTIPLE_DOCS",
  "NETWORK_SIMPLEX",
  "NET_BIND_SERVICE",
  "NODES_AND_EDGES",
  "NO_COLOR",
  "NO_PROXY",
  "QUOTE_DOUBLE",
  "SYS_CHROOT",
  "UND_ERR_ABORTED",
  "UND_ERR_BODY_TIMEOUT",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_SOCKET",
  "UND_ERR_SOCKS5",
  "UND_ERR_SOCKS5_AUTH",
  "UNRESOLVED_IMPORT",
  "XSTATE_CLUSTER_DIRECTORY",
  "XSTATE_CONTAINER_ID",
  "XSTATE_OPERATOR_EXEC",
  "XSTATE_OPERATOR_TOKEN",
];

/** A code, and a file that uses it. */
export type CodeUses = ReadonlyMap<string, string>;

interface SyntaxNode {
  readonly type: string;
  readonly [field: string]: unknown;
}

const severalWords = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/;
const anyCode = /^[A-Z][A-Z0-9_]{3,}$/;

/** Every code in a module: capitals in several words anywhere, and capitals where an error is given its code. */
export function codesIn(file: string, text: string): string[] {
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  const codes: string[] = [];
  walk(program, (node) => {
    const literal = textOf(node);
    // Node's own codes are compared with, never given.
    if (literal !== undefined && severalWords.test(literal) && !literal.startsWith("ERR_"))
      codes.push(literal);
    const given = givenCode(node);
    if (given !== undefined && anyCode.test(given)) codes.push(given);
  });
  return codes;
}

/** Every code in the sources of a repository, with a file that uses it; other names are left out. */
export function codesInSources(root: string): CodeUses {
  const codes = new Map<string, string>();
  for (const [code, file] of capitalsInSources(root)) if (!otherNames.includes(code)) codes.set(code, file);
  return codes;
}

/** As {@link codesInSources}, other names included. */
export function capitalsInSources(root: string): CodeUses {
  const codes = new Map<string, string>();
  for (const file of globSync(["src/**/*.ts", "machines/**/*.ts"], { cwd: root })) {
    for (const code of codesIn(file, readFileSync(join(root, file), "utf8"))) codes.set(code, file);
  }
  return codes;
}

/** Codes that docstrings name: `**Errors**: \`CODE\``. */
export function codesInComments(root: string): CodeUses {
  const codes = new Map<string, string>();
  for (const file of globSync(["src/**/*.ts", "machines/**/*.ts"], { cwd: root })) {
    const text = readFileSync(join(root, file), "utf8");
    for (const { value } of parseSync(file, text).comments) {
      if (!/errors/i.test(value)) continue;
      for (const [, code = ""] of value.matchAll(/`([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)`/g)) codes.set(code, file);
    }
  }
  return codes;
}

/** The code that a construct gives to an error: `new …Error("CODE"`, `super("CODE"`, `code: "CODE"`. */
function givenCode(node: SyntaxNode): string | undefined {
  if (node.type === "Property") {
    const { name, value } = (node["key"] ?? {}) as { name?: unknown; value?: unknown };
    return (name ?? value) === "code" ? textOf(node["value"]) : undefined;
  }
  if (node.type !== "NewExpression" && node.type !== "CallExpression") return undefined;
  const callee = node["callee"] as SyntaxNode;
  const isError =
    callee.type === "Super" || (node.type === "NewExpression" && String(callee["name"]).endsWith("Error"));
  return isError ? textOf((node["arguments"] as readonly unknown[])[0]) : undefined;
}

function textOf(value: unknown): string | undefined {
  const { type, value: text } = (value ?? {}) as { type?: unknown; value?: unknown };
  return type === "Literal" && typeof text === "string" ? text : undefined;
}

function walk(value: unknown, visit: (node: SyntaxNode) => void): void {
  if (Array.isArray(value)) {
    for (const each of value) walk(each, visit);
    return;
  }
  if (typeof value !== "object" || value === null) return;
  if (typeof (value as { type?: unknown }).type === "string") visit(value as SyntaxNode);
  for (const field of Object.values(value)) walk(field, visit);
}
