// Operators that are files, written as projects in TypeScript: the examples, and one that uses everything.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { runCommand } from "../cli/run-in-process.ts";
import { everything } from "./everything.ts";

/** Their names. */
export const projects = ["redis", "memcached", "living", "plans", "everything"] as const;

/** Writes them below a folder of the repository, and returns the file that each was made of. */
export async function writeProjects(folder: string): Promise<Readonly<Record<string, string>>> {
  for (const [name, text] of Object.entries(everything)) {
    const file = join(folder, "written", name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const sources: Record<(typeof projects)[number], string> = {
    redis: "examples/redis/operator.yaml",
    memcached: "examples/memcached/operator.yaml",
    living: "examples/lifecycles/memcached/operator.yaml",
    plans: "examples/kudo-style/operator.yaml",
    everything: join(folder, "written/operator.yaml"),
  };
  for (const [name, file] of Object.entries(sources)) {
    const to = join(folder, name);
    const { code, err } = await runCommand(["generate", "typescript", file, "--out", to]);
    expect({ name, code, err: code === 0 ? "" : err }).toEqual({ name, code: 0, err: "" });
    // Here they find this package as a part of it does, and are held to its settings of the compiler.
    for (const settings of ["package.json", "tsconfig.json"]) rmSync(join(to, settings));
  }
  return sources;
}
