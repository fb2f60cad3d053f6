// What the types cost whoever imports the library: builds the package, and compiles a user's project against it with the compiler
// of the project and with TypeScript 5.9, libraries checked too. Measured against a project that imports xstate and zod alone, so
// that neither the machine nor a new version of these counts as ours. Run by `npm run check:type-cost`.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { installBuilt } from "../build/built-package.ts";

const root = join(import.meta.dirname, "../..");

/** By name: where a compiler is, and options that make its counts the same in each run. */
const compilers = {
  "TypeScript 7": ["node_modules/typescript/bin/tsc", "--checkers", "1"],
  "TypeScript 5.9": ["test/types/typescript-5.9/node_modules/typescript/bin/tsc"],
};

/**
 * What a compilation may cost at most, in times of the project that imports xstate and zod. The files show at once when the root
 * entry imports the models of pods again. Few types may be dear, so the time has
 * a limit too: that of the processor where the compiler runs in Node, else that of the clock, which other processes lengthen.
 */
const most = { files: 2.5, types: 1.3, instantiations: 1.4, cpu: 2, clock: 8 };

/** Says at the end what a process of Node has used. */
const tellingCpu = `data:text/javascript,${encodeURIComponent(
  'process.on("exit", () => console.log("CPU: " + process.cpuUsage().user / 1e6));',
)}`;

const base = "base.ts";

const projects = {
  [base]: 'import "xstate";\nimport "zod";\n',
  "import.ts": 'import "xstate-operator";\n',
  "operator.ts": `import { defineController, defineKind, defineOperator, setupLifecycle } from "xstate-operator";
import { z } from "zod";
const lifecycle = setupLifecycle({ guards: { isQuiet: () => true } }).createMachine({
  id: "shop", version: "1", initial: "Start",
  states: {
    Start: { on: { "observed.Open": "Open" }, after: { "10m": "HumanIntervention" } },
    Open: { on: { "desired.Counting": { target: "Counting", guard: "isQuiet" }, "desired.End": "End" } },
    Counting: { invoke: { src: "count", onDone: "Open", onError: "HumanIntervention" } },
    End: { type: "final" },
  },
});
const Shop = defineKind({ group: "web.example.com", version: "v1", kind: "Shop", spec: z.object({ size: z.int() }), lifecycle });
export default defineOperator({
  name: "shop-operator",
  controllers: [
    defineController(Shop, {
      application: {
        observe: ({ cr }) => (cr.spec.size > 0 ? { state: "Open" } : {}),
        tasks: { count: { start: () => undefined } },
      },
    }),
  ],
});
`,
};

type Cost = Readonly<Record<keyof typeof most, number>>;

const project = installBuilt(Object.entries(projects).map(([file, text]) => ({ file, text })));
try {
  const failures = Object.entries(compilers).flatMap(([name, command]) => check(name, command));
  for (const failure of failures) console.error(failure);
  process.exitCode = failures.length === 0 ? 0 : 1;
} finally {
  project.remove();
}

/** What is too dear in a compiler. */
function check(name: string, command: readonly string[]): readonly string[] {
  const costs = Object.keys(projects).map((file) => [file, costOf(command, file)] as const);
  const least = costs.find(([file]) => file === base)?.[1];
  return costs.flatMap(([file, cost]) => {
    if (typeof cost === "string") return [`${name} cannot compile ${file}:\n${cost}`];
    if (typeof least !== "object") return [];
    console.log(
      `${name}, ${file}: ${cost.files} files, ${cost.types} types, ${cost.instantiations} instantiations, ${cost.cpu || cost.clock} s`,
    );
    // TypeScript 7 is no program of Node: nobody says what it has used.
    const isNative = Number.isNaN(least.cpu) && name !== "TypeScript 5.9";
    return (["files", "types", "instantiations", "cpu", "clock"] as const)
      .filter((each) => !(cost[each] <= least[each] * most[each]) && !(each === "cpu" && isNative))
      .map(
        (each) => `${name} needs ${cost[each]} ${each} for ${file}, and ${least[each]} for xstate and zod`,
      );
  });
}

/** What a compilation costs, or what the compiler says when it fails. */
function costOf(command: readonly string[], file: string): Cost | string {
  const [compiler = "", ...more] = command;
  const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2024", "--types", "node"];
  const typeRoots = ["--typeRoots", join(root, "node_modules/@types")];
  const { stdout, status } = spawnSync(
    process.execPath,
    [
      "--import",
      tellingCpu,
      join(root, compiler),
      file,
      ...options,
      ...typeRoots,
      ...more,
      "--skipLibCheck",
      "false",
      "--extendedDiagnostics",
    ],
    { cwd: project.path("."), encoding: "utf8" },
  );
  if (status !== 0) return stdout;
  const figure = (label: string): number =>
    Number(new RegExp(`^${label}:\\s+([\\d.]+)`, "m").exec(stdout)?.[1]);
  return {
    files: figure("Files"),
    types: figure("Types"),
    instantiations: figure("Instantiations"),
    cpu: figure("CPU"),
    clock: figure("Total time"),
  };
}
