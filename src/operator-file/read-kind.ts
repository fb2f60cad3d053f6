// A kind in a file: its names, schemas, versions and lifecycle.
import { dirname, resolve } from "node:path";
import type { z } from "zod";
import type { LifecycleMachine } from "../../machines/lifecycle-machine.ts";
import { defineKind, type Kind } from "../kinds/define-kind.ts";
import type { KindOptions } from "../kinds/kind-options.ts";
import type { KubeObject } from "../meta/object.ts";
import { problemsByPath } from "../options/option-problems.ts";
import { isOperatorError } from "../ports/operator-error.ts";
import type { Problem } from "../ports/problem.ts";
import type { KindForm } from "./file-form.ts";
import { FileReader, readNamedFile, type Path } from "./file-reader.ts";
import { kindForm } from "./form-schemas.ts";
import { readLifecycle } from "./read-lifecycle.ts";
import { readVersions } from "./read-versions.ts";
import { scopesOf, type Scopes } from "./scopes.ts";
import { readSchema, zodOf } from "./written-schema.ts";

/** A kind of which the form is right, and where it is written. */
export interface WrittenKind {
  readonly reader: FileReader;
  readonly path: Path;
  readonly form: KindForm;
}

/** The form of an entry of `kinds`: inline, or in the file that it names; undefined when it cannot be read. */
export function findKind(reader: FileReader, path: Path, entry: string | KindForm): WrittenKind | undefined {
  if (typeof entry !== "string") return { reader, path, form: entry };
  const file = resolve(dirname(reader.file), entry);
  const text = readNamedFile(reader, path, file);
  if (text === undefined) return undefined;
  const own = new FileReader(text, file, reader);
  if (own.value === undefined) return undefined;
  const found = problemsByPath(kindForm, own.value, "kind");
  for (const { path: where, problem } of found) own.report({ ...problem, path: where.map(String) });
  return found.length > 0 ? undefined : { reader: own, path: [], form: own.value as KindForm };
}

/** The kind itself; undefined when something is wrong with it, which is reported. */
export function readKind({
  reader,
  path,
  form,
}: WrittenKind): { readonly kind: Kind<KubeObject>; readonly scopes: Scopes } | undefined {
  const before = reader.problems.length;
  const spec = readSchema(reader, [...path, "spec"], "spec");
  const status = readSchema(reader, [...path, "status"], "status");
  if (spec === undefined || status === undefined) return undefined;
  const scopes = scopesOf(spec, status, form.lifecycle !== undefined);
  const lifecycle = readLifecycle(reader, path, form, scopes.machine);
  if (reader.problems.slice(before).some(({ severity }) => severity === "error")) return undefined;
  const { description, group, version, kind, plural, singular, shortNames, categories, scope, validations } =
    form;
  const { printerColumns, scale, finalize, defaultDesiredState, specEdits, storage } = form;
  const versions =
    form.versions === undefined
      ? undefined
      : readVersions(reader, [...path, "versions"], form.versions, { spec, status });
  if (reader.problems.slice(before).some(({ severity }) => severity === "error")) return undefined;
  const given = {
    lifecycle: lifecycle?.machine,
    plural,
    singular,
    shortNames,
    categories,
    scope,
    description,
    validations,
    printerColumns,
    scale,
    finalize,
    defaultDesiredState,
    specEdits,
    versions,
    storage,
  };
  const options = {
    group,
    version,
    kind,
    spec: zodOf(spec),
    ...(form.status === undefined ? {} : { status: zodOf(status) }),
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
  } as KindOptions<z.ZodObject, z.ZodObject | undefined, LifecycleMachine | undefined>;
  const defined = placed(reader, path, () => defineKind(options) as unknown as Kind<KubeObject>);
  if (defined === undefined) return undefined;
  for (const warning of defined.lifecycle?.warnings ?? []) {
    reader.problems.push(lifecycle?.placed(warning) ?? warning);
  }
  return { kind: defined, scopes };
}

/** What a definition refuses becomes findings with their places. */
export function placed<T>(reader: FileReader, path: Path, define: () => T): T | undefined {
  try {
    return define();
  } catch (error: unknown) {
    if (!isOperatorError(error)) throw error;
    const { problems, option } = error.fields as {
      readonly problems?: readonly Problem[];
      readonly option?: string;
    };
    const { code, message, remedy = "Correct it." } = error;
    const itself: Problem = {
      code,
      severity: "error",
      message,
      remedy,
      ...(option === undefined ? {} : { option }),
    };
    for (const problem of problems ?? [itself]) {
      reader.report({ ...problem, path: [...path, ...pathOfOption(problem.option ?? "")] });
    }
    return undefined;
  }
}

/** `printerColumns[0].type`, or a field of a schema: `status.endpoint`. */
function pathOfOption(option: string): Path {
  const [first = "", ...rest] = option.split(/[.[\]]+/).filter((name) => name !== "");
  if (first === "") return [];
  const isField = rest.length > 0 && ["spec", "status"].includes(first);
  return isField ? [first, "properties", ...rest] : [first, ...rest];
}
