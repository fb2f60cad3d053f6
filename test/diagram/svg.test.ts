import { SaxesParser } from "saxes";
import { beforeAll, describe, expect, it } from "vitest";
import { applicationLifecycle } from "../../machines/lifecycle-machine.ts";
import type { DiagramLayout } from "../../src/diagram/layout.ts";
import { layoutOf } from "../../src/diagram/layout-of.ts";
import { marksOf } from "../../src/diagram/marks.ts";
import { svgOf } from "../../src/diagram/svg.ts";
import { createMachine } from "xstate";
import { indexGraph } from "../../src/statechart/configuration.ts";
import { readGraph } from "../../src/statechart/graph.ts";
import { everyEdge, oddNames } from "./machine-fixtures.ts";

interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** Of this element alone. */
  text: string;
}

/** Every element of a text that is well-formed XML with namespaces; throws when it is not. */
function elementsOf(svg: string): readonly Element[] {
  const parser = new SaxesParser({ xmlns: true });
  const [all, open]: [Element[], Element[]] = [[], []];
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("opentag", ({ name, attributes, uri }) => {
    expect(uri).toBe("http://www.w3.org/2000/svg");
    const values = Object.entries(attributes).map(([key, { value }]) => [key, value]);
    const element: Element = {
      name,
      attributes: Object.fromEntries(values) as Record<string, string>,
      text: "",
    };
    all.push(element);
    open.push(element);
  });
  parser.on("text", (text) => {
    const last = open.at(-1);
    if (last !== undefined) last.text += text;
  });
  parser.on("closetag", () => void open.pop());
  parser.write(svg).close();
  return all;
}

const classesOf = (elements: readonly Element[], path: string): readonly string[] =>
  elements.find(({ attributes }) => attributes["data-path"] === path)?.attributes["class"]?.split(" ") ?? [];

describe("a drawing as SVG", () => {
  const graph = readGraph(applicationLifecycle);
  let layout: DiagramLayout;
  beforeAll(async () => {
    layout = await layoutOf(graph);
  });

  it("has every name and every label as text, and nothing that is loaded or runs", () => {
    const svg = svgOf(layout);
    const elements = elementsOf(svg);
    const texts = elements.filter(({ name }) => name === "text").map(({ text }) => text);
    for (const { name } of graph.nodes) expect(texts).toContain(name);
    for (const { event, kind } of graph.edges) if (kind === "event") expect(texts).toContain(event);
    expect(elements.map(({ name }) => name)).not.toContain("script");
    expect(svg).not.toMatch(/href|url\(|@import|<image|foreignObject|\bon\w+=/);
  });

  it("has a title and a description, and names every box for those who listen", () => {
    const marks = marksOf(indexGraph(graph), { state: "Running", plan: ["Stopping", "End"], target: "End" });
    const elements = elementsOf(svgOf(layout, marks, { caption: "Database shop/orders", idPrefix: "one" }));
    const [root, title, desc] = elements;
    expect(root?.attributes).toMatchObject({
      role: "graphics-document",
      "aria-labelledby": "one-title",
      "aria-describedby": "one-desc",
    });
    expect(title).toMatchObject({ name: "title", text: "application: Start, run, service, stop." });
    expect(desc?.text).toBe("Database shop/orders. now in Running; then Stopping, End; target is End");
    const running = elements.find(({ attributes }) => attributes["data-path"] === "Running");
    expect(running?.attributes["aria-label"]).toBe("Running\nThe application is running.");
    expect(
      elements.filter(({ name, text }) => name === "text" && text === "Database shop/orders"),
    ).toHaveLength(1);
  });

  it("lights where the application is, the way and the target, and nothing else", () => {
    const marks = marksOf(indexGraph(graph), {
      state: "Servicing",
      plan: ["Running", "Stopping", "End"],
      target: "End",
    });
    const elements = elementsOf(svgOf(layout, marks));
    expect(classesOf(elements, "Servicing")).toEqual(["box", "state", "active", "leaf"]);
    expect(classesOf(elements, "Running")).toEqual(["box", "state", "planned"]);
    expect(classesOf(elements, "End")).toEqual(["box", "final", "planned", "target"]);
    expect(classesOf(elements, "Start")).toEqual(["box", "state"]);
    const told = elements.filter(({ attributes }) => attributes["class"] === "step").map(({ text }) => text);
    expect(told).toEqual(["desired.End", "done.service", "done.stop"]);
    const lit = elements.filter(({ attributes }) => attributes["class"] === "arrow planned");
    expect(lit.map(({ attributes }) => `${attributes["data-source"]} ${attributes["data-target"]}`)).toEqual([
      "Running Stopping",
      "Servicing Running",
      "Stopping End",
    ]);
    expect(
      elementsOf(svgOf(layout)).some(({ attributes }) =>
        /active|planned|target|reporting/.test(attributes["class"] ?? ""),
      ),
    ).toBe(false);
  });

  it("lights the states around an active one, but as a leaf only that one", async () => {
    const nested = readGraph(everyEdge);
    const marks = marksOf(indexGraph(nested), { state: "Working:Second", plan: [] });
    const elements = elementsOf(svgOf(await layoutOf(nested), marks));
    expect(classesOf(elements, "Working")).toEqual(["box", "compound", "active"]);
    expect(classesOf(elements, "Working:Second:Deep")).toEqual(["box", "state", "active", "leaf"]);
    expect(classesOf(elements, "Working:First")).toEqual(["box", "state"]);
  });

  it("has colours that a page may set, in light and dark, and in a fixed theme none that depend on anything", () => {
    const auto = svgOf(layout);
    expect(auto).toContain("fill:#ffffff;fill:var(--diagram-paper,#ffffff)");
    expect(auto).toContain("@media (prefers-color-scheme:dark)");
    for (const theme of ["light", "dark"] as const) {
      expect(svgOf(layout, undefined, { theme })).not.toMatch(/var\(|@media/);
    }
    expect(svgOf(layout, undefined, { theme: "dark" })).toContain("{fill:#14171c}");
  });

  it("has no text below 11 pixels", () => {
    const sizes = [...svgOf(layout).matchAll(/font-size:(\d+)px/g)].map((match) => Number(match[1]));
    expect(Math.min(...sizes)).toBe(11);
  });

  it("is well-formed and says the names whatever they are", async () => {
    const hostile = [
      "</text><script>alert(1)</script>",
      '"><g onload="x',
      "&lt;&amp;<![CDATA[",
      "]]>",
      "\u0000\u0008\uFFFE\uD800",
      "\u202Eesrever",
      "--><!--",
      "</style>",
    ];
    const states = Object.fromEntries(
      hostile.map((name, index) => [
        name,
        {
          description: name,
          on: { [`${name}!`]: { target: hostile[(index + 1) % hostile.length], guard: name } },
        },
      ]),
    );
    const odd = readGraph(createMachine({ id: "</title>&", initial: hostile[0] ?? "", states }));
    const marks = marksOf(indexGraph(odd), { state: "nowhere", plan: ["<"], target: "&" });
    expect(marks).toEqual({ active: [], planned: [], edges: [] });
    const elements = elementsOf(svgOf(await layoutOf(odd), marks, { caption: "</svg>" }));
    expect(elements.map(({ name }) => name)).not.toContain("script");
    const texts = elements.filter(({ name }) => name === "text").map(({ text }) => text);
    expect(texts).toContain("&lt;&amp;<![CDATA[");
    expect(texts).toContain("□□□□");
    expect(texts).toContain("□esrever");
    expect(elements.find(({ name }) => name === "title")?.text).toBe("</title>&");
    expect(elementsOf(svgOf(await layoutOf(readGraph(oddNames)))).length).toBeGreaterThan(50);
  });
});

describe("the marks of a way", () => {
  it("are the edges that the operator takes, not those of people beside them", () => {
    const graph = readGraph(applicationLifecycle);
    const { edges } = marksOf(indexGraph(graph), { state: "Servicing", plan: ["Running"] });
    expect(edges.map((position) => graph.edges[position]?.event)).toEqual(["done.service"]);
  });
});
