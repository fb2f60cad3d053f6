// `check` on modules as authors write them.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readPackage } from "../../src/cli/package-info.ts";
import { runCommand, type CommandOutcome } from "./run-in-process.ts";

const { root } = readPackage();
const library = JSON.stringify(join(root, "src", "index.ts"));
const zod = JSON.stringify(join(root, "node_modules", "zod", "index.js"));

let folder = "";
const file = (name: string, text: string): string => {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
};
const check = (...args: readonly string[]): Promise<CommandOutcome> => runCommand(["check", ...args]);

const machineText = (id: string, states: string): string => `
import { setupLifecycle } from ${library};
export const machine = setupLifecycle({ effects: ["notify"] }).createMachine({
  id: "${id}",
  version: "1",
  initial: "Start",
  states: {
${states}
  },
});
`;
const sound = `    Start: { on: { "observed.Up": "Running" } },
    Running: { entry: "notify", on: { "desired.Busy": "Busy" } },
    Busy: { invoke: { id: "work", src: "work", onDone: "Running", onError: "HumanIntervention" } },`;
const soundRoles = `sound: begins in Start; its default target is Running (the first stable state on the path from Start); it has no end; HumanIntervention waits for a person
  STATE              ROLE          MAY BE DESIRED  WHY
  Start              initial       no              the initial state
  Running            stable        yes             only desired.Busy leads out of it
  Busy               transient     yes             done.work leads on to Running
  HumanIntervention  intervention  no              tag "intervention"
`;
const careless = sound.replace(', onError: "HumanIntervention"', "");
const wrong = `${careless}
    Island: {},
    Bay: { on: { "desired.Runing": "Running" } },`;

const kindText = (machine: string): string => `
import { defineKind } from ${library};
import { z } from ${zod};
import { machine } from ${JSON.stringify(machine)};
export const Thing = defineKind({
  group: "test.example.com", version: "v1", kind: "Thing", spec: z.object({}), lifecycle: machine,
});
`;
const operatorText = (kind: string, application: string): string => `
import { defineController, defineOperator } from ${library};
import { Thing } from ${JSON.stringify(kind)};
export default defineOperator({
  name: "thing-operator",
  controllers: [defineController(Thing, { application: { observe: () => ({}), ${application} } })],
});
`;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "xstate-operator-check-"));
  file("package.json", '{ "type": "module" }');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("check", () => {
  it("says that nothing is wrong with a sound machine, kind and operator, and ends with 0", async () => {
    const paths = [
      file("sound/machine.ts", machineText("sound", sound)),
      file("sound/kind.ts", kindText("./machine.ts")),
      file(
        "sound/operator.ts",
        operatorText(
          "./kind.ts",
          "tasks: { work: { start: () => undefined } }, actions: { notify: () => undefined }",
        ),
      ),
    ];
    for (const path of paths) {
      expect(await check(path)).toEqual({
        code: 0,
        out: `${soundRoles}\nsound: no problems found\n`,
        err: "",
      });
    }
  });

  it("checks each of several kinds whose machines have one id", async () => {
    file("twins/one.ts", machineText("twin", sound));
    file("twins/other.ts", machineText("twin", careless));
    const path = file(
      "twins/kinds.ts",
      `${kindText("./one.ts")}
import { machine as other } from "./other.ts";
export { machine } from "./one.ts";
export const Other = defineKind({
  group: "test.example.com", version: "v1", kind: "Other", spec: z.object({}), lifecycle: other,
});
`,
    );
    const { code, out } = await check(path);
    expect(code).toBe(0);
    expect(out).toContain("twin of Thing: begins in Start");
    expect(out).toContain("twin of Other: begins in Start");
    expect(out).toMatch(/INVOKE_WITHOUT_ERROR_EDGE \(twin of Other: Busy\)/);
    expect(out).toContain("twin of Thing, twin of Other: 0 errors, 1 warning");
  });

  it("tries the conversion between the versions of a kind", async () => {
    const path = file(
      "versions.ts",
      `
import { defineKind } from ${library};
import { z } from ${zod};
export const Disk = defineKind({
  group: "data.example.com",
  version: "v2",
  kind: "Disk",
  spec: z.object({ gb: z.int().min(1) }),
  versions: {
    v1: {
      spec: z.object({ mb: z.int().min(1) }),
      convert: {
        up: ({ spec }) => ({ spec: { gb: Math.ceil(spec.mb / 1024) } }),
        down: ({ spec }) => ({ spec: { mb: spec.gb * 1000 + 500 } }),
      },
    },
  },
});
`,
    );
    const { code, out } = await check(path);
    expect(code).toBe(1);
    expect(out).toMatch(
      /versions\.ts:12:7: error CONVERSION_ASYMMETRIC \(Disk\)\n {2}a v2 with {"spec":{"gb":1}} becomes {"mb":1500} as v1, but {"mb":2500} after v2 and back/,
    );
  });

  it("ends with 0 when there are only warnings, and with 1 when they count as errors", async () => {
    const path = file("careless.ts", machineText("careless", careless));
    const { code, out } = await check(path);
    expect(code).toBe(0);
    expect(out).toMatch(
      /careless\.ts:10:13: warning INVOKE_WITHOUT_ERROR_EDGE \(careless: Busy\)\n {2}Busy has no edge/,
    );
    expect(out).toMatch(/\n {2}do: Add onError to the invoke\.\n\ncareless: 0 errors, 1 warning\n$/);
    const strict = await check(path, "--strict");
    expect(strict.code).toBe(1);
    expect(strict.out).toMatch(/error INVOKE_WITHOUT_ERROR_EDGE[\s\S]*careless: 1 error, 0 warnings\n$/);
  });

  it("names every problem with file, line, state and remedy, and ends with 1", async () => {
    const path = file("wrong.ts", machineText("wrong", wrong));
    const { code, out } = await check(path, "-o", "json");
    expect(code).toBe(1);
    const found = JSON.parse(out) as {
      problems: { code: string; where: string; state: string; remedy: string }[];
    };
    expect(found).toMatchObject({ roles: [], machines: ["wrong"], errors: 3, warnings: 1 });
    expect(found.problems.map(({ code: name, state, where }) => [name, state, where])).toEqual([
      ["INVOKE_WITHOUT_ERROR_EDGE", "Busy", `${path}:10:13`],
      ["STATE_UNKNOWN", "Bay", `${path}:12:18`],
      ["STATE_UNREACHABLE", "Island", `${path}:11:5`],
      ["STATE_UNREACHABLE", "Bay", `${path}:12:5`],
    ]);
    for (const { remedy } of found.problems) expect(remedy).toMatch(/\.$/);
  });

  it("prints the role of every state, why, and what may be desired, as data", async () => {
    const path = file("roles.ts", machineText("roles", sound));
    const { roles } = JSON.parse((await check(path, "-o", "json")).out) as { roles: readonly object[] };
    expect(roles).toMatchObject([
      {
        machine: "roles",
        initial: "Start",
        intervention: "HumanIntervention",
        defaultTarget: { state: "Running", why: "the first stable state on the path from Start" },
        states: [
          { state: "Start", role: "initial", mayBeDesired: false, whyDesired: "it is the initial state" },
          { state: "Running", role: "stable", mayBeDesired: true },
          { state: "Busy", role: "transient", mayBeDesired: true, whyDesired: "desired.Busy leads to it" },
          { state: "HumanIntervention", role: "intervention", mayBeDesired: false },
        ],
      },
    ]);
  });

  it("tells what defineKind has refused, warnings included, with the line in the machine's file", async () => {
    file("refused/machine.ts", machineText("refused", wrong));
    const { code, out, err } = await check(file("refused/kind.ts", kindText("./machine.ts")));
    expect({ code, err }).toEqual({ code: 1, err: "" });
    expect(out).toMatch(/machine\.ts:11:5: error STATE_UNREACHABLE \(refused: Island\)/);
    expect(out).toMatch(/\nrefused: 3 errors, 1 warning\n$/);
  });

  it("tells which tasks and actions an operator lacks", async () => {
    file("lacking/machine.ts", machineText("lacking", sound));
    file("lacking/kind.ts", kindText("./machine.ts"));
    const { code, out } = await check(
      file("lacking/operator.ts", operatorText("./kind.ts", "tasks: { wrok: { start: () => undefined } }")),
    );
    expect(code).toBe(1);
    expect(out).toMatch(
      /machine\.ts:9:5: error ACTION_UNKNOWN \(lacking: Running\)\n {2}Running asks for the effect "notify"/,
    );
    expect(out).toMatch(
      /machine\.ts:10:13: error TASK_UNKNOWN \(lacking: Busy\)\n.*"work".*\n {2}do: .*known are: wrok\./,
    );
  });

  it("tells about options with the line of each, whoever has refused them", async () => {
    file("options/machine.ts", machineText("options", sound));
    const kind = kindText("./machine.ts").replace(
      "lifecycle: machine,",
      'lifecycle: machine,\n  defaultDesiredState: "Runing", renames: { Old: "Gone" }, specEdit: "queue",',
    );
    const refused = await check(file("options/kind.ts", kind));
    expect(refused.code).toBe(1);
    expect(refused.out).toMatch(
      /kind\.ts:7:60: error OPTION_UNKNOWN \(options\)\n.*"specEdit".*\n {2}do: Did you mean/,
    );
    const known = await check(file("options/kind2.ts", kind.replace(', specEdit: "queue"', "")));
    expect(known.out).toMatch(/kind2\.ts:7:3: error STATE_UNKNOWN \(options\)/);
    expect(known.out).toMatch(/kind2\.ts:7:45: error STATE_UNKNOWN \(options\)/);

    file("options/kind3.ts", kindText("./machine.ts"));
    const warned = await check(
      file(
        "options/warned.ts",
        operatorText(
          "./kind3.ts",
          "tasks: { work: { start: () => undefined },\n rest: { start() {} } }, actions: { notify: () => undefined }",
        ),
      ),
    );
    expect(warned.code).toBe(0);
    expect(warned.out).toMatch(/warned\.ts:7:2: warning TASK_UNUSED \(options\)/);
    const late = await check(
      file("options/late.ts", operatorText("./kind3.ts", 'poll: "soon", tasks: { work: { start() {} } }')),
    );
    expect(late.code).toBe(1);
    expect(late.out).toMatch(
      /late\.ts:6:\d+: error DURATION_INVALID \(options\)\n {2}application\.poll is "soon"/,
    );
  });

  it("checks the options of a kind without a lifecycle too", async () => {
    const text = (more: string): string => `
import { defineKind } from ${library};
import { z } from ${zod};
export const Page = defineKind({
  group: "test.example.com", version: "v1", kind: "Page", ${more}
  spec: z.object({}),
});
`;
    expect(await check(file("page.ts", text("")))).toEqual({
      code: 0,
      out: "Page: no problems found\n",
      err: "",
    });
    const { code, out } = await check(file("page2.ts", text('\n  scope: "cluster",')));
    expect(code).toBe(1);
    expect(out).toMatch(/page2\.ts:6:3: error OPTION_INVALID \(Page\)/);
  });

  it("finds everything in a kind's schemas that no CRD can express, with its line", async () => {
    const text = `
import { defineKind } from ${library};
import { z } from ${zod};
export const Leaf = defineKind({
  group: "test.example.com", version: "v1", kind: "Leaf",
  spec: z.object({ grown: z.date(), size: z.bigint(), name: z.string().refine((name) => name !== "") }),
  status: z.object({ fallen: z.date() }),
});
`;
    const { code, out } = await check(file("leaf.ts", text));
    expect(code).toBe(1);
    expect(out).toMatch(
      /leaf\.ts:6:3: error CRD_SCHEMA_UNSUPPORTED \(Leaf\)\n {2}spec\.grown: a Date is not JSON/,
    );
    expect(out).toMatch(/leaf\.ts:6:3: error CRD_SCHEMA_UNSUPPORTED \(Leaf\)\n {2}spec\.size: a bigint/);
    expect(out).toMatch(/leaf\.ts:6:3: warning CRD_CHECK_DROPPED \(Leaf\)\n {2}spec\.name: a function/);
    expect(out).toMatch(/leaf\.ts:7:3: error CRD_SCHEMA_UNSUPPORTED \(Leaf\)\n {2}status\.fallen/);
  });

  it("says nothing of a check that the controller's webhook does, also where the kind alone is exported beside it", async () => {
    const text = (
      options: string,
    ): string => `import { defineController, defineKind, defineOperator } from "xstate-operator";
import { z } from "zod";
export const Twig = defineKind({
  group: "test.example.com", version: "v1", kind: "Twig", spec: z.object({ name: z.string().refine((name) => name !== "") }),
});
export default defineOperator({ name: "twigs", controllers: [defineController(Twig, ${options})] });
`;
    expect((await check(file("twig.ts", text("{}")))).out).toContain("CRD_CHECK_DROPPED");
    const { code, out } = await check(file("twig-checked.ts", text("{ webhooks: { validate: true } }")));
    expect(code, out).toBe(0);
    expect(out).not.toContain("CRD_CHECK_DROPPED");
  });

  it("tells about names that XState would ignore, and about what setupLifecycle refuses, with their lines", async () => {
    const misspelt = sound
      .replace("onDone:", "ondone:")
      .replace('"desired.Busy": "Busy"', '"desired.Busy": { taget: "Busy" }');
    const keys = await check(file("keys.ts", machineText("keys", misspelt)));
    expect(keys.code).toBe(1);
    expect(keys.out).toMatch(
      /keys\.ts:10:48: error INVOKE_KEY_UNKNOWN \(keys: Busy\)\n.*\n {2}do: Did you mean "onDone"\?/,
    );
    expect(keys.out).toMatch(
      /keys\.ts:9:57: error EDGE_KEY_UNKNOWN \(keys: Running\)\n.*\n {2}do: .*"target"/,
    );
    const setup = machineText("setup", sound).replace('["notify"]', '"notify"');
    const refused = await check(file("setup.ts", setup));
    expect(refused.code).toBe(1);
    expect(refused.out).toMatch(
      /setup\.ts:3:41: error OPTION_INVALID \(setupLifecycle\)\n {2}effects is "notify", but must be a list/,
    );
    // Options that are made elsewhere: the call that has refused them.
    const apart = setup.replace(/setupLifecycle\((.*?)\)/, "setupLifecycle(given)");
    const called = await check(
      file("apart.ts", apart.replace("export", 'const given = { effects: "notify" };\nexport')),
    );
    expect(called.out).toMatch(/apart\.ts:4:24: error OPTION_INVALID \(setupLifecycle\)/);
  });

  it("finds the line of a beginning and of an edge that lead to no state", async () => {
    const nowhere = await check(
      file("nowhere.ts", machineText("nowhere", sound).replace('"Start",', '"Strat",')),
    );
    expect(nowhere.out).toMatch(
      /nowhere\.ts:6:3: error INITIAL_UNKNOWN \(nowhere\)[\s\S]*Did you mean Start\?/,
    );
    const edge = await check(file("edge.ts", machineText("edge", sound.replace('"Busy" }', '"Bussy" }'))));
    expect(edge.out).toMatch(
      /edge\.ts:9:39: error STATE_UNKNOWN \(edge: Running\)[\s\S]*Did you mean Busy\?/,
    );
  });

  it("finds the author's line for what a dependency says deep inside", async () => {
    const xstate = JSON.stringify(join(root, "node_modules", "xstate", "dist", "xstate.esm.js"));
    const text = `import { createMachine } from ${xstate};\nexport const m = createMachine({\n  initial: "A", states: { A: { on: { go: "B" } } },\n});\n`;
    const { code, err } = await check(file("deep.ts", text));
    expect(code).toBe(1);
    expect(err).toMatch(/'B' does not exist[\s\S]*where: .*deep\.ts:2:18\n/);
  });

  it("checks a controller that is exported without an operator", async () => {
    const controller = file(
      "controller-only.ts",
      `
import { defineController, defineKind } from ${library};
import { z } from ${zod};
const Thing = defineKind({ group: "test.example.com", version: "v1", kind: "Thing", spec: z.object({}) });
export const things = defineController(Thing, { steps: {} });
`,
    );
    expect(await check(controller)).toEqual({ code: 0, out: "Thing: no problems found\n", err: "" });
    const crd = await runCommand(["generate", "crd", controller]);
    expect(crd.out).toContain("name: things.test.example.com");
  });

  it.each([
    [
      "a kind in lower case",
      `import { defineKind } from ${library}; import { z } from ${zod};
       export const thing = defineKind({ group: "a.example.com", version: "v1", kind: "thing", spec: z.object({}) });`,
      /error KIND_INVALID \(thing\)\n {2}"thing" cannot be the kind of a kind\n {2}do: Use a word in PascalCase/,
    ],
    [
      "an operator with a name in upper case",
      `import { defineOperator } from ${library};
       export default defineOperator({ name: "Thing", controllers: [] });`,
      /error OPERATOR_INVALID \(the module\)\n {2}"Thing" cannot be the name of an operator/,
    ],
  ])("finds %s under its own code, as does every other command", async (name, text, finding) => {
    const path = file(`refused/${name}.ts`, text);
    const { code, out } = await check(path);
    expect([code, out]).toEqual([1, expect.stringMatching(finding)]);
    const { err } = await runCommand(["generate", "crd", path]);
    expect(err).toMatch(/code: (KIND|OPERATOR)_INVALID\n$/);
  });

  it("refuses a module without machines, and one that cannot be loaded", async () => {
    const none = await check(file("none.ts", "export const a = 1;\n"));
    expect(none.code).toBe(1);
    expect(none.err).toMatch(/has no machine, kind, controller or operator/);
    const broken = await check(file("broken.ts", "throw new Error('no luck');\n"));
    expect(broken.code).toBe(1);
    expect(broken.err).toMatch(/failed to load: no luck/);
  });
});
