import { afterEach, describe, expect, it, vi } from "vitest";
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

  it("show what a text would do to a terminal, and pass on bytes", () => {
    const written: unknown[] = [];
    const write = (data: unknown): boolean => written.push(data) > 0;
    const spies = [process.stdout, process.stderr].map((stream) =>
      vi.spyOn(stream, "write").mockImplementation(write as typeof stream.write),
    );
    try {
      const { out, err } = processTerminal();
      out("a\u001B[2Jb\n");
      err("c\u0007\u202Ed\n");
      out(new Uint8Array([27]));
    } finally {
      for (const spy of spies) spy.mockRestore();
    }
    expect(written).toEqual(["a\\u001b[2Jb\n", "c\\u0007\\u202ed\n", new Uint8Array([27])]);
  });
});
