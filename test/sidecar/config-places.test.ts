import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runSidecar } from "../../src/sidecar/run-sidecar.ts";

let folder: string;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), "sidecar-config-"))));
afterAll(() => rmSync(folder, { recursive: true }));

const right = "directory: /tmp/a\ntasks:\n  back.up:\n    command: [true]\n";

describe("a sidecar's configuration that is wrong", () => {
  it.each([
    ["a broken text", "directory: [a\ntasks: b", "2:1: this is not YAML"],
    ["an empty file", "", "1:1: the file is empty, and directory is missing"],
    ["an unknown option", `${right}ports: 1\n`, "5:1: ports is unknown"],
    ["an option of another type", `${right}port: http\n`, "5:1: port must be a whole number"],
    [
      "an option of a task with a dot",
      right.replace("command: [true]", "command: yes"),
      "4:5: tasks.back.up.command must be",
    ],
    [
      "a task without work",
      right.replace("    command: [true]\n", "    timeout: 1m\n"),
      "3:3: tasks.back.up must have either command or url",
    ],
    [
      "a variable that is not set",
      right.replace("/tmp/a", "${NOWHERE}"),
      "1:12: the environment has no NOWHERE",
    ],
  ])("is named with its place for %s", async (_, text, said) => {
    const config = join(folder, "sidecar.yaml");
    writeFileSync(config, text);
    const running = runSidecar({ config, env: {}, write: () => undefined, signal: AbortSignal.abort() });
    await expect(running).rejects.toThrow(`${config}:${said}`);
  });
});
