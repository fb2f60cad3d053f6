// A kind in a file: its names, schemas, versions and lifecycle.
import { dirname, resolve } from "node:path";
import type { z } from "zod";
import type { LifecycleMachine } from "../../../machines/lifecycle-machine.ts";
import { defineKind, type Kind } from "../../kinds/define-kind.ts";
import type { KindOptions } from "../../kinds/kind-options.ts";
import type { KubeObject } from "../../meta/object.ts";
import { problemsByPath } from "../../options/option-problems.ts";
import type { KindForm } from "../form/file-form.ts";
import { FileReader, readNamedFile, type Path } from "../file/file-reader.ts";
import { kindForm } from "../form/form-schemas.ts";
import { contextNamesOf, findLifecycle, readLifecycle } from "./read-lifecycle.ts";
import { checkDefinition } from "../checks/check-definition.ts";
import { readVersions } from "./read-versions.ts";
import { scopesOf, type Scopes } from "../written/scopes.ts";
import { placed, type WrittenKind } from "../written/written-kind.ts";
import { readSchema, zodOf } from "../written/written-schema.ts";

/** The form of an entry of `kinds`: inline, or in the file that it names; undefined when it cannot be read. */
export function findKind(reader: FileReader, path: Path, entry: string | KindForm): WrittenKind | undefined {
  if (typeof entry !== "string") return { reader, path, form: entry };
  const file = resolve(dirname(reader.file), entry);
  const text = readNamedFile(reader, path, file);
  if (text === undefined) return undefined;
  const own = new FileReader(text, file, reader);
  if (own.value === undefined || !own.hasFields("group, version, kind, spec")) return undefined;
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
  const source = findLifecycle(reader, [...path, "lifecycle"], form.lifecycle);
  const scopes = scopesOf(spec, status, form.lifecycle !== undefined, {
    facts: Object.keys(form.observe?.facts ?? {}),
    // Of a lifecycle that is wrong, nothing is known.
    ...(source === undefined
      ? form.lifecycle === undefined
        ? { context: [] }
        : {}
      : { context: contextNamesOf(source, form) }),
  });
  const lifecycle = readLifecycle(reader, path, form, source, scopes.machine);
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
  const defined = placed(
    reader,
    path,
    () => defineKind(options) as unknown as Kind<KubeObject>,
    lifecycle?.placed,
  );
  if (defined === undefined) return undefined;
  checkDefinition({ reader, path, form }, defined);
  for (const warning of defined.lifecycle?.warnings ?? []) {
    reader.add(lifecycle?.placed(warning) ?? warning);
  }
  return { kind: defined, scopes };
}
