// Puts the styles of pages, and the dictionary of kinds, beside the compiled modules: the compiler leaves out what is not
// TypeScript.
import { cpSync, globSync } from "node:fs";

for (const file of globSync(["src/*/browser/**/*.css", "src/scaffold/*.yaml"])) cpSync(file, `dist/${file}`);
