import { describe, expect, it } from "vitest";
import { applicationLifecycle } from "../../machines/lifecycle-machine.ts";
import { toDot } from "../../src/diagram/dot.ts";
import { toMermaid } from "../../src/diagram/mermaid.ts";
import { readGraph } from "../../src/statechart/graph.ts";
import { everyEdge, oddNames, parallelTop } from "./machine-fixtures.ts";

const linesOf = (text: string): string[] => text.split("\n").map((line) => line.trim());

describe("a Mermaid drawing", () => {
  const application = linesOf(toMermaid(readGraph(applicationLifecycle)));
  const all = toMermaid(readGraph(everyEdge));

  it("has every state and every edge of a flat machine", () => {
    expect(application[0]).toBe("stateDiagram-v2");
    for (const state of ["Start", "Running", "Servicing", "Stopping", "HumanIntervention", "End"]) {
      expect(application).toContain(`state "${state}" as ${state}`);
    }
    const edges = readGraph(applicationLifecycle).edges.length;
    expect(application.filter((line) => / --> .* : /.test(line))).toHaveLength(edges);
  });

  it("shows where it begins and where it ends", () => {
    expect(application).toContain("[*] --> Start");
    expect(application).toContain("End --> [*]");
  });

  it("shows tasks, timers, guards and actions in words", () => {
    expect(application).toContain("Servicing : do / service");
    expect(application).toContain("Start --> HumanIntervention : after startTimeout");
    expect(linesOf(all)).toContain("Idle --> Working : always #91;isLate#93;");
    expect(linesOf(all)).toContain("Idle --> Working : go / count, log");
    expect(linesOf(all)).toContain("Idle : entry / prepare");
  });

  it("nests states, and closes every block that it opens", () => {
    expect(all).toMatch(/state "Second" as Working_Second \{\n\s+\[\*\] --> Working_Second_Deep\n/);
    expect(all.match(/\{$/gm)).toHaveLength(all.match(/^\s*\}$/gm)?.length ?? 0);
  });

  it("separates parallel regions inside a state, also at the top", () => {
    expect(all).toMatch(/ {4}\}\n {4}--\n {4}state "Right" as Both_Right \{/);
    const top = toMermaid(readGraph(parallelTop));
    expect(top).toMatch(/^stateDiagram-v2\n {2}state "parallel" as any_state \{\n/);
    expect(linesOf(top).filter((line) => line === "--")).toHaveLength(1);
  });

  it("writes edges from a state to its own parts as text, as Mermaid cannot draw them", () => {
    expect(all).toContain("Working<br/>do / backUp (backup)<br/>back → First<br/>up → Memory");
    expect(all).not.toContain("Working --> Working_First");
  });

  it("draws edges of the whole machine from a state of their own", () => {
    expect(linesOf(all)).toContain('state "any state" as any_state');
    expect(linesOf(all)).toContain("any_state --> End : human.stop");
  });

  it("uses only plain ids and no character with a meaning, whatever the names are", () => {
    const lines = linesOf(toMermaid(readGraph(oddNames)));
    const ids = lines.flatMap((line) => /^state ".*" as (\S+)/.exec(line)?.[1] ?? []);
    expect(ids).toHaveLength(readGraph(oddNames).nodes.length);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[A-Za-z_][A-Za-z0-9_]*$/);
    for (const reserved of ["state", "note", "default", "constructor"]) expect(ids).not.toContain(reserved);
    for (const line of lines) {
      const label = / --> \S+ : (.*)$/.exec(line)?.[1] ?? "";
      expect(label.replaceAll(/#\d+;/g, "")).not.toMatch(/[:;#<>{}[\]"%|\\`~&]/);
    }
    expect(lines).toContain("s_state --> with_spaces : #34;quoted#34; --#62; x");
  });
});

describe("a dot drawing", () => {
  const all = toDot(readGraph(everyEdge));
  const odd = toDot(readGraph(oddNames));

  it("has every state as a node, and states with parts as clusters", () => {
    expect(all).toMatch(/^digraph "every edge" \{\n {2}compound=true;/);
    expect(all).toContain('subgraph "cluster Working:Second" {');
    expect(all).toContain('"Working:Second:Deep" [label="Deep"];');
    expect(all.match(/\{/g)).toHaveLength(all.match(/\}/g)?.length ?? 0);
  });

  it("ends edges of a cluster at its border, unless they stay inside", () => {
    expect(all).toContain('"Idle" -> "Working:" [label="go / count, log", lhead="cluster Working"];');
    expect(all).toContain('"Working:" -> "Idle" [label="error.backup", ltail="cluster Working"];');
    expect(all).toContain('"Working:" -> "Working:First" [label="back"];');
    expect(all).toContain('"Working:Second:Deep" -> "Working:" [label="parent"];');
  });

  it("marks beginnings, ends and memories", () => {
    expect(all).toContain('": initial" -> "Idle";');
    expect(all).toContain('"Working: initial" -> "Working:First";');
    expect(all).toContain('"End" [label="End", peripheries=2];');
    expect(all).toContain('"Working:Memory" [label="H*", shape=circle];');
  });

  it("draws an edge that leads nowhere as a dashed one that comes back", () => {
    expect(all).toContain('"Idle" -> "Idle" [label="note / log", style=dashed];');
  });

  it("draws edges of the whole machine from a node of their own", () => {
    expect(all).toContain('": any state" -> "End" [label="human.stop"];');
  });

  it("escapes what has a meaning in quotes and labels", () => {
    expect(odd).toContain(String.raw`digraph "odd \"names\"; {}" {`);
    expect(odd).toContain(String.raw`[label="back\\slash\\n"]`);
    expect(odd).toContain(String.raw`[label="<b>&amp;amp;</b>"]`);
    expect(odd).toContain('"new line" [label="new line"];');
    // Outside of quoted strings only the language itself is left.
    const bare = odd.replaceAll(/"(\\.|[^"\\])*"/g, "Q");
    expect(bare).toMatch(/^[\sA-Za-z0-9=;,[\]{}>.-]*$/);
  });
});
