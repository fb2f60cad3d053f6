// Every page leads on: each link of a page goes to a file that is there, and to a heading that it has; and each page of the
// documentation can be reached from the README.
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "./code-blocks.ts";

const pages = globSync(["*.md", "docs/**/*.md", "examples/**/*.md", "bench/**/*.md"], { cwd: root })
  .filter((page) => !page.includes("node_modules/") && !page.startsWith("docs/reference/"))
  .toSorted();

/** What a page says, without what is code in it. */
function proseOf(page: string): string {
  return readFileSync(join(root, page), "utf8").replaceAll(/^(```+).*?^\1$/gms, "");
}

/** The anchors of a page, as GitHub makes them of its headings. */
function anchorsOf(page: string): readonly string[] {
  const seen = new Map<string, number>();
  return [...proseOf(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => {
    const slug = heading
      .replaceAll(/\]\(.*?\)/g, "]")
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_\- ]/gu, "")
      .replaceAll(" ", "-");
    const times = seen.get(slug) ?? 0;
    seen.set(slug, times + 1);
    return times === 0 ? slug : `${slug}-${times}`;
  });
}

/** The links of a page inside of the repository, as they stand there. */
function linksOf(page: string): readonly string[] {
  return [...proseOf(page).matchAll(/\]\((?![a-z]+:)([^)\s]+)\)/g)].map(([, link = ""]) => link);
}

/** Where a link of a page leads: a file or folder, and an anchor in it. */
function targetOf(
  page: string,
  link: string,
): { readonly path: string; readonly anchor: string | undefined } {
  const [path = "", anchor] = link.split("#");
  return { path: path === "" ? page : normalize(join(dirname(page), path)), anchor };
}

describe("the pages", () => {
  it.each(pages)("hold no two versions of a passage: %s", (page) => {
    expect(proseOf(page)).not.toMatch(/^(?:<{7}|>{7}) /m);
  });

  it.each(pages)("have links that lead somewhere: %s", (page) => {
    const broken = linksOf(page).filter((link) => {
      const { path, anchor } = targetOf(page, link);
      if (!existsSync(join(root, path))) return true;
      return anchor !== undefined && path.endsWith(".md") && !anchorsOf(path).includes(anchor);
    });
    expect(broken).toEqual([]);
  });

  it("can all be reached from the README", () => {
    const reached = new Set<string>(["README.md"]);
    for (const page of reached) {
      for (const link of linksOf(page)) {
        const { path } = targetOf(page, link);
        // A link to a folder shows the pages in it.
        for (const each of pages)
          if (each === path || dirname(each) === normalize(path.replace(/\/$/, ""))) reached.add(each);
      }
    }
    expect(pages.filter((page) => !reached.has(page))).toEqual([]);
  });
});
