// Children that a tool renders: Helm charts and kustomizations, with values that are expressions.
import { dirname, resolve } from "node:path";
import { filesOf } from "../../charts/chart-source.ts";
import { helmChart } from "../../charts/helm-chart.ts";
import { kustomization } from "../../charts/kustomization.ts";
import type { AnyManifest, KubeObject } from "../../meta/object.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import { isOperatorError } from "../../ports/operator-error.ts";
import type { HookContext } from "../../reconcile/hook-context.ts";
import type { ChartForm, KustomizationForm, RenderedForm } from "../form/file-form.ts";
import type { KnownTypes } from "./known-types.ts";
import {
  compileName,
  compileTemplate,
  inside,
  type TemplatePlace,
  type Values,
} from "../expressions/template.ts";

/** Objects that a tool makes. */
export interface WrittenRendering {
  readonly types: readonly ResourceType[];
  readonly objects: (values: Values, context: HookContext<KubeObject>) => Promise<readonly AnyManifest[]>;
}

/** Reads a chart; undefined when something is wrong with it, which is reported. */
export function readChart(
  form: ChartForm,
  place: TemplatePlace,
  types: KnownTypes,
): WrittenRendering | undefined {
  const { release = "${ metadata.name }", values = {}, hooks, kubeVersion, apiVersions, timeout } = form;
  const name = compileName(release, inside(place, "release"));
  const render = compileTemplate(values, inside(place, "values"));
  const namespaceOf = namespaceIn(form, place);
  const { program = "helm" } = form;
  const made = sourceOf(form, place, program, (path) =>
    helmChart({
      chart: path,
      types: typesOf(form, place, types),
      program,
      ...given({ hooks, kubeVersion, apiVersions, timeout }),
    }),
  );
  if (made === undefined) return undefined;
  return {
    types: made.types,
    objects: (variables, context) =>
      made.objects({
        name: name(variables),
        namespace: namespaceOf(variables, context),
        values: render(variables) as Readonly<Record<string, unknown>>,
        signal: context.signal,
      }),
  };
}

/** Reads a kustomization; undefined when something is wrong with it, which is reported. */
export function readKustomization(
  form: KustomizationForm,
  place: TemplatePlace,
  types: KnownTypes,
): WrittenRendering | undefined {
  const { overlay = {}, program, timeout } = form;
  const render = compileTemplate(overlay, inside(place, "overlay"));
  const namespaceOf = namespaceIn(form, place);
  const made = sourceOf(form, place, program ?? "kustomize", (path) =>
    kustomization({
      folder: path,
      types: typesOf(form, place, types),
      ...given({ program, timeout }),
    }),
  );
  if (made === undefined) return undefined;
  return {
    types: made.types,
    objects: (variables, context) =>
      made.objects({
        namespace: namespaceOf(variables, context),
        overlay: render(variables) as Readonly<Record<string, unknown>>,
        signal: context.signal,
      }),
  };
}

function typesOf(form: RenderedForm, place: TemplatePlace, types: KnownTypes): readonly ResourceType[] {
  return form.types.flatMap(
    ({ apiVersion, kind }, index) => types.at(apiVersion, kind, inside(place, "types", String(index))) ?? [],
  );
}

/** The values that are not undefined. */
function given<T extends object>(options: T): { [TName in keyof T]: Exclude<T[TName], undefined> } {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as {
    [TName in keyof T]: Exclude<T[TName], undefined>;
  };
}

function namespaceIn(
  { namespace }: RenderedForm,
  place: TemplatePlace,
): (values: Values, context: Pick<HookContext<KubeObject>, "cr">) => string | undefined {
  const written = namespace === undefined ? undefined : compileName(namespace, inside(place, "namespace"));
  return (values, { cr }) => written?.(values) ?? cr.metadata.namespace;
}

/** Finds the files, which belong to the operator like the file that names them. */
function sourceOf<T>(
  form: RenderedForm,
  place: TemplatePlace,
  program: string,
  make: (path: string) => T,
): T | undefined {
  const { reader } = place;
  const path = resolve(dirname(reader.file), form.path);
  reader.programs.add(program);
  try {
    const made = make(path);
    for (const file of filesOf(path)) reader.named.add(file);
    return made;
  } catch (error) {
    if (!isOperatorError(error, "CHART_MISSING")) throw error;
    const { message } = error;
    const remedy = "Check the path; it is relative to the file that names it.";
    reader.report({ code: "FILE_MISSING", path: inside(place, "path").path, message, remedy });
    return undefined;
  }
}
