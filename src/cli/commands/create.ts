// `create api`: one more kind in a project, with its lifecycle, controller, resource, test and sample.
import { join } from "node:path";
import { Command } from "commander";
import { OperatorError } from "../../ports/operator-error.ts";
import { kindFiles, namesOfKind } from "../../scaffold/kind-files.ts";
import { linesForOperator, withController } from "../../scaffold/project-files.ts";
import { readIfThere, writeFiles, type PlannedFile } from "../../scaffold/write-files.ts";
import { readOwnDictionary } from "../dictionary-file.ts";
import { examplesText } from "../examples-text.ts";
import { answerKind, type KindFlags } from "../new-kind-answers.ts";
import type { Terminal } from "../terminal.ts";

/** The command `create` with its part. */
export function createCommand(terminal: Terminal): Command {
  const create = new Command("create")
    .description("Add to a project.")
    .addHelpText("after", examplesText("create api --kind Backup"));
  create.addCommand(
    new Command("api")
      .description(
        "Add a kind to the project in the current directory, with a lifecycle, a controller and a test.",
      )
      .option("--kind <kind>", "the new kind, such as Backup")
      .option("--group <group>", "its API group, such as cache.example.com")
      .option("--version <version>", "its version, such as v1alpha1")
      .option("-y, --yes", "ask nothing: take the usual answer where no flag gives one")
      .addHelpText(
        "after",
        examplesText("create api", "create api --kind Backup --group cache.example.com --version v1alpha1"),
      )
      .action((options: KindFlags) => createApi(terminal, options)),
  );
  return create;
}

async function createApi(terminal: Terminal, options: KindFlags): Promise<void> {
  const folder = terminal.path(".");
  const operatorFile = join(folder, "operator.ts");
  const operator = await readIfThere(operatorFile);
  const manifest = await readIfThere(join(folder, "package.json"));
  if (operator === undefined || manifest === undefined) {
    throw new OperatorError("PROJECT_MISSING", `${folder} has no operator.ts and package.json`, {
      remedy: "Change into the folder of a project, or begin one with `xstate-operator init`.",
    });
  }
  const kind = await answerKind(terminal, options, nameIn(manifest), "Backup");
  // Applied beside the samples of the other kinds, whose objects are called as they are.
  const sampleName = `first-${namesOfKind(kind.kind).file}`;
  const files = [...kindFiles(kind, readOwnDictionary(), sampleName)].map(([file, text]): PlannedFile => ({
    path: join(folder, file),
    text,
  }));
  await refuseExisting(files, kind.kind);
  const edited = withController(operator, kind.kind);
  await writeFiles([
    ...files,
    ...(edited === undefined ? [] : [{ path: operatorFile, text: edited, old: operator }]),
  ]);
  for (const { path } of files) terminal.out(`written ${path.slice(folder.length + 1)}\n`);
  if (edited !== undefined) {
    terminal.out("updated operator.ts\n");
    return;
  }
  const [imported, entry] = linesForOperator(kind.kind);
  terminal.err(
    `operator.ts was left alone, as its lines "// create api: …" are gone. Add to it:\n  ${imported}\nand to its controllers:\n  ${entry}\n`,
  );
}

/** Names every file that is there already, in the order in which they would be written. */
async function refuseExisting(files: readonly PlannedFile[], kind: string): Promise<void> {
  const olds = await Promise.all(files.map(({ path }) => readIfThere(path)));
  const existing = files.filter((_, index) => olds[index] !== undefined).map(({ path }) => path);
  if (existing.length === 0) return;
  const verb = existing.length === 1 ? "is" : "are";
  throw new OperatorError(
    "FILE_EXISTS",
    `${existing.join(", ")} ${verb} there already; nothing was written`,
    { remedy: `Give the kind another name, or remove what the project has of ${kind}.` },
  );
}

function nameIn(manifest: string): string {
  try {
    const { name } = JSON.parse(manifest) as { readonly name?: unknown };
    return typeof name === "string" ? name : "";
  } catch {
    // npm will say what is wrong with it.
    return "";
  }
}
