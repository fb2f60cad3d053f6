// Where everything of a sketch stands: states whose inside no arrow enters or leaves are laid out by themselves and then are
// one box for what is around them; all others are laid out together with it. So each part can take the direction that
// suits it, and no arrow crosses the name of a box.
import type { ELK, ElkExtendedEdge, ElkNode } from "elkjs/lib/elk-api.js";
import type { Box, Point } from "./layout.ts";
import { headerHeight, type Sketch, type SketchEdge, type SketchNode } from "./sketch.ts";

/** The way of an arrow. */
export interface Way {
  readonly points: readonly Point[];
  readonly label?: Point;
}

/** Places, relative to the corner of the whole. */
export interface Places {
  readonly width: number;
  readonly height: number;
  readonly boxes: ReadonlyMap<string, Box>;
  readonly ways: ReadonlyMap<SketchEdge, Way>;
}

type Direction = "DOWN" | "RIGHT";

/** https://eclipse.dev/elk/reference/options.html */
const options: Readonly<Record<string, string>> = {
  "elk.algorithm": "layered",
  "elk.hierarchyHandling": "INCLUDE_CHILDREN",
  "elk.edgeRouting": "ORTHOGONAL",
  "elk.json.shapeCoords": "ROOT",
  "elk.json.edgeCoords": "ROOT",
  "elk.layered.nodePlacement.strategy": "NETWORK_SIMPLEX",
  "elk.layered.thoroughness": "10",
  "elk.spacing.nodeNode": "28",
  "elk.spacing.edgeNode": "18",
  "elk.spacing.edgeEdge": "14",
  "elk.spacing.edgeLabel": "3",
  "elk.spacing.labelNode": "10",
  "elk.spacing.labelLabel": "6",
  "elk.spacing.nodeSelfLoop": "14",
  "elk.spacing.componentComponent": "28",
  "elk.layered.spacing.nodeNodeBetweenLayers": "30",
  "elk.layered.spacing.edgeNodeBetweenLayers": "18",
  "elk.layered.spacing.edgeEdgeBetweenLayers": "14",
};

/** Keeps the author's order; the engine (0.12) fails where that is asked for below the top of what is laid out together. */
const inOrder = { "elk.layered.considerModelOrder.strategy": "NODES_AND_EDGES" };
const inlineLabel = { "elk.edgeLabels.inline": "true", "elk.edgeLabels.placement": "CENTER" };
const border = 16;
/** Below a name, before the first box. */
const belowHeader = 10;

/** Places a sketch; nothing of it overlaps. */
export async function placeBoxes(elk: ELK, { nodes, edges }: Sketch): Promise<Places> {
  return placeTogether({ elk, edges, open: openNodes(nodes, edges) }, nodes, border);
}

interface Placing {
  readonly elk: ELK;
  readonly edges: readonly SketchEdge[];
  /** Ids of the boxes whose border arrows cross. */
  readonly open: ReadonlySet<string>;
}

async function placeTogether(placing: Placing, nodes: readonly SketchNode[], top: number): Promise<Places> {
  const inner = new Map<string, Places>();
  for (const node of closedIn(placing, nodes)) inner.set(node.id, await placeInside(placing, node));
  const together = nodes.flatMap((node) => visible(placing, node));
  const order = new Map(together.map(({ id }, position) => [id, position]));
  const edges = placing.edges
    .filter(({ source, target }) => order.has(source) && order.has(target))
    .map((edge) => ({ edge, isBack: leadsBack(edge, order, together) }));
  const candidates: Places[] = [];
  for (const direction of directionsFor(placing, together)) {
    const elkOptions = { ...options, ...inOrder, "elk.direction": direction, "elk.padding": padding(top) };
    const root = {
      id: ": together",
      layoutOptions: elkOptions,
      children: nodes.map((node) => toElkNode(placing, node, inner, direction)),
      edges: edges.map(toElkEdge),
    };
    candidates.push(readPlaces(await placing.elk.layout(root), edges));
  }
  const [first = nowhere, second = first] = candidates;
  return withInner(extent(second) < extent(first) ? second : first, inner);
}

const nowhere: Places = { width: 0, height: 0, boxes: new Map(), ways: new Map() };

/** How much of a screen is needed. */
function extent({ width, height }: Places): number {
  return Math.max(width / 1.6, height);
}

/**
 * Down, as labels then stand beside each other's arrows; to the right where arrows cross borders, so that they cross the
 * sides and never the name at the top.
 */
function directionsFor({ open }: Placing, nodes: readonly SketchNode[]): readonly Direction[] {
  if (nodes.some(({ id }) => open.has(id))) return ["RIGHT"];
  return nodes.some(({ children }) => children.length > 0) ? ["DOWN", "RIGHT"] : ["DOWN"];
}

async function placeInside(placing: Placing, node: SketchNode): Promise<Places> {
  const places = await placeTogether(placing, node.children, headerHeight(node) + belowHeader);
  const width = Math.max(places.width, node.width);
  const height = Math.max(places.height, node.height);
  return { ...moved(places, { x: (width - places.width) / 2, y: 0 }), width, height };
}

function toElkNode(
  placing: Placing,
  node: SketchNode,
  inner: ReadonlyMap<string, Places>,
  direction: Direction,
): ElkNode {
  const { id, children } = node;
  const { width, height } = inner.get(id) ?? node;
  if (children.length === 0 || !placing.open.has(id)) return { id, width, height };
  return {
    id,
    layoutOptions: {
      ...options,
      "elk.direction": direction,
      "elk.padding": padding(headerHeight(node) + belowHeader),
      "elk.nodeSize.constraints": "MINIMUM_SIZE",
      "elk.nodeSize.minimum": `(${width}, ${height})`,
    },
    children: children.map((child) => toElkNode(placing, child, inner, direction)),
  };
}

function padding(top: number): string {
  return `[top=${top},left=${border},bottom=${border},right=${border}]`;
}

interface Directed {
  readonly edge: SketchEdge;
  /** Its way is found in the other direction, so that what the author wrote first comes first. */
  readonly isBack: boolean;
}

function leadsBack(
  { source, target }: SketchEdge,
  order: ReadonlyMap<string, number>,
  nodes: readonly SketchNode[],
): boolean {
  const isInside = (id: string, outer: string): boolean =>
    nodes
      .find((node) => node.id === outer)
      ?.children.some((child) => child.id === id || isInside(id, child.id)) === true;
  return (order.get(target) ?? 0) < (order.get(source) ?? 0) && !isInside(source, target);
}

function toElkEdge({ edge, isBack }: Directed, position: number): ElkExtendedEdge {
  const { source, target, lines, width, height } = edge;
  return {
    id: `edge ${position}`,
    sources: [isBack ? target : source],
    targets: [isBack ? source : target],
    ...(lines.length === 0 ? {} : { labels: [{ text: "label", width, height, layoutOptions: inlineLabel }] }),
  };
}

function readPlaces(placed: ElkNode, edges: readonly Directed[]): Places {
  const all = (node: ElkNode): readonly ElkNode[] =>
    (node.children ?? []).flatMap((child) => [child, ...all(child)]);
  const boxes = all(placed).map(
    ({ id, x = 0, y = 0, width = 0, height = 0 }) => [id, { x, y, width, height }] as const,
  );
  const ways = edges.map(({ edge, isBack }, position) => {
    const { points, ...way } = readWay(placed.edges?.[position]);
    return [edge, { ...way, points: isBack ? points.toReversed() : points }] as const;
  });
  return {
    width: Math.ceil(placed.width ?? 0),
    height: Math.ceil(placed.height ?? 0),
    boxes: new Map(boxes),
    ways: new Map(ways),
  };
}

function readWay({ sections = [], labels = [] }: Partial<ElkExtendedEdge> = {}): Way {
  const points = sections.flatMap(({ startPoint, bendPoints = [], endPoint }): readonly Point[] => [
    startPoint,
    ...bendPoints,
    endPoint,
  ]);
  const [label] = labels;
  return { points, ...(label === undefined ? {} : { label: { x: label.x ?? 0, y: label.y ?? 0 } }) };
}

function withInner(outer: Places, inner: ReadonlyMap<string, Places>): Places {
  const boxes = new Map(outer.boxes);
  const ways = new Map(outer.ways);
  for (const [id, places] of inner) {
    const here = moved(places, outer.boxes.get(id) ?? { x: 0, y: 0 });
    for (const [child, box] of here.boxes) boxes.set(child, box);
    for (const [edge, way] of here.ways) ways.set(edge, way);
  }
  return { ...outer, boxes, ways };
}

function moved({ boxes, ways, ...size }: Places, { x, y }: Point): Places {
  const move = <T extends Point>(point: T): T => ({ ...point, x: point.x + x, y: point.y + y });
  return {
    ...size,
    boxes: new Map([...boxes].map(([id, box]) => [id, move(box)])),
    ways: new Map(
      [...ways].map(([edge, { points, label }]) => [
        edge,
        { points: points.map(move), ...(label === undefined ? {} : { label: move(label) }) },
      ]),
    ),
  };
}

/** The box and, where arrows cross its border, what is inside. */
function visible(placing: Placing, node: SketchNode): readonly SketchNode[] {
  if (!placing.open.has(node.id)) return [node];
  return [node, ...node.children.flatMap((child) => visible(placing, child))];
}

/** The outermost boxes that have others inside and that no arrow enters or leaves. */
function closedIn(placing: Placing, nodes: readonly SketchNode[]): readonly SketchNode[] {
  return nodes
    .flatMap((node) => visible(placing, node))
    .filter(({ id, children }) => children.length > 0 && !placing.open.has(id));
}

function openNodes(nodes: readonly SketchNode[], edges: readonly SketchEdge[]): ReadonlySet<string> {
  const open = new Set<string>();
  const idsBelow = (node: SketchNode): readonly string[] => {
    const below = node.children.flatMap((child) => [child.id, ...idsBelow(child)]);
    const inside = new Set(below);
    if (edges.some(({ source, target }) => inside.has(source) !== inside.has(target))) open.add(node.id);
    return below;
  };
  for (const node of nodes) idsBelow(node);
  return open;
}
