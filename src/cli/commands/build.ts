// `build`: one file that is the operator, and the Dockerfile of an image around it.
import { spawn } from "node:child_process";
import { copyFile, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Command } from "commander";
import { makeFolder, makeTemporaryFolder } from "../../cluster/make-folder.ts";
import { OperatorError } from "../../ports/operator-error.ts";
import { operatorImage } from "../../scaffold/image-files.ts";
import { examplesText } from "../examples-text.ts";
import { writeGenerated } from "../generate/generated-files.ts";
import { moduleFile } from "../module-file.ts";
import { loadOperator } from "../load-operator.ts";
import { createProgress } from "../progress.ts";
import type { Terminal } from "../terminal.ts";

interface BuildOptions {
  readonly out: string;
  readonly include?: readonly string[];
  readonly force?: boolean;
}

/** The command `build`. */
export function buildCommand(terminal: Terminal): Command {
  return new Command("build")
    .description("Build an operator into one file that needs no node_modules, and a Dockerfile for it.")
    .argument(
      "<operator>",
      "module that default-exports an operator, a file of YAML that is one, or its folder",
    )
    .option("--out <folder>", "folder of the files", "dist")
    .option(
      "--include <file...>",
      'files that the operator reads at run time, below its folder; those of `new URL("…", import.meta.url)` are found',
    )
    .option("--force", "overwrite a Dockerfile that was changed since it was generated")
    .addHelpText(
      "after",
      examplesText("build operator.ts", "build operator.ts --include templates/page.yaml --out image"),
    )
    .action((path: string, options: BuildOptions) => build(terminal, path, options));
}

async function build(
  terminal: Terminal,
  path: string,
  { out, include = [], force }: BuildOptions,
): Promise<void> {
  const progress = createProgress(terminal);
  const operator = await loadOperator(terminal.path(path));
  const module = moduleFile(terminal.path(path));
  const folder = terminal.path(out);
  progress.begin(`building ${operator.name}`);
  const { bundleOperator } = await import("../build/bundle-operator.ts");
  await makeFolder(folder);
  const { file, bytes, assets, programs, readers } = await bundleOperator(
    module,
    join(folder, "operator.mjs"),
  );
  const included = [...new Set([...assets, ...include])].toSorted();
  for (const asset of included) await copyAsset(join(dirname(module), asset), join(folder, asset));
  const copies = [
    ...programs.flatMap((program) => {
      const source = images[program];
      return source === undefined
        ? []
        : [`COPY --from=${source.image} ${source.path} /usr/local/bin/${program}`];
    }),
    "COPY operator.mjs operator.mjs.map ./",
    ...included.map((asset) => `COPY ${JSON.stringify([asset, `./${asset}`])}`),
  ];
  const [dockerfile] = await writeGenerated(folder, [{ path: "Dockerfile", text: operatorImage(copies) }], {
    force,
  });
  progress.done(`built ${operator.name}`);
  terminal.out(`${out}/operator.mjs  ${inMegabytes(bytes)}, starts in ${await startTime(file)} ms\n`);
  terminal.out(`${out}/operator.mjs.map  ${inMegabytes((await stat(`${file}.map`)).size)}\n`);
  for (const asset of included) terminal.out(`${out}/${asset}\n`);
  terminal.out(`${out}/Dockerfile  ${dockerfile?.outcome ?? "kept"}\n`);
  const unknown = programs.filter((program) => images[program] === undefined);
  if (unknown.length > 0) {
    terminal.err(`${unknown.join(", ")}: the operator runs it; add it to the image.\n`);
  }
  if (readers.length > 0 && include.length === 0) {
    terminal.err(
      `${readers.join(", ")}: read files beside themselves by names that are not literal. Name those files with --include, or write new URL("<file>", import.meta.url).\n`,
    );
  }
}

async function copyAsset(from: string, to: string): Promise<void> {
  try {
    await makeFolder(dirname(to));
    await copyFile(from, to);
  } catch (error) {
    throw new OperatorError("FILE_NOT_WRITTEN", `${from} cannot be copied to ${to}`, {
      cause: error,
      remedy: "Check the names after --include: they are relative to the operator's folder.",
    });
  }
}

/** Images with the programs that render charts, and where they are in them. */
const images: Readonly<Record<string, { readonly image: string; readonly path: string }>> = {
  helm: { image: "docker.io/alpine/helm:3.19.0", path: "/usr/bin/helm" },
  kustomize: { image: "registry.k8s.io/kustomize/kustomize:v5.7.1", path: "/app/kustomize" },
};

/** Milliseconds until the built file has loaded, in an empty folder, where it finds nothing but itself. */
async function startTime(file: string): Promise<number> {
  const folder = await makeTemporaryFolder("xstate-operator-build-");
  try {
    const begun = performance.now();
    const child = spawn(process.execPath, [file, "--version"], {
      cwd: folder,
      stdio: ["ignore", "ignore", "pipe"],
    });
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (more: string) => (said += more));
    const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
    if (code === 0) return Math.round(performance.now() - begun);
    throw new OperatorError("BUILD_FAILED", `the built file does not start: ${said.trim()}`, {
      remedy:
        "Name the files that it reads with --include; keep packages with native code out of the operator.",
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function inMegabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
