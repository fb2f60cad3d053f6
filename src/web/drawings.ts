// What a page that shows drawings has from its server: the drawings, their colours, and the frame around them.
import { styleSheet } from "../diagram/palette.ts";
import type { MachineGraph } from "../statechart/graph.ts";
import type { GraphDrawer } from "./graph-drawer.ts";
import { textAnswer, type WebAnswer } from "./web-answer.ts";

/** The modules of the frame: shared ones, for `BrowserFiles`. */
export const drawingModules: readonly string[] = ["diagram/browser/lit-drawing", "web/browser/drawing-frame"];

/** The styles, for the head of a page. */
export const drawingStyles = `<link rel="stylesheet" href="diagram.css">
<link rel="stylesheet" href="web/browser/drawing-frame.css">`;

/** Answers `/diagram.css`. */
export function colorsAnswer(): WebAnswer {
  return { status: 200, contentType: "text/css; charset=utf-8", body: styleSheet("auto") };
}

/** Answers with a drawing of the graph. */
export async function drawingAnswer(drawer: GraphDrawer, graph: MachineGraph): Promise<WebAnswer> {
  const drawing = await drawer.draw(graph);
  return drawing === undefined
    ? textAnswer(422, "it is too large to be drawn")
    : { status: 200, contentType: "image/svg+xml", body: drawing };
}
