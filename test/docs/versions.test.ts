// The code of the guide on versions, as it stands there.
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Kind } from "../../src/kinds/define-kind.ts";
import { convertObject } from "../../src/kinds/versions/convert.ts";
import { conversionTests } from "../../src/testing/conversion-tests.ts";
import { codeBlocks, writeBlocks } from "./code-blocks.ts";

describe("the guide on versions", () => {
  let blocks: ReturnType<typeof writeBlocks>;
  let disk: Kind;
  beforeAll(async () => {
    blocks = writeBlocks(
      codeBlocks("docs/guides/versions.md").filter(({ file }) => !file.endsWith(".test.ts")),
    );
    ({ Disk: disk } = (await import(join(blocks.folder, "disk.ts"))) as { readonly Disk: Kind });
  });
  afterAll(() => blocks.remove());

  it("declares versions that pass their tests", async () => {
    const tests = conversionTests(disk);
    expect(tests).toHaveLength(2);
    for (const { run } of tests) await run();
  });

  it("shows an object of which the old version cannot express all, and nothing is lost", () => {
    const object = {
      apiVersion: "storage.example.com/v1",
      kind: "Disk",
      metadata: {},
      spec: { size: { amount: 1500, unit: "Mi" }, users: [{ name: "ada", quota: 3 }] },
    };
    const old = convertObject(disk, object, "v1alpha1");
    expect(old.spec).toEqual({ sizeGb: 1, owner: "ada" });
    expect(convertObject(disk, old, "v1")).toEqual(object);
  });
});
