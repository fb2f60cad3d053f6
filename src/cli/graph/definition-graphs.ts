// The graphs in a text of definitions: CustomResourceDefinitions as YAML or JSON, one or many, also as a list. Pure.
import { parseAllDocuments } from "yaml";
import { CustomResourceDefinition } from "../../kinds/builtin/apiextensions.ts";
import { graphAnnotation } from "../../kinds/crd.ts";
import { OperatorError } from "../../ports/operator-error.ts";
import { parseGraph } from "../../statechart/parse-graph.ts";
import type { DeclaredMachine } from "./declared-machines.ts";

/**
 * The graphs by kind, in the order of the text.
 *
 * **Errors**: `DEFINITIONS_UNREADABLE` for a text that is no YAML; `GRAPH_MISSING` when no definition in it carries a graph
 * that can be read, with what was found instead.
 */
export function definitionGraphs(text: string, file: string): readonly DeclaredMachine[] {
  const objects = objectsIn(text, file);
  const definitions = objects.filter(({ kind }) => kind === CustomResourceDefinition.kind);
  const graphs = definitions.flatMap((definition) => {
    const stored = definition.metadata?.annotations?.[graphAnnotation];
    const graph = typeof stored === "string" ? parseGraph(stored) : undefined;
    const kind = definition.spec?.names?.kind;
    return graph === undefined ? [] : [{ name: typeof kind === "string" ? kind : graph.id, graph }];
  });
  if (graphs.length > 0) return graphs;
  const annotated = definitions.some(
    ({ metadata }) => metadata?.annotations?.[graphAnnotation] !== undefined,
  );
  throw new OperatorError("GRAPH_MISSING", `${file} ${whatIsWrong(objects, definitions.length, annotated)}`, {
    remedy:
      "Name a CustomResourceDefinition of a kind with a lifecycle, as `xstate-operator generate crd MODULE` prints it.",
  });
}

interface Definition {
  readonly kind?: unknown;
  readonly items?: unknown;
  readonly metadata?: { readonly annotations?: Readonly<Record<string, unknown>> };
  readonly spec?: { readonly names?: { readonly kind?: unknown } };
}

function objectsIn(text: string, file: string): readonly Definition[] {
  const documents = parseAllDocuments(text);
  const list = "empty" in documents ? [] : documents;
  const error = list.flatMap(({ errors }) => errors)[0];
  if (error !== undefined) {
    throw new OperatorError("DEFINITIONS_UNREADABLE", `${file} is neither YAML nor JSON: ${error.message}`, {
      cause: error,
      remedy: "Correct the file at the position that the message names.",
    });
  }
  return list.flatMap((document) => {
    const object: unknown = document.toJS({ maxAliasCount: 100 });
    if (!isObject(object)) return [];
    return Array.isArray(object.items) ? object.items.filter(isObject) : [object];
  });
}

function isObject(value: unknown): value is Definition {
  return typeof value === "object" && value !== null;
}

function whatIsWrong(objects: readonly Definition[], definitions: number, annotated: boolean): string {
  if (annotated) return `contains a graph (annotation ${graphAnnotation}) that cannot be read`;
  if (definitions > 0)
    return `contains a CustomResourceDefinition without a graph (annotation ${graphAnnotation})`;
  const kinds = new Set(objects.flatMap(({ kind }) => (typeof kind === "string" ? [kind] : [])));
  return kinds.size === 0
    ? "contains no Kubernetes object"
    : `contains no CustomResourceDefinition, only ${[...kinds].join(", ")}`;
}
