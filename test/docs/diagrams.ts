// The drawings in the guides: a comment `<!-- graph: module [machine] -->` names what is drawn, the block below it is the
// drawing. Run this file to draw them anew.
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { spawnSync } from "node:child_process";

const root = new URL("../../", import.meta.url).pathname;

/** Pages that may have drawings. */
export const guides: readonly string[] = globSync("docs/guides/*.md", { cwd: root }).toSorted();

/** The text of a page with every drawing as `xstate-operator graph` makes it now, and how many there are. */
export function withDrawings(page: string): { readonly text: string; readonly drawings: number } {
  let drawings = 0;
  const text = readFileSync(join(root, page), "utf8").replaceAll(
    /(<!-- graph: (\S+)(?: (\S+))? -->\n)(\n```mermaid\n.*?\n```\n)?/gs,
    (_, marker: string, module: string, machine: string | undefined) => {
      drawings += 1;
      return `${marker}\n\`\`\`mermaid\n${draw(module, machine)}\`\`\`\n`;
    },
  );
  return { text, drawings };
}

function draw(module: string, machine: string | undefined): string {
  const named = machine === undefined ? [] : ["--machine", machine];
  const args = [join(root, "bin/xstate-operator.js"), "graph", join(root, module), ...named];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`xstate-operator graph ${module}: ${stderr}`);
  return stdout;
}

if (import.meta.main) for (const page of guides) writeFileSync(join(root, page), withDrawings(page).text);
