// `test`: runs test cases in kuttl's format, on a cluster in this process or on a given one.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import { parse } from "yaml";
import { yamlOfKubernetes } from "../../meta/yaml-form.ts";
import { OperatorError } from "../../ports/operator-error.ts";
import { systemRandom } from "../../ports/random.ts";
import { systemClock } from "../../ports/system-clock.ts";
import { findCases, findSuite, type FoundSuite } from "../../kuttl/files/find-cases.ts";
import { formatJunit, reportOf } from "../../kuttl/report/junit.ts";
import type { CaseResult } from "../../kuttl/running/run-case.ts";
import { runSuite } from "../../kuttl/running/run-suite.ts";
import { countOption } from "../count-option.ts";
import { withClusterAddress } from "../cluster-object.ts";
import { durationOption } from "../duration-option.ts";
import type { PodsChoice } from "../embedded-cluster.ts";
import { examplesText } from "../examples-text.ts";
import { ExitCode, interrupted } from "../exit-code.ts";
import { loadOperator } from "../load-operator.ts";
import type { Terminal } from "../terminal.ts";
import { UsageError } from "../usage-error.ts";
import { startTestOperator } from "../test/test-operator.ts";
import { connectTests } from "../test/test-clusters.ts";
import { createTestDisplay } from "../test/test-display.ts";
import { podsOption } from "../pods-option.ts";

interface TestFlags {
  readonly config?: string;
  readonly test?: readonly string[];
  readonly operator?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly pods?: PodsChoice;
  readonly parallel?: number;
  readonly timeout?: number;
  readonly namespace?: string;
  readonly skipDelete?: boolean;
  readonly crdDir?: string;
  readonly manifestDir?: readonly string[];
  readonly report?: string;
  readonly testRunLabels?: Readonly<Record<string, string>>;
  readonly templateVar?: Readonly<Record<string, unknown>>;
  readonly verbose?: boolean;
}

/** What kuttl has by default. */
const defaults = { timeout: 30_000, parallel: 8, reportName: "kuttl-test" };

/** The command `test`. */
export function testCommand(terminal: Terminal): Command {
  const command = new Command("test")
    .description(
      "Run test cases in kuttl's format: folders of numbered steps with asserts and errors, each in a namespace of its own. On a cluster in this process, unless one is named.",
    )
    .argument("[folders...]", "folders of test cases, or cases (default: the testDirs of kuttl-test.yaml)")
    .option("--config <file>", "the suite's file (default: kuttl-test.yaml here or in the folder)")
    .option("--test <name...>", "run only these cases")
    .option(
      "--operator <path>",
      "an operator that runs meanwhile in this process: a module, its folder, or a file of YAML",
    );
  return withClusterAddress(command)
    .addOption(podsOption(terminal))
    .option(
      "--parallel <number>",
      `cases at the same time (default: the suite's, or ${defaults.parallel})`,
      countOption,
    )
    .option(
      "--timeout <duration>",
      "how long a step, a command or cleaning up may take (default: the suite's, or 30s)",
      durationOption,
    )
    .option("-n, --namespace <name>", "run all cases in this namespace (default: one for each)")
    .option("--skip-delete", "leave everything on the cluster, which must be a given one")
    .option("--crd-dir <path>", "apply these definitions before, and wait until they are served")
    .option("--manifest-dir <path...>", "apply these manifests before")
    .option("--report <file>", "write a report: JUnit's XML, or JSON for a name that ends in .json")
    .option(
      "--test-run-labels <labels>",
      "what testRunSelector is compared with, as name=value,name=value",
      labels,
    )
    .option("--template-var <name=value...>", "what {{ .Vars.name }} is in .gotmpl.yaml files", templateVar)
    .option("--verbose", "show what each step does, also of cases that pass")
    .addHelpText(
      "after",
      examplesText(
        "test tests/e2e --operator operator.ts",
        "test tests/e2e --test scale-up --verbose",
        "test tests/e2e --kubeconfig ~/.kube/config --context kind-dev --report junit.xml",
      ),
    )
    .action((folders: readonly string[], flags: TestFlags) => test(terminal, folders, flags));
}

async function test(terminal: Terminal, folders: readonly string[], flags: TestFlags): Promise<void> {
  refuseContradictions(flags);
  const signal = terminal.stopSignal();
  const from = terminal.path(".");
  const typed = folders.map((folder) => terminal.path(folder));
  const suite = findSuite(flags.config === undefined ? undefined : terminal.path(flags.config), typed, from);
  const { settings } = suite;
  const variables = { ...terminal.env, PATH: `${join(from, "bin")}:${terminal.env["PATH"] ?? ""}` };
  const cases = findCases({
    folders: foldersOf(typed, suite, flags.config),
    names: flags.test ?? [],
    from,
    namespace: flags.namespace ?? settings.namespace,
    random: systemRandom,
    variables,
    labels: flags.testRunLabels ?? {},
    vars: flags.templateVar ?? {},
  });
  const manifests = manifestsOf(suite, flags, terminal);
  const operator =
    flags.operator === undefined ? undefined : await loadOperator(terminal.path(flags.operator));
  const display = createTestDisplay(terminal, { cases: cases.length, verbose: flags.verbose === true });
  for (const warning of [...suite.warnings, ...cases.flatMap(({ warnings }) => warnings)])
    display.warn(warning);
  const clusters = await connectTests(terminal, flags);
  const running =
    operator === undefined ? undefined : startTestOperator(operator, clusters.main.kubeconfig, flags.context);
  const results: CaseResult[] = [];
  try {
    await running?.ready(signal);
    const stop = running === undefined ? signal : AbortSignal.any([signal, running.failed]);
    await runSuite({
      cases,
      parallel: flags.parallel ?? settings.parallel ?? defaults.parallel,
      manifests,
      commands: settings.commands ?? [],
      folder: from,
      cluster: clusters.main,
      clusterOf: clusters.of,
      timeout:
        flags.timeout ?? (settings.timeout === undefined ? defaults.timeout : settings.timeout * 1_000),
      variables,
      clock: systemClock,
      signal: stop,
      skipDelete: flags.skipDelete ?? settings.skipDelete ?? false,
      withoutEvents: (settings.suppress ?? []).includes("events"),
      say: display.say,
      log: display.log,
      onBegin: display.begin,
      onStep: display.step,
      onEnd: (result) => {
        results.push(result);
        display.end(result);
      },
    });
    running?.failed.throwIfAborted();
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    display.clear();
    await running?.stop();
    await clusters.stop();
  }
  const sorted = results.toSorted((a, b) => cases.indexOf(a.testCase) - cases.indexOf(b.testCase));
  writeReports(sorted, suite, flags, terminal);
  display.summary(sorted, running?.lines ?? []);
  if (signal.aborted) throw new ExitCode(interrupted);
  if (sorted.some(({ outcome }) => outcome !== "passed")) throw new ExitCode(1);
}

function foldersOf(
  typed: readonly string[],
  { settings, pathOf }: FoundSuite,
  config: string | undefined,
): readonly string[] {
  const named = (settings.testDirs ?? []).map(pathOf);
  const [only, ...more] = typed;
  // A folder that has a suite's file is where that is, and need not be one of cases.
  const isSuite =
    only !== undefined &&
    more.length === 0 &&
    config === undefined &&
    existsSync(join(only, "kuttl-test.yaml"));
  if (typed.length > 0 && !(isSuite && named.length > 0)) return typed;
  if (named.length > 0) return named;
  throw new UsageError(
    "no folder of test cases was named",
    "Name one, or write testDirs into kuttl-test.yaml.",
  );
}

function manifestsOf(
  { settings, pathOf }: FoundSuite,
  { crdDir, manifestDir }: TestFlags,
  terminal: Terminal,
): readonly string[] {
  const definitions =
    crdDir === undefined ? [settings.crdDir ?? ""].filter(Boolean).map(pathOf) : [terminal.path(crdDir)];
  const others =
    manifestDir === undefined
      ? (settings.manifestDirs ?? []).map(pathOf)
      : manifestDir.map((path) => terminal.path(path));
  const paths = [...definitions, ...others];
  for (const path of paths) {
    if (existsSync(path)) continue;
    throw new OperatorError("TEST_MISSING", `there is no file or folder ${path}`, {
      remedy: "Correct crdDir or manifestDirs in the suite's file, or the flag of that name.",
    });
  }
  return paths;
}

/** The report that was asked for, and that which the suite's file asks for. */
function writeReports(
  results: readonly CaseResult[],
  { settings, pathOf }: FoundSuite,
  { report: asked }: TestFlags,
  terminal: Terminal,
): void {
  const {
    reportFormat,
    reportName = defaults.reportName,
    artifactsDir = ".",
    reportGranularity = "step",
  } = settings;
  const extension = reportFormat?.toLowerCase() === "json" ? "json" : "xml";
  const files = [
    ...(asked === undefined ? [] : [terminal.path(asked)]),
    ...(reportFormat === undefined || reportFormat === ""
      ? []
      : [join(pathOf(artifactsDir), `${reportName}.${extension}`)]),
  ];
  const report = reportOf(reportName, results, reportGranularity);
  for (const file of files) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(
      file,
      extname(file) === ".json" ? `${JSON.stringify(report, null, 2)}\n` : formatJunit(report),
    );
  }
}

function refuseContradictions({ kubeconfig, context, pods, skipDelete }: TestFlags): void {
  const isGiven = kubeconfig !== undefined || context !== undefined;
  if (isGiven && pods !== undefined)
    throw new UsageError(
      "--pods is about the cluster in this process",
      "Omit it, or --kubeconfig and --context.",
    );
  if (!isGiven && skipDelete === true) {
    throw new UsageError(
      "--skip-delete leaves objects on a cluster that ends with this command",
      "Run the tests on one that stays: `cluster up`, then --kubeconfig.",
    );
  }
}

function labels(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    text.split(",").map((part) => {
      const [, name, value] = /^\s*([^=\s]+)=(\S*)\s*$/.exec(part) ?? [];
      if (name === undefined || value === undefined)
        throw new InvalidArgumentError("Write name=value,name=value.");
      return [name, value];
    }),
  );
}

function templateVar(
  text: string,
  before: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  const [, name, value = ""] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined) throw new InvalidArgumentError("Write name=value.");
  return { ...before, [name]: parse(value, yamlOfKubernetes) as unknown };
}
