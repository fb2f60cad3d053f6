// A small Go program around a tool's own module: built once, then asked one line at a time.
import {
  spawn,
  spawnSync,
  type ChildProcessWithoutNullStreams,
  type SpawnSyncReturns,
} from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
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
    if (status !== 0) return { failure: lastLines(`go ${args.join(" ")}`, stderr) };
  }
  return { file: join(folder, program) };
}

/** Builds a program of somebody's module, such as `example.com/tool/cmd/tool@v1.2.3`; says why when it cannot be built. */
export function installGo(
  program: string,
  tags: readonly string[] = [],
): { readonly file: string } | { readonly failure: string } {
  const folder = join(tmpdir(), "xstate-operator-foreign", "bin");
  const args = ["install", ...(tags.length === 0 ? [] : [`-tags=${tags.join(",")}`]), program];
  const env = { ...process.env, GOBIN: folder, CGO_ENABLED: "0" };
  const { status, stderr } = spawnSync("go", args, { encoding: "utf8", env });
  if (status !== 0) return { failure: lastLines(`go ${args.join(" ")}`, stderr) };
  const path = program.replace(/@.*$/, "").replace(/\/v\d+$/, "");
  return { file: join(folder, basename(path)) };
}

/**
 * Builds main packages of somebody's module in a copy of the module, so with what its own go.mod replaces. The copy is kept, and
 * has the module's manifests.
 */
export function buildGoModule(
  name: string,
  module: string,
  ...mains: readonly string[]
): { readonly files: readonly string[]; readonly folder: string } | { readonly failure: string } {
  const folder = join(tmpdir(), "xstate-operator-foreign", "operators", name);
  const files = mains.map((_, index) => join(folder, index === 0 ? "program" : `program-${index}`));
  const built = { files, folder };
  const stamp = join(folder, "built-from");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === module) return built;
  const source = sourceOf(module);
  if ("failure" in source) return source;
  const go = (args: readonly string[], cwd: string): SpawnSyncReturns<string> =>
    spawnSync("go", args, {
      cwd,
      encoding: "utf8",
      env: { ...process.env, CGO_ENABLED: "0", GOFLAGS: "-mod=mod -buildvcs=false -p=2" },
    });
  rmSync(folder, { recursive: true, force: true });
  cpSync(source.folder, folder, { recursive: true });
  spawnSync("chmod", ["-R", "u+w", folder]);
  // What is replaced by another folder of its repository is a module of its own, which go.mod requires too.
  const text = readFileSync(join(folder, "go.mod"), "utf8");
  for (const [, replaced = ""] of text.matchAll(/^\s*(?:replace )?(\S+) => \.{1,2}\//gm)) {
    go(["mod", "edit", `-dropreplace=${replaced}`], folder);
  }
  for (const [index, main] of mains.entries()) {
    const { status: failed, stderr } = go(["build", "-o", files[index]!, main], folder);
    if (failed !== 0) return { failure: lastLines(`go build ${module} ${main}`, stderr) };
  }
  writeFileSync(stamp, module);
  return built;
}

/** Where the source of a module is, which is not to be changed; says why where it cannot be had. */
export function sourceOf(module: string): { readonly folder: string } | { readonly failure: string } {
  const { status, stdout, error } = spawnSync("go", ["mod", "download", "-json", module], {
    cwd: tmpdir(),
    encoding: "utf8",
  });
  return status === 0
    ? { folder: (JSON.parse(stdout) as { Dir: string }).Dir }
    : { failure: lastLines(`go mod download ${module}`, error?.message ?? stdout) };
}

function lastLines(command: string, said: string): string {
  return `${command}: ${said.trim().split("\n").slice(-3).join("; ")}`;
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
