// What a custom resource has below it, as manifests with expressions: compiled once, registered in each run.
import { dirname, resolve } from "node:path";
import { parseAllDocuments } from "yaml";
import type { AnyManifest } from "../../meta/object.ts";
import { isOperatorError, OperatorError } from "../../ports/operator-error.ts";
import { meantBy } from "../../ports/misspelling.ts";
import { fromManifest, type ManifestResourceOptions } from "../../reconcile/resources/kubernetes-resource.ts";
import type { BindableResource } from "../../reconcile/resources/resource.ts";
import { isJsonObject } from "../../schema/json-value.ts";
import type { ChildForm } from "../form/file-form.ts";
import { readChart, readKustomization, type WrittenRendering } from "./read-charts.ts";
import { FileReader, readNamedFile, type Path } from "../file/file-reader.ts";
import type { WrittenChild, WrittenManifest } from "../written/written-children.ts";
import { checkNamespaced, checkOwnable } from "../checks/check-places.ts";
import type { KnownTypes } from "./known-types.ts";
import {
  checkAnnotations,
  checkLabels,
  checkNamespace,
  checkObjectName,
  checkVariable,
} from "../checks/check-names.ts";
import {
  compileCondition,
  compileExpression,
  compileTemplate,
  inside,
  type Render,
  type TemplatePlace,
  type Values,
} from "../expressions/template.ts";

/** Reads an entry; undefined when something is wrong with it, which is reported. `states` are those of the lifecycle. */
export function readChild(
  form: ChildForm,
  place: TemplatePlace,
  types: KnownTypes,
  states: readonly string[] | undefined,
): WrittenChild | undefined {
  const { reader, path } = place;
  const before = reader.problems.length;
  const inStates = form.in === undefined ? undefined : [form.in].flat();
  for (const state of inStates ?? []) refuseUnknownState(state, states, reader, [...path, "in"]);
  const when = form.when === undefined ? undefined : compileCondition(form.when, inside(place, "when"));
  for (const name of Object.keys(form.each ?? {})) {
    checkVariable(name, inside(place, "each", name), "CHILD_INVALID");
  }
  if (reader.problems.length > before) return undefined;
  const each = Object.entries(form.each ?? {}).map(([name, text]) => ({
    name,
    where: reader.placeOf([...path, "each", name]),
    list: compileExpression(text, inside(place, "each", name), {
      types: ["list"],
      what: "what is repeated",
      example: "spec.shards",
    }),
  }));
  const scope = place.scope.with(Object.fromEntries(each.map(({ name }) => [name, "any" as const])));
  const inner = { ...place, scope };
  const rendering = renderingOf(form, inner, types);
  const isRendered = (form.chart ?? form.kustomization) !== undefined && sourcesOf(form).length === 1;
  const manifests = isRendered ? [] : manifestsOf(form, inner, types);
  for (const manifest of manifests ?? []) checkOwnable(manifest, form.ownerReference ?? true);
  if (reader.problems.length > before || manifests === undefined) return undefined;
  const written: readonly WrittenManifest[] = manifests;
  const { adopt, recreate, ownerReference, keep } = form;
  const varies =
    rendering !== undefined ||
    when !== undefined ||
    each.length > 0 ||
    manifests.some(({ isNamedByExpression }) => isNamedByExpression);
  const options: ManifestResourceOptions = Object.fromEntries(
    Object.entries({ adopt, recreate, ownerReference, keep }).filter(([, value]) => value !== undefined),
  );
  return {
    types: [...manifests.map(({ type }) => type), ...(rendering?.types ?? [])],
    states: inStates,
    varies,
    isDeleted: varies || inStates !== undefined || recreate === true,
    form,
    manifests,
    resources: (values, context, isCalledFor = true) => {
      if (!isCalledFor && rendering === undefined) return withoutFailing(() => named(values));
      // What no tool makes is no longer registered, and deleted as that, if it is the custom resource's.
      if (!isCalledFor && ownerReference !== false) return [];
      if (when?.(values) === false) return [];
      const all = repeated(values, each);
      if (rendering === undefined) {
        return all.flatMap((one) => manifests.map(({ render }) => fromManifest(render(one), options)));
      }
      return Promise.all(all.map((one) => rendering.objects(one, context))).then((rendered) =>
        rendered.flat().map((manifest) => fromManifest(manifest, options)),
      );
    },
  };

  function named(values: Values): readonly BindableResource[] {
    if (when?.(values) === false) return [];
    return repeated(values, each).flatMap((one) =>
      written.flatMap(({ renderName }) => withoutFailing(() => [fromManifest(renderName(one), options)])),
    );
  }
}

/** What is made, or nothing where an expression cannot be evaluated: outside of its states, fields may be missing. */
function withoutFailing(make: () => readonly BindableResource[]): readonly BindableResource[] {
  try {
    return make();
  } catch (error: unknown) {
    if (isOperatorError(error, "EXPRESSION_FAILED")) return [];
    throw error;
  }
}

/** The variables once for each combination of what is repeated. */
function repeated(
  values: Values,
  each: readonly { readonly name: string; readonly list: Render | undefined; readonly where: string }[],
): readonly Values[] {
  return each.reduce<readonly Values[]>(
    (all, { name, list, where }) =>
      all.flatMap((one) => {
        const items = list?.(one) ?? [];
        if (!Array.isArray(items)) {
          throw new OperatorError(
            "EXPRESSION_FAILED",
            `each.${name} says ${typeof items}, but must say a list`,
            {
              fields: { where },
              remedy: "Write an expression that says a list: '${ spec.shards }'.",
            },
          );
        }
        return items.map((item: unknown) => ({ ...one, [name]: item }));
      }),
    [values],
  );
}

/** What a tool makes; undefined where none does. */
function renderingOf(form: ChildForm, place: TemplatePlace, types: KnownTypes): WrittenRendering | undefined {
  if (sourcesOf(form).length !== 1) return undefined;
  if (form.chart !== undefined) return readChart(form.chart, inside(place, "chart"), types);
  if (form.kustomization === undefined) return undefined;
  return readKustomization(form.kustomization, inside(place, "kustomization"), types);
}

const sourceNames = ["manifest", "file", "chart", "kustomization"] as const;

function sourcesOf(form: ChildForm): readonly string[] {
  return sourceNames.filter((name) => form[name] !== undefined);
}

function manifestsOf(
  form: ChildForm,
  place: TemplatePlace,
  types: KnownTypes,
): readonly WrittenManifest[] | undefined {
  const { reader, path } = place;
  const given = sourcesOf(form);
  if (given.length !== 1) {
    reader.report({
      code: "CHILD_INVALID",
      path,
      message: given.length === 0 ? "a child has no manifest" : `a child has a ${given.join(" and a ")}`,
      remedy:
        "Write one of manifest: { apiVersion, kind, metadata, … }, file: <path>, chart: { path, values, types }, kustomization: { path, overlay, types }.",
    });
    return undefined;
  }
  if (form.manifest !== undefined) {
    const one = readManifest(form.manifest, inside(place, "manifest"), types);
    return one === undefined ? undefined : [one];
  }
  const file = resolve(dirname(reader.file), form.file ?? "");
  const text = readNamedFile(reader, [...path, "file"], file);
  if (text === undefined) return undefined;
  const before = reader.problems.length;
  const manifests = documentsOf(text).flatMap((document) => {
    const inner = new FileReader(document, file, reader);
    if (inner.value === undefined || inner.value === null) return [];
    return readManifest(inner.value, { ...place, reader: inner, path: [] }, types) ?? [];
  });
  return reader.problems.length > before ? undefined : manifests;
}

/** The documents of a text, each with as many empty lines before it as there are lines before it. */
function documentsOf(text: string): readonly string[] {
  const documents = parseAllDocuments(text);
  if (!Array.isArray(documents)) return [text];
  return documents.map(({ range: [start, , end] }) => {
    const lines = text.slice(0, start).split("\n").length - 1;
    return `${"\n".repeat(lines)}${text.slice(start, end).replace(/\n---[ \t]*$|\n\.\.\.[ \t]*$/, "\n")}`;
  });
}

/** Reads one object; undefined when something is wrong with it, which is reported. */
export function readManifest(
  manifest: unknown,
  place: TemplatePlace,
  types: KnownTypes,
): WrittenManifest | undefined {
  const { reader, path } = place;
  const fail = (field: readonly string[], message: string, remedy: string): undefined => {
    reader.report({ code: "CHILD_INVALID", path: [...path, ...field], message, remedy });
  };
  if (!isJsonObject(manifest)) {
    return fail([], "a manifest is no object", "Write { apiVersion: …, kind: …, metadata: { name: … } }.");
  }
  const { apiVersion, kind, metadata } = manifest;
  for (const [name, value] of Object.entries({ apiVersion, kind })) {
    if (typeof value !== "string" || value.includes("${")) {
      return fail(
        value === undefined ? [] : [name],
        `the ${name} of a manifest is ${value === undefined ? "missing" : "not a plain text"}`,
        "Write it out: what the operator watches and may do depends on it.",
      );
    }
  }
  if (!isJsonObject(metadata) || typeof metadata["name"] !== "string") {
    return fail(["metadata"], "a manifest has no name", "Write metadata: { name: '${ metadata.name }' }.");
  }
  const { name, namespace, labels, annotations } = metadata;
  if (namespace !== undefined && typeof namespace !== "string") {
    return fail(
      ["metadata", "namespace"],
      "the namespace of a manifest is no text",
      "Write a text, or leave it out.",
    );
  }
  const type = types.at(apiVersion as string, kind as string, place);
  if (type === undefined) return undefined;
  const at = inside(place, "metadata");
  checkObjectName(name, type, inside(at, "name"));
  if (namespace !== undefined) checkNamespace(namespace, inside(at, "namespace"));
  checkLabels(labels, inside(at, "labels"));
  checkAnnotations(annotations, inside(at, "annotations"));
  checkNamespaced(type, namespace, at);
  reader.objects.push({ type, value: manifest, reader, path });
  const before = reader.problems.length;
  const render = compileTemplate(manifest, place) as Render<AnyManifest>;
  const part = { apiVersion, kind, metadata: { name, ...(namespace === undefined ? {} : { namespace }) } };
  return {
    type,
    place,
    name: name,
    ...(namespace === undefined ? {} : { namespace }),
    isNamedByExpression: isNamedByMore(name) || isNamedByMore(namespace),
    render,
    // What is wrong with it has been reported.
    renderName:
      reader.problems.length > before ? render : (compileTemplate(part, place) as Render<AnyManifest>),
  };
}

/** Whether a name has expressions that may say something else tomorrow: only the custom resource's own metadata never change. */
function isNamedByMore(name: unknown): boolean {
  return typeof name === "string" && name.replaceAll(/\$\{\s*metadata\.\w+\s*\}/g, "").includes("${");
}

function refuseUnknownState(
  state: string,
  states: readonly string[] | undefined,
  reader: FileReader,
  path: Path,
): void {
  if (states?.includes(state) === true) return;
  const meant = meantBy(state, states ?? []);
  reader.report({
    code: "RESOURCE_STATES_INVALID",
    path,
    message:
      states === undefined
        ? `a child belongs to the state ${state}, but the kind has no lifecycle`
        : `a child belongs to the state ${state}, which the lifecycle does not have`,
    remedy:
      meant === undefined ? `States are: ${(states ?? ["none"]).join(", ")}.` : `Did you mean "${meant}"?`,
  });
}
