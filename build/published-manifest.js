// The package.json that is published: without scripts, development packages and the condition under which this repository
// imports its sources, as nothing of these is in the package. `write` before npm packs, `restore` after it.
// In syntax that any Node parses.
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const manifest = join(root, "package.json");
const original = join(root, ".tmp", "package.json");

const [, , what] = process.argv;
// One that was interrupted has left the published one in place.
if (existsSync(original)) renameSync(original, manifest);
if (what === "write") {
  mkdirSync(dirname(original), { recursive: true });
  copyFileSync(manifest, original);
  const content = JSON.parse(readFileSync(manifest, "utf8"));
  for (const field of ["scripts", "devDependencies", "devEngines", "allowScripts"]) delete content[field];
  for (const entry of Object.values(content.exports)) delete entry["xstate-operator-source"];
  writeFileSync(manifest, `${JSON.stringify(content, null, 2)}\n`);
}
