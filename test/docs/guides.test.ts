import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { codeBlocks, root, typeErrorsOf } from "./code-blocks.ts";
import { guides, withDrawings } from "./diagrams.ts";

describe("the guides", () => {
  it("are there", () => {
    expect(guides.length).toBeGreaterThan(15);
  });

  it("are all in the index", () => {
    const index = readFileSync(join(root, "docs/README.md"), "utf8");
    const listed = [...index.matchAll(/\]\((guides\/[^)#]+)\)/g)].map(([, path = ""]) => `docs/${path}`);
    expect([...new Set(listed)].toSorted()).toEqual(guides);
  });

  describe("and the README", () => {
    const pages = [...guides, "README.md"].filter((page) => codeBlocks(page).length > 0);
    let errors: ReadonlyMap<string, readonly string[]>;
    beforeAll(() => {
      errors = typeErrorsOf(pages);
    }, 120_000);

    it.each(pages)("have code without a type error: %s", (page) => {
      expect(errors.get(page)).toEqual([]);
    });
  });

  describe("show graphs", () => {
    const drawn = new Map<string, ReturnType<typeof withDrawings>>();
    beforeAll(() => {
      for (const page of guides) drawn.set(page, withDrawings(page));
    });

    it.each(guides)("as they are (else: npx node test/docs/diagrams.ts): %s", (page) => {
      expect(readFileSync(join(root, page), "utf8")).toBe(drawn.get(page)?.text);
    });

    it("of the pipeline and the lifecycle that operators have by default", () => {
      expect(drawn.get("docs/guides/writing-an-operator.md")?.drawings).toBe(1);
      expect(drawn.get("docs/guides/lifecycle.md")?.drawings).toBe(1);
    });
  });
});
