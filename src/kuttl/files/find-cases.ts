// From what was typed to the cases that are run: the suite's file, the folders that it names, the cases in them.
import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import { meantBy } from "../../ports/misspelling.ts";
import { OperatorError } from "../../ports/operator-error.ts";
import type { Random } from "../../ports/random.ts";
import { invalid, readTestFile } from "./read-documents.ts";
import { isCaseFolder, readCase, type CaseSurroundings, type TestCase } from "./read-case.ts";
import type { SuiteSettings } from "./test-forms.ts";

/** A suite, and where its paths begin. */
export interface FoundSuite {
  readonly settings: SuiteSettings;
  readonly warnings: readonly string[];
  /** The absolute path of one that the file names: from the current folder, or else from the file's own. */
  readonly pathOf: (written: string) => string;
}

/** The name of a suite's file. */
export const suiteFile = "kuttl-test.yaml";

/**
 * The suite of a file; without one that of `kuttl-test.yaml` in the current folder or in the only folder that was named, and otherwise an
 * empty one.
 *
 * **Errors**: `TEST_FILE_INVALID`.
 */
export function findSuite(config: string | undefined, folders: readonly string[], from: string): FoundSuite {
  const [only, ...more] = folders;
  const usual = [from, ...(only === undefined || more.length > 0 ? [] : [only])].map((folder) =>
    join(folder, suiteFile),
  );
  const file = config ?? usual.find((path) => existsSync(path));
  if (file === undefined) return { settings: {}, warnings: [], pathOf: (written) => resolve(from, written) };
  const shown = relative(from, file);
  const { tests, warnings } = readTestFile(file, shown);
  const [suite, second] = tests.filter(({ kind }) => kind === "TestSuite");
  if (suite === undefined)
    throw invalid(shown, "has no TestSuite", "Write apiVersion: kuttl.dev/v1beta1, kind: TestSuite.");
  if (second !== undefined) throw invalid(second.where, "is a second TestSuite", "Make one of both.");
  const pathOf = (written: string): string => {
    const [here, beside] = [resolve(from, written), resolve(dirname(file), written)];
    return isAbsolute(written) || existsSync(here) || !existsSync(beside) ? here : beside;
  };
  return { settings: suite.settings, warnings, pathOf };
}

/** What is looked for. */
export interface WantedCases extends CaseSurroundings {
  /** Folders of cases, or cases. */
  readonly folders: readonly string[];
  /** Only these; empty: all. */
  readonly names: readonly string[];
  /** The namespace of all; default one for each. */
  readonly namespace: string | undefined;
  readonly random: Random;
}

/** The cases. **Errors**: `TEST_FILE_INVALID`; `TEST_MISSING` for a folder or a name without any. */
export function findCases(wanted: WantedCases): readonly TestCase[] {
  const { folders, names, from, random, namespace } = wanted;
  const found = folders.flatMap((folder) => caseFolders(folder, from));
  for (const name of names) {
    if (found.some((folder) => basename(folder) === name)) continue;
    const known = found.map((folder) => basename(folder));
    const meant = meantBy(name, known);
    throw new OperatorError("TEST_MISSING", `there is no test case "${name}"`, {
      remedy: meant === undefined ? `There are: ${known.join(", ")}.` : `Did you mean "${meant}"?`,
    });
  }
  return found
    .filter((folder) => names.length === 0 || names.includes(basename(folder)))
    .map((folder) =>
      readCase({ name: basename(folder), folder, namespace: namespace ?? newNamespace(random) }, wanted),
    );
}

function caseFolders(folder: string, from: string): readonly string[] {
  const shown = relative(from, folder) || ".";
  if (!existsSync(folder) || !statSync(folder).isDirectory()) {
    throw new OperatorError("TEST_MISSING", `there is no folder ${shown}`, {
      remedy: "Name the folder of the test cases, or of one of them.",
    });
  }
  if (isCaseFolder(folder)) return [folder];
  const cases = readdirSync(folder)
    .sort()
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isDirectory() && isCaseFolder(path));
  if (cases.length > 0) return cases;
  throw new OperatorError("TEST_MISSING", `${shown} has no test cases`, {
    remedy: "A case is a folder with numbered files: 00-install.yaml, 00-assert.yaml.",
  });
}

function newNamespace(random: Random): string {
  const letters = "bcdfghjklmnpqrstvwxz";
  const word = Array.from({ length: 6 }, () => letters[Math.floor(random() * letters.length)] ?? "x").join(
    "",
  );
  return `kuttl-test-${word}`;
}
