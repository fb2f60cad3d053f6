// The tutorial is run: every step of it is an operator without a finding, all edges of which can be walked.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { isKind } from "../../src/kinds/is-kind.ts";
import { lifecycleTests } from "../../src/testing/index.ts";
import { runCommand } from "../cli/run-in-process.ts";
import { codeBlocks, writeBlocks } from "./code-blocks.ts";

const blocks = codeBlocks("docs/guides/lifecycle-tutorial.md");
const { folder, remove } = writeBlocks(blocks);
afterAll(() => {
  remove();
  rmSync(folder, { recursive: true, force: true });
});

const steps = blocks.map(({ file }) => file).filter((file) => file.startsWith("step-"));

describe.each(steps)("the tutorial's %s", async (file) => {
  const path = join(folder, file);
  const { Store } = (await import(pathToFileURL(path).href)) as { readonly Store: unknown };
  if (!isKind(Store)) throw new Error(`${file} exports no kind called Store`);

  for (const { name, run } of lifecycleTests(Store as never, {
    specs: [{}, file === "step-5.ts" ? { port: 5433 } : { pods: 2 }],
  }))
    it(name, run);

  it("is checked without a finding, and runs by default", async () => {
    expect(await runCommand(["check", path, "--strict"])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/default target is Running[\s\S]*no problems found/) as string,
    });
  });
});

it("the tutorial has five steps", () => {
  expect(steps).toEqual([1, 2, 3, 4, 5].map((step) => `step-${step}.ts`));
});
