// `generate`: files that follow from an operator's declarations.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Command } from "commander";
import { examplesText } from "../examples-text.ts";
import { makeFolder } from "../../cluster/make-folder.ts";
import { isOperatorError, messageOf, OperatorError } from "../../ports/operator-error.ts";
import { isOperator } from "../../controller/declaration/define-operator.ts";
import type { Kind } from "../../kinds/define-kind.ts";
import type { KubeObject } from "../../meta/object.ts";
import { webhookServiceOf } from "../../meta/webhook-address.ts";
import { declaredKinds } from "../declared-kinds.ts";
import { argoCdHealth } from "../generate/argocd-health.ts";
import { fluxHealth } from "../generate/flux-health.ts";
import { grafanaDashboard } from "../generate/grafana-dashboard.ts";
import { kubeStateMetrics } from "../generate/kube-state-metrics.ts";
import { bundleCommand, manifestsCommand } from "../generate/manifests-command.ts";
import { prometheusRule } from "../generate/prometheus-rule.ts";
import { rbacCommand } from "../generate/rbac-command.ts";
import { typescriptCommand } from "../generate/typescript-command.ts";
import { schemaCommand, typesCommand } from "../generate/types-command.ts";
import { loadModule, type LoadedModule } from "../load-module.ts";
import { moduleFile } from "../module-file.ts";
import { generateResourceCommand } from "./generate-resource.ts";
import { dataOption, formatDocuments, outputOption, type OutputFormat } from "../output-format.ts";
import type { Terminal } from "../terminal.ts";
import { UsageError } from "../usage-error.ts";

interface CrdOptions {
  readonly output: OutputFormat;
  readonly out?: string;
  readonly operatorNamespace?: string;
}

/** The command `generate` with its parts. */
export function generateCommand(terminal: Terminal): Command {
  const generate = new Command("generate")
    .description("Generate manifests from an operator's declarations.")
    .addHelpText("after", examplesText("generate crd examples/database/operator.ts"));
  generate.addCommand(
    new Command("crd")
      .description("Print the CustomResourceDefinition of every kind of an operator.")
      .argument("<operator>", "module that default-exports an operator, or exports kinds")
      .addOption(outputOption("yaml"))
      .option("--out <folder>", "write one file per kind to this folder")
      .option(
        "--operator-namespace <name>",
        "namespace in which the operator converts between versions (default: the operator's name)",
      )
      .addHelpText(
        "after",
        examplesText(
          "generate crd operator.ts | kubectl apply --server-side -f -",
          "generate crd operator.ts --out config/crd",
        ),
      )
      .action((operator: string, options: CrdOptions) => generateCrds(terminal, operator, options)),
  );
  generate.addCommand(generateResourceCommand(terminal));
  for (const make of [
    rbacCommand,
    manifestsCommand,
    bundleCommand,
    typesCommand,
    schemaCommand,
    typescriptCommand,
  ])
    generate.addCommand(make(terminal));
  for (const { name, description, example, make, isObject = false } of generated) {
    generate.addCommand(
      new Command(name)
        .description(description)
        .argument("<operator>", "module that default-exports an operator, or exports kinds")
        .addOption(
          isObject ? outputOption("yaml") : dataOption(name === "grafana-dashboard" ? "json" : "yaml"),
        )
        .addHelpText("after", examplesText(example))
        .action(async (operator: string, { output }: CrdOptions) => {
          const module = await loadModule(terminal.path(operator));
          const document = make(declaredKinds(module), nameOf(module));
          terminal.out(formatDocuments([document], output));
        }),
    );
  }
  return generate;
}

interface Generated {
  readonly name: string;
  readonly description: string;
  readonly example: string;
  readonly make: (kinds: readonly Kind<KubeObject>[], operator: string) => object;
  /** Whether it is an object of Kubernetes; default false. */
  readonly isObject?: true;
}

/** What other tools read, each made of all kinds of an operator. */
const generated: readonly Generated[] = [
  {
    name: "argocd-health",
    description: "Print Argo CD's health checks of every kind.",
    example: "generate argocd-health operator.ts | kubectl apply --server-side -f -",
    make: argoCdHealth,
    isObject: true,
  },
  {
    name: "flux-health",
    description: "Print Flux's health expressions of every kind, to be merged into a Kustomization.",
    example: "generate flux-health operator.ts",
    make: fluxHealth,
  },
  {
    name: "kube-state-metrics",
    description: "Print the configuration with which kube-state-metrics shows every resource.",
    example: "generate kube-state-metrics operator.ts > custom-resource-state.yaml",
    make: kubeStateMetrics,
  },
  {
    name: "alerts",
    description: "Print a PrometheusRule with the alerts on every kind.",
    example: "generate alerts operator.ts | kubectl apply --server-side -f -",
    make: (kinds, operator) => prometheusRule(operator, kinds),
    isObject: true,
  },
  {
    name: "grafana-dashboard",
    description: "Print a Grafana dashboard of the operator.",
    example: "generate grafana-dashboard operator.ts > dashboard.json",
    make: (kinds, operator) => grafanaDashboard(operator, kinds),
  },
];

/** The name of the operator; a module of kinds alone has none. */
function nameOf({ exports }: LoadedModule): string {
  const [operator] = Object.values(exports).filter(isOperator);
  return operator?.name ?? "xstate-operator";
}

async function generateCrds(
  terminal: Terminal,
  operator: string,
  { output, out, operatorNamespace }: CrdOptions,
): Promise<void> {
  const { crdOf } = await import("../../kinds/crd.ts");
  const path = terminal.path(operator);
  const module = await loadModule(path);
  const kinds = declaredKinds(module);
  // Kinds alone are converted by nobody yet.
  const [operatorDefinition] = Object.values(module.exports).filter(isOperator);
  const name = operatorDefinition?.name;
  const options =
    name === undefined
      ? {}
      : { operator: name, webhooks: { service: webhookServiceOf(name, operatorNamespace ?? name) } };
  const crds = await withPlace(path, () => kinds.map((kind) => crdOf(kind, options)));
  if (out === undefined) return terminal.out(formatDocuments(crds, output));
  if (output === "name") throw new UsageError("names are not written to files", "Omit --out, or -o name.");
  const folder = terminal.path(out);
  for (const crd of crds) {
    const file = join(folder, `${crd.metadata.name}.${output}`);
    try {
      await makeFolder(folder);
      await writeFile(file, formatDocuments([crd], output));
    } catch (error: unknown) {
      throw new OperatorError("FILE_NOT_WRITTEN", `${file} cannot be written: ${messageOf(error)}`, {
        cause: error,
        remedy: "Choose a writable folder.",
      });
    }
    terminal.out(`${file}\n`);
  }
}

/** Adds to the refusal of a schema where in the module's files it is written. */
async function withPlace<T>(path: string, make: () => T): Promise<T> {
  try {
    return make();
  } catch (error: unknown) {
    if (!isOperatorError(error, "CRD_SCHEMA_UNSUPPORTED")) throw error;
    const { problemPlaces } = await import("../check/problem-places.ts");
    const { message, fields, remedy } = error;
    const { kind, path: option } = fields as { readonly kind?: string; readonly path?: string };
    const subject = kind === undefined ? {} : { kind };
    const where = problemPlaces(moduleFile(path))(subject, { code: error.code, option: option ?? "" });
    throw new OperatorError(error.code, message, {
      fields: { ...fields, ...(where === undefined ? {} : { where }) },
      ...(remedy === undefined ? {} : { remedy }),
      cause: error,
    });
  }
}
