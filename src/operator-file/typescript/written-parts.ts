// What a file says of a kind, for a controller and a lifecycle in TypeScript: an operator that has outgrown its file goes on from there,
// and replaces one part after the other by code.
import { fileURLToPath } from "node:url";
import type { z } from "zod";
import type { LifecycleArguments, LifecycleContext } from "../../../machines/lifecycle-events.ts";
import type { LifecycleNames } from "../../../machines/lifecycle-names.ts";
import type { ControllerOptions } from "../../controller/declaration/controller-options.ts";
import type { CustomResource, Scope } from "../../kinds/custom-resource.ts";
import type { Kind } from "../../kinds/define-kind.ts";
import type { StructuralSchema } from "../../kinds/builtin/json-of.ts";
import { structuralSchemaOf } from "../../kinds/structural-schema.ts";
import type { Json, KubeObject } from "../../meta/object.ts";
import { problemsByPath } from "../../options/option-problems.ts";
import type { Duration } from "../../ports/duration.ts";
import { refuseErrors } from "../../ports/problem.ts";
import { CodeReader } from "../file/code-reader.ts";
import type { OperatorForm, Template } from "../form/file-form.ts";
import type { FileReader } from "../file/file-reader.ts";
import { partsForm } from "../form/form-schemas.ts";
import { KnownTypes } from "../parts/known-types.ts";
import { compileParts, type WrittenForm } from "../parts/read-controller.ts";
import { changeOf, conditionOf, delayOf, inputOf } from "../parts/read-lifecycle.ts";
import { scopesOf } from "../written/scopes.ts";
import { conversionOf, conversionPlace } from "../parts/read-versions.ts";
import type { TemplatePlace } from "../expressions/template.ts";
import { fieldOf, zodOf } from "../written/written-schema.ts";

/** What {@link writtenParts} takes: each part as in a file, and held to the form of files when it is read. */
export interface PartsForm {
  /** The operator's name. */
  readonly operator: string;
  /** What paths are relative to: `import.meta.url`. */
  readonly base: string;
  /** API types of others with an unusual plural; default none. */
  readonly types?: readonly object[];
  /** Objects of the cluster by names; default none. */
  readonly read?: object;
  /** Types of others of which a change reconciles a resource; default none. */
  readonly watches?: readonly object[];
  /** What the resource has below it; default nothing. */
  readonly children?: readonly object[];
  /** How the application is observed; default it is not. */
  readonly observe?: object;
  /** Fields of the status; default none. */
  readonly statusFields?: object;
  /** What `invoke` starts, by name; default none. */
  readonly tasks?: object;
  /** What is done after a move, by the names of actions; default none. */
  readonly effects?: object;
}

/**
 * The options of a controller whose parts are written as in a file that declares an operator. What is to be code is left out of the form,
 * and given to `defineController` beside what this returns.
 *
 * **Errors**: `OPERATOR_FILE_INVALID` with all findings, each with the path of the part.
 *
 * @example
 * const written = writtenParts(Redis, { operator: "redis-operator", base: import.meta.url, children, observe, tasks });
 * export const redisController = defineController(Redis, { ...written, workers: 8 });
 */
export function writtenParts<
  TCR extends CustomResource<unknown, unknown, Scope>,
  TNames extends LifecycleNames,
>(kind: Kind<TCR, TNames>, { base, ...form }: PartsForm): ControllerOptions<TCR, TNames> {
  const reader = new CodeReader(form, fileURLToPath(base));
  const found = problemsByPath(partsForm, form, "writtenParts");
  for (const { path, problem } of found) reader.report({ ...problem, path: path.map(String) });
  const written = form as WrittenForm & Pick<OperatorForm, "types">;
  const types = new KnownTypes(found.length > 0 ? {} : written);
  const known = kind as unknown as Kind<KubeObject>;
  types.add(known);
  const scopes = scopesOf(
    structuralSchemaOf(kind.specSchema, "spec"),
    kind.statusSchema === undefined ? nothing : structuralSchemaOf(kind.statusSchema, "status"),
    kind.lifecycle !== undefined,
  );
  const options =
    found.length > 0
      ? undefined
      : compileParts(written, { reader, path: [], kind: known, scopes, types, operator: form.operator });
  refuse(reader, kind.kind);
  return options as unknown as ControllerOptions<TCR, TNames>;
}

/** What the names of a lifecycle stand for, as expressions over a spec of this schema. */
export interface LifecycleExpressions {
  /** A guard: `condition("${ spec.replicas > 1 }")`. */
  readonly condition: (text: string) => (given: LifecycleArguments<unknown>) => boolean;
  /** A delay: `delay("${ spec.window }")`. */
  readonly delay: (text: string) => (given: LifecycleArguments<unknown>) => Duration;
  /** What changes in the context: `change({ tries: "${ context.tries + 1 }" })`. */
  readonly change: (
    fields: Readonly<Record<string, Template>>,
  ) => (given: LifecycleArguments<unknown>) => LifecycleContext;
  /** What a task is given: `input({ size: "${ spec.size }" })`. */
  readonly input: (value: Template) => (given: LifecycleArguments<unknown>) => Json;
}

/**
 * Guards, delays, changes and inputs of a lifecycle that are expressions, as in a file that declares an operator.
 *
 * **Errors**: `OPERATOR_FILE_INVALID` for an expression that is wrong, from the function that it is given to.
 */
export function lifecycleExpressions(spec: z.ZodObject): LifecycleExpressions {
  const scope = scopesOf(structuralSchemaOf(spec, "spec"), nothing, true).machine;
  const compiled = <T>(value: unknown, compile: (place: TemplatePlace) => T): T => {
    const reader = new CodeReader(value, "the lifecycle");
    const made = compile({ reader, path: [], scope });
    refuse(reader, "lifecycleExpressions");
    return made;
  };
  return {
    condition: (text) => compiled(text, (place) => conditionOf(text, place)),
    delay: (text) => compiled(text, (place) => delayOf(text, place)),
    change: (fields) => compiled(fields, (place) => changeOf(fields, place)),
    input: (value) => compiled(value, (place) => inputOf(value, place)),
  };
}

/** The schema of an object of OpenAPI, as it stands in a CustomResourceDefinition, for `spec` or `status` of `defineKind`. */
export function openApi(schema: StructuralSchema): z.ZodObject {
  return zodOf(schema);
}

/** The schema of one field in OpenAPI, for what zod has no words for. */
export function openApiField(schema: StructuralSchema): z.ZodType {
  return fieldOf(schema);
}

/**
 * How an object of one version becomes one of another, for `convert` of a version: a template of each part, whose expressions read
 * `spec` and `status` of the object that is converted.
 *
 * **Errors**: `OPERATOR_FILE_INVALID` for an expression that is wrong.
 */
export function writtenConversion(
  from: { readonly spec: z.ZodObject; readonly status?: z.ZodObject },
  form: { readonly spec: Template; readonly status?: Template },
): (object: { readonly spec: object; readonly status: object }) => never {
  const reader = new CodeReader(form, "the conversion");
  const schemas = {
    spec: structuralSchemaOf(from.spec, "spec"),
    status: from.status === undefined ? nothing : structuralSchemaOf(from.status, "status"),
  };
  const convert = conversionOf(form, conversionPlace(reader, [], schemas));
  refuse(reader, "the conversion");
  return convert as never;
}

const nothing: StructuralSchema = { type: "object", properties: {} };

function refuse({ problems }: FileReader, subject: string): void {
  refuseErrors(problems, {
    code: "OPERATOR_FILE_INVALID",
    subject: `what is written of ${subject}`,
    fields: {},
    remedy: "Correct each line.",
  });
}
