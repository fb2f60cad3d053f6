// The formats of `graph`, by name and by the ending of a file.
import { extname } from "node:path";
import { configOf } from "../../diagram/config.ts";
import { toDot } from "../../diagram/dot.ts";
import { layoutOf } from "../../diagram/layout-of.ts";
import { toMarkdown } from "../../diagram/markdown.ts";
import { toMermaid } from "../../diagram/mermaid.ts";
import type { Theme } from "../../diagram/palette.ts";
import { toScxml } from "../../diagram/scxml.ts";
import { svgOf } from "../../diagram/svg.ts";
import type { GraphSource } from "./graph-source.ts";
import { rasterize } from "./rasterize.ts";

/** Options of pictures. */
export interface PictureOptions {
  /** Default `auto` for SVG, which a browser makes light or dark, and `light` for PNG. */
  readonly theme?: Theme;
  /** Pixels of a PNG for each of the drawing. */
  readonly scale: number;
}

type Renderer = (source: GraphSource, options: PictureOptions) => string | Promise<string | Uint8Array>;

const renderers = {
  mermaid: ({ graph, marks }) => toMermaid(graph, marks),
  dot: ({ graph, marks }) => toDot(graph, marks),
  svg: (source, { theme = "auto" }) => draw(source, theme),
  png: async (source, { theme = "light", scale }) =>
    rasterize(await draw(source, theme === "auto" ? "light" : theme), scale),
  json: ({ graph, marks }) =>
    `${JSON.stringify({ ...configOf(graph), ...(marks === undefined ? {} : { now: marks }) }, null, 2)}\n`,
  scxml: ({ graph, marks }) => toScxml(graph, marks),
  markdown: ({ graph, marks, caption }) => toMarkdown(graph, marks, caption),
} as const satisfies Readonly<Record<string, Renderer>>;

/** A format of `graph`. */
export type GraphFormat = keyof typeof renderers;

/** All of them. */
export const graphFormats = Object.keys(renderers) as readonly GraphFormat[];

/** The graph in a format; bytes for a picture, text for everything else. */
export async function renderGraph(
  source: GraphSource,
  format: GraphFormat,
  options: PictureOptions,
): Promise<string | Uint8Array> {
  return renderers[format](source, options);
}

const endings: Readonly<Record<string, GraphFormat>> = {
  ".mmd": "mermaid",
  ".mermaid": "mermaid",
  ".dot": "dot",
  ".gv": "dot",
  ".svg": "svg",
  ".png": "png",
  ".json": "json",
  ".scxml": "scxml",
  ".md": "markdown",
};

/** The endings of files that ask for a format. */
export const graphEndings = Object.keys(endings);

/** The format that a file's name asks for; undefined when it asks for none. */
export function formatOf(file: string): GraphFormat | undefined {
  const ending = extname(file).toLowerCase();
  return Object.hasOwn(endings, ending) ? endings[ending] : undefined;
}

async function draw({ graph, marks, caption }: GraphSource, theme: Theme): Promise<string> {
  return svgOf(await layoutOf(graph), marks, { theme, ...(caption === undefined ? {} : { caption }) });
}
