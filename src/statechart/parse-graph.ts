// Reads a graph that was stored as JSON by whoever could write there: whole, or not at all. Read by whatever draws or
// explains from a cluster or a file.
import type { GraphEdge, GraphNode, MachineGraph } from "./graph.ts";

/** The graph in a text of JSON; undefined when it is none: another shape, an edge to no state, two states of one path. */
export function parseGraph(text: string): MachineGraph | undefined {
  try {
    return checkGraph(JSON.parse(text));
  } catch {
    return undefined;
  }
}

type Fields = Readonly<Record<string, unknown>>;

function checkGraph(value: unknown): MachineGraph | undefined {
  const { id, initial, parallel, nodes, edges } = fieldsOf(value);
  if (!isText(id) || !isText(initial) || typeof parallel !== "boolean") return undefined;
  if (!Array.isArray(nodes) || !Array.isArray(edges)) return undefined;
  const paths = new Set<string>([""]);
  for (const node of nodes) {
    if (!isNode(node) || paths.has(node.path) || !paths.has(node.parent ?? "")) return undefined;
    paths.add(node.path);
  }
  const isState = (path: unknown): boolean => isText(path) && path !== "" && paths.has(path);
  const isWhole = (edge: unknown): edge is GraphEdge =>
    isEdge(edge) && (edge.source === "" || isState(edge.source)) && edge.targets.every(isState);
  if (!edges.every(isWhole)) return undefined;
  const starts = [initial, ...nodes.map((node: GraphNode) => node.initial ?? "")];
  return starts.every((path) => path === "" || isState(path)) ? (value as MachineGraph) : undefined;
}

const types = new Set(["atomic", "compound", "parallel", "final", "history"]);
const kinds = new Set(["event", "after", "always", "done", "error"]);

function isNode(value: unknown): value is GraphNode {
  const { path, name, parent, type, initial, tags, description, invokes, entry, exit } = fieldsOf(value);
  return (
    isText(path) &&
    path !== "" &&
    isText(name) &&
    [parent, initial, description].every(isOptionalText) &&
    path === (isText(parent) ? `${parent}:${name}` : name) &&
    types.has(String(type)) &&
    [tags, entry, exit].every(isTexts) &&
    Array.isArray(invokes) &&
    invokes.every((invoke) => isText(fieldsOf(invoke)["id"]) && isText(fieldsOf(invoke)["src"]))
  );
}

function isEdge(value: unknown): value is GraphEdge {
  const edge = fieldsOf(value);
  return (
    [edge["source"], edge["event"], edge["eventType"]].every(isText) &&
    isTexts(edge["targets"]) &&
    kinds.has(String(edge["kind"])) &&
    [edge["guard"], edge["delay"], edge["description"]].every(isOptionalText) &&
    isTexts(edge["actions"]) &&
    typeof edge["reenter"] === "boolean"
  );
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isOptionalText(value: unknown): boolean {
  return value === undefined || isText(value);
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isText);
}
