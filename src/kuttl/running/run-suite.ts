// All cases of a run: what has to be on the cluster before, the suite's commands, then the cases, so many at a time.
import { readdirSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { CustomResourceDefinition } from "../../kinds/builtin/apiextensions.ts";
import { sleep } from "../../ports/clock.ts";
import { withinLimits } from "../../ports/deadline.ts";
import { OperatorError } from "../../ports/operator-error.ts";
import { readTestFile, type WrittenObject } from "../files/read-documents.ts";
import type { TestCase } from "../files/read-case.ts";
import type { TestCommand } from "../files/test-forms.ts";
import { runCase, type CasePlace, type CaseResult } from "./run-case.ts";
import { beginTestCommand, runTestCommand, type CommandPlace } from "./run-command.ts";

/** A run of cases. */
export interface SuiteRun extends CasePlace {
  readonly cases: readonly TestCase[];
  /** How many run at a time. */
  readonly parallel: number;
  /** Files or folders that are applied before; definitions are waited for. */
  readonly manifests: readonly string[];
  readonly commands: readonly TestCommand[];
  /** Where the commands run. */
  readonly folder: string;
  /** What manifests and commands say. */
  readonly say: (line: string) => void;
  readonly onBegin: (testCase: TestCase) => void;
  readonly onEnd: (result: CaseResult) => void;
}

/** Milliseconds between two looks at a definition. */
const interval = 100;

/**
 * Runs all; the results in the order of the cases, of those that were begun.
 *
 * **Errors**: what keeps the cases from being begun: `TEST_FILE_INVALID`, `TEST_COMMAND_FAILED`, `TEST_KIND_UNKNOWN`, those of the client.
 */
export async function runSuite(run: SuiteRun): Promise<readonly CaseResult[]> {
  const ends: (() => Promise<void>)[] = [];
  try {
    await prepare(run, ends);
    const results: CaseResult[] = [];
    const waiting = run.cases.values();
    const worker = async (): Promise<void> => {
      for (const testCase of waiting) {
        if (run.signal.aborted) return;
        run.onBegin(testCase);
        const result = await runCase(testCase, run);
        results.push(result);
        run.onEnd(result);
      }
    };
    await Promise.all(Array.from({ length: Math.min(run.parallel, run.cases.length) }, worker));
    return results.toSorted((a, b) => run.cases.indexOf(a.testCase) - run.cases.indexOf(b.testCase));
  } finally {
    for (const end of ends) await end();
  }
}

async function prepare(run: SuiteRun, ends: (() => Promise<void>)[]): Promise<void> {
  const { cluster, folder, manifests, commands, timeout, variables, clock, signal, say } = run;
  const objects = manifests.flatMap((path) => objectsIn(path, folder));
  for (const object of objects) await install(object, run);
  const { kubeconfig } = cluster;
  const place: CommandPlace = {
    folder,
    namespace: "default",
    kubeconfig,
    timeout,
    variables,
    clock,
    signal,
    log: say,
  };
  for (const command of commands) {
    if (command.background === true) ends.push(beginTestCommand(command, place));
    else await runTestCommand(command, place);
  }
}

async function install(
  object: WrittenObject,
  { cluster, clock, signal, timeout, say }: SuiteRun,
): Promise<void> {
  const { type, key } = await cluster.put(object, "default", signal);
  say(`${object.kind} ${key.name} applied`);
  if (object.kind !== CustomResourceDefinition.kind) return;
  const late = (): OperatorError =>
    new OperatorError(
      "TEST_NOT_APPLIED",
      `${object.kind} ${key.name} is not served after ${timeout / 1_000} s`,
      {
        fields: { where: object.where },
        remedy: "Its conditions say why: kubectl describe crd.",
      },
    );
  const limits = { clock, signals: [signal], ...(timeout === 0 ? {} : { timeout, late }) };
  await withinLimits(limits, async (until) => {
    while (!isEstablished(await cluster.read({ type, key }, until))) await sleep(clock, interval, until);
  });
}

function isEstablished(definition: unknown): boolean {
  const { status } = (definition ?? {}) as Partial<CustomResourceDefinition>;
  return status?.conditions?.some(({ type, status: is }) => type === "Established" && is === "True") ?? false;
}

/** The objects of a file, or of those in a folder and below it. */
function objectsIn(path: string, from: string): readonly WrittenObject[] {
  if (!statSync(path).isDirectory()) return readTestFile(path, relative(from, path)).objects;
  return readdirSync(path)
    .sort()
    .filter((name) => /\.ya?ml$/.test(name) || statSync(join(path, name)).isDirectory())
    .flatMap((name) => objectsIn(join(path, name), from));
}
