// Puts the styles of pages beside their compiled modules: the compiler leaves out what is not TypeScript.
import { cpSync, globSync } from "node:fs";

for (const style of globSync("src/*/browser/**/*.css")) cpSync(style, `dist/${style}`);
