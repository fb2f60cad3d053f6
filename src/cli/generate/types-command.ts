// `generate types` and `generate schema`: a kind for those who use it, in TypeScript or as a JSON Schema.
import { readFile } from "node:fs/promises";
import { Command, Option } from "commander";
import { jsonSchemaOf } from "../../delivery/json-schema.ts";
import { operatorFileSchema } from "../../operator-file/form/json-schema.ts";
import { messageOf, OperatorError } from "../../ports/operator-error.ts";
import { parseDictionary, type DictionaryEntry } from "../../scaffold/dictionary.ts";
import { isFields, parseYaml } from "../../scaffold/manifest.ts";
import { typeDeclarations } from "../../scaffold/resource-file.ts";
import { withClusterAddress, type ClusterObjectOptions } from "../cluster-object.ts";
import { declaredKinds } from "../declared-kinds.ts";
import { readOwnDictionary } from "../dictionary-file.ts";
import { entriesOnCluster } from "../entries-on-cluster.ts";
import { examplesText } from "../examples-text.ts";
import { loadModule } from "../load-module.ts";
import type { Terminal } from "../terminal.ts";
import { UsageError } from "../usage-error.ts";

interface TypesFlags extends Pick<ClusterObjectOptions, "kubeconfig" | "context"> {
  readonly fromCluster?: string;
}

/** The command `generate types`. */
export function typesCommand(terminal: Terminal): Command {
  const command = new Command("types")
    .description("Print TypeScript types of the kinds that CustomResourceDefinitions define.")
    .argument("[file]", "YAML or JSON with CustomResourceDefinitions, or `-` for standard input")
    .option("--from-cluster <kind>", "read the definition of this kind from the cluster instead");
  return withClusterAddress(command)
    .addHelpText(
      "after",
      examplesText(
        "generate types cert-manager.crds.yaml > cert-manager.ts",
        "generate types --from-cluster certificates.cert-manager.io > certificate.ts",
      ),
    )
    .action(async (file: string | undefined, flags: TypesFlags) => {
      const entries = await definitionsOf(terminal, file, flags);
      terminal.out(typeDeclarations(entries));
    });
}

async function definitionsOf(
  terminal: Terminal,
  file: string | undefined,
  { fromCluster, ...cluster }: TypesFlags,
): Promise<readonly DictionaryEntry[]> {
  if ((file === undefined) === (fromCluster === undefined)) {
    throw new UsageError(
      "types are made of a file or of a kind on the cluster",
      "Name a file, or --from-cluster <kind>.",
    );
  }
  if (fromCluster !== undefined) {
    return await entriesOnCluster(terminal, fromCluster, cluster, readOwnDictionary());
  }
  const source = file === "-" ? "standard input" : (file ?? "");
  const text = file === "-" ? await terminal.readIn() : await readText(terminal.path(file ?? ""));
  const entries = [...parseDictionary(text, source).values()].filter(({ schema }) => schema !== undefined);
  if (entries.length > 0) return entries;
  const kinds = [...new Set(parseYaml(text, source).flatMap(kindsIn))];
  const found =
    kinds.length === 0 ? "" : `, but ${kinds.slice(0, 5).join(", ")}${kinds.length > 5 ? ", …" : ""}`;
  throw new OperatorError(
    "DEFINITIONS_MISSING",
    `${source} has no CustomResourceDefinition with a schema${found}`,
    {
      remedy:
        "Name a file with CustomResourceDefinitions, for instance what `generate crd` prints, or a kind on the cluster (--from-cluster). The types of Kubernetes' own kinds are in xstate-operator/kinds.",
    },
  );
}

/** The kinds of the objects in a document. */
function kindsIn(document: unknown): readonly string[] {
  if (!isFields(document)) return [];
  const { kind, items } = document;
  if (Array.isArray(items)) return items.flatMap(kindsIn);
  return typeof kind === "string" ? [kind] : [];
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw new OperatorError("FILE_UNREADABLE", `${path} cannot be read: ${messageOf(error)}`, {
      cause: error,
      remedy: "Check the path; it is relative to the current directory.",
    });
  }
}

interface SchemaFlags {
  readonly kind?: string;
  readonly version?: string;
  readonly operatorFile?: boolean;
}

/** The command `generate schema`. */
export function schemaCommand(terminal: Terminal): Command {
  return new Command("schema")
    .description("Print the JSON Schema of a kind's manifests, for editors and validators.")
    .argument("[operator]", "module that default-exports an operator, or exports kinds")
    .addOption(new Option("--kind <kind>", "the kind, when there are several"))
    .option("--version <version>", "one version of the kind; default: each that is served")
    .addOption(
      new Option("--operator-file", "the schema of operators that are files of YAML").conflicts([
        "kind",
        "version",
      ]),
    )
    .addHelpText(
      "after",
      examplesText(
        "generate schema operator.ts --kind Database > database.schema.json",
        "generate schema --operator-file > operator.schema.json",
      ),
    )
    .action(async (path: string | undefined, flags: SchemaFlags) => {
      const { kind: wanted, version, operatorFile } = flags;
      if (operatorFile === true) {
        terminal.out(`${JSON.stringify(operatorFileSchema(), null, 2)}\n`);
        return;
      }
      if (path === undefined) {
        throw new UsageError("no operator is named", "Name its module, or write --operator-file.");
      }
      const kinds = declaredKinds(await loadModule(terminal.path(path)));
      const chosen = wanted === undefined ? kinds : kinds.filter(({ kind }) => kind === wanted);
      const [kind] = chosen;
      if (kind === undefined || chosen.length > 1) {
        const names = kinds.map((each) => each.kind).join(", ");
        throw new UsageError(
          `a schema is of one kind, and there are ${names}`,
          "Name one of them with --kind.",
        );
      }
      terminal.out(`${JSON.stringify(jsonSchemaOf(kind, version), null, 2)}\n`);
    });
}
