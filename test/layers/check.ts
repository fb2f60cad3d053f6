// Holds the code to the layer table of ARCHITECTURE.md: every import, type-only ones included, must be allowed there,
// and neither files nor the folders of a layer may import each other in a circle.
// Run as `npm run check:layers`; the rules themselves are in layer-rules.ts.
import { readFileSync } from "node:fs";
import { findCycles, findFolderCycles, findViolations, parseLayerTable, readImports } from "./layer-rules.ts";

const root = new URL("../../", import.meta.url).pathname;
const layers = parseLayerTable(readFileSync(`${root}ARCHITECTURE.md`, "utf8"));
const imports = readImports(root);
const violations = [...findViolations(layers, imports), ...findCycles(imports), ...findFolderCycles(imports)];
for (const violation of violations) console.error(violation);
console.log(
  `${imports.length} imports checked against ${layers.length} layers: ${violations.length} not allowed`,
);
process.exitCode = violations.length === 0 ? 0 : 1;
