// `${spec.size}` in a manifest: what the custom resource says there. As code it is an expression, which the compiler checks.
import { OperatorError } from "../ports/operator-error.ts";
import { isFields } from "./manifest.ts";

const whole = /^\$\{([^{}]+)\}$/;
const placeholder = /\$?\$\{([^{}]*)\}/g;

/** How the values of placeholders are written in code. */
export interface PlaceholderScope {
  /** The variable that is the custom resource. */
  readonly cr: string;
  readonly kind: string;
  /** Whether the custom resource has a namespace. */
  readonly namespaced: boolean;
  /** What is wrong with a path into the spec, which begins with `spec`. */
  readonly refusalOf: (path: readonly string[]) => string | undefined;
}

/** Whether a value depends on more of the custom resource than on its name and namespace, at any depth. */
export function dependsOnSpec(value: unknown): boolean {
  if (typeof value === "string") return pathsIn(value).some((path) => !isIdentity(path));
  if (Array.isArray(value)) return value.some(dependsOnSpec);
  return isFields(value) && Object.entries(value).some((entry) => entry.some(dependsOnSpec));
}

function isIdentity(path: string): boolean {
  return path === "name" || path === "namespace" || path === "metadata.name" || path === "metadata.namespace";
}

function pathsIn(text: string): readonly string[] {
  return [...text.matchAll(placeholder)]
    .filter(([match]) => !match.startsWith("$$"))
    .map(([, path = ""]) => path.trim());
}

/** A text as an expression: the value itself where it is one placeholder, else the text with the values in it. */
export function textExpression(text: string, scope: PlaceholderScope): string {
  const only = whole.exec(text)?.[1];
  if (only !== undefined) return expressionOf(only.trim(), scope);
  if (pathsIn(text).length === 0) return literalOf(text.replaceAll(placeholder, (match) => match.slice(1)));
  const parts: string[] = [];
  let end = 0;
  for (const match of text.matchAll(placeholder)) {
    const [all, path = ""] = match;
    parts.push(escapeTemplate(text.slice(end, match.index)));
    parts.push(
      all.startsWith("$$") ? escapeTemplate(all.slice(1)) : `\${${expressionOf(path.trim(), scope)}}`,
    );
    end = match.index + all.length;
  }
  return `\`${parts.join("")}${escapeTemplate(text.slice(end))}\``;
}

/** A text of several lines is written as such, unless something in it would be lost so. */
function literalOf(text: string): string {
  return text.trimEnd().includes("\n") && !text.includes("\r")
    ? `\`${escapeTemplate(text)}\``
    : JSON.stringify(text);
}

function escapeTemplate(text: string): string {
  return text.replaceAll(/[\\`]|\$(?=\{)/g, String.raw`\$&`).replaceAll("\r", String.raw`\r`);
}

function expressionOf(path: string, scope: PlaceholderScope): string {
  const { cr, kind, namespaced } = scope;
  const steps = path === "name" || path === "namespace" ? ["metadata", path] : path.split(".");
  const [root, field = ""] = steps;
  if (root === "metadata" && steps.length === 2 && ["name", "namespace", "uid"].includes(field)) {
    if (field === "namespace" && !namespaced) throw unknown(path, `a ${kind} is cluster-scoped`);
  } else if (root === "spec" && steps.length > 1 && !steps.includes("")) {
    const refusal = scope.refusalOf(steps);
    if (refusal !== undefined) throw unknown(path, refusal);
  } else {
    throw unknown(path, `that is not known of every ${kind}`);
  }
  return steps.reduce(
    (code, step) => (/^[A-Za-z_]\w*$/.test(step) ? `${code}.${step}` : `${code}[${JSON.stringify(step)}]`),
    cr,
  );
}

function unknown(path: string, why: string): OperatorError {
  return new OperatorError("PLACEHOLDER_UNKNOWN", `the manifest asks for \${${path}}, but ${why}`, {
    remedy: `Placeholders are name, namespace, metadata.uid and the fields of the spec; write $\${${path}} where the text itself is meant.`,
  });
}
