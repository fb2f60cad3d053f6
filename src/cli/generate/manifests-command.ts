// `generate manifests` and `generate bundle`: everything that is applied, or packed, to run an operator in a cluster.
import { Command, InvalidArgumentError, Option } from "commander";
import { bundleOf } from "../../delivery/bundle.ts";
import { helmChart } from "../../delivery/helm.ts";
import { kustomizeLayout } from "../../delivery/kustomize.ts";
import { manifestFilesOf, monitoringFilesOf } from "../../delivery/manifests.ts";
import { ownedRoleKinds } from "../../delivery/required-permissions.ts";
import type { WorkloadOptions } from "../../delivery/workload-options.ts";
import type { OperatorDefinition } from "../../controller/declaration/define-operator.ts";
import type { PackageFacts } from "../../delivery/package-facts.ts";
import { durationOption } from "../duration-option.ts";
import { examplesText } from "../examples-text.ts";
import { loadOperator } from "../load-operator.ts";
import { moduleFile } from "../module-file.ts";
import { formatDocuments, outputOption, type OutputFormat } from "../output-format.ts";
import type { Terminal } from "../terminal.ts";
import { UsageError } from "../usage-error.ts";
import { accessOptionsOf, withAccessFlags, type AccessFlags } from "./access-options.ts";
import { writeGenerated, type GeneratedFile } from "./generated-files.ts";
import { packageOf } from "./package-file.ts";
import { prometheusRule } from "./prometheus-rule.ts";
import { warnOfRoles } from "./rbac-command.ts";

/** Flags of what runs in the cluster. */
export interface WorkloadFlags extends AccessFlags {
  readonly image?: string;
  readonly replicas: number;
  readonly drainTimeout: number;
}

interface ManifestFlags extends WorkloadFlags {
  readonly format: "yaml" | "kustomize" | "helm";
  readonly output: OutputFormat;
  readonly monitoring?: boolean;
  readonly out?: string;
  readonly force?: boolean;
}

interface BundleFlags extends WorkloadFlags {
  readonly channel: string;
  readonly out: string;
  readonly force?: boolean;
}

const yaml = (documents: readonly object[]): string => formatDocuments(documents, "yaml");

/** The command `generate manifests`. */
export function manifestsCommand(terminal: Terminal): Command {
  const command = new Command("manifests")
    .description(
      "Print or write all that runs an operator in a cluster: CRDs, roles, Deployment, Service, monitoring.",
    )
    .argument("<operator>", "module that default-exports an operator, or its folder")
    .addOption(
      new Option("--format <format>", "form of the files")
        .choices(["yaml", "kustomize", "helm"])
        .default("yaml"),
    )
    .addOption(outputOption("yaml"));
  return withWorkloadFlags(withAccessFlags(command))
    .option(
      "--monitoring",
      "with a ServiceMonitor and a PrometheusRule; kustomize and helm always have them, to be switched on",
    )
    .option("--out <folder>", "write the files to this folder; required but for yaml")
    .option("--force", "overwrite files that were changed since they were generated")
    .addHelpText(
      "after",
      examplesText(
        "generate manifests operator.ts --leader-elect | kubectl apply --server-side -f -",
        "generate manifests operator.ts --leader-elect --replicas 2 --format kustomize --out config",
        "generate manifests operator.ts --leader-elect --format helm --out chart",
      ),
    )
    .action(async (path: string, flags: ManifestFlags) => {
      const { operator, options, facts } = await workloadOf(terminal, path, flags);
      const { format, output, out, force, monitoring = false } = flags;
      if (output !== "yaml" && (out !== undefined || format !== "yaml")) {
        throw new UsageError(`files are not written as ${output}`, "Omit --out and --format, or --output.");
      }
      const kinds = operator.controllers.map(({ kind }) => kind);
      const alerts = prometheusRule(operator.name, kinds);
      const files = manifestFilesOf(operator, options);
      const watched = monitoringFilesOf(operator, options, alerts);
      if (format === "yaml") {
        const all = monitoring ? [...files, ...watched] : files;
        if (out === undefined)
          return terminal.out(
            formatDocuments(
              all.flatMap(({ documents }) => documents),
              output,
            ),
          );
        const texts = all.map(({ name, documents }) => ({
          // kubectl applies the files of a folder by their names, and nothing is put into a namespace before it is there.
          path: name === "namespace" ? "00-namespace.yaml" : `${name}.yaml`,
          text: yaml(documents),
        }));
        return report(terminal, out, texts, force);
      }
      if (out === undefined) throw new UsageError(`--format ${format} requires --out`, "Add --out <folder>.");
      const texts: readonly GeneratedFile[] =
        format === "helm"
          ? helmChart(operator, options, { facts, alerts, format: yaml })
          : kustomizeLayout(options.image, files, watched).map((file) =>
              "text" in file ? file : { path: file.path, text: yaml(file.documents) },
            );
      return report(terminal, out, texts, force);
    });
}

/** The command `generate bundle`. */
export function bundleCommand(terminal: Terminal): Command {
  const command = new Command("bundle")
    .description("Write a bundle for the Operator Lifecycle Manager (OLM).")
    .argument("<operator>", "module that default-exports an operator, or its folder");
  return withWorkloadFlags(command)
    .option("--leader-elect", "it runs with --leader-elect")
    .option("--sharding", "it runs with --sharding")
    .option("--metrics-secure", "it runs with --metrics-secure")
    .option("--channel <name>", "channel of the package", "alpha")
    .option("--out <folder>", "folder of the bundle", "bundle")
    .option("--force", "overwrite files that were changed since they were generated")
    .addHelpText("after", examplesText("generate bundle operator.ts --leader-elect --channel stable"))
    .action(async (path: string, flags: BundleFlags) => {
      const { operator, options, facts } = await workloadOf(terminal, path, flags);
      const files = bundleOf(operator, options, { channel: flags.channel, facts, format: yaml });
      return report(terminal, flags.out, files, flags.force);
    });
}

/** Adds the flags of the Deployment. */
export function withWorkloadFlags(command: Command): Command {
  return command
    .option(
      "--image <image>",
      "image of the operator (default: its name and the version of its package.json)",
    )
    .option(
      "--replicas <number>",
      "number of replicas; more than one require --leader-elect or --sharding",
      replicaCount,
      1,
    )
    .option("--drain-timeout <duration>", "it runs with this --drain-timeout", durationOption, 25_000);
}

/** A registry with its port, a path in lower case, a tag, a digest. */
const imageReference =
  /^(?:[\w.-]+(?::\d+)?\/)?[a-z0-9]+(?:[._-]+[a-z0-9]+)*(?:\/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*(?::[\w][\w.-]{0,127})?(?:@[a-z0-9]+:[a-f0-9]{32,})?$/;

/** The operator and how it is to run. */
export async function workloadOf(
  terminal: Terminal,
  path: string,
  flags: WorkloadFlags,
): Promise<{
  readonly operator: OperatorDefinition;
  readonly options: WorkloadOptions;
  readonly facts: PackageFacts;
}> {
  const operator = await loadOperator(terminal.path(path));
  const facts = packageOf(moduleFile(terminal.path(path)));
  const access = accessOptionsOf(operator.name, flags);
  if (flags.replicas > 1 && access.sharing === "none") {
    throw new UsageError(
      "several replicas would all work on the same objects",
      "Add --leader-elect or --sharding, or omit --replicas.",
    );
  }
  const { replicas, drainTimeout, image = `${operator.name}:${facts.version}` } = flags;
  if (!imageReference.test(image)) {
    throw new UsageError(
      `--image is "${image}", which is no reference to an image`,
      "Write a registry and a name in lower case, and a tag or a digest, for example registry.example.com/operator:1.4.0.",
    );
  }
  warnOfRoles(terminal, ownedRoleKinds(operator));
  return { operator, facts, options: { ...access, image, replicas, drainTimeout } };
}

async function report(
  terminal: Terminal,
  out: string,
  files: readonly GeneratedFile[],
  force: boolean | undefined,
): Promise<void> {
  for (const { path, outcome } of await writeGenerated(terminal.path(out), files, { force })) {
    terminal.out(`${outcome.padEnd(9)} ${out}/${path}\n`);
  }
}

function replicaCount(text: string): number {
  if (/^[1-9]\d{0,2}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number from 1 to 999.");
}
