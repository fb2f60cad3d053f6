// The TypeScript of a Markdown page, and its check by the compiler: what readers copy must be what works.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The repository. */
export const root = new URL("../../", import.meta.url).pathname;

/** One block of a page: the file that its first line names, and its text. */
export interface CodeBlock {
  readonly file: string;
  readonly text: string;
}

/** The TypeScript blocks of a page, by the name in their first line (`// website.ts: …`); throws for one without. */
export function codeBlocks(page: string): CodeBlock[] {
  const markdown = readFileSync(join(root, page), "utf8");
  return [...markdown.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, text = ""]) => {
    const file = /^\/\/ ([a-z0-9.-]+\.ts)\b/.exec(text)?.[1];
    if (file === undefined)
      throw new Error(`${page}: a block begins without "// name.ts":\n${text.slice(0, 80)}`);
    return { file, text };
  });
}

/** Writes the blocks into a folder of the repository, where they find the package as an author's project does. */
export function writeBlocks(blocks: readonly CodeBlock[]): { folder: string; remove: () => void } {
  mkdirSync(join(root, ".tmp"), { recursive: true });
  const folder = mkdtempSync(join(root, ".tmp", "docs-"));
  for (const { file, text } of blocks) writeFileSync(join(folder, file), text);
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** What the compiler says about the files of a folder, as strict as this repository; empty when nothing is wrong. */
export function typeErrors(folder: string): string {
  const config = {
    extends: join(root, "tsconfig.json"),
    compilerOptions: { noUnusedLocals: false },
    include: [join(folder, "*.ts")],
  };
  const path = join(folder, "tsconfig.json");
  writeFileSync(path, JSON.stringify(config));
  const { stdout } = spawnSync(
    process.execPath,
    [join(root, "node_modules/typescript/bin/tsc"), "-p", path],
    {
      cwd: root,
      encoding: "utf8",
    },
  );
  // What is wrong elsewhere is the business of npm run check:types.
  return stdout
    .split("\n")
    .filter((line) => line.includes(".tmp/"))
    .join("\n");
}
