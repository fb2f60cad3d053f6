import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { codeBlocks, root, typeErrors, writeBlocks } from "./code-blocks.ts";
import { guides, withDrawings } from "./diagrams.ts";

describe("the guides", () => {
  it("are there", () => {
    expect(guides).toEqual([
      "docs/guides/diagrams.md",
      "docs/guides/embedded-cluster.md",
      "docs/guides/lifecycle.md",
      "docs/guides/operating.md",
      "docs/guides/seeing-it.md",
      "docs/guides/testing.md",
      "docs/guides/tracing.md",
      "docs/guides/writing-an-operator.md",
    ]);
  });

  it.each(guides.filter((page) => codeBlocks(page).length > 0))(
    "have code without a type error: %s",
    (page) => {
      const { folder, remove } = writeBlocks(codeBlocks(page));
      try {
        expect(typeErrors(folder)).toBe("");
      } finally {
        remove();
      }
    },
    60_000,
  );

  it.each(guides)("have drawings of what is there (else: npx node test/docs/diagrams.ts): %s", (page) => {
    expect(readFileSync(join(root, page), "utf8")).toBe(withDrawings(page).text);
  });

  it("draw the pipeline and the lifecycle that operators have by default", () => {
    expect(withDrawings("docs/guides/writing-an-operator.md").drawings).toBe(1);
    expect(withDrawings("docs/guides/lifecycle.md").drawings).toBe(1);
  });

  it.each(guides)("have no link to a file that is not there: %s", (page) => {
    const links = [...readFileSync(join(root, page), "utf8").matchAll(/\]\((?!https?:)([^)#]+)/g)];
    expect(
      links.map(([, path = ""]) => path).filter((path) => !existsSync(join(root, dirname(page), path))),
    ).toEqual([]);
  });
});
