// A drawing as the answer of a server.
import type { MachineGraph } from "../statechart/graph.ts";
import type { GraphDrawer } from "./graph-drawer.ts";
import { textAnswer, type WebAnswer } from "./web-answer.ts";

/** Draws the graph. */
export async function drawingAnswer(drawer: GraphDrawer, graph: MachineGraph): Promise<WebAnswer> {
  const drawing = await drawer.draw(graph);
  return drawing === undefined
    ? textAnswer(422, "the graph is too large to be drawn")
    : { status: 200, contentType: "image/svg+xml", body: drawing };
}
