// `sidecar`: serves an application's state and tasks to its operator; or writes the one file and the Dockerfile that do.
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { Command } from "commander";
import { makeFolder } from "../../cluster/make-folder.ts";
import { examplesText } from "../examples-text.ts";
import { writeGenerated } from "../generate/generated-files.ts";
import type { Terminal } from "../terminal.ts";
import { UsageError } from "../usage-error.ts";

interface SidecarCommandOptions {
  readonly config?: string;
  readonly out?: string;
}

/** The command `sidecar`. */
export function sidecarCommand(terminal: Terminal): Command {
  return new Command("sidecar")
    .description("Serve an application's state and tasks to its operator, from a container beside it.")
    .option("--config <file>", "what is served: YAML or JSON, with ${NAME} for variables of the environment")
    .option(
      "--out <folder>",
      "write it as one file that needs no node_modules, with a Dockerfile, and do not run it",
    )
    .addHelpText("after", examplesText("sidecar --config sidecar.yaml", "sidecar --out image"))
    .action((options: SidecarCommandOptions) => sidecar(terminal, options));
}

async function sidecar(terminal: Terminal, { config, out }: SidecarCommandOptions): Promise<void> {
  if (out !== undefined) return writeImage(terminal, out);
  if (config === undefined) {
    throw new UsageError(
      "sidecar: nothing is to be served",
      "Name a configuration with --config, or a folder with --out.",
    );
  }
  const { runSidecar } = await import("../../sidecar/run-sidecar.ts");
  await runSidecar({
    config: terminal.path(config),
    env: terminal.env,
    write: (line) => terminal.err(line),
    signal: terminal.stopSignal(),
  });
}

const dockerfile = `FROM gcr.io/distroless/nodejs24-debian12:nonroot
WORKDIR /sidecar
COPY sidecar.mjs ./
USER 65532
ENV NODE_ENV=production
ENTRYPOINT ["/nodejs/bin/node", "/sidecar/sidecar.mjs"]
CMD ["--config", "/etc/sidecar/sidecar.yaml"]
`;

async function writeImage(terminal: Terminal, out: string): Promise<void> {
  const folder = terminal.path(out);
  await makeFolder(folder);
  const { bundleSidecar } = await import("../build/bundle-sidecar.ts");
  const file = join(folder, "sidecar.mjs");
  await bundleSidecar(file);
  const [written] = await writeGenerated(folder, [{ path: "Dockerfile", text: dockerfile }], {});
  terminal.out(`${out}/sidecar.mjs  ${Math.round((await stat(file)).size / 1_000)} kB\n`);
  terminal.out(`${out}/Dockerfile  ${written?.outcome ?? "kept"}\n`);
}
