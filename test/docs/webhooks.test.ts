// The guide on webhooks: its test is run, and so are its commands.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { runCommand } from "../cli/run-in-process.ts";
import { codeBlocks, root, writeBlocks } from "./code-blocks.ts";

const page = "docs/guides/webhooks.md";
const { folder, remove } = writeBlocks(codeBlocks(page));
afterAll(remove);

describe("the test in the guide on webhooks", async () => {
  await import(pathToFileURL(join(folder, "volumes.test.ts")).href);
});

const commands = [
  ...readFileSync(join(root, page), "utf8").matchAll(/^```sh\nxstate-operator (.*)\n```$/gm),
].map(([, command = ""]) => command);

it.each(commands.filter((command) => command.startsWith("generate")))(
  "has a command that works: %s",
  async (command) => {
    const args = command.replace("volumes.ts", join(folder, "volumes.ts")).split(" ");
    const { code, out, err } = await runCommand(args);
    expect(code, err).toBe(0);
    expect(out).toContain("kind: ValidatingWebhookConfiguration");
  },
);

it("has commands that run the operator", () => {
  expect(commands.map((command) => command.split(" ")[0])).toEqual(["run", "generate", "run"]);
});
