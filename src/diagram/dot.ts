// A machine in Graphviz' language: nested states are clusters, an edge to a cluster ends at its border. Pure.
import { isLibraryEvent } from "../lifecycle/graph/library-edges.ts";
import type { GraphEdge, GraphNode, MachineGraph } from "../statechart/graph.ts";
import type { DiagramMarks } from "./marks.ts";
import { childrenOf, edgeLabel, isBelow, stateLines, stateName } from "./state-tree.ts";

/** The digraph, ending with a line break; with marks, the states and edges that they name are coloured. */
export function toDot(graph: MachineGraph, marks?: DiagramMarks): string {
  const lines = [
    `digraph ${quote(graph.id)} {`,
    "  compound=true; rankdir=TB; fontname=Helvetica;",
    "  node [shape=box, style=rounded, fontname=Helvetica];",
    "  edge [fontname=Helvetica, fontsize=10];",
    ...indent(states(graph, "")),
    ...indent(initials(graph)),
    ...(graph.edges.some(({ source, targets }) => source === "" && targets.length > 0)
      ? [`  ${quote(anyState)} [label="any state", shape=plaintext];`]
      : []),
    ...indent(graph.edges.flatMap((edge, position) => arrows(graph, edge, marks?.edges.includes(position)))),
    ...(marks === undefined ? [] : indent(lights(graph, marks))),
    "}",
  ];
  return `${lines.join("\n")}\n`;
}

/** No path of a state has a space after a colon only, so this is nobody's id. */
const anyState = ": any state";

function states(graph: MachineGraph, path: string): string[] {
  return childrenOf(graph, path).flatMap((node) => {
    if (!isCluster(graph, node)) return [`${quote(node.path)} [${attributesOf(node)}];`];
    const inRegion =
      node.parent === undefined ? graph.parallel : findNode(graph, node.parent)?.type === "parallel";
    return [
      `subgraph ${quote(`cluster ${node.path}`)} {`,
      `  label=${label([stateName(node), ...stateLines(node)])}; style="rounded${inRegion ? ",dashed" : ""}";`,
      // An edge needs a node to end at; it is cut off at the cluster's border.
      `  ${quote(`${node.path}:`)} [shape=point, style=invis];`,
      ...indent(states(graph, node.path)),
      "}",
    ];
  });
}

/** A dot for every state that chooses where to begin. */
function initials(graph: MachineGraph): string[] {
  const choosing = [
    ...(graph.initial === "" || graph.parallel ? [] : [{ path: "", initial: graph.initial }]),
    ...graph.nodes.flatMap(({ path, type, initial }) =>
      initial === undefined || type === "history" ? [] : [{ path, initial }],
    ),
  ];
  return choosing.flatMap(({ path, initial }) => {
    const dot = quote(`${path}: initial`);
    const start = `${dot} [shape=circle, style=filled, fillcolor=black, label="", width=0.15];`;
    const inside = path === "" ? start : `subgraph ${quote(`cluster ${path}`)} { ${start} }`;
    const to = findNode(graph, initial);
    return [
      inside,
      `${dot} -> ${end(graph, initial)}${to !== undefined && isCluster(graph, to) ? ` [lhead=${cluster(initial)}]` : ""};`,
    ];
  });
}

/** A statement about a node that is there already adds to it. */
function lights(graph: MachineGraph, { active, planned, target }: DiagramMarks): string[] {
  const looks: readonly (readonly [string, readonly string[]])[] = [
    ['color="#9a5b00", penwidth=2', planned],
    ['color="#0a7d4a", penwidth=2', target === undefined ? [] : [target]],
    ['style="rounded,filled", fillcolor="#dcebff", color="#0b62d6", penwidth=2', active],
  ];
  return looks.flatMap(([look, paths]) =>
    paths.flatMap((path) => {
      const node = findNode(graph, path);
      return node === undefined || isCluster(graph, node) ? [] : [`${quote(path)} [${look}];`];
    }),
  );
}

function arrows(graph: MachineGraph, edge: GraphEdge, isMarked = false): string[] {
  const from = findNode(graph, edge.source);
  // An edge that leads nowhere is drawn as one that comes back.
  const targets = edge.targets.length > 0 ? edge.targets : edge.source === "" ? [] : [edge.source];
  return targets.map((target) => {
    const to = findNode(graph, target);
    const attributes = [`label=${label([edgeLabel(edge)])}`];
    // A border can only be crossed from outside: https://graphviz.org/docs/attrs/lhead/
    if (
      from !== undefined &&
      isCluster(graph, from) &&
      target !== edge.source &&
      !isBelow(target, edge.source)
    ) {
      attributes.push(`ltail=${cluster(edge.source)}`);
    }
    if (to !== undefined && isCluster(graph, to) && target !== edge.source && !isBelow(edge.source, target)) {
      attributes.push(`lhead=${cluster(target)}`);
    }
    if (edge.targets.length === 0 || isLibraryEvent(edge.event)) attributes.push("style=dashed");
    if (isMarked) attributes.push('color="#9a5b00"', "penwidth=2");
    const source = edge.source === "" ? quote(anyState) : end(graph, edge.source);
    return `${source} -> ${end(graph, target)} [${attributes.join(", ")}];`;
  });
}

function attributesOf(node: GraphNode): string {
  const text = `label=${label([stateName(node), ...stateLines(node)])}`;
  if (node.type === "final") return `${text}, peripheries=2`;
  return node.type === "history" ? `${text}, shape=circle` : text;
}

function isCluster(graph: MachineGraph, node: GraphNode): boolean {
  return childrenOf(graph, node.path).length > 0;
}

function findNode(graph: MachineGraph, path: string): GraphNode | undefined {
  return graph.nodes.find((node) => node.path === path);
}

/** The node at which an edge of a state ends. */
function end(graph: MachineGraph, path: string): string {
  const node = findNode(graph, path);
  return quote(node !== undefined && isCluster(graph, node) ? `${path}:` : path);
}

function cluster(path: string): string {
  return quote(`cluster ${path}`);
}

/** An identifier: https://graphviz.org/doc/info/lang.html, where only the quote is escaped. */
function quote(text: string): string {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replace(/\s+/g, " ")}"`;
}

/** A label of several lines, in which backslash and ampersand have a meaning. */
function label(lines: readonly string[]): string {
  const escaped = lines.map((line) => quote(line.replaceAll("&", "&amp;")).slice(1, -1));
  return `"${escaped.join("\\n")}"`;
}

function indent(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}
