import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { readPackage } from "../../src/cli/package-info.ts";
import { runCommand } from "./run-in-process.ts";

const { root, version } = readPackage();

interface Outcome {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Starts Node in the folder of the fixtures. */
function node(args: readonly string[], input = ""): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      cwd: folder,
      env: { ...process.env, KUBECONFIG: join(folder, "no-kubeconfig"), NODE_OPTIONS: "" },
    });
    let [out, err] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, out, err }));
    child.stdin.end(input);
  });
}

/** Runs the command as a user does, without a terminal. */
const start = (...args: readonly string[]): Promise<Outcome> =>
  node([join(root, "bin", "xstate-operator.js"), ...args]);

/** Runs several command lines in one process, as each start of Node takes its time. */
async function runAll(lists: readonly (readonly string[])[]): Promise<readonly Outcome[]> {
  const driver = join(import.meta.dirname, "run-many.ts");
  const flags = ["--disable-warning=ExperimentalWarning", "--conditions=xstate-operator-source"];
  const { out, err } = await node([...flags, driver], JSON.stringify(lists));
  if (out === "") throw new Error(err);
  return JSON.parse(out) as Outcome[];
}

let folder = "";
const file = (name: string, text: string): string => {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
};

const library = JSON.stringify(join(root, "src", "index.ts"));
const kindText = (kind: string): string => `defineKind({
  group: "web.example.com", version: "v1", kind: "${kind}", spec: z.object({ size: z.int().default(1) }),
})`;
const operatorText = `
import { defineController, defineKind, defineOperator } from ${library};
import { z } from ${JSON.stringify(join(root, "node_modules", "zod", "index.js"))};
const Website = ${kindText("Website")};
const Proxy = ${kindText("Proxy")};
export default defineOperator({
  name: "web-operator",
  controllers: [defineController(Website, {}), defineController(Proxy, {})],
});
`;
const machinesText = `
import { createMachine } from ${JSON.stringify(join(root, "node_modules", "xstate", "dist", "xstate.esm.js"))};
export const light = createMachine({ id: "light", initial: "On", states: { On: { on: { off: "Off" } }, Off: {} } });
export const door = createMachine({ id: "door", initial: "Open", states: { Open: {} } });
`;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "xstate-operator-cli-"));
  file("package.json", '{ "type": "module" }');
  file("broken/commonjs/package.json", '{ "type": "commonjs" }');
  file("untyped/package.json", "{}");
  file("web/operator.ts", operatorText);
  file("machines.ts", machinesText);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const helps: readonly (readonly [readonly string[], RegExp])[] = [
  [[], /run .*\n[\s\S]*generate[\s\S]*graph[\s\S]*cluster[\s\S]*tour[\s\S]*version/],
  [
    ["run"],
    /--kubeconfig[\s\S]*--context[\s\S]*--embedded[\s\S]*--pods[\s\S]*--namespace[\s\S]*--workers[\s\S]*--install-crds[\s\S]*--log-level/,
  ],
  [["generate"], /crd/],
  [["generate", "crd"], /--output[\s\S]*--out/],
  [["graph"], /--output[\s\S]*--out [\s\S]*--machine[\s\S]*--theme[\s\S]*--scale[\s\S]*--namespace/],
  [["check"], /--strict[\s\S]*--output/],
  [["explain"], /--namespace[\s\S]*--kubeconfig[\s\S]*--context[\s\S]*--output/],
  [
    ["send"],
    /--namespace[\s\S]*--kubeconfig[\s\S]*--wait[\s\S]*--timeout[\s\S]*--field-manager[\s\S]*--output/,
  ],
  [["watch"], /--namespace[\s\S]*--until[\s\S]*--timeout[\s\S]*--output/],
  [["cluster"], /up[\s\S]*kubeconfig/],
  [["cluster", "up"], /--dir[\s\S]*--port[\s\S]*--pods/],
  [["cluster", "kubeconfig"], /--dir/],
  [["tour"], /--exit/],
  [["version"], /--output/],
];

describe("help", () => {
  it("is no wider than the screen, but for examples, which are copied", async () => {
    const lines = async (columns: number): Promise<readonly string[]> => {
      const { out } = await runCommand(["cluster", "up", "--help"], {}, { screen: { columns, rows: 24 } });
      return (out.split("Examples:")[0] ?? "").split("\n");
    };
    const longest = (of: readonly string[]): number => Math.max(...of.map(({ length }) => length));
    expect(longest(await lines(60))).toBeLessThanOrEqual(60);
    expect(longest(await lines(200))).toBeLessThanOrEqual(100);
    expect(longest(await lines(200))).toBeGreaterThan(60);
  });

  it("of every command has its options and an example", async () => {
    const outcomes = await runAll(helps.map(([command]) => [...command, "--help"]));
    for (const [index, [, options]] of helps.entries()) {
      expect(outcomes[index]).toMatchObject({ code: 0, err: "" });
      expect(outcomes[index]?.out).toMatch(options);
      expect(outcomes[index]?.out).toMatch(/Examples:\n {2}\$ xstate-operator /);
    }
  });

  it("is what the installed command prints", async () => {
    const { code, out, err } = await start("graph", "--help");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatch(/^Usage: xstate-operator graph \[options\] <source>\n/);
  });
});

const wrong: Readonly<Record<string, readonly [readonly string[], RegExp]>> = {
  "an unknown command": [["generat"], /unknown command 'generat'\n\(Did you mean generate\?\)/],
  "a missing argument": [["run"], /missing required argument 'operator'\nRun `xstate-operator run --help`/],
  "an unknown option": [["graph", "--shape", "x"], /unknown option '--shape'/],
  "a format that does not exist": [
    ["graph", "machines.ts", "--output", "gif"],
    /Allowed choices are mermaid, dot, svg, png, json, scxml, markdown/,
  ],
  "a number that is none": [["run", "web", "--workers", "many"], /whole number from 1 to 9999/],
  "an object without a kind": [
    ["explain", "orders"],
    /Write the kind, a slash and the name: database\/orders\./,
  ],
  "a time that is none": [
    ["send", "db/a", "retry", "--timeout", "soon"],
    /Write a duration, for example 90s/,
  ],
  "a port that is none": [["cluster", "up", "--port", "70000"], /a port from 1 to 65535/],
  "an argument too many": [["version", "now"], /too many arguments/],
  "a missing folder": [["cluster", "kubeconfig"], /required option '--dir <folder>'/],
  "two clusters at once": [
    ["run", "web", "--embedded", "--kubeconfig", "x"],
    /--embedded starts its own cluster/,
  ],
  "pods that are run in no way": [
    ["cluster", "up", "--pods", "simulate"],
    /It must be process, simulated, or a file of YAML or JSON\./,
  ],
  "pods without a cluster": [["run", "web", "--pods", "process"], /--pods requires --embedded/],
  "one that works and all that work": [
    ["run", "web", "--leader-elect", "--sharding"],
    /--leader-elect and --sharding exclude each other/,
  ],
  "a namespace of shards without sharding": [
    ["run", "web", "--sharding-namespace", "x"],
    /--sharding-namespace requires --sharding/,
  ],
  "a lease without anything that has one": [
    ["run", "web", "--lease-duration", "5s"],
    /--lease-duration requires --leader-elect or --sharding/,
  ],
  "several machines": [
    ["graph", "machines.ts"],
    /has 2 machines\n {2}do: Choose one with --machine: door, light\./,
  ],
};

describe("a command line that is wrong", () => {
  let outcomes: readonly Outcome[] = [];
  beforeAll(async () => {
    outcomes = await runAll(Object.values(wrong).map(([args]) => args));
  });

  it.each(Object.entries(wrong).map(([name, [, message]], index) => [name, index, message] as const))(
    "with %s ends with 2 and says so on the error stream",
    (_, index, message) => {
      expect(outcomes[index]).toMatchObject({ code: 2, out: "" });
      expect(outcomes[index]?.err).toMatch(message);
      expect(outcomes[index]?.err).not.toMatch(/\n\s+at /);
    },
  );

  it("ends the installed command with 2", async () => {
    expect(await start("run")).toMatchObject({ code: 2, out: "" });
  });
});

describe("a module that cannot be loaded", () => {
  const cases: Readonly<Record<string, readonly [text: string, message: RegExp]>> = {
    "no-default.ts": [
      "export const a = 1;",
      /has no default export\n {2}do: Write `export default defineOperator/,
    ],
    "no-operator.ts": [
      "export default { name: 'x' };",
      /the default export of .*no-operator\.ts is not an operator/,
    ],
    "named.ts": [
      operatorText.replace("export default", "export const mine ="),
      /has no default export\n {2}do: It exports an operator as "mine"; write `export default mine`/,
    ],
    "throws.ts": [
      "\nconst settings = undefined as unknown as { a: string };\nexport default settings.a;\n",
      /failed to load: Cannot read properties of undefined.*\n {2}where: .*throws\.ts:3:25\n/,
    ],
    "invalid-kind.ts": [
      operatorText.replace('kind: "Website"', 'kind: "web-site"'),
      /"web-site" cannot be the kind of a kind\n {2}where: .*invalid-kind\.ts:4:\d+\n {2}do: Use a word in PascalCase/,
    ],
    "enum.ts": [
      "enum Size { Small }\nexport default Size.Small;\n",
      /uses TypeScript syntax that needs a compiler: .*enum.*\n {2}where: .*enum\.ts:1\n {2}do: Node only strips types/,
    ],
    "syntax.ts": [
      "export default {\n  a: 1;\n};\n",
      /syntax\.ts cannot be read: .*\n {2}where: .*syntax\.ts:2\n/,
    ],
    "syntax.js": [
      "export default {\n  a: 1;\n};\n",
      /syntax\.js cannot be read: .*\n {2}where: .*syntax\.js:2\n/,
    ],
    "commonjs/operator.ts": [
      "const size = 1;\nimport 'node:fs';\nexport default size;\n",
      /commonjs\/operator\.ts uses import and export, but \S*package\.json says that its modules are CommonJS\n {2}where: \S*operator\.ts:2\n {2}do: Write "type": "module" in \S*package\.json .*end in \.mts/,
    ],
    "missing-file.ts": [
      "import './database.ts';\nexport default 1;\n",
      /an import of .* cannot be resolved: Cannot find module .*database\.ts[\s\S]*do: Install the package, or correct the import/,
    ],
    "missing-package.ts": [
      "import 'no-such-package';\nexport default 1;\n",
      /an import of .* cannot be resolved: Cannot find package 'no-such-package'/,
    ],
    "operator.yaml": ["kind: Operator\n", /operator\.yaml is not a TypeScript or JavaScript file/],
  };

  const missing: Readonly<Record<string, RegExp>> = {
    "nowhere.ts": /there is no file .*nowhere\.ts/,
    ".": /has no operator\.ts/,
  };

  let outcomes: readonly Outcome[] = [];
  beforeAll(async () => {
    const paths = Object.entries(cases).map(([name, [text]]) => file(`broken/${name}`, text));
    outcomes = await runAll([...paths, ...Object.keys(missing)].map((path) => ["run", path]));
  });

  const messages = [
    ...Object.entries(cases).map(([name, [, message]]) => [name, message] as const),
    ...Object.entries(missing),
  ];
  it.each(messages.map(([name, message], index) => [name, index, message] as const))(
    "%s ends with 1 and says what, where and what to do",
    (_, index, message) => {
      expect(outcomes[index]).toMatchObject({ code: 1, out: "" });
      expect(outcomes[index]?.err).toMatch(message);
      expect(outcomes[index]?.err).toMatch(/^error: /);
      expect(outcomes[index]?.err).not.toMatch(/\n\s+at /);
    },
  );

  it("loads a module of a package without a type, without a word of Node's", async () => {
    expect(
      await start("graph", file("untyped/machines.ts", machinesText), "--machine", "light"),
    ).toMatchObject({
      code: 0,
      err: "",
    });
  });

  it("shows the stack with --debug", async () => {
    const path = file("broken/debug.ts", "export default (undefined as unknown as { a: 1 }).a;\n");
    const { code, err } = await start("--debug", "run", path);
    expect(code).toBe(1);
    expect(err).toMatch(/caused by: TypeError: .*\n\s+at .*debug\.ts:1/);
  });
});

const commands = {
  noKubeconfig: ["run", "web", "--kubeconfig", "missing.kubeconfig"],
  crdYaml: ["generate", "crd", "web"],
  crdJson: ["generate", "crd", "web/operator.ts", "-o", "json"],
  crdFiles: ["generate", "crd", "web", "--out", "config/crd"],
  crdNowhere: ["generate", "crd", "web", "--out", "machines.ts"],
  noKinds: ["generate", "crd", "machines.ts"],
  mermaid: ["graph", "machines.ts", "--machine", "light"],
  dot: ["graph", "machines.ts", "--machine", "light", "--output", "dot"],
  graphJson: ["graph", "machines.ts", "--machine", "light", "--output", "json"],
  noMachine: ["graph", "web"],
  version: ["version"],
  versionJson: ["version", "-o", "json"],
  versionFlag: ["--version"],
  noCluster: ["cluster", "kubeconfig", "--dir", "web"],
  kubeconfig: ["cluster", "kubeconfig", "--dir", "up"],
} as const;

describe("the command", () => {
  const outcomes = new Map<keyof typeof commands, Outcome>();
  beforeAll(async () => {
    file("up/kubeconfig", "kind: Config\n");
    const names = Object.keys(commands) as (keyof typeof commands)[];
    const all = await runAll(names.map((name) => commands[name]));
    for (const [index, name] of names.entries()) outcomes.set(name, all[index]!);
  });
  const of = (name: keyof typeof commands): Outcome => outcomes.get(name)!;

  it("run ends with 1 and a remedy when there is no kubeconfig", () => {
    expect(of("noKubeconfig").code).toBe(1);
    expect(of("noKubeconfig").err).toMatch(/error: .*missing\.kubeconfig[\s\S]*\n {2}do: /);
  });

  it("generate crd prints the CRD of every kind as YAML documents", () => {
    const { code, out, err } = of("crdYaml");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const crds = parseAllDocuments(out).map((each) => each.toJS() as { metadata: { name: string } });
    expect(crds.map(({ metadata }) => metadata.name)).toEqual([
      "websites.web.example.com",
      "proxies.web.example.com",
    ]);
  });

  it("generate crd prints a List as JSON", () => {
    const list = JSON.parse(of("crdJson").out) as unknown;
    expect(list).toMatchObject({ kind: "List", items: [{ kind: "CustomResourceDefinition" }, {}] });
  });

  it("generate crd writes one file per kind into a folder, and prints their names", () => {
    const crdFolder = join(folder, "config", "crd");
    const names = readdirSync(crdFolder).sort();
    expect(names).toEqual(["proxies.web.example.com.yaml", "websites.web.example.com.yaml"]);
    expect(of("crdFiles").out.trim().split("\n").sort()).toEqual(names.map((name) => join(crdFolder, name)));
    const crd = parse(readFileSync(join(crdFolder, names[1] ?? ""), "utf8")) as { kind: string };
    expect(crd.kind).toBe("CustomResourceDefinition");
  });

  it("generate crd says when it cannot write", () => {
    expect(of("crdNowhere").code).toBe(1);
    expect(of("crdNowhere").err).toMatch(/cannot be written: [\s\S]*do: Choose a writable folder/);
  });

  it("generate crd refuses a module without kinds", () => {
    expect(of("noKinds").code).toBe(1);
    expect(of("noKinds").err).toMatch(
      /declares no kind\n {2}do: Name a module that default-exports an operator/,
    );
  });

  it("graph draws the chosen machine in each format", () => {
    expect(of("mermaid").out).toMatch(/^stateDiagram-v2\n[\s\S]*On --> Off : off\n/);
    expect(of("dot").out).toMatch(/^digraph "light" \{\n/);
    expect(JSON.parse(of("graphJson").out)).toMatchObject({ id: "light", initial: "On" });
  });

  it("graph refuses a module without machines", () => {
    expect(of("noMachine").code).toBe(1);
    expect(of("noMachine").err).toMatch(/has no machine, and no kind with a lifecycle/);
  });

  it("version prints both versions in both formats", () => {
    expect(of("version").out).toMatch(new RegExp(`^version: ${version}\nnode: \\d+\\.`));
    expect(JSON.parse(of("versionJson").out)).toMatchObject({ version });
    expect(of("versionFlag")).toEqual({ code: 0, out: `${version}\n`, err: "" });
  });

  it("cluster kubeconfig prints the file, or says that there is none", () => {
    expect(of("kubeconfig")).toEqual({ code: 0, out: "kind: Config\n", err: "" });
    expect(of("noCluster").code).toBe(1);
    expect(of("noCluster").err).toMatch(
      /there is no cluster in .*web\n {2}do: Start one with `xstate-operator cluster up --dir web`/,
    );
  });
});
