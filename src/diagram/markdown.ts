// A lifecycle as a page of Markdown: what it is, its drawing, and tables of states, edges, timers, tasks, conditions and
// Events, for people who run the application. Pure.
import { roleTags } from "../../machines/lifecycle-tags.ts";
import { desiredStatesOf } from "../lifecycle/graph/desired-states.ts";
import { takerOf, type EdgeTaker } from "../lifecycle/graph/edge-taker.ts";
import { rolesOf, type Roles } from "../lifecycle/graph/roles.ts";
import { indexGraph, type GraphIndex } from "../statechart/configuration.ts";
import type { GraphEdge, GraphInvoke, GraphNode, MachineGraph } from "../statechart/graph.ts";
import type { DiagramMarks } from "./marks.ts";
import { toMermaid } from "./mermaid.ts";
import { isBelow } from "./state-tree.ts";

/**
 * The page, ending with a line break. A machine that is no lifecycle (none of its events is `observed.*`, `desired.*` or
 * `human.*`) gets the drawing and the tables of states and edges only. With marks, the page says where an object is.
 */
export function toMarkdown(graph: MachineGraph, marks?: DiagramMarks, caption?: string): string {
  const page = new LifecyclePage(graph);
  return `${page.sections(marks, caption).join("\n\n")}\n`;
}

/** Who takes an edge, for people. */
const takers: Readonly<Record<EdgeTaker, string>> = {
  operator: "the operator, for the target",
  observation: "the application, as observed",
  task: "a task that is done",
  failure: "a task that failed",
  timer: "time",
  graph: "the graph, at once",
  spec: "a change of the spec",
  human: "a person",
  nobody: "",
};

class LifecyclePage {
  readonly #graph: MachineGraph;
  readonly #index: GraphIndex;
  readonly #roles: Roles;
  readonly #isLifecycle: boolean;

  constructor(graph: MachineGraph) {
    this.#graph = graph;
    this.#index = indexGraph(graph);
    this.#roles = rolesOf(this.#index);
    this.#isLifecycle = graph.edges.some(({ event }) => /^(observed|desired|human)\./.test(event));
  }

  sections(marks: DiagramMarks | undefined, caption: string | undefined): string[] {
    const { id, version, description } = this.#graph;
    return [
      `# ${escapeText(id)}`,
      ...(version === undefined ? [] : [`Version ${escapeText(version)}.`]),
      ...(description === undefined ? [] : [escapeText(description)]),
      ...(caption === undefined ? [] : [escapeText(caption)]),
      ...(marks === undefined ? [] : [sentenceOf(marks)]),
      `\`\`\`mermaid\n${toMermaid(this.#graph, marks)}\`\`\``,
      "## States",
      ...(this.#isLifecycle ? [this.#targets()] : []),
      this.#states(),
      "## Transitions",
      this.#transitions(),
      ...(this.#isLifecycle ? ["## What it reports", this.#reports()] : []),
    ];
  }

  #targets(): string {
    const { end: final } = this.#roles;
    const { defaultTarget } = desiredStatesOf({ index: this.#index, roles: this.#roles });
    return [
      `A life begins in ${code(this.#graph.initial)}; ${code(defaultTarget)} is the default desired state.`,
      ...(final === undefined ? [] : [`Deleting the resource sets the target to ${code(final)}.`]),
      "A stable state is maintained; a transient one is left by itself, and as a target it is reached once.",
    ].join("\n");
  }

  #states(): string {
    const desired = desiredStatesOf({ index: this.#index, roles: this.#roles });
    const desirable = new Set(desired.desirable);
    return table(
      [
        "state",
        "kind",
        ...(this.#isLifecycle ? ["may be desired"] : []),
        "tags",
        "tasks",
        "timers",
        "description",
      ],
      this.#graph.nodes.map((node) => [
        code(node.path),
        this.#kindOf(node),
        ...(this.#isLifecycle ? [desirable.has(node.path) ? "yes" : ""] : []),
        node.tags
          .filter((tag) => !this.#isRole(tag))
          .map(code)
          .join(", "),
        node.invokes.map(taskText).join(", "),
        timersOf(this.#graph, node).map(code).join(", "),
        escapeText(node.description ?? ""),
      ]),
    );
  }

  /** The role of a state has a column of its own. */
  #isRole(tag: string): boolean {
    return this.#isLifecycle && (roleTags as readonly string[]).includes(tag);
  }

  #kindOf({ path, type, history }: GraphNode): string {
    if (type === "history") return history === "deep" ? "deep history" : "history";
    const shape = type === "atomic" ? "" : `, ${type}`;
    if (type === "final" || !this.#isLifecycle) return type === "atomic" ? "" : type;
    return `${this.#roles.states.get(path)?.role ?? "stable"}${shape}`;
  }

  #transitions(): string {
    const edges = this.#graph.edges;
    return table(
      ["from", "event", "guard", "to", ...(this.#isLifecycle ? ["by"] : []), "actions", "description"],
      edges.map((edge) => [
        edge.source === "" ? "any state" : code(edge.source),
        code(edge.event),
        edge.guard === undefined ? "" : code(edge.guard),
        targetOf(edge),
        ...(this.#isLifecycle ? [takers[takerOf(edge)]] : []),
        edge.actions.map(code).join(", "),
        escapeText(edge.description ?? ""),
      ]),
    );
  }

  #reports(): string {
    const regions = this.#graph.nodes.filter(
      ({ parent, type }) =>
        type !== "history" &&
        (parent === undefined ? this.#graph.parallel : this.#index.nodes.get(parent)?.type === "parallel"),
    );
    const hasTasks = this.#graph.nodes.some(({ invokes }) => invokes.length > 0);
    const humans = [...new Set(this.#graph.edges.map(({ event }) => event))].filter((event) =>
      event.startsWith("human."),
    );
    const conditions = table(
      ["condition", "meaning"],
      [
        [
          code("Lifecycle"),
          "True once the target is reached; its reason is the state, with colons between nested ones.",
        ],
        ...regions.map(({ path }) => [
          code(`Lifecycle.${path.replaceAll(":", ".")}`),
          `True while the region ${code(path)} rests; its reason is the state inside.`,
        ]),
      ],
    );
    const events = table(
      ["Event", "when"],
      [
        [code("StateChanged"), "a state is entered; a warning where a person is needed"],
        [code("TargetAccepted"), "a new target counts from now on"],
        [code("TargetRejected"), "the spec desires a state that may not be desired"],
        ...(hasTasks
          ? [
              [code("TaskStarted"), "a task runs"],
              [code("TaskSucceeded"), "a task is done"],
              [code("TaskFailed"), "a task failed for good"],
              [code("TaskRetried"), "an attempt of a task failed, and another one follows"],
              [code("TaskCancelled"), "the state of a task was left"],
              [code("TaskCompensating"), "what a task that did not succeed left behind is being undone"],
              [code("TaskCompensated"), "it is undone"],
            ]
          : []),
        ...(humans.length > 0
          ? [
              [
                code("HumanEventAccepted"),
                `a person sent ${humans.map(code).join(", ")} where it is accepted`,
              ],
              [code("HumanEventRefused"), "a person sent what the current state does not accept"],
            ]
          : []),
      ],
    );
    return `${conditions}\n\n${events}`;
  }
}

function sentenceOf({ active, planned, target }: DiagramMarks): string {
  return [
    active.length === 0 ? "No state is known." : `Now in ${active.map(code).join(", ")}.`,
    ...(planned.length === 0 ? [] : [`The way on: ${planned.map(code).join(", ")}.`]),
    ...(target === undefined ? [] : [`The target is ${code(target)}.`]),
  ].join(" ");
}

function taskText({ id, src, input }: GraphInvoke): string {
  const name = id === src ? code(src) : `${code(src)} as ${code(id)}`;
  if (input === undefined) return name;
  const given = "value" in input ? code(JSON.stringify(input.value)) : code(input.name);
  return `${name} with ${given}`;
}

function timersOf(graph: MachineGraph, { path }: GraphNode): string[] {
  const delays = graph.edges.flatMap(({ source, delay }) =>
    source === path && delay !== undefined ? [delay] : [],
  );
  return [...new Set(delays)];
}

function targetOf({ source, targets, reenter }: GraphEdge): string {
  if (targets.length === 0) return "stays";
  const names = targets.map(code).join(", ");
  return reenter && targets.some((target) => target === source || isBelow(target, source))
    ? `${names}; entered again`
    : names;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  // A column in which nothing stands is left out.
  const used = head.map((_, column) => column === 0 || rows.some((row) => (row[column] ?? "") !== ""));
  const line = (cells: readonly string[]): string =>
    `| ${cells.filter((_, column) => used[column]).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

/** A name as code, inside a table cell: https://github.github.com/gfm/#tables-extension- */
function code(name: string): string {
  const text = name.replace(/\s+/g, " ").replaceAll("|", "\\|");
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map((ticks) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return longest === 0 ? `${fence}${text}${fence}` : `${fence} ${text} ${fence}`;
}

/** Text of an author in a paragraph or a cell. */
function escapeText(text: string): string {
  return text.replace(/\s+/g, " ").replace(/[\\`*_{}[\]<>#|]/g, "\\$&");
}
