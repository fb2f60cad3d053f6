// What of a graph is drawn, with the sizes of its texts and before anything has a place: boxes inside boxes, and arrows.
// Fed with a machine's graph; read by the layout. Pure.
import { isLibraryEvent } from "../lifecycle/graph/library-edges.ts";
import type { GraphEdge, GraphNode, MachineGraph } from "../statechart/graph.ts";
import type { LabelLine, Shape } from "./layout.ts";
import { childrenOf, edgeLabel, stateLines, stateName } from "./state-tree.ts";
import { textWidth, type Face } from "./text-width.ts";
import {
  gap,
  inset,
  labelFace,
  labelGap,
  labelInset,
  labelWidth,
  lineFace,
  lineHeight,
  lineWidth,
  mostLines,
  titleFace,
  titleHeight,
  titleWidth,
} from "./type-setting.ts";
import { wrapText } from "./wrap-text.ts";

/** A box that has a size, or at least one, and no place yet. */
export interface SketchNode {
  readonly id: string;
  readonly shape: Shape;
  readonly path: string;
  readonly title: readonly string[];
  readonly lines: readonly string[];
  readonly about: string;
  /** The least one, where there are boxes inside. */
  readonly width: number;
  readonly height: number;
  readonly children: readonly SketchNode[];
}

/** An arrow without a way. */
export interface SketchEdge {
  readonly source: string;
  readonly target: string;
  readonly edges: readonly number[];
  readonly lines: readonly LabelLine[];
  /** Of the label. */
  readonly width: number;
  readonly height: number;
  readonly about: string;
}

/** Everything that is drawn. */
export interface Sketch {
  readonly nodes: readonly SketchNode[];
  readonly edges: readonly SketchEdge[];
}

/** No path has a space after its last colon, so these are nobody's. */
const anyState = ": any state";
const initialOf = (path: string): string => `${path}: initial`;
/** A machine whose top states are parallel is a box itself. */
const machine = ": machine";

/** The sketch of a graph. */
export function sketchOf(graph: MachineGraph): Sketch {
  const fromAnywhere = graph.edges.some(({ source, targets }) => source === "" && targets.length > 0);
  const states = insideOf(graph, "", graph.initial, graph.parallel);
  const top = graph.parallel ? [boxOf(graph, states)] : states;
  const any = fromAnywhere && !graph.parallel ? [smallBox(anyState, "anyState", "any state")] : [];
  return { nodes: [...any, ...top], edges: [...initialArrows(graph), ...arrows(graph)] };
}

/** The height that a header of a name and lines takes, with its insets. */
export function headerHeight({ title, lines }: Pick<SketchNode, "title" | "lines">): number {
  const below = lines.length === 0 ? 0 : gap + lines.length * lineHeight;
  return 2 * inset.y + title.length * titleHeight + below;
}

function insideOf(
  graph: MachineGraph,
  path: string,
  initial: string | undefined,
  parallel: boolean,
): readonly SketchNode[] {
  const states = childrenOf(graph, path).map((node) => stateBox(graph, node, parallel));
  const begins = !parallel && initial !== undefined && initial !== "" && states.length > 0;
  const dot = { title: [], lines: [], children: [], width: 14, height: 14, about: "Initial state" };
  return begins ? [{ id: initialOf(path), shape: "initial", path, ...dot }, ...states] : states;
}

function stateBox(graph: MachineGraph, node: GraphNode, isRegion: boolean): SketchNode {
  const { path, type, initial } = node;
  const about = aboutState(node);
  const shape = shapeOf(graph, node, isRegion);
  if (shape === "history") {
    const size = { width: 30, height: 30 };
    return { id: path, shape, path, title: [stateName(node)], lines: [], about, children: [], ...size };
  }
  const stays = graph.edges.filter(({ source, targets }) => source === path && targets.length === 0);
  const title = wrapText(stateName(node), { face: titleFace, width: titleWidth, lines: mostLines });
  const lines = wrapLines([...stateLines(node), ...stays.map(edgeLabel)]);
  const children = insideOf(graph, path, initial, type === "parallel");
  return { id: path, shape, path, title, lines, about, children, ...sizeOf(title, lines) };
}

/** The machine as a box around its regions. */
function boxOf(graph: MachineGraph, children: readonly SketchNode[]): SketchNode {
  const stays = graph.edges.filter(
    ({ source, targets, event }) => source === "" && targets.length === 0 && !isLibraryEvent(event),
  );
  const title = wrapText(graph.id, { face: titleFace, width: titleWidth, lines: mostLines });
  const lines = wrapLines(stays.map(edgeLabel));
  const about = [graph.id, graph.description].filter(Boolean).join(": ");
  return { id: machine, shape: "compound", path: "", title, lines, about, children, ...sizeOf(title, lines) };
}

function smallBox(id: string, shape: Shape, name: string): SketchNode {
  const size = { width: widest([name], lineFace) + 2 * inset.x, height: lineHeight + 12 };
  return {
    id,
    shape,
    path: "",
    title: [name],
    lines: [],
    about: "Edges of the whole machine.",
    children: [],
    ...size,
  };
}

function shapeOf(graph: MachineGraph, { path, type }: GraphNode, isRegion: boolean): Shape {
  if (type === "final" || type === "history") return type;
  if (isRegion) return "region";
  return childrenOf(graph, path).length > 0 ? "compound" : "state";
}

function sizeOf(title: readonly string[], lines: readonly string[]): { width: number; height: number } {
  const text = Math.max(widest(title, titleFace), widest(lines, lineFace));
  return { width: Math.max(80, text + 2 * inset.x), height: headerHeight({ title, lines }) };
}

function initialArrows(graph: MachineGraph): readonly SketchEdge[] {
  const choosing = [
    ...(graph.initial === "" || graph.parallel ? [] : [{ path: "", initial: graph.initial }]),
    ...graph.nodes.flatMap(({ path, type, initial }) =>
      initial === undefined || type !== "compound" ? [] : [{ path, initial }],
    ),
  ];
  return choosing.map(({ path, initial }) => ({
    source: initialOf(path),
    target: initial,
    edges: [],
    lines: [],
    width: 0,
    height: 0,
    about: `It begins in ${initial}.`,
  }));
}

/** One arrow for all edges between the same two states, with a line of label or more for each. */
function arrows(graph: MachineGraph): readonly SketchEdge[] {
  const origin = graph.parallel ? machine : anyState;
  const between = new Map<string, { source: string; target: string; edges: number[] }>();
  for (const [position, { source, targets }] of graph.edges.entries()) {
    for (const target of targets) {
      const key = JSON.stringify([source, target]);
      const same = between.get(key);
      if (same === undefined)
        between.set(key, { source: source === "" ? origin : source, target, edges: [position] });
      else same.edges.push(position);
    }
  }
  return [...between.values()].map(({ source, target, edges }) => {
    const lines = edges.flatMap((position) => labelLines(graph.edges[position], position));
    return {
      source,
      target,
      edges,
      lines,
      width:
        widest(
          lines.map(({ text }) => text),
          lineFace,
        ) +
        2 * labelInset.x,
      height: lines.length * lineHeight + (edges.length - 1) * labelGap + 2 * labelInset.y,
      about: edges.map((position) => aboutEdge(graph.edges[position])).join("\n"),
    };
  });
}

function labelLines(edge: GraphEdge | undefined, position: number): readonly LabelLine[] {
  if (edge === undefined) return [];
  const lines = wrapText(edgeLabel(edge), { face: labelFace, width: labelWidth, lines: mostLines });
  return lines.map((text) => ({ text, edge: position }));
}

function wrapLines(texts: readonly string[]): readonly string[] {
  return texts.flatMap((text) => wrapText(text, { face: lineFace, width: lineWidth, lines: mostLines }));
}

function widest(lines: readonly string[], face: Face): number {
  return Math.ceil(Math.max(0, ...lines.map((line) => textWidth(line, face))));
}

function aboutState(node: GraphNode): string {
  const { path, type, history, description, tags } = node;
  const kind = type === "atomic" ? "" : ` (${history === "deep" ? "deep history" : type})`;
  const marks = tags.length === 0 ? [] : [`Tags: ${tags.join(", ")}`];
  return [`${path}${kind}`, ...(description === undefined ? [] : [description]), ...marks].join("\n");
}

function aboutEdge(edge: GraphEdge | undefined): string {
  if (edge === undefined) return "";
  const from = edge.source === "" ? "any state" : edge.source;
  const why = edge.description === undefined ? "" : `: ${edge.description}`;
  return `${from} → ${edge.targets.join(", ")} on ${edgeLabel(edge)}${why}`;
}
