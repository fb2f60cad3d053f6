// Programs of published Rust crates, built from the crate as it is published and with the dependencies that its own lock file names.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";

/** A crate's program. */
export interface CrateProgram {
  readonly crate: string;
  readonly version: string;
  /** An example of the crate; default its binary, which is named as the crate. */
  readonly example?: string;
  /** A package in this folder that is built with the crate's dependencies, and is named as its folder. */
  readonly beside?: string;
}

/** Builds it in a copy of the crate, which is kept; says why when it cannot be built. */
export function buildCrate({ crate, version, example, beside }: CrateProgram):
  | {
      readonly file: string;
      /** The program of the package beside it. */
      readonly besideFile: string;
      /** Where the copy is. */
      readonly folder: string;
    }
  | { readonly failure: string } {
  const folder = join(tmpdir(), "xstate-operator-foreign", "operators", `${crate}-${version}`);
  const output = join(folder, "target/debug");
  const built = {
    file: join(output, example === undefined ? crate : `examples/${example}`),
    besideFile: join(output, beside ?? ""),
    folder,
  };
  const wanted = `${example ?? "its binary"}\n${besideText(beside)}`;
  const stamp = join(folder, "built");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return built;

  const fetched = cargo(["info", `${crate}@${version}`], tmpdir());
  if (fetched !== undefined) return { failure: fetched };
  const sources = join(process.env["CARGO_HOME"] ?? join(homedir(), ".cargo"), "registry/src");
  const source = readdirSync(sources)
    .map((registry) => join(sources, registry, `${crate}-${version}`))
    .find((each) => existsSync(each));
  if (source === undefined) return { failure: `${crate} ${version} is not in ${sources}` };

  // What was compiled is kept: the rest of a build that was broken off.
  const members = [crate, ...(beside === undefined ? [] : [beside])];
  for (const member of members) rmSync(join(folder, member), { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  cpSync(source, join(folder, crate), { recursive: true });
  if (beside !== undefined) {
    cpSync(join(import.meta.dirname, beside), join(folder, beside), { recursive: true });
  }
  cpSync(join(source, "Cargo.lock"), join(folder, "Cargo.lock"));
  writeFileSync(
    join(folder, "Cargo.toml"),
    `[workspace]\nresolver = "2"\nmembers = ${JSON.stringify(members)}\n`,
  );
  const packages = members.map((member) => `--package=${member}`);
  const target = example === undefined ? "--bins" : `--example=${example}`;
  const failure = cargo(["build", "--jobs=2", ...packages, target], folder);
  if (failure !== undefined) return { failure };
  writeFileSync(stamp, wanted);
  return built;
}

function besideText(beside: string | undefined): string {
  if (beside === undefined) return "";
  const folder = join(import.meta.dirname, beside);
  return ["Cargo.toml", "src/main.rs"].map((file) => readFileSync(join(folder, file), "utf8")).join("\n");
}

/** Runs cargo; the end of what it says when it fails. */
function cargo(args: readonly string[], cwd: string): string | undefined {
  const { status, stderr, error } = spawnSync("cargo", args, {
    cwd,
    encoding: "utf8",
    maxBuffer: 64 * 1_024 * 1_024,
    // Debug information takes much of the time.
    env: { ...process.env, CARGO_PROFILE_DEV_DEBUG: "0" },
  });
  if (status === 0) return undefined;
  const said = error?.message ?? stderr.trim().split("\n").slice(-3).join("; ");
  return `cargo ${args.join(" ")}: ${said}`;
}
