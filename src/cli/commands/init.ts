// `init`: a whole project in an empty folder, which passes its own tests.
import { basename, join } from "node:path";
import { Command } from "commander";
import { kindFiles } from "../../scaffold/kind-files.ts";
import { camelCase, kebabCase } from "../../scaffold/names.ts";
import { projectFiles } from "../../scaffold/project-files.ts";
import { writeFiles } from "../../scaffold/write-files.ts";
import { readOwnDictionary } from "../dictionary-file.ts";
import { examplesText } from "../examples-text.ts";
import { answer, answerKind, type KindFlags } from "../new-kind-answers.ts";
import { nextLines, packageSpecFor, refuseFull } from "../new-project-folder.ts";
import type { Terminal } from "../terminal.ts";

interface InitOptions extends KindFlags {
  readonly name?: string;
}

/** The command `init`. */
export function initCommand(terminal: Terminal): Command {
  return new Command("init")
    .description("Write a new project: an operator with one kind, a lifecycle, tests, an image and CI.")
    .argument("<folder>", "folder of the project; it must be empty or not exist")
    .option("--name <name>", "name of the operator (default: the folder's)")
    .option("--kind <kind>", "its first kind, such as Memcached")
    .option("--group <group>", "API group of the kind, such as cache.example.com")
    .option("--version <version>", "version of the kind, such as v1alpha1")
    .option("-y, --yes", "ask nothing: take the usual answer where no flag gives one")
    .addHelpText(
      "after",
      examplesText(
        "init memcached-operator",
        "init memcached-operator --kind Memcached --group cache.example.com --version v1alpha1",
        "init memcached-operator --yes",
      ),
    )
    .action((folder: string, options: InitOptions) => init(terminal, folder, options));
}

async function init(terminal: Terminal, typed: string, options: InitOptions): Promise<void> {
  const folder = terminal.path(typed);
  refuseFull(folder);
  const usual = kebabCase(basename(folder)) || "my-operator";
  const name = await answer(
    terminal,
    { what: "name", question: "Name of the operator", flag: options.name, usual },
    // The folder has been named, which says it; and flags that answer all the rest are not interrupted.
    { yes: options.yes === true || terminal.ask === undefined || isAnswered(options) },
  );
  const kind = await answerKind(terminal, options, name, usualKind(name));
  const project = { name, kind, packageSpec: packageSpecFor(folder) };
  const files = [...projectFiles(project), ...kindFiles(kind, readOwnDictionary())];
  await writeFiles(files.map(([file, text]) => ({ path: join(folder, file), text })));
  for (const [file] of files) terminal.out(`written ${join(typed, file)}\n`);
  terminal.err(nextLines(typed, "npm install", "npm test", "npm start"));
}

function isAnswered({ kind, group, version }: KindFlags): boolean {
  return [kind, group, version].every((flag) => flag !== undefined);
}

/** `memcached-operator` is for the kind Memcached. */
function usualKind(name: string): string {
  const word = camelCase(name.replace(/-operator$/, ""));
  return /^[a-z]/.test(word) ? `${word.charAt(0).toUpperCase()}${word.slice(1)}` : "App";
}
