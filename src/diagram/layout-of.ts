// Gives every part of a graph its place. Runs in Node and in a browser; what it returns survives JSON, so that a page may
// also be sent the layout and draw it without the engine.
import type { ELK } from "elkjs/lib/elk-api.js";
import { loadOptional } from "../ports/optional-package.ts";
import type { MachineGraph } from "../statechart/graph.ts";
import type { DiagramEdge, DiagramLayout, DiagramNode } from "./layout.ts";
import { placeBoxes, type Places } from "./place-boxes.ts";
import { sketchOf, type SketchEdge, type SketchNode } from "./sketch.ts";

/**
 * The layout of a graph; the same graph always gets the same one.
 *
 * **Guarantees**: no two boxes overlap unless one is inside the other; labels overlap nothing; arrows go around the boxes
 * and labels that are not theirs.
 * **Memory**: the layout engine (1.6 MB of code) is loaded with the first call, which takes a second.
 */
export async function layoutOf(graph: MachineGraph): Promise<DiagramLayout> {
  const sketch = sketchOf(graph);
  const Elk = await loadElk();
  const places = await placeBoxes(new Elk(), sketch);
  return {
    name: graph.id,
    about: [graph.id, graph.description].filter(Boolean).join(": "),
    width: places.width,
    height: places.height,
    nodes: placedNodes(sketch.nodes, places, 0),
    edges: sketch.edges.map((edge) => placedEdge(edge, places)),
  };
}

/** A CommonJS module: Node gives what it exports, and its types speak of a default inside. */
async function loadElk(): Promise<new () => ELK> {
  const { default: exported } = await loadOptional(
    "drawing a graph",
    () => import("elkjs/lib/elk.bundled.js"),
  );
  return exported as unknown as new () => ELK;
}

function placedNodes(nodes: readonly SketchNode[], places: Places, depth: number): readonly DiagramNode[] {
  return nodes.flatMap(({ children, ...node }) => [
    { ...node, x: 0, y: 0, ...places.boxes.get(node.id), depth },
    ...placedNodes(children, places, depth + 1),
  ]);
}

function placedEdge(edge: SketchEdge, places: Places): DiagramEdge {
  const { source, target, edges, lines, width, height, about } = edge;
  const { points = [], label } = places.ways.get(edge) ?? {};
  return {
    source,
    target,
    edges,
    points,
    ...(label === undefined ? {} : { label: { ...label, width, height, lines } }),
    about,
  };
}
