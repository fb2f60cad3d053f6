import { SaxesParser } from "saxes";
import { render } from "state-machine-cat";
import { createMachine } from "xstate";
import { describe, expect, it } from "vitest";
import { applicationLifecycle } from "../../machines/lifecycle-machine.ts";
import { watchMachine } from "../../machines/watch-machine.ts";
import { scxmlId, toScxml } from "../../src/diagram/scxml.ts";
import { readGraph, type GraphNode, type MachineGraph } from "../../src/statechart/graph.ts";
import { fortyStates } from "./forty-states.ts";
import { everyEdge, oddNames, parallelTop } from "./machine-fixtures.ts";

/** What another reader of SCXML has understood. */
interface ReadMachine {
  readonly states: readonly ReadState[];
  readonly transitions?: readonly ReadTransition[];
}
interface ReadState {
  readonly name: string;
  readonly type: string;
  readonly statemachine?: ReadMachine;
}
interface ReadTransition {
  readonly from: string;
  readonly to: string;
  readonly event?: string;
  readonly cond?: string;
}

async function readScxml(text: string): Promise<ReadMachine> {
  return (await render(text, { inputType: "scxml", outputType: "json" })) as unknown as ReadMachine;
}

const isWrapped = (graph: MachineGraph): boolean =>
  graph.parallel || graph.edges.some(({ source }) => source === "");

function statesIn(machine: ReadMachine, parent = ""): readonly string[] {
  return machine.states
    .filter(({ type }) => type !== "initial")
    .flatMap(({ name, type, statemachine }) => [
      `${type} ${name} in ${parent}`,
      ...(statemachine === undefined ? [] : statesIn(statemachine, name)),
    ]);
}

function transitionsIn(machine: ReadMachine): readonly string[] {
  return [
    ...(machine.transitions ?? []).map(
      ({ from, to, event, cond }) => `${from} ${to} ${event ?? ""} ${cond ?? ""}`,
    ),
    ...machine.states.flatMap(({ statemachine }) =>
      statemachine === undefined ? [] : transitionsIn(statemachine),
    ),
  ];
}

function expectedStates(graph: MachineGraph): readonly string[] {
  const typeOf = ({ type, history }: GraphNode): string => {
    if (type === "history") return history === "deep" ? "deephistory" : "history";
    return type === "parallel" || type === "final" ? type : "regular";
  };
  const top = isWrapped(graph) ? scxmlId("") : "";
  return [
    ...(isWrapped(graph) ? [`${graph.parallel ? "parallel" : "regular"} ${top} in `] : []),
    ...graph.nodes.map(
      (node) =>
        `${typeOf(node)} ${scxmlId(node.path)} in ${node.parent === undefined ? top : scxmlId(node.parent)}`,
    ),
  ];
}

function expectedTransitions(graph: MachineGraph): readonly string[] {
  return graph.edges.flatMap(({ source, targets, kind, event, eventType, reenter, guard = "" }) => {
    const name = {
      event,
      always: "",
      after: `${event}.${scxmlId(source)}`,
      done: eventType.includes(".state.")
        ? `done.state.${scxmlId(source)}`
        : event.replace("done.", "done.invoke."),
      error: event.replace("error.", "error.platform."),
    }[kind];
    const ownInitial = graph.nodes.find(({ path, type }) => path === source && type === "compound")?.initial;
    const isWithin = targets[0] === source && targets.length === 1 && !reenter && ownInitial !== undefined;
    // One that leads nowhere is read as one that comes back.
    return (targets.length === 0 ? [source] : isWithin ? [ownInitial] : targets).map(
      (target) => `${scxmlId(source)} ${scxmlId(target)} ${name} ${guard}`,
    );
  });
}

describe("a graph as SCXML", () => {
  it.each([
    ["flat", readGraph(applicationLifecycle)],
    ["with loops and guards", readGraph(watchMachine)],
    ["with every kind of state and edge", readGraph(everyEdge)],
    ["parallel at the top", readGraph(parallelTop)],
    ["of forty states", readGraph(fortyStates)],
  ])("is read by another reader as the same graph: %s", async (_, graph) => {
    const machine = await readScxml(toScxml(graph));
    expect(statesIn(machine).toSorted()).toEqual(expectedStates(graph).toSorted());
    const begins = transitionsIn(machine).filter((line) => line.startsWith("initial "));
    const choosing = graph.nodes
      .filter(({ type }) => type === "compound")
      .map(({ initial = "" }) => scxmlId(initial));
    expect(begins.map((line) => line.split(" ")[1] ?? "").toSorted()).toEqual(
      [
        ...choosing,
        ...(isWrapped(graph) ? [scxmlId("")] : []),
        ...(graph.parallel ? [] : [scxmlId(graph.initial)]),
      ].toSorted(),
    );
    const read = transitionsIn(machine).filter((line) => !line.startsWith("initial "));
    expect(read.toSorted()).toEqual(expectedTransitions(graph).toSorted());
  });

  it("says where an object is, and where it goes, by the ids of its states", () => {
    const marks = { active: ["a:b", "c"], planned: ["a.b"], edges: [], target: "a:b" };
    expect(toScxml(readGraph(watchMachine), marks)).toContain(
      ` xo:now="a.b c" xo:planned="${scxmlId("a.b")}" xo:desired="a.b">`,
    );
    expect(toScxml(readGraph(watchMachine))).not.toContain("xo:now");
  });

  it("is well-formed, with ids that are names of XML and unlike for unlike paths", () => {
    const names = ["a.b", "a", "b", "1st", "ä ö", "<&>", "_x20_", " ", "x:y", "constructor", "\u0000"];
    const machine = createMachine({
      id: "odd",
      initial: "a",
      states: Object.fromEntries(names.map((name) => [name, { initial: "b", states: { b: {} } }])),
    });
    for (const graph of [readGraph(machine), readGraph(oddNames)]) {
      const ids: string[] = [];
      const parser = new SaxesParser({ xmlns: true });
      parser.on("error", (error) => {
        throw error;
      });
      parser.on("opentag", ({ local, uri, attributes }) => {
        expect(uri).toBe("http://www.w3.org/2005/07/scxml");
        if (["state", "final", "parallel", "history"].includes(local))
          ids.push(attributes["id"]?.value ?? "");
      });
      parser.write(toScxml(graph)).close();
      for (const id of ids) expect(id).toMatch(/^[\p{L}_][\p{L}\p{N}_.-]*$/u);
      expect(new Set(ids).size).toBe(graph.nodes.length);
      expect(ids).toEqual(graph.nodes.map(({ path }) => scxmlId(path)));
    }
  });

  it("arms a timer on entry and takes it back on exit; a named delay is an expression", () => {
    const text = toScxml(readGraph(everyEdge));
    expect(text).toContain('<send id="after.90s.Idle" event="after.90s.Idle" delay="90s"/>');
    expect(text).toContain('<send id="after.1000.Idle" event="after.1000.Idle" delay="1000ms"/>');
    expect(text).toContain('<cancel sendid="after.90s.Idle"/>');
    expect(toScxml(readGraph(applicationLifecycle))).toContain('delayexpr="startTimeout"');
  });

  it("leaves a state on the way to itself only where the machine does", () => {
    const text = toScxml(readGraph(everyEdge));
    expect(text).toContain('<transition event="again" target="Idle"/>');
    expect(text).toContain('<transition event="after.1000.Idle" xo:target="Idle" xo:event="after.1000"/>');
    expect(text).toContain('<transition event="back" target="Working.First" type="internal"/>');
    expect(text).toContain('<transition event="whole" target="Working"/>');
  });
});
