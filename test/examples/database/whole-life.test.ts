// The tour as `npm start -- --exit` runs it: cluster, operator process, PostgreSQL, kill -9, restore, end.
import { existsSync, globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { runTour } from "../../../examples/database/tour/main.ts";

/** Command lines of this machine's processes; empty where there is no /proc. */
const commandLines = (): string[] =>
  globSync("/proc/[0-9]*/cmdline").flatMap((file) => {
    try {
      return readFileSync(file, "utf8").replaceAll("\u0000", " ");
    } catch {
      return []; // It has ended meanwhile.
    }
  });

describe("the tour", () => {
  it(
    "drives a real database through its whole life and leaves nothing behind",
    { timeout: 150_000 },
    async () => {
      const written: string[] = [];
      const code = await runTour({
        exit: true,
        color: false,
        output: { write: (text) => written.push(text) },
        signal: new AbortController().signal,
      });
      const text = written.join("");
      expect(text).not.toContain("has failed");
      expect(code, text).toBe(0);
      const path = "Running -> Servicing -> Running -> Reconfiguring -> Running -> Servicing -> Running";
      expect(text).toContain(`the path: Start -> ${path} -> Stopping -> End\n`);
      expect(text).toContain("spec.maxConnections cannot be changed in Servicing, only in Start, Running");
      expect(text).toContain("wait until it is done, or send abort");
      expect(text).toContain("because abort was asked for");
      expect(text).toMatch(/event +TaskCompensated: /);
      expect(text).toContain("PostgreSQL itself: max_connections is 80\n");
      expect(text).toContain("PostgreSQL itself: work_mem is 16MB\n");
      expect(text).toContain('the row that the restored backup gave: {"id":3,"customer":"Grace"}\n');
      expect(text).toContain("one wish, one Job");
      expect(text).toMatch(/progress.*streaming database files/);
      expect(text).not.toContain("\u001B");

      const folder = /everything of it is in (\S+)/.exec(text)?.[1] ?? "";
      expect(folder).toContain("xstate-operator-");
      expect(existsSync(folder)).toBe(false);
      expect(commandLines().filter((line) => line.includes(folder))).toEqual([]);
    },
  );

  it("ends in order when it is interrupted", { timeout: 60_000 }, async () => {
    const interrupt = new AbortController();
    const written: string[] = [];
    const write = (text: string): void => {
      written.push(text);
      if (text.includes("A Database is wished for")) interrupt.abort();
    };
    const code = await runTour({ exit: true, color: false, output: { write }, signal: interrupt.signal });
    const text = written.join("");
    expect(code, text).toBe(130);
    expect(text).toContain("The tour was interrupted.");
    const folder = /everything of it is in (\S+)/.exec(text)?.[1] ?? "";
    expect(existsSync(folder)).toBe(false);
    expect(commandLines().filter((line) => line.includes(folder))).toEqual([]);
  });
});
