// What of the package is not bundled: modules that pages load and modules that are found by their place, which lose their types;
// styles and the dictionary of kinds, as they are; and of the types those that an entry leads to.
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { dirname, join } from "node:path";
import { kept } from "./kept-modules.ts";

for (const file of globSync(["src/*/browser/**/*.css", "src/scaffold/*.yaml"])) cpSync(file, `dist/${file}`);

const written = new Set<string>();

/** Writes a module without its types, and what it imports. */
function write(file: string): void {
  if (written.has(file)) return;
  written.add(file);
  const text = stripTypeScriptTypes(readFileSync(file, "utf8"));
  const built = join("dist", file.replace(/\.ts$/, ".js"));
  mkdirSync(dirname(built), { recursive: true });
  writeFileSync(
    built,
    text.replaceAll(/(\b(?:from|import) ")(\.[^"]+)\.ts(?=")/g, (_import, before: string, path: string) => {
      write(join(dirname(file), `${path}.ts`));
      return `${before}${path}.js`;
    }),
  );
}
for (const file of [...kept.map((name) => `${name}.ts`), ...globSync("src/*/browser/**/*.ts")]) write(file);

const reached = new Set<string>();
function reach(file: string): void {
  if (reached.has(file)) return;
  reached.add(file);
  for (const [, path = ""] of readFileSync(file, "utf8").matchAll(
    /(?:\bfrom |\bimport\()"(\.[^"]+)\.[jt]s"/g,
  ))
    reach(join(dirname(file), `${path}.d.ts`));
}
const { exports } = JSON.parse(readFileSync("package.json", "utf8")) as {
  readonly exports: Readonly<Record<string, { readonly types: string }>>;
};
for (const { types } of Object.values(exports)) reach(join(types));
for (const file of globSync("dist/**/*.d.ts")) if (!reached.has(file)) rmSync(file);
