// Checks of the options of defineKind, for authors without a compiler: every option, known and unknown.
import type { z } from "zod";
import { lifecycleOptionChecks } from "../lifecycle/checks/check-options.ts";
import {
  callable,
  fields,
  flag,
  listOf,
  oneOf,
  required,
  text,
  valueCheck,
  whole,
  type OptionChecks,
} from "../lifecycle/checks/option-checks.ts";
import type { Problem } from "../ports/problem.ts";
import { isMachine } from "../statechart/is-machine.ts";
import type { PrinterColumn, ScaleSubresource } from "./builtin/custom-resource-definition.ts";
import type { KindOptions, KindValidation } from "./kind-options.ts";

const objectSchema = valueCheck(
  isObjectSchema,
  "object schema of zod 4",
  "Write z.object({ … }), with z of the package zod, version 4.",
);

const machine = valueCheck(isMachine, "machine", "Make it: setupLifecycle().createMachine({ … }).");

const columns: OptionChecks<PrinterColumn> = {
  name: required(text, "Give the column a heading."),
  type: required(oneOf("string", "integer", "number", "boolean", "date"), "Write the type of what it shows."),
  jsonPath: required(text, 'Write where it is, for instance ".spec.replicas".'),
  description: text,
  format: text,
  priority: whole(0),
};

const validations: OptionChecks<KindValidation> = {
  rule: required(text, "Write a rule in CEL."),
  message: text,
  messageExpression: text,
  reason: oneOf("FieldValueInvalid", "FieldValueForbidden", "FieldValueRequired", "FieldValueDuplicate"),
  fieldPath: text,
  optionalOldSelf: flag,
  on: oneOf("spec", "object"),
};

const scale: OptionChecks<ScaleSubresource> = {
  specReplicasPath: required(text, 'Write where the wished number is, for instance ".spec.replicas".'),
  statusReplicasPath: required(text, 'Write where the number is told, for instance ".status.replicas".'),
  labelSelectorPath: text,
};

const checks: OptionChecks<KindOptions<z.ZodObject, undefined, undefined>> = {
  ...lifecycleOptionChecks,
  group: required(text, 'Write the API group, for instance "data.example.com".'),
  version: required(text, 'Write the version, for instance "v1".'),
  kind: required(text, 'Write the kind in PascalCase, for instance "Database".'),
  plural: text,
  singular: text,
  shortNames: listOf(text),
  categories: listOf(text),
  scope: oneOf("Namespaced", "Cluster"),
  spec: required(objectSchema, "Write what users write: spec: z.object({ … })."),
  status: objectSchema,
  lifecycle: machine,
  printerColumns: listOf(fields(columns)),
  validations: listOf(fields(validations)),
  scale: fields(scale),
  finalize: flag,
  checkChange: callable,
  description: text,
};

/** What is wrong with the form of a kind's options. */
export function checkKindOptions(options: unknown): readonly Problem[] {
  return fields(checks, "defineKind")(options ?? {}, "");
}

/** By shape, not by class: an author may have another copy of zod. */
function isObjectSchema(value: unknown): value is z.ZodObject {
  if (typeof value !== "object" || value === null) return false;
  const { shape, _zod: marks } = value as { readonly shape?: unknown; readonly _zod?: unknown };
  return typeof shape === "object" && shape !== null && marks !== undefined;
}
