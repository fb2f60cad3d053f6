// The form of the options of defineKind, for authors without a compiler: every option, known and unknown.
import type { z } from "zod";
import { lifecycleShape } from "../lifecycle/checks/check-options.ts";
import { optionProblems } from "../options/option-problems.ts";
import {
  callable,
  either,
  flag,
  listOf,
  oneOf,
  optionsOf,
  recordOf,
  required,
  text,
  valueOf,
  whole,
} from "../options/option-schemas.ts";
import type { Problem } from "../ports/problem.ts";
import { isMachine } from "../statechart/is-machine.ts";
import type { PrinterColumn, ScaleSubresource } from "./builtin/apiextensions.ts";
import type { KindOptions } from "./kind-options.ts";
import type { KindValidation } from "./kind-validation.ts";
import type { DeclaredVersion } from "./versions/kind-version.ts";
import type { Conversion } from "./versions/version-options.ts";

const objectSchema = valueOf(isObjectSchema, {
  expected: "an object schema of zod 4",
  remedy: "Write z.object({ … }), with z of the package zod, version 4.",
});

const machine = valueOf(isMachine, {
  expected: "a machine",
  remedy: "Make it: setupLifecycle().createMachine({ … }).",
});

/** The form of a printer column. */
export const columnForm = optionsOf<PrinterColumn>()({
  name: required(text, "Give the column a heading."),
  type: required(oneOf("string", "integer", "number", "boolean", "date"), "Write the type of what it shows."),
  jsonPath: required(text, 'Write where it is, for instance ".spec.replicas".'),
  description: text.optional(),
  format: text.optional(),
  priority: whole(0).optional(),
});

/** The form of a rule. */
export const validationForm = optionsOf<KindValidation>()({
  rule: required(text, "Write a rule in CEL."),
  message: text.optional(),
  messageExpression: text.optional(),
  reason: oneOf(
    "FieldValueInvalid",
    "FieldValueForbidden",
    "FieldValueRequired",
    "FieldValueDuplicate",
  ).optional(),
  fieldPath: text.optional(),
  optionalOldSelf: flag.optional(),
  on: oneOf("spec", "object").optional(),
});

/** The form of the scale. */
export const scaleForm = optionsOf<ScaleSubresource>()({
  specReplicasPath: required(text, 'Write where the desired number is, for instance ".spec.replicas".'),
  statusReplicasPath: required(text, 'Write where the number is reported, for instance ".status.replicas".'),
  labelSelectorPath: text.optional(),
});

const anotherVersion = optionsOf<DeclaredVersion>()({
  spec: required(objectSchema, "Write what users of this version write: spec: z.object({ … })."),
  status: objectSchema.optional(),
  convert: optionsOf<Conversion>()({
    up: required(callable, "Write how an object of this version becomes one of the kind's own."),
    down: required(callable, "Write how an object of the kind's own version becomes one of this."),
  }).optional(),
  served: flag.optional(),
  deprecated: either(flag, text, {
    expected: "true, or the text of the warning",
    remedy: 'Write deprecated: true, or "use v1 instead".',
  }).optional(),
  printerColumns: listOf(columnForm).optional(),
  validations: listOf(validationForm).optional(),
  scale: scaleForm.optional(),
});

/** How a kind is called and what it is, besides what identifies it. */
export const kindNameShape = {
  plural: text.optional(),
  singular: text.optional(),
  shortNames: listOf(text).optional(),
  categories: listOf(text).optional(),
  scope: oneOf("Namespaced", "Cluster").optional(),
  description: text.optional(),
};

const kindOptions = optionsOf<KindOptions<z.ZodObject, undefined, undefined>>()({
  ...lifecycleShape,
  group: required(text, 'Write the API group, for instance "data.example.com".'),
  version: required(text, 'Write the version, for instance "v1".'),
  kind: required(text, 'Write the kind in PascalCase, for instance "Database".'),
  ...kindNameShape,
  spec: required(objectSchema, "Write what users write: spec: z.object({ … })."),
  status: objectSchema.optional(),
  lifecycle: machine.optional(),
  printerColumns: listOf(columnForm).optional(),
  validations: listOf(validationForm).optional(),
  scale: scaleForm.optional(),
  finalize: flag.optional(),
  checkChange: callable.optional(),
  versions: recordOf(anotherVersion).optional(),
  storage: text.optional(),
});

/** What is wrong with the form of a kind's options. */
export function checkKindOptions(options: unknown): readonly Problem[] {
  return optionProblems(kindOptions, options ?? {}, "defineKind");
}

/** By shape, not by class: an author may have another copy of zod. */
function isObjectSchema(value: unknown): value is z.ZodObject {
  if (typeof value !== "object" || value === null) return false;
  const { shape, _zod: marks } = value as { readonly shape?: unknown; readonly _zod?: unknown };
  return typeof shape === "object" && shape !== null && marks !== undefined;
}
