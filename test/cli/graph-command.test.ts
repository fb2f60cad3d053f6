// `graph`: from each of its sources in each of its formats.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createMachine } from "xstate";
import { Memcached } from "../../examples/memcached/src/memcached/memcached.ts";
import { formatDocuments } from "../../src/cli/output-format.ts";
import { configOf } from "../../src/diagram/config.ts";
import { CustomResourceDefinition } from "../../src/kinds/builtin/apiextensions.ts";
import { crdOf, graphAnnotation } from "../../src/kinds/crd.ts";
import type { KubeObject } from "../../src/meta/object.ts";
import { apiVersionOf } from "../../src/meta/resource-type.ts";
import { readGraph } from "../../src/statechart/graph.ts";
import { Lamp, lampLifecycle, lampOperator, lampWorld } from "../fixtures/lamp.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { startOperator, type RunningOperator } from "../support/running-operator.ts";
import { runCommand } from "./run-in-process.ts";

const folder = mkdtempSync(join(tmpdir(), "graph-command-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = (name: string): string => join(folder, name);
const lampModule = new URL("../fixtures/lamp.ts", import.meta.url).pathname;
const lampCrd = formatDocuments([crdOf(Lamp)], "yaml");

describe("graph", () => {
  beforeAll(() => {
    writeFileSync(file("crd.yaml"), `${formatDocuments([crdOf(Memcached)], "yaml")}---\n${lampCrd}`);
  });

  it("draws a module, its CRD in a file, in a List and on standard input alike", async () => {
    writeFileSync(file("crds.json"), formatDocuments([crdOf(Memcached), crdOf(Lamp)], "json"));
    const outcomes = await Promise.all([
      runCommand(["graph", lampModule]),
      runCommand(["graph", file("crd.yaml")]),
      runCommand(["graph", file("crds.json")]),
      runCommand(["graph", "-"], {}, { input: lampCrd }),
    ]);
    const [first] = outcomes;
    expect(first).toMatchObject({ code: 0, err: "" });
    expect(first?.out).toContain("Running --> Polishing : desired.Polishing");
    for (const outcome of outcomes) expect(outcome).toEqual(first);
  });

  it("draws the edges that every lifecycle has when it is asked to, and tells them from the author's", async () => {
    const plain = await runCommand(["graph", lampModule, "--output", "svg"]);
    expect(plain.out).not.toContain("lifecycle.");
    const { code, out } = await runCommand(["graph", lampModule, "--output", "svg", "--complete"]);
    expect(code).toBe(0);
    expect(out).toContain("lifecycle.intervene");
    expect(out.match(/class="arrow library"/g)?.length).toBeGreaterThan(1);
    expect(out).toMatch(/class="arrow" data-edges/);
    const dot = await runCommand(["graph", lampModule, "--output", "dot", "--complete"]);
    expect(dot.out).toMatch(/lifecycle\.end.*style=dashed/);
    expect(dot.out).toMatch(/"End" -> "Start" \[label=.*lifecycle\.begin.*style=dashed/);
    expect(await runCommand(["graph", file("crd.yaml"), "--complete"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("the author's graph only") as string,
    });
  });

  it("writes a file in the format that its name asks for, and prints nothing", async () => {
    const written: Readonly<Record<string, RegExp>> = {
      "lamp.mmd": /^stateDiagram-v2\n/,
      "lamp.gv": /^digraph "lamp" \{/,
      "lamp.svg":
        /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" [\s\S]*prefers-color-scheme[\s\S]*>Polishing<[\s\S]*<\/svg>\n$/,
      "lamp.json": /^\{\n {2}"id": "lamp"/,
      "lamp.scxml": /^<\?xml version="1\.0"[\s\S]*<scxml /,
      "lamp.md": /^# lamp\n/,
    };
    for (const [name, content] of Object.entries(written)) {
      expect(await runCommand(["graph", file("crd.yaml"), "--out", file(name)])).toEqual({
        code: 0,
        out: "",
        err: "",
      });
      expect(readFileSync(file(name), "utf8")).toMatch(
        name === "lamp.svg" ? /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" [\s\S]*<\/svg>\n$/ : content,
      );
    }
    const config = JSON.parse(readFileSync(file("lamp.json"), "utf8")) as never;
    expect(config).toEqual(configOf(readGraph(lampLifecycle)));
    expect(readGraph(createMachine(config)).nodes).toEqual(readGraph(lampLifecycle).nodes);
  });

  it("draws a PNG of the size that is asked for", async () => {
    const sizeOf = (png: Uint8Array | undefined): readonly number[] => {
      const bytes = Buffer.from(png ?? []);
      expect(bytes.subarray(0, 8).toString("latin1")).toBe("\u0089PNG\r\n\u001A\n");
      return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
    };
    const one = await runCommand(["graph", file("crd.yaml"), "--output", "png", "--scale", "1"]);
    expect(one).toMatchObject({ code: 0, out: "", err: "" });
    const [width = 0, height = 0] = sizeOf(one.bytes?.[0]);
    expect(width).toBeGreaterThan(200);
    const two = ["graph", file("crd.yaml"), "--scale", "2", "--theme", "dark", "--out", file("lamp.png")];
    expect(await runCommand(two)).toMatchObject({ code: 0 });
    expect(sizeOf(readFileSync(file("lamp.png")))).toEqual([2 * width, 2 * height]);
    const screen = { columns: 80, rows: 24 };
    expect(await runCommand(["graph", file("crd.yaml"), "-o", "png"], {}, { screen })).toMatchObject({
      code: 2,
      err: expect.stringContaining("Name a file with --out."),
    });
  });

  const damaged = lampCrd.replace(/"nodes\\?":/, '"knots":');
  it.each([
    ["nowhere", "", 1, /there is no file nowhere, and it names no object\n {2}do: Name a module/],
    ["nowhere.ts", "", 1, /there is no file .*nowhere\.ts\n {2}do: /],
    ["nowhere.yaml", "", 1, /there is no file .*nowhere\.yaml\n {2}do: /],
    ["-", "", 1, /standard input contains no Kubernetes object\n {2}do: Name a CustomResourceDefinition/],
    ["-", "{", 1, /standard input is neither YAML nor JSON: /],
    ["-", "kind: ConfigMap", 1, /contains no CustomResourceDefinition, only ConfigMap/],
    [
      "-",
      formatDocuments([crdOf(Memcached)], "yaml"),
      1,
      /contains a CustomResourceDefinition without a graph/,
    ],
    ["-", damaged, 1, /contains a graph \(annotation xstate-operator\.dev\/graph\) that cannot be read/],
  ] as const)("says what to do about %s with %j", async (source, input, code, message) => {
    const outcome = await runCommand(["graph", source], {}, { input });
    expect({ ...outcome, err: "" }).toEqual({ code, out: "", err: "" });
    expect(outcome.err).toMatch(message);
  });

  it("writes no file whose ending no format has, unless the format is named", async () => {
    for (const name of ["lamp.bmp", "lamp.svgz", "lamp.constructor"]) {
      const { code, out, err } = await runCommand(["graph", file("crd.yaml"), "--out", file(name)]);
      expect({ code, out, written: existsSync(file(name)) }).toEqual({ code: 2, out: "", written: false });
      expect(err).toContain(`the file extension ${extname(name)} is not supported`);
      expect(err).toContain(
        "Name a file that ends in .mmd, .mermaid, .dot, .gv, .svg, .png, .json, .scxml, .md",
      );
    }
    const named = await runCommand(["graph", file("crd.yaml"), "--out", file("lamp.txt"), "-o", "dot"]);
    expect(named).toMatchObject({ code: 0 });
    expect(readFileSync(file("lamp.txt"), "utf8")).toMatch(/^digraph "lamp"/);
    expect(await runCommand(["graph", file("crd.yaml"), "--out", file("lamp")])).toMatchObject({ code: 0 });
    expect(readFileSync(file("lamp"), "utf8")).toMatch(/^stateDiagram-v2\n/);
  });

  it("says when the file cannot be written", async () => {
    const { code, err } = await runCommand([
      "graph",
      file("crd.yaml"),
      "--out",
      join(folder, "no", "where.svg"),
    ]);
    expect(code).toBe(1);
    expect(err).toMatch(/where\.svg cannot be written\n {2}why: ENOENT/);
  });
});

describeOnEachApiServer("graph of what is on a cluster", (server) => {
  const world = lampWorld();
  let operator: RunningOperator;
  const client = () => server().client;
  const key = { namespace: "default", name: "hall" };
  const graph = async (...args: readonly string[]): Promise<string> => {
    const { code, out, err } = await runCommand(["graph", ...args, "--kubeconfig", server().kubeconfig]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    return out;
  };

  beforeAll(async () => {
    for (const kind of [Lamp, Memcached]) {
      await client().apply(CustomResourceDefinition, crdOf(kind), { fieldManager: "admin" });
      await eventually(() => client().list<KubeObject>(kind));
    }
    operator = await startOperator(lampOperator(world), server().kubeconfig);
    const spec = { lifecycle: { desiredState: "Polishing" } };
    const manifest = { apiVersion: apiVersionOf(Lamp), kind: "Lamp", metadata: key, spec };
    await client().create(Lamp, manifest);
    await eventually(async () =>
      expect((await client().get(Lamp, key)).status?.lifecycle?.state).toBe("Polishing"),
    );
    await client().patch(Lamp, key, {
      type: "merge",
      body: { spec: { lifecycle: { desiredState: "End" } } },
    });
    await eventually(async () =>
      expect((await client().get(Lamp, key)).status?.lifecycle?.target).toMatchObject({ state: "End" }),
    );
  });
  afterAll(() => operator.stop());

  it("draws a definition there as from its file, by any of its names", async () => {
    const { out } = await runCommand(["graph", "-"], {}, { input: lampCrd });
    for (const name of ["crd/Lamp", "crd/lp", "customresourcedefinitions/lamps.test.example.com"])
      expect(await graph(name)).toBe(out);
  });

  it("lights where an object is, the way that it goes, and its target", async () => {
    const { status } = await client().get(Lamp, key);
    const plan = status?.lifecycle?.plan ?? [];
    expect(plan.at(-1)).toBe("End");
    const svg = await graph("lamp/hall", "--output", "svg");
    const classOf = (path: string): string | undefined =>
      new RegExp(`<g class="([^"]*)" data-path="${path}"`).exec(svg)?.[1];
    expect(classOf("Polishing")).toBe("box state active leaf");
    expect(classOf("Running")).toBe("box state planned");
    expect(classOf("End")).toBe("box final planned target");
    expect(classOf("Start")).toBe("box state");
    expect(svg).toContain(">lamp/hall in default: Polishing</text>");
    expect(svg).toContain("now in Polishing; then Running, Stopping, End; target is End</desc>");
    expect(await graph("lamp/hall")).toMatch(
      /\n {2}class Polishing active\n[\s\S]*\n {2}class End target\n$/,
    );
    expect(await graph("lamp/hall", "-o", "dot")).toContain('"Polishing" [style="rounded,filled"');
    expect(JSON.parse(await graph("lamp/hall", "-o", "json"))).toMatchObject({
      id: "lamp",
      now: { active: ["Polishing"], planned: ["Running", "Stopping", "End"], target: "End" },
    });
    expect(await graph("lamp/hall", "-o", "markdown")).toContain(
      "Now in `Polishing`. The way on: `Running`, `Stopping`, `End`. The target is `End`.",
    );
    expect(await graph("lamp/hall", "-o", "scxml")).toContain(
      'xo:now="Polishing" xo:planned="Running Stopping End" xo:desired="End"',
    );
  });

  it("draws an object that no operator has looked at yet, and says so", async () => {
    const name = "dark";
    await operator.stop();
    const manifest = { apiVersion: apiVersionOf(Lamp), kind: "Lamp", metadata: { ...key, name } };
    await client().create(Lamp, manifest);
    const svg = await graph("lamp/dark", "--output", "svg");
    expect(svg).toContain(">lamp/dark in default: no state yet</text>");
    expect(svg).not.toMatch(/class="[^"]*\bactive\b/);
  });

  it("refuses what is not there, or has no graph", async () => {
    const outcomes = await Promise.all(
      [
        ["lamp/nowhere"],
        ["lantern/hall"],
        ["crd/Memcached"],
        ["crd/Lantern"],
        ["lamp/hall", "--machine", "x"],
      ].map((args) => runCommand(["graph", ...args, "--kubeconfig", server().kubeconfig])),
    );
    expect(outcomes.map(({ code }) => code)).toEqual([1, 1, 1, 1, 2]);
    expect(outcomes[0]?.err).toMatch(/there is no Lamp nowhere/);
    expect(outcomes[1]?.err).toMatch(/no custom kind "lantern"/);
    expect(outcomes[2]?.err).toMatch(/the CRD of Memcached on the cluster contains no graph/);
    expect(outcomes[3]?.err).toMatch(/no custom kind "Lantern"/);
    expect(outcomes[4]?.err).toMatch(/Omit --machine/);
    await client().apply(
      CustomResourceDefinition,
      {
        ...crdOf(Lamp),
        metadata: { name: "lamps.test.example.com", annotations: { [graphAnnotation]: "{" } },
      },
      { fieldManager: "admin", force: true },
    );
    const { code, err } = await runCommand(["graph", "lamp/hall", "--kubeconfig", server().kubeconfig]);
    expect({ code, err }).toMatchObject({ code: 1, err: expect.stringContaining("contains no graph") });
  });
});
