// The TypeScript of a Markdown page, and its check by the compiler: what readers copy must be what works.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

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

/**
 * What the compiler says about the code of each page, as strict as this repository; the code of a page is a folder of its
 * own, and all are one program, which takes the compiler little more time than one page.
 */
export function typeErrorsOf(pages: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const { folder, remove } = writeBlocks([]);
  try {
    for (const [index, page] of pages.entries()) {
      mkdirSync(join(folder, `page-${index}`));
      for (const { file, text } of codeBlocks(page)) writeFileSync(join(folder, `page-${index}`, file), text);
    }
    const config = {
      extends: join(root, "tsconfig.json"),
      compilerOptions: { noUnusedLocals: false },
      include: [join(folder, "*/*.ts")],
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
    const compiler = join(root, "node_modules/typescript/bin/tsc");
    const args = [compiler, "-p", join(folder, "tsconfig.json"), "--listFiles"];
    const { stdout } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" });
    const lines = stdout.split("\n");
    // What is wrong elsewhere is the business of npm run check:types.
    return new Map(
      pages.map((page, index) => {
        const place = `${basename(folder)}/page-${index}/`;
        const errors = lines.filter((line) => line.includes(place) && line.includes("): error "));
        const skipped = codeBlocks(page)
          .filter(({ file }) => !lines.some((line) => line.endsWith(place + file)))
          .map(({ file }) => `${file} was not compiled`);
        return [page, [...errors, ...skipped]];
      }),
    );
  } finally {
    remove();
  }
}
