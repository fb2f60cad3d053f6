// What is wrong with a layout, as sentences: nothing may overlap what it does not belong to.
import type { Box, DiagramEdge, DiagramLayout, DiagramNode, Point } from "../../src/diagram/layout.ts";
import { headerHeight } from "../../src/diagram/sketch.ts";
import { textWidth } from "../../src/diagram/text-width.ts";
import { inset, lineFace, titleFace } from "../../src/diagram/type-setting.ts";

/** Pixels that two things may share without anybody seeing it. */
const tolerance = 0.6;

/** Every fault of a layout; none is the goal. */
export function faultsOf(layout: DiagramLayout): readonly string[] {
  return [
    ...boxFaults(layout),
    ...labelFaults(layout),
    ...layout.edges.flatMap((edge) => wayFaults(layout, edge)),
    ...outsideFaults(layout),
  ];
}

function boxFaults({ nodes }: DiagramLayout): string[] {
  return pairs(nodes).flatMap(([a, b]) => {
    if (isAround(nodes, a, b))
      return contains(a, b) && !overlap(headerOf(a), b) ? [] : [`${b.id} leaves ${a.id}`];
    if (isAround(nodes, b, a))
      return contains(b, a) && !overlap(headerOf(b), a) ? [] : [`${a.id} leaves ${b.id}`];
    return overlap(a, b) ? [`${a.id} overlaps ${b.id}`] : [];
  });
}

function labelFaults({ nodes, edges }: DiagramLayout): string[] {
  const labelled = edges.filter((edge) => edge.label !== undefined);
  const faults = pairs(labelled).flatMap(([a, b]) =>
    overlap(labelOf(a), labelOf(b)) ? [`label ${nameOf(a)} overlaps label ${nameOf(b)}`] : [],
  );
  for (const edge of labelled) {
    for (const node of nodes) {
      const inside = hasInside(nodes, node) && contains(node, labelOf(edge));
      if (inside ? overlap(headerOf(node), labelOf(edge)) : overlap(node, labelOf(edge)))
        faults.push(`label ${nameOf(edge)} overlaps ${node.id}`);
    }
    for (const other of edges) {
      if (other !== edge && segments(other).some((piece) => crosses(piece, labelOf(edge))))
        faults.push(`arrow ${nameOf(other)} crosses label ${nameOf(edge)}`);
    }
  }
  return faults;
}

function wayFaults({ nodes }: DiagramLayout, edge: DiagramEdge): string[] {
  const [source, target] = [edge.source, edge.target].map((id) => nodes.find((node) => node.id === id));
  if (source === undefined || target === undefined) return [`arrow ${nameOf(edge)} has no ends`];
  const pieces = segments(edge);
  const first = edge.points[0];
  const last = edge.points.at(-1);
  if (first === undefined || last === undefined || pieces.length === 0)
    return [`arrow ${nameOf(edge)} has no way`];
  const faults: string[] = [];
  if (!onBorder(first, source)) faults.push(`arrow ${nameOf(edge)} begins away from its source`);
  if (!onBorder(last, target)) faults.push(`arrow ${nameOf(edge)} ends away from its target`);
  for (const [a, b] of pieces) {
    if (Math.abs(a.x - b.x) > tolerance && Math.abs(a.y - b.y) > tolerance)
      faults.push(`arrow ${nameOf(edge)} is aslant`);
  }
  for (const node of nodes) {
    const isOpen =
      hasInside(nodes, node) &&
      [source, target].some((end) => end.id === node.id || isAround(nodes, node, end));
    if (pieces.some((piece) => crosses(piece, isOpen ? headerOf(node) : node)))
      faults.push(`arrow ${nameOf(edge)} crosses ${node.id}`);
  }
  return faults;
}

function outsideFaults({ width, height, nodes, edges }: DiagramLayout): string[] {
  const paper = { x: 0, y: 0, width, height };
  const boxes = [...nodes, ...edges.flatMap(({ label }) => label ?? [])];
  const points = edges.flatMap((edge) => edge.points.map((point) => ({ ...point, width: 0, height: 0 })));
  return [...boxes, ...points].every((box) => contains(paper, box)) ? [] : ["something leaves the paper"];
}

/** The text at the top of a box that has others inside. */
function headerOf(node: DiagramNode): Box {
  const width = Math.max(
    ...node.title.map((line) => textWidth(line, titleFace)),
    ...node.lines.map((line) => textWidth(line, lineFace)),
    0,
  );
  return { x: node.x + inset.x, y: node.y + 4, width, height: headerHeight(node) - 8 };
}

function labelOf({ label }: DiagramEdge): Box {
  if (label === undefined) throw new Error("no label");
  return label;
}

function nameOf({ source, target, edges }: DiagramEdge): string {
  return `${source} → ${target} (${edges.join(", ")})`;
}

function hasInside(nodes: readonly DiagramNode[], node: DiagramNode): boolean {
  return nodes.some((each) => isAround(nodes, node, each));
}

function isAround(nodes: readonly DiagramNode[], outer: DiagramNode, inner: DiagramNode): boolean {
  if (outer.depth >= inner.depth) return false;
  // Boxes come in document order, each after the one around it.
  const from = nodes.indexOf(outer);
  const until = nodes.findIndex((node, position) => position > from && node.depth <= outer.depth);
  const position = nodes.indexOf(inner);
  return position > from && (until < 0 || position < until);
}

function segments({ points }: DiagramEdge): readonly (readonly [Point, Point])[] {
  return points.slice(1).flatMap((point, index) => {
    const before = points[index];
    return before === undefined ? [] : [[before, point] as const];
  });
}

function overlap(a: Box, b: Box): boolean {
  return (
    a.x + a.width > b.x + tolerance &&
    b.x + b.width > a.x + tolerance &&
    a.y + a.height > b.y + tolerance &&
    b.y + b.height > a.y + tolerance
  );
}

function contains(outer: Box, inner: Box): boolean {
  return (
    inner.x >= outer.x - tolerance &&
    inner.y >= outer.y - tolerance &&
    inner.x + inner.width <= outer.x + outer.width + tolerance &&
    inner.y + inner.height <= outer.y + outer.height + tolerance
  );
}

/** A level or upright piece against the inside of a box. */
function crosses([a, b]: readonly [Point, Point], box: Box): boolean {
  const piece = {
    x: Math.min(a.x, b.x),
    y: Math.min(a.y, b.y),
    width: Math.abs(a.x - b.x),
    height: Math.abs(a.y - b.y),
  };
  return (
    piece.x + piece.width > box.x + tolerance &&
    box.x + box.width > piece.x + tolerance &&
    piece.y + piece.height > box.y + tolerance &&
    box.y + box.height > piece.y + tolerance
  );
}

function onBorder({ x, y }: Point, box: DiagramNode): boolean {
  const slack = 1.5;
  const within =
    x >= box.x - slack &&
    x <= box.x + box.width + slack &&
    y >= box.y - slack &&
    y <= box.y + box.height + slack;
  const deep =
    x > box.x + slack && x < box.x + box.width - slack && y > box.y + slack && y < box.y + box.height - slack;
  return within && !deep;
}

function pairs<T>(items: readonly T[]): readonly (readonly [T, T])[] {
  return items.flatMap((a, index) => items.slice(index + 1).map((b) => [a, b] as const));
}
