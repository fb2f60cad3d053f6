// What the types cost whoever imports the library: builds the package, and compiles a user's project against it with the compiler
// of the project and with TypeScript 5.9, libraries checked too. Counts of types and instantiations are the same on every
// machine, so they have the limits; the time has a generous one. Run by `npm run check:type-cost`.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { installBuilt } from "../build/built-package.ts";

const root = join(import.meta.dirname, "../..");

/** Of one compiler: where it is, and what a compilation may cost. */
interface Compiler {
  readonly name: string;
  readonly path: string;
  readonly most: Readonly<Record<"types" | "instantiations" | "seconds", number>>;
}

const compilers: readonly Compiler[] = [
  {
    name: "TypeScript 7",
    path: "node_modules/typescript/bin/tsc",
    most: { types: 240_000, instantiations: 450_000, seconds: 60 },
  },
  {
    name: "TypeScript 5.9",
    path: "test/types/typescript-5.9/node_modules/typescript/bin/tsc",
    most: { types: 200_000, instantiations: 400_000, seconds: 120 },
  },
];

const projects = {
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

const project = installBuilt(Object.entries(projects).map(([file, text]) => ({ file, text })));
try {
  const failures = compilers.flatMap((compiler) =>
    Object.keys(projects).flatMap((file) => check(compiler, file, project.path("."))),
  );
  for (const failure of failures) console.error(failure);
  process.exitCode = failures.length === 0 ? 0 : 1;
} finally {
  project.remove();
}

/** What is wrong with a compilation. */
function check({ name, path, most }: Compiler, file: string, folder: string): readonly string[] {
  const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2024", "--types", "node"];
  const typeRoots = ["--typeRoots", join(root, "node_modules/@types")];
  const { stdout, status } = spawnSync(
    process.execPath,
    [join(root, path), file, ...options, ...typeRoots, "--skipLibCheck", "false", "--extendedDiagnostics"],
    { cwd: folder, encoding: "utf8" },
  );
  if (status !== 0) return [`${name} cannot compile ${file}:\n${stdout}`];
  const figure = (label: string): number =>
    Number(new RegExp(`^${label}:\\s+([\\d.]+)`, "m").exec(stdout)?.[1]);
  const cost = {
    types: figure("Types"),
    instantiations: figure("Instantiations"),
    seconds: figure("Total time"),
  };
  console.log(
    `${name}, ${file}: ${cost.types} types, ${cost.instantiations} instantiations, ${cost.seconds} s`,
  );
  return (["types", "instantiations", "seconds"] as const)
    .filter((each) => !(cost[each] <= most[each]))
    .map((each) => `${name} needs ${cost[each]} ${each} for ${file}; the limit is ${most[each]}`);
}
