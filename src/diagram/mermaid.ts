// A machine as a Mermaid state diagram (stateDiagram-v2), which GitHub and most editors draw. Pure.
// Mermaid knows one flat set of state ids and breaks on edges between a state and its own parts, so ids are made here and
// such edges become lines of text in the state.
import type { GraphEdge, GraphNode, MachineGraph } from "../statechart/graph.ts";
import type { DiagramMarks } from "./marks.ts";
import { childrenOf, edgeLabel, isBelow, stateLines, stateName } from "./state-tree.ts";

/** The diagram, ending with a line break; with marks, the states that they name are coloured. */
export function toMermaid(graph: MachineGraph, marks?: DiagramMarks): string {
  const drawing = new MermaidDrawing(graph);
  const lines = [
    "stateDiagram-v2",
    ...drawing.lines(),
    ...(marks === undefined ? [] : drawing.lights(marks)),
  ];
  return `${lines.join("\n")}\n`;
}

const anyState = "any state";

class MermaidDrawing {
  readonly #graph: MachineGraph;
  readonly #ids = new Map<string, string>();

  constructor(graph: MachineGraph) {
    this.#graph = graph;
    const taken = new Set<string>();
    for (const path of ["", ...graph.nodes.map((node) => node.path)]) {
      const base = idOf(path === "" ? anyState : path);
      let id = base;
      for (let count = 2; taken.has(id); count += 1) id = `${base}_${count}`;
      taken.add(id);
      this.#ids.set(path, id);
    }
  }

  lines(): string[] {
    const { edges, id, parallel } = this.#graph;
    // Regions side by side are possible inside a state only.
    const body = parallel
      ? [
          `state "${escapeText(id)}" as ${this.#id("")} {`,
          ...this.#regions("").map((line) => `  ${line}`),
          "}",
        ]
      : this.#content("");
    const fromAnywhere = !parallel && edges.some((edge) => edge.source === "" && edge.targets.length > 0);
    return [
      ...(fromAnywhere ? [`  state "${anyState}" as ${this.#id("")}`] : []),
      ...body.map((line) => `  ${line}`),
      ...edges.flatMap((edge) => this.#arrows(edge)).map((line) => `  ${line}`),
    ];
  }

  /** Colours for innermost states, as the language colours no others. */
  lights({ active, planned, target }: DiagramMarks): string[] {
    const groups = [
      ["active", "fill:#0b62d6,color:#fff,stroke:#0b62d6", active],
      ["planned", "stroke:#9a5b00,stroke-width:3px", planned.filter((path) => !active.includes(path))],
      ["target", "stroke:#0a7d4a,stroke-width:3px", target === undefined ? [] : [target]],
    ] as const;
    return groups.flatMap(([name, look, paths]) => {
      const leaves = paths.filter((path) => childrenOf(this.#graph, path).length === 0);
      if (leaves.length === 0) return [];
      return [
        `  classDef ${name} ${look}`,
        ...[...new Set(leaves)].map((path) => `  class ${this.#id(path)} ${name}`),
      ];
    });
  }

  /** The states directly below a path, with what is in them. */
  #content(path: string): string[] {
    const states = childrenOf(this.#graph, path);
    const initial = path === "" ? this.#graph.initial : this.#node(path)?.initial;
    return [
      ...(initial === undefined || initial === "" ? [] : [`[*] --> ${this.#id(initial)}`]),
      ...states.flatMap((node) => this.#state(node)),
    ];
  }

  #regions(path: string): string[] {
    return childrenOf(this.#graph, path).flatMap((node, index) => [
      ...(index === 0 ? [] : ["--"]),
      ...this.#state(node),
    ]);
  }

  #state(node: GraphNode): string[] {
    const id = this.#id(node.path);
    const lines = [...stateLines(node), ...this.#innerEdges(node)];
    const inside =
      node.type === "parallel"
        ? this.#regions(node.path)
        : node.type === "compound"
          ? this.#content(node.path)
          : [];
    if (inside.length > 0) {
      // A state with parts has a title and no lines of its own.
      const title = [stateName(node), ...lines].map(escapeText).join("<br/>");
      return [`state "${title}" as ${id} {`, ...inside.map((line) => `  ${line}`), "}"];
    }
    return [
      `state "${escapeText(stateName(node))}" as ${id}`,
      ...lines.map((line) => `${id} : ${escapeText(line)}`),
      ...(node.type === "final" ? [`${id} --> [*]`] : []),
    ];
  }

  /** Edges that Mermaid cannot draw: those that lead nowhere, and those from a state to one of its own parts. */
  #innerEdges(node: GraphNode): string[] {
    return this.#graph.edges
      .filter((edge) => edge.source === node.path)
      .flatMap((edge) => {
        if (edge.targets.length === 0) return [edgeLabel(edge)];
        return edge.targets
          .filter((target) => isBelow(target, node.path))
          .map((target) => `${edgeLabel(edge)} → ${target.slice(node.path.length + 1)}`);
      });
  }

  #arrows(edge: GraphEdge): string[] {
    return edge.targets
      .filter((target) => edge.source === "" || !isBelow(target, edge.source))
      .map((target) => `${this.#id(edge.source)} --> ${this.#id(target)} : ${escapeText(edgeLabel(edge))}`);
  }

  #node(path: string): GraphNode | undefined {
    return this.#graph.nodes.find((node) => node.path === path);
  }

  #id(path: string): string {
    return this.#ids.get(path) ?? idOf(path);
  }
}

/** Words with a meaning of their own in the language. */
const reserved =
  /^(state|note|class|classdef|style|direction|default|as|fork|join|choice|hide|scale|click|href|acctitle|accdescr)$/i;

function idOf(path: string): string {
  const id = path.replace(/[^A-Za-z0-9_]+/g, "_");
  // The layout keeps ids as keys of plain objects, where names such as `constructor` are taken.
  return /^[A-Za-z_]/.test(id) && !reserved.test(id) && !(id in {}) ? id : `s_${id}`;
}

/** Text for a label: what has a meaning in the language becomes a character reference. */
function escapeText(text: string): string {
  return text
    .replace(/\s+/g, " ")
    .replace(/[^\p{L}\p{N} .,()/*→_+=!?@$'-]/gu, (character) => `#${character.codePointAt(0)};`);
}
