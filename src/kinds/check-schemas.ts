// What is wrong with the schemas of a kind, all of it: what no CRD can express, and what an API server would not check.
// Read by `xstate-operator check`; a CRD is made by crd.ts, which ends at the first refusal.
import type { KubeObject } from "../meta/object.ts";
import { isOperatorError, messageOf } from "../ports/operator-error.ts";
import type { Problem } from "../ports/problem.ts";
import { crdOf } from "./crd.ts";
import type { Kind } from "./define-kind.ts";
import { structuralSchemaOf } from "./structural-schema.ts";
import type { ByFunction } from "./zod-schema.ts";

/** What a webhook does beside the API server. */
export interface CheckedBeside {
  /** Checks the spec, in the kind's own version, by the functions of its schema too; default false. */
  readonly validated?: boolean;
}

/** The findings in the schemas of a kind; those that are errors keep its CRD from being made. */
export function checkSchemas(
  kind: Kind<KubeObject>,
  { validated = false }: CheckedBeside = {},
): readonly Problem[] {
  const problems: Problem[] = [];
  const refused = (error: unknown): void => {
    const { code, fields, remedy } = isOperatorError(error)
      ? error
      : { code: "CRD_SCHEMA_UNSUPPORTED", fields: {}, remedy: undefined };
    const { path } = fields as { readonly path?: string };
    const message = messageOf(error);
    const isKnown = problems.some((problem) => problem.message === message);
    if (isKnown) return;
    problems.push({
      code,
      severity: "error",
      ...(path === undefined ? {} : { option: optionOf(path) }),
      message,
      remedy: remedy ?? "Correct the schema.",
    });
  };
  const unchecked = (path: string, what: ByFunction): void => {
    if (validated && what === "checks" && /^spec\b/.test(path)) return;
    const { done, remedy } = byFunction[what];
    const message = `${path}: a function ${done}, which no API server does`;
    problems.push({
      code: "CRD_CHECK_DROPPED",
      severity: "warning",
      option: optionOf(path),
      message,
      remedy,
    });
  };
  for (const { name, specSchema, statusSchema } of kind.versions) {
    const place = name === kind.version ? "" : `versions.${name}.`;
    for (const [part, schema] of Object.entries({ spec: specSchema, status: statusSchema })) {
      try {
        if (schema !== undefined) structuralSchemaOf(schema, `${place}${part}`, { refused, unchecked });
      } catch (error) {
        refused(error);
      }
    }
  }
  if (problems.some(({ severity }) => severity === "error")) return problems;
  try {
    crdOf(kind);
  } catch (error) {
    refused(error);
  }
  return problems;
}

const byFunction: Readonly<Record<ByFunction, { readonly done: string; readonly remedy: string }>> = {
  checks: {
    done: "checks it (.refine(), .superRefine() and the like)",
    remedy:
      'Write the rule in CEL: .meta({ "x-kubernetes-validations": [{ rule: "self.startsWith(\'a\')", message: "…" }] }), or in the validations of defineKind; or give the controller webhooks: { validate: true }, or check it in CRChecker.',
  },
  changes: {
    done: "changes it (.trim(), .toLowerCase() and the like)",
    remedy:
      "Refuse what would be changed, by .regex() or a rule in CEL; or change it in the controller's webhooks: { mutate }, and leave the function out.",
  },
};

/** The option in which a field is declared: a path without its lists and maps. */
function optionOf(path: string): string {
  return path.replaceAll(/\[\]|\{\}/g, "");
}
