// A small Go program around a tool's own module: built once, then asked one line at a time.
import { spawn, spawnSync, type ChildProcessWithoutNullStreams } from "node:child_process";
import { cpSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** Whether there is a Go toolchain. */
export function hasGo(): boolean {
  return spawnSync("go", ["version"]).status === 0;
}

/** Builds the program of a folder here, or one that it names as a tool; says why when it cannot be built. */
export function buildGo(name: string, tool = "."): { readonly file: string } | { readonly failure: string } {
  const program =
    tool === "."
      ? "program"
      : (tool
          .replace(/\/v\d+$/, "")
          .split("/")
          .at(-1) ?? "");
  const folder = join(tmpdir(), "xstate-operator-foreign", name);
  mkdirSync(folder, { recursive: true });
  cpSync(join(import.meta.dirname, name), folder, { recursive: true });
  for (const args of [
    ["mod", "tidy"],
    ["build", "-o", program, tool],
  ]) {
    const { status, stderr } = spawnSync("go", args, { cwd: folder, encoding: "utf8" });
    if (status !== 0)
      return { failure: `go ${args.join(" ")}: ${stderr.trim().split("\n").slice(-3).join("; ")}` };
  }
  return { file: join(folder, program) };
}

/** A running program that answers each line with one line. */
export class GoProgram {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #answers: AsyncIterator<string>;

  constructor(file: string, args: readonly string[] = []) {
    this.#child = spawn(file, args);
    this.#child.stderr.pipe(process.stderr);
    this.#answers = createInterface(this.#child.stdout)[Symbol.asyncIterator]();
  }

  tell(line: string): void {
    this.#child.stdin.write(`${line}\n`);
  }

  async ask(line: string): Promise<string> {
    this.tell(line);
    const answer = await this.#answers.next();
    if (answer.done === true) throw new Error("the program ended without an answer");
    return answer.value;
  }

  stop(): void {
    this.#child.stdin.end();
  }
}
