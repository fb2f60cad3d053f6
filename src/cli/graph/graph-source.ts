// From what the user named to a graph that can be drawn: a module, a file with a machine or definitions, standard input, a definition on a
// cluster, or one object there, with what of its graph is lit.
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, extname } from "node:path";
import { marksOf, type DiagramMarks } from "../../diagram/marks.ts";
import { explain } from "../../explain/explain.ts";
import { OperatorError } from "../../ports/operator-error.ts";
import { indexGraph } from "../../statechart/configuration.ts";
import type { MachineGraph } from "../../statechart/graph.ts";
import {
  onClusterObject,
  parseTypedObject,
  readClusterDefinition,
  readGraphOf,
  type ClusterObject,
  type ClusterObjectOptions,
} from "../cluster-object.ts";
import { isMachineText } from "../../machine-file/read-machine.ts";
import { machineOfText } from "../../machine-file/machine-alone.ts";
import { loadModule } from "../load-module.ts";
import { isOperatorFile } from "../operator-file.ts";
import type { Terminal } from "../terminal.ts";
import { UsageError } from "../usage-error.ts";
import { chooseMachine, declaredMachines } from "./declared-machines.ts";
import { definitionGraphs } from "./definition-graphs.ts";

/** A graph, and what of it is lit when it was read for one object. */
export interface GraphSource {
  readonly graph: MachineGraph;
  readonly marks?: DiagramMarks;
  /** Which object it is, and where. */
  readonly caption?: string;
}

/** Options of {@link readGraphSource}. */
export interface GraphSourceOptions extends ClusterObjectOptions {
  /** With the edges that every lifecycle has; of a module or a file with a machine. */
  readonly complete?: boolean;
  /** Which machine or kind, where the source has several. */
  readonly machine?: string;
}

/**
 * Reads the graph that a user has named.
 *
 * **Errors**: those of `loadModule` and {@link chooseMachine}; `GRAPH_SOURCE_MISSING` for what is neither a file nor on a
 * cluster; `GRAPH_MISSING` for a definition without one; those of the cluster.
 * **RBAC**: `list` on customresourcedefinitions for a definition on a cluster, and `get` on the kind for an object.
 */
export async function readGraphSource(
  terminal: Terminal,
  source: string,
  options: GraphSourceOptions,
): Promise<GraphSource> {
  const { machine, complete = false } = options;
  if (source === "-") return readDataSource(await terminal.readIn(), "standard input", options);
  const path = terminal.path(source);
  if (existsSync(path) || isPath(source)) {
    if (!/^\.(ya?ml|json)$/i.test(extname(path)) || !existsSync(path) || isOperatorFile(path)) {
      const module = await loadModule(path);
      return chooseMachine(declaredMachines(module, complete), module.file, machine);
    }
    return readDataSource(await readFile(path, "utf8"), path, options);
  }
  if (!/^[^/]+\/[^/]+$/.test(source)) throw unknownSource(source);
  refuseComplete(complete, source);
  if (machine !== undefined) {
    throw new UsageError(`${source} has only one graph`, "Omit --machine.");
  }
  const typed = parseTypedObject(source);
  return /^(crds?|customresourcedefinitions?)$/i.test(typed.kind)
    ? readLiveDefinition(terminal, typed.name, options)
    : onClusterObject(terminal, parseTypedObject(source), options, (target) =>
        readLiveObject(terminal, target),
      );
}

/** A text of JSON or YAML: a machine, or definitions. */
function readDataSource(
  text: string,
  file: string,
  { machine, complete = false }: GraphSourceOptions,
): GraphSource {
  if (isMachineText(text, file)) {
    return chooseMachine(
      declaredMachines({ exports: { machine: machineOfText(text, file) } }, complete),
      file,
      machine,
    );
  }
  refuseComplete(complete, file);
  return chooseMachine(definitionGraphs(text, file), file, machine);
}

/** A definition carries the graph as its author has drawn it. */
function refuseComplete(complete: boolean, source: string): void {
  if (!complete) return;
  throw new UsageError(
    `${source} has the author's graph only`,
    "Name a module or a file with a machine, or leave out --complete.",
  );
}

/** Whether it can only mean a file. */
function isPath(source: string): boolean {
  return /^[./~]|\\|\/.*\//.test(source) || /\.([cm]?[jt]s|ya?ml|json)$/i.test(basename(source));
}

function unknownSource(source: string): OperatorError {
  return new OperatorError("GRAPH_SOURCE_MISSING", `there is no file ${source}, and it names no object`, {
    remedy:
      "Name a module (operator.ts), a file with a machine (lifecycle.yaml) or a CustomResourceDefinition (crd.yaml), - for standard input, an object on the cluster (database/orders), or a CRD on the cluster (crd/database).",
  });
}

async function readLiveDefinition(
  terminal: Terminal,
  name: string,
  options: ClusterObjectOptions,
): Promise<GraphSource> {
  const definition = await readClusterDefinition(terminal, name, options);
  const graph = readGraphOf(definition);
  if (graph === undefined) throw withoutGraph(definition.spec.names.kind);
  return { graph };
}

async function readLiveObject(terminal: Terminal, typedObject: ClusterObject): Promise<GraphSource> {
  const { type, graph, key, typed } = typedObject;
  if (graph === undefined) throw withoutGraph(type.kind);
  const object = await typedObject.read(terminal.stopSignal());
  const { state, plan, target } = explain({ object, type, graph, children: [], events: [], now: Date.now() });
  const where = key.namespace === undefined ? "" : ` in ${key.namespace}`;
  return {
    graph,
    marks: marksOf(indexGraph(graph), {
      ...(state === undefined ? {} : { state: state.name }),
      plan,
      ...(target === undefined ? {} : { target: target.state }),
    }),
    caption: `${typed}${where}: ${state === undefined ? "no state yet" : state.name}`,
  };
}

function withoutGraph(kind: string): OperatorError {
  return new OperatorError("GRAPH_MISSING", `the CRD of ${kind} on the cluster contains no graph`, {
    remedy:
      "Only kinds with a lifecycle have a graph. If this kind has one, install the CRD that `generate crd` prints.",
  });
}
