// A folder of numbered files as a test case: its steps, in order, with what each applies, asserts and refuses.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { isAbsolute, join, relative } from "node:path";
import { isSelectedBy } from "../../kinds/selector-match.ts";
import { expandTemplate, type TemplateValues } from "./expand-template.ts";
import { expandVariables, type Variables } from "./expand-variables.ts";
import {
  invalid,
  readTestFile,
  readTestText,
  type ReadFile,
  type TestDocument,
  type WrittenObject,
} from "./read-documents.ts";
import { parseStepName, type StepName } from "./step-name.ts";
import type { AssertSettings, FileSettings, StepSettings } from "./test-forms.ts";

/** One step of a case. */
export interface TestStep {
  readonly index: number;
  /** `0-install`. */
  readonly title: string;
  readonly settings: StepSettings;
  readonly assertSettings: AssertSettings;
  readonly apply: readonly WrittenObject[];
  readonly asserts: readonly WrittenObject[];
  readonly errors: readonly WrittenObject[];
}

/** One case. */
export interface TestCase {
  /** The name of its folder. */
  readonly name: string;
  readonly folder: string;
  /** The namespace that it gets. */
  readonly namespace: string;
  readonly steps: readonly TestStep[];
  /** What is ignored in its files, as sentences. */
  readonly warnings: readonly string[];
}

/** What decides on what is read. */
export interface CaseSurroundings {
  /** The folder from which messages name files. */
  readonly from: string;
  /** What `$NAME` stands for in paths. */
  readonly variables: Variables;
  /** Labels of this run, for `testRunSelector`. */
  readonly labels: Readonly<Record<string, string>>;
  readonly vars: TemplateValues["vars"];
}

/** Whether a folder has steps. */
export function isCaseFolder(folder: string): boolean {
  return readdirSync(folder).some((name) => parseStepName(name)?.index !== undefined);
}

/** Reads a case. Errors: `TEST_FILE_INVALID`. */
export function readCase(
  { name, folder, namespace }: Pick<TestCase, "name" | "folder" | "namespace">,
  surroundings: CaseSurroundings,
): TestCase {
  const warnings: string[] = [];
  const drafts = new Map<number, StepDraft>();
  const reader = new CaseReader(folder, { ...surroundings, namespace }, warnings);
  for (const entry of readdirSync(folder).sort()) {
    const said = parseStepName(entry);
    if (said?.index === undefined) continue;
    const draft = drafts.get(said.index) ?? new StepDraft(said.index);
    drafts.set(said.index, draft);
    const path = join(folder, entry);
    if (!statSync(path).isDirectory()) {
      if (isYaml(entry)) reader.add(draft, path, said);
      continue;
    }
    draft.call(said.step);
    for (const inner of readdirSync(path).sort()) {
      const name = parseStepName(inner);
      if (name !== undefined && isYaml(inner)) reader.add(draft, join(path, inner), name);
    }
  }
  const steps = [...drafts.values()].toSorted((a, b) => a.index - b.index).map((draft) => draft.step());
  return { name, folder, namespace, steps, warnings };
}

function isYaml(name: string): boolean {
  return /\.ya?ml$/.test(name);
}

/** A step while its files are read. */
class StepDraft {
  readonly index: number;
  readonly apply: WrittenObject[] = [];
  readonly asserts: WrittenObject[] = [];
  readonly errors: WrittenObject[] = [];
  #name: string | undefined;
  #settings: StepSettings | undefined;
  #assertSettings: AssertSettings = {};

  constructor(index: number) {
    this.index = index;
  }

  call(name: string): void {
    this.#name ??= name;
  }

  setUp({ name, settings, where }: TestDocument): StepSettings {
    if (this.#settings !== undefined)
      throw invalid(where, `is a second TestStep of step ${this.index}`, "Make one of both.");
    if (name !== undefined) this.#name = name;
    this.#settings = settings;
    return settings;
  }

  assertBy(settings: AssertSettings): void {
    this.#assertSettings = settings;
  }

  step(): TestStep {
    const { index, apply, asserts, errors } = this;
    const title = `${index}-${this.#name ?? "assert"}`;
    const settings = this.#settings ?? {};
    return { index, title, settings, assertSettings: this.#assertSettings, apply, asserts, errors };
  }
}

/** Reads the files of one case. */
class CaseReader {
  readonly #folder: string;
  readonly #by: CaseSurroundings & { readonly namespace: string };
  readonly #warnings: string[];

  constructor(folder: string, by: CaseSurroundings & { readonly namespace: string }, warnings: string[]) {
    this.#folder = folder;
    this.#by = by;
    this.#warnings = warnings;
  }

  add(draft: StepDraft, path: string, { use, step, isTemplate }: StepName): void {
    const { objects, tests } = this.#read(path, isTemplate);
    const selectors = tests.filter(({ kind }) => kind === "TestFile");
    if (selectors.some(({ settings }) => !this.#isMeant(settings))) return;
    if (use === "apply") draft.call(step);
    const target = { apply: draft.apply, assert: draft.asserts, errors: draft.errors }[use];
    target.push(...objects);
    for (const document of tests) {
      if (document.kind === "TestAssert") draft.assertBy(document.settings);
      if (document.kind === "TestStep") this.#addNamed(draft, draft.setUp(document), document.where);
    }
  }

  /** What a TestStep names by its path. */
  #addNamed(draft: StepDraft, { apply = [], assert = [], error = [] }: StepSettings, where: string): void {
    const objectsOf = (paths: readonly string[]): readonly ReadFile[] =>
      paths.flatMap((path) => this.#named(path, where).map((file) => this.#read(file, false)));
    draft.apply.push(...objectsOf(apply).flatMap(({ objects }) => objects));
    draft.errors.push(...objectsOf(error).flatMap(({ objects }) => objects));
    for (const { objects, tests } of objectsOf(assert)) {
      draft.asserts.push(...objects);
      for (const { kind, settings } of tests) if (kind === "TestAssert") draft.assertBy(settings);
    }
  }

  /** The files of a path: itself, or those in the folder. */
  #named(written: string, where: string): readonly string[] {
    const expanded = expandVariables(written, { ...this.#by.variables, NAMESPACE: this.#by.namespace });
    if (/^https?:/.test(expanded)) {
      const remedy = "Save the file beside the test, or apply it by a command: kubectl apply -f URL.";
      throw invalid(where, `names ${expanded}, and nothing is fetched from a network`, remedy);
    }
    const path = isAbsolute(expanded) ? expanded : join(this.#folder, expanded);
    if (!existsSync(path)) {
      const remedy = "Check the path; it is relative to the folder of the test case.";
      throw invalid(where, `names ${expanded}, which does not exist`, remedy);
    }
    if (!statSync(path).isDirectory()) return [path];
    return readdirSync(path)
      .filter(isYaml)
      .sort()
      .map((name) => join(path, name));
  }

  #read(path: string, isTemplate: boolean): ReadFile {
    const shown = relative(this.#by.from, path);
    const { namespace, vars } = this.#by;
    const read = isTemplate
      ? readTestText(expandTemplate(readFileSync(path, "utf8"), shown, { namespace, vars }), shown)
      : readTestFile(path, shown);
    this.#warnings.push(...read.warnings);
    return read;
  }

  #isMeant({ testRunSelector }: FileSettings): boolean {
    return testRunSelector === undefined || isSelectedBy(testRunSelector, this.#by.labels);
  }
}
