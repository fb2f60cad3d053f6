import { afterEach, describe, expect, it } from "vitest";
import { processTerminal } from "../../src/cli/terminal.ts";

describe("the streams of the terminal", () => {
  const before = process.stdout.listeners("error");

  afterEach(() => {
    for (const each of process.stdout.listeners("error")) {
      if (!before.includes(each)) process.stdout.removeListener("error", each as () => void);
    }
  });

  const fail = (code: string): void =>
    void process.stdout.emit("error", Object.assign(new Error(code), { code }));

  it.each([
    ["a pipe that nobody reads any more", "EPIPE"],
    ["a window that was closed", "EIO"],
  ])("survive %s, so that the end stays in order", (_what, code) => {
    processTerminal();
    expect(() => fail(code)).not.toThrow();
  });

  it("do not hide other failures", () => {
    processTerminal();
    expect(() => fail("ENOSPC")).toThrow("ENOSPC");
  });
});
