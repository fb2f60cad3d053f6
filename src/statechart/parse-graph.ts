// Reads a graph that was stored as JSON by anybody who could write there: whole, or not at all. Read by whatever draws or
// explains from a cluster or a file.
import { z } from "zod";
import type { Json } from "../meta/object.ts";
import type { GraphEdge, GraphNode, MachineGraph } from "./graph.ts";

const text = z.string();
const optionalText = text.exactOptional();
const texts = z.array(text);
/** What came from JSON is JSON. */
const json = z.custom<Json>().exactOptional();

const input = z.union([z.object({ name: text }), z.object({ value: z.custom<Json>() })]);

const node: z.ZodType<GraphNode> = z
  .object({
    path: text.min(1),
    name: text,
    parent: optionalText,
    type: z.enum(["atomic", "compound", "parallel", "final", "history"]),
    initial: optionalText,
    history: z.enum(["shallow", "deep"]).exactOptional(),
    tags: texts,
    description: optionalText,
    meta: json,
    invokes: z.array(z.object({ id: text, src: text, input: input.exactOptional() })),
    entry: texts,
    exit: texts,
  })
  .refine(({ path, name, parent }) => path === (parent === undefined ? name : `${parent}:${name}`));

const edge: z.ZodType<GraphEdge> = z.object({
  source: text,
  targets: texts,
  event: text,
  kind: z.enum(["event", "after", "always", "done", "error"]),
  eventType: text,
  guard: optionalText,
  guardNames: texts.exactOptional(),
  delay: optionalText,
  delayLength: z.number().nonnegative().exactOptional(),
  actions: texts,
  reenter: z.boolean(),
  description: optionalText,
});

/** A graph in which every edge and every start leads to a state, and no two states have one path. */
export const graphSchema: z.ZodType<MachineGraph> = z
  .object({
    id: text,
    version: optionalText,
    description: optionalText,
    meta: json,
    context: json,
    initial: text,
    parallel: z.boolean(),
    nodes: z.array(node),
    edges: z.array(edge),
  })
  .refine(isConnected);

/** The graph in a text of JSON; undefined when it is none: another shape, an edge to no state, two states of one path. */
export function parseGraph(stored: string): MachineGraph | undefined {
  try {
    return graphSchema.safeParse(JSON.parse(stored)).data;
  } catch {
    return undefined;
  }
}

function isConnected({ initial, nodes, edges }: MachineGraph): boolean {
  const paths = new Set<string>();
  for (const { path, parent } of nodes) {
    if (paths.has(path) || (parent !== undefined && !paths.has(parent))) return false;
    paths.add(path);
  }
  const starts = [initial, ...nodes.map((each) => each.initial ?? "")].filter((path) => path !== "");
  const sources = edges.map(({ source }) => source).filter((path) => path !== "");
  const targets = edges.flatMap((each) => each.targets);
  return [...starts, ...sources, ...targets].every((path) => paths.has(path));
}
