// A graph as SCXML, the W3C's notation of statecharts: https://www.w3.org/TR/scxml/. Pure.
// Ids are names of XML, so paths are spelled with dots and odd characters by their number; timers are delayed events that
// the state sends itself, actions are logged, and what SCXML has no word for stands in attributes of our own.
import type { GraphEdge, GraphNode, MachineGraph } from "../statechart/graph.ts";
import type { DiagramMarks } from "./marks.ts";
import { childrenOf, isBelow } from "./state-tree.ts";
import { element } from "./xml.ts";

/** What SCXML has no word for: descriptions, tags, the names as they were written. */
const ours = "https://xstate-operator.dev/scxml";
/** The type of an `invoke`: a task of the operator, by its name. */
const taskType = "https://xstate-operator.dev/task";

/**
 * The document, ending with a line break; with marks, attributes of our own say where an object is and where it goes.
 *
 * **Caveats**: an event of SCXML also matches the longer names that begin with it and a dot; in a machine of XState it does
 * not. Conditions and named delays are names, which a processor has to know.
 */
export function toScxml(graph: MachineGraph, marks?: DiagramMarks): string {
  const { id, version, description, initial, parallel } = graph;
  const whole = wrapped(graph)
    ? stateElement(graph, machineState(graph), 1)
    : childrenOf(graph, "")
        .map((node) => stateElement(graph, node, 1))
        .join("");
  const attributes = {
    xmlns: "http://www.w3.org/2005/07/scxml",
    "xmlns:xo": ours,
    version: "1.0",
    datamodel: "ecmascript",
    name: xmlName(id),
    initial: wrapped(graph) ? machineId : parallel || initial === "" ? undefined : scxmlId(initial),
    "xo:id": id,
    "xo:version": version,
    "xo:description": description,
    ...(marks === undefined ? {} : marksAttributes(marks)),
  };
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element("scxml", attributes, `\n${whole}`)}\n`;
}

/** Ids of states, as \`idref\`s are written: separated by spaces. */
function marksAttributes({
  active,
  planned,
  target,
}: DiagramMarks): Readonly<Record<string, string | undefined>> {
  const ids = (paths: readonly string[]): string | undefined =>
    paths.length === 0 ? undefined : paths.map(scxmlId).join(" ");
  return {
    "xo:now": ids(active),
    "xo:planned": ids(planned),
    "xo:desired": target === undefined ? undefined : scxmlId(target),
  };
}

/** Edges of the whole machine, and regions at the top, need a state around all. No path has this id: none is empty. */
const machineId = "_machine";

function wrapped({ parallel, edges }: MachineGraph): boolean {
  return parallel || edges.some(({ source }) => source === "");
}

function machineState({ id, parallel, initial }: MachineGraph): GraphNode {
  const type = parallel ? "parallel" : "compound";
  return { path: "", name: id, type, initial, tags: [], invokes: [], entry: [], exit: [] };
}

/** The id of a state: unlike for different paths. */
export function scxmlId(path: string): string {
  return path === "" ? machineId : path.split(":").map(xmlName).join(".");
}

/** A name of XML without dots, in which other characters stand as `_x` and their number: https://www.w3.org/TR/xml-names/ */
function xmlName(name: string): string {
  return xmlPart(name).replace(/^[^A-Za-z_\u00C0-\u1FFF]/u, spell);
}

/** The same, where it is not the beginning of a name. */
function xmlPart(name: string): string {
  return name
    .replace(/_(?=x[0-9A-F]+_)/g, "_x5F_")
    .replace(/[^A-Za-z0-9_\u00C0-\u00D6\u00D8-\u00F6\u00F8-\u02FF\u0370-\u037D\u037F-\u1FFF-]/gu, spell);
}

function spell(character: string): string {
  return `_x${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()}_`;
}

function stateElement(graph: MachineGraph, node: GraphNode, depth: number): string {
  const { path, type, initial, history, description, tags, invokes, entry, exit } = node;
  const id = scxmlId(path);
  const extra = {
    "xo:name": xmlName(node.name) === node.name ? undefined : node.name,
    "xo:description": description,
    "xo:tags": tags.length === 0 ? undefined : tags.join(" "),
  };
  if (type === "history") {
    const target = initial === undefined ? "" : element("transition", { target: scxmlId(initial) });
    return line(depth, element("history", { id, type: history, ...extra }, target));
  }
  const edges = graph.edges.filter(({ source }) => source === path);
  const timers = [
    ...new Map(edges.flatMap((edge) => (edge.kind === "after" ? [[edge.eventType, edge]] : []))).values(),
  ];
  const inside = [
    executable("onentry", [...entry.map(action), ...timers.map((edge) => timer(edge))], depth + 1),
    executable(
      "onexit",
      [...exit.map(action), ...timers.map((edge) => element("cancel", { sendid: timerId(edge) }))],
      depth + 1,
    ),
    ...invokes.map((invoke) =>
      line(
        depth + 1,
        element("invoke", { type: taskType, id: xmlPart(invoke.id), src: encodeURI(invoke.src) }),
      ),
    ),
    ...edges.map((edge) => transition(graph, edge, depth + 1)),
    ...childrenOf(graph, path).map((child) => stateElement(graph, child, depth + 1)),
  ].join("");
  const name = type === "final" || type === "parallel" ? type : "state";
  const first = type === "compound" && initial !== undefined ? scxmlId(initial) : undefined;
  const content = inside === "" ? undefined : `\n${inside}${"  ".repeat(depth)}`;
  return line(depth, element(name, { id, initial: first, ...extra }, content));
}

function transition(graph: MachineGraph, edge: GraphEdge, depth: number): string {
  const { guard, actions, description } = edge;
  const event = eventOf(edge);
  const way = wayOf(graph, edge);
  const attributes = {
    event,
    cond: guard,
    target: way.targets.length === 0 ? undefined : way.targets.map(scxmlId).join(" "),
    type: way.internal ? "internal" : undefined,
    "xo:target": way.targets === edge.targets ? undefined : edge.targets.map(scxmlId).join(" "),
    "xo:event": event === edge.event ? undefined : edge.event,
    "xo:description": description,
  };
  const content =
    actions.length === 0
      ? undefined
      : `\n${actions.map((each) => line(depth + 1, action(each))).join("")}${"  ".repeat(depth)}`;
  return line(depth, element("transition", attributes, content));
}

interface TransitionWay {
  readonly targets: readonly string[];
  readonly internal: boolean;
}

/**
 * Where an edge leads in SCXML's words: there an edge from a state to itself always leaves it, in a machine of XState only
 * where the author says so.
 */
function wayOf(graph: MachineGraph, { source, targets, reenter }: GraphEdge): TransitionWay {
  const [only] = targets;
  const node = graph.nodes.find(({ path }) => path === source);
  if (!reenter && targets.length === 1 && only === source && node !== undefined) {
    if (childrenOf(graph, source).length === 0) return { targets: [], internal: false };
    if (node.type === "compound" && node.initial !== undefined)
      return { targets: [node.initial], internal: true };
  }
  const inside = targets.length > 0 && targets.every((target) => isBelow(target, source));
  return { targets, internal: inside && !reenter && node?.type !== "parallel" };
}

/** The event's name in SCXML; none for an edge that is taken at once. */
function eventOf(edge: GraphEdge): string | undefined {
  const { kind, eventType } = edge;
  if (kind === "always") return undefined;
  if (kind === "after") return timerId(edge);
  const internal = /^xstate\.(done|error)\.(actor|state)\.(.*)$/s.exec(eventType);
  if (internal === null) return eventType === "*" ? "*" : eventType.split(".").map(eventToken).join(".");
  const [, end = "", what = "", id = ""] = internal;
  if (what === "state") return `done.state.${scxmlId(edge.source)}`;
  return end === "done" ? `done.invoke.${xmlPart(id)}` : `error.platform.${xmlPart(id)}`;
}

/** Spaces separate events, and a star stands for all. */
function eventToken(token: string): string {
  return token.replace(/[\s*]/gu, spell);
}

function timerId({ source, delay = "" }: GraphEdge): string {
  return `after.${xmlPart(delay)}.${scxmlId(source)}`;
}

function timer(edge: GraphEdge): string {
  const { delay = "" } = edge;
  const known = /^\d+$/.test(delay)
    ? `${delay}ms`
    : /^\d*\.?\d+(ms|s|m|h|d)$/.test(delay)
      ? delay
      : undefined;
  const length = known === undefined ? { delayexpr: delay } : { delay: known };
  return element("send", { id: timerId(edge), event: timerId(edge), ...length });
}

function action(name: string): string {
  return element("log", { label: "action", expr: JSON.stringify(name) });
}

function executable(name: string, parts: readonly string[], depth: number): string {
  if (parts.length === 0) return "";
  return line(
    depth,
    element(name, {}, `\n${parts.map((part) => line(depth + 1, part)).join("")}${"  ".repeat(depth)}`),
  );
}

function line(depth: number, text: string): string {
  return `${"  ".repeat(depth)}${text}\n`;
}
