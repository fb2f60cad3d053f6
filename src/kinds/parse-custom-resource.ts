// From an object of unknown origin (a YAML file, a test, another client) to a typed custom resource, or to one clear error.
import type { z } from "zod";
import { apiVersionOf, type ResourceType } from "../meta/resource-type.ts";
import { OperatorError } from "../ports/operator-error.ts";
import type { KindLifecycle } from "./kind-lifecycle.ts";

/** What parsing needs of a kind. */
export interface ParsedKind extends ResourceType {
  readonly specSchema: z.ZodObject;
  readonly statusSchema: z.ZodObject | undefined;
  readonly lifecycle: KindLifecycle | undefined;
}

/** Where kubectl puts what names no namespace, unless it is configured otherwise. */
const defaultNamespace = "default";

/**
 * The object with its spec checked and its defaults filled in; so is the namespace that was left out. Fields that the schema
 * does not know stay as they are.
 *
 * **Errors**: `CR_INVALID`, with one line per field that is wrong.
 */
export function parseCustomResource(kind: ParsedKind, object: unknown): object {
  const apiVersion = apiVersionOf(kind);
  const problems: string[] = [];
  if (!isRecord(object)) return refuse(kind, undefined, [`expected an object, got ${describe(object)}`]);
  if (object["apiVersion"] !== apiVersion) {
    problems.push(`apiVersion: expected "${apiVersion}", got ${describe(object["apiVersion"])}`);
  }
  if (object["kind"] !== kind.kind) {
    problems.push(`kind: expected "${kind.kind}", got ${describe(object["kind"])}`);
  }
  const metadata = object["metadata"];
  const name = isRecord(metadata) ? metadata["name"] : undefined;
  if (typeof name !== "string" || name === "") problems.push("metadata.name: required");
  const namespace = isRecord(metadata) ? metadata["namespace"] : undefined;
  const isLeftOut = namespace === undefined || namespace === null || namespace === "";
  if (!isLeftOut && !kind.namespaced) {
    problems.push(`metadata.namespace: ${kind.kind} is cluster-scoped, and lives in no namespace`);
  } else if (!isLeftOut && typeof namespace !== "string") {
    problems.push(`metadata.namespace: expected a string, got ${describe(namespace)}`);
  }
  // A kind of which every spec field is optional may be written without a spec; the server fills it in.
  const spec: object = object["spec"] ?? {};
  const parsed = kind.specSchema.safeParse(spec);
  if (!parsed.success) problems.push(...issuesOf(parsed.error, "spec"));
  if (kind.lifecycle !== undefined) problems.push(...desiredStateProblems(kind.lifecycle, spec));
  const status = object["status"];
  if (status !== undefined) {
    const checked = kind.statusSchema?.partial().safeParse(status);
    if (checked?.success === false) problems.push(...issuesOf(checked.error, "status"));
  }
  if (!parsed.success || problems.length > 0) return refuse(kind, name, problems);
  const { namespace: _namespace, ...rest } = isRecord(metadata) ? metadata : {};
  return {
    ...object,
    metadata: kind.namespaced ? { ...rest, namespace: isLeftOut ? defaultNamespace : namespace } : rest,
    spec: { ...spec, ...parsed.data },
  };
}

/** What is wrong with `spec.lifecycle`. */
function desiredStateProblems({ aliases, desirable }: KindLifecycle, spec: object): string[] {
  const { lifecycle } = spec as { lifecycle?: unknown };
  if (lifecycle === undefined) return [];
  if (!isRecord(lifecycle)) return [`spec.lifecycle: expected an object, got ${describe(lifecycle)}`];
  const { desiredState, request } = lifecycle;
  const problems: string[] = [];
  const accepted = [...desirable, ...Object.keys(aliases)];
  if (desiredState !== undefined && !accepted.includes(desiredState as string)) {
    problems.push(
      `spec.lifecycle.desiredState: ${describe(desiredState)} cannot be desired; these can: ${desirable.join(", ")}`,
    );
  }
  if (request !== undefined && typeof request !== "string") {
    problems.push(`spec.lifecycle.request: expected a string, got ${describe(request)}`);
  }
  return problems;
}

/** One thing that a schema says against a spec. */
export interface SpecProblem {
  readonly field: string;
  readonly message: string;
  /** Found by a function of the author's (`refine`), of which the API server knows nothing. */
  readonly isOwnCheck: boolean;
}

/** What the schema says against a spec, field by field. */
export function specProblems(
  { specSchema }: Pick<ParsedKind, "specSchema">,
  spec: unknown,
): readonly SpecProblem[] {
  const parsed = specSchema.safeParse(spec ?? {});
  return parsed.success
    ? []
    : parsed.error.issues.map((issue) => ({ ...placed(issue, "spec"), isOwnCheck: issue.code === "custom" }));
}

function issuesOf(error: z.ZodError, root: string): string[] {
  return error.issues.map((issue) => {
    const { field, message } = placed(issue, root);
    return `${field}: ${message}`;
  });
}

function placed(
  { path, message }: z.core.$ZodIssue,
  root: string,
): { readonly field: string; readonly message: string } {
  const below = path.map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`)).join("");
  return { field: `${root}${below}`, message };
}

function refuse(kind: ParsedKind, name: unknown, problems: readonly string[]): never {
  const called = typeof name === "string" ? `"${name}"` : "the object";
  throw new OperatorError(
    "CR_INVALID",
    `${called} is not a valid ${kind.kind}:\n${problems.map((problem) => `  ${problem}`).join("\n")}`,
    { fields: { kind: kind.kind, problems }, remedy: "Correct the fields named above." },
  );
}

function describe(value: unknown): string {
  if (value === null) return "null";
  return typeof value === "string" ? `"${value}"` : value === undefined ? "nothing" : typeof value;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
