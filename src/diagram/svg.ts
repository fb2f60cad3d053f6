// Draws a layout as SVG: a text that stands alone, or goes into a page as it is. Everything that can be lit has a class and
// its path, so that a page can light it again without a new drawing. Pure.
import { isLibraryEvent } from "../lifecycle/graph/library-edges.ts";
import { activeCaption } from "./caption.ts";
import type { Box, DiagramEdge, DiagramLayout, DiagramNode, Point } from "./layout.ts";
import { isLit, type DiagramMarks } from "./marks.ts";
import { styleSheet, type Theme } from "./palette.ts";
import { textWidth } from "./text-width.ts";
import { gap, inset, labelGap, labelInset, lineFace, lineHeight, titleHeight } from "./type-setting.ts";
import { element, escapeXml } from "./xml.ts";

/** Options of {@link svgOf}. */
export interface SvgOptions {
  /** Default `auto`. */
  readonly theme?: Theme;
  /** A line below the drawing, and the beginning of its description. */
  readonly caption?: string;
  /** Begins the ids inside; to be set where a page holds several drawings. Default `diagram`. */
  readonly idPrefix?: string;
  /** Leaves out the style sheet, because the page around it has it. Default false. */
  readonly unstyled?: boolean;
}

const nothing: DiagramMarks = { active: [], planned: [], edges: [] };
const captionHeight = 30;
const margin = 16;

/**
 * The drawing, ending with a line break.
 *
 * **Guarantees**: well-formed XML whatever the names are; no scripts, and nothing that is loaded; texts are texts, of 11
 * pixels or more. Boxes are `g[data-path]`, arrows `g[data-edges]`; `active`, `planned` and `target` are classes.
 */
export function svgOf(
  layout: DiagramLayout,
  marks: DiagramMarks = nothing,
  { theme = "auto", caption, idPrefix = "diagram", unstyled = false }: SvgOptions = {},
): string {
  const captionWidth = caption === undefined ? 0 : textWidth(caption, lineFace) + 2 * margin;
  const width = Math.max(layout.width, Math.ceil(captionWidth));
  const height = layout.height + (caption === undefined ? 0 : captionHeight);
  const about = [caption, activeCaption(marks)]
    .filter((text) => text !== undefined && text !== "")
    .join(". ");
  const parts = [
    element("title", { id: `${idPrefix}-title` }, escapeXml(layout.about)),
    element("desc", { id: `${idPrefix}-desc` }, escapeXml(about)),
    unstyled ? "" : element("style", {}, escapeXml(styleSheet(theme))),
    element("rect", { class: "paper", width, height }),
    ...layout.nodes.map((node) => box(node, marks)),
    ...layout.edges.map((edge) => arrow(edge, marks)),
    ...layout.edges.map((edge) => label(edge, layout, marks)),
    ...badges(layout, marks),
    ...(caption === undefined
      ? []
      : [element("text", { class: "caption", x: margin, y: layout.height + 12 }, escapeXml(caption))]),
  ].filter((part) => part !== "");
  const attributes = {
    xmlns: "http://www.w3.org/2000/svg",
    class: "diagram",
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: "graphics-document",
    "aria-roledescription": "state diagram",
    "aria-labelledby": `${idPrefix}-title`,
    "aria-describedby": `${idPrefix}-desc`,
  };
  return `${element("svg", attributes, `\n${parts.join("\n")}\n`)}\n`;
}

function box(node: DiagramNode, marks: DiagramMarks): string {
  const { shape, path, about } = node;
  const isState = shape !== "initial" && shape !== "anyState" && path !== "";
  const attributes = {
    class: ["box", shape, ...(isState ? marksOfState(path, marks) : [])].join(" "),
    "data-path": isState ? path : undefined,
    role: "graphics-symbol",
    "aria-label": about,
  };
  return element("g", attributes, [element("title", {}, escapeXml(about)), ...inside(node)].join(""));
}

function marksOfState(path: string, marks: DiagramMarks): readonly string[] {
  return [
    ...(isLit(marks, path) ? ["active"] : []),
    ...(marks.active.includes(path) ? ["leaf"] : []),
    ...(marks.planned.includes(path) ? ["planned"] : []),
    ...(marks.target === path ? ["target"] : []),
  ];
}

function inside(node: DiagramNode): readonly string[] {
  const { shape, x, y, width, height, title, lines } = node;
  const center = { cx: x + width / 2, cy: y + height / 2 };
  if (shape === "initial") return [element("circle", { class: "dot", ...center, r: width / 2 - 1 })];
  if (shape === "history") {
    return [
      element("circle", { class: "outline", ...center, r: width / 2 }),
      centered(title[0] ?? "", "title", center.cx, center.cy + 5),
    ];
  }
  const round = shape === "anyState" ? height / 2 : 9;
  const outline = element("rect", { class: "outline", x, y, width, height, rx: round });
  const inner =
    shape === "final"
      ? [
          element("rect", {
            class: "outline",
            x: x + 4,
            y: y + 4,
            width: width - 8,
            height: height - 8,
            rx: 6,
          }),
        ]
      : [];
  if (shape === "anyState") return [outline, centered(title[0] ?? "", "line", center.cx, center.cy + 4)];
  return [outline, ...inner, ...texts(node, lines)];
}

/** The name, and what happens in the state below it; both in the middle unless there are boxes below. */
function texts({ x, y, width, shape, title }: DiagramNode, lines: readonly string[]): readonly string[] {
  const isCentered = lines.length === 0 && shape !== "compound" && shape !== "region";
  const place = (text: string, name: string, baseline: number): string =>
    isCentered
      ? centered(text, name, x + width / 2, baseline)
      : element("text", { class: name, x: x + inset.x, y: baseline }, escapeXml(text));
  const top = y + inset.y;
  const below = top + title.length * titleHeight;
  const rule = element("line", {
    class: "rule",
    x1: x,
    y1: below + gap / 2,
    x2: x + width,
    y2: below + gap / 2,
  });
  return [
    ...title.map((text, index) => place(text, "title", top + index * titleHeight + 13.5)),
    ...(lines.length === 0 ? [] : [rule]),
    ...lines.map((text, index) => place(text, "line", below + gap + index * lineHeight + 12)),
  ];
}

function centered(text: string, name: string, x: number, y: number): string {
  return element("text", { class: name, x, y, "text-anchor": "middle" }, escapeXml(text));
}

function arrow(edge: DiagramEdge, marks: DiagramMarks): string {
  const { points, about, edges, source, target, label: { lines = [] } = {} } = edge;
  const isOfEveryLifecycle = lines.length > 0 && lines.every(({ text }) => isLibraryEvent(text));
  const attributes = {
    class: [
      "arrow",
      ...(isOfEveryLifecycle ? ["library"] : []),
      ...(isPlanned(edge, marks) ? ["planned"] : []),
      ...(isTaken(edge, marks) ? ["taken"] : []),
    ].join(" "),
    "data-edges": edges.length === 0 ? undefined : edges.join(" "),
    "data-source": source,
    "data-target": target,
  };
  const parts = [
    element("title", {}, escapeXml(about)),
    element("path", { class: "way", d: rounded(points) }),
    element("path", { class: "head", d: head(points) }),
  ];
  return element("g", attributes, parts.join(""));
}

function isPlanned({ edges }: DiagramEdge, marks: DiagramMarks): boolean {
  return edges.some((edge) => marks.edges.includes(edge));
}

function isTaken({ edges }: DiagramEdge, { taken = [] }: DiagramMarks): boolean {
  return edges.some((edge) => taken.includes(edge));
}

/** A way whose corners are round. */
function rounded(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (first === undefined) return "";
  const pieces = [`M${at(first)}`];
  for (const [index, point] of rest.entries()) {
    const next = rest[index + 1];
    const before = points[index];
    if (next === undefined || before === undefined) {
      pieces.push(`L${at(point)}`);
      continue;
    }
    const size = Math.min(6, distance(before, point) / 2, distance(point, next) / 2);
    pieces.push(`L${at(toward(point, before, size))}`, `Q${at(point)} ${at(toward(point, next, size))}`);
  }
  return pieces.join("");
}

const headLength = 9;

function head(points: readonly Point[]): string {
  const tip = points.at(-1);
  const before = points.at(-2);
  if (tip === undefined || before === undefined) return "";
  const back = toward(tip, before, headLength);
  const side = { x: (tip.y - back.y) / 2.2, y: (back.x - tip.x) / 2.2 };
  const left = { x: back.x + side.x, y: back.y + side.y };
  const right = { x: back.x - side.x, y: back.y - side.y };
  return `M${at(tip)}L${at(left)}L${at(right)}Z`;
}

function label({ label: place, edges }: DiagramEdge, { nodes }: DiagramLayout, marks: DiagramMarks): string {
  if (place === undefined) return "";
  const { x, y, width, height, lines } = place;
  const isInside = nodes.some((node) => isAround(node, place));
  const ground = element("rect", { class: "ground", x, y, width, height, rx: 4 });
  const texts = lines.map(({ text, edge }, index) => {
    const names = [
      ...(marks.edges.includes(edge) ? ["step"] : []),
      ...(marks.taken?.includes(edge) === true ? ["taken"] : []),
    ];
    return element(
      "text",
      {
        class: names.length === 0 ? undefined : names.join(" "),
        "data-edge": edge,
        x: x + width / 2,
        y: y + labelInset.y + index * lineHeight + edges.indexOf(edge) * labelGap + 12,
        "text-anchor": "middle",
      },
      escapeXml(text),
    );
  });
  const planned = edges.some((edge) => marks.edges.includes(edge));
  const names = ["label", ...(isInside ? ["inside"] : []), ...(planned ? ["planned"] : [])];
  return element("g", { class: names.join(" ") }, [ground, ...texts].join(""));
}

function isAround(outer: Box, inner: Box): boolean {
  return (
    outer.x <= inner.x &&
    outer.y <= inner.y &&
    outer.x + outer.width >= inner.x + inner.width &&
    outer.y + outer.height >= inner.y + inner.height
  );
}

/** The number of each step of the plan, and a mark on the target state. */
function badges({ nodes }: DiagramLayout, { planned, target }: DiagramMarks): readonly string[] {
  return nodes.flatMap(({ path, shape, x, y, width }) => {
    if (shape === "initial" || shape === "anyState" || path === "") return [];
    const steps = planned.flatMap((each, index) => (each === path ? [String(index + 1)] : []));
    const marksOfBox = [
      ...(steps.length === 0 ? [] : [{ text: steps.join(", "), name: "badge" }]),
      ...(target === path ? [{ text: "target", name: "badge target" }] : []),
    ];
    let right = x + width + 6;
    return marksOfBox.map(({ text, name }) => {
      const wide = Math.max(18, Math.ceil(textWidth(text, { size: 11, bold: true })) + 10);
      right -= wide + 3;
      const ground = element("rect", { class: "ground", x: right, y: y - 9, width: wide, height: 18, rx: 9 });
      return element("g", { class: name }, ground + centered(text, "", right + wide / 2, y + 4));
    });
  });
}

function at({ x, y }: Point): string {
  return `${round(x)} ${round(y)}`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function distance(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}

/** The point that is so far from one on the way to another. */
function toward(from: Point, to: Point, size: number): Point {
  const length = distance(from, to);
  if (length === 0) return from;
  return { x: from.x + ((to.x - from.x) * size) / length, y: from.y + ((to.y - from.y) * size) / length };
}
