// `generate resource`: a resource in three parts, as a TypeScript file, from a kind and a manifest.
import { basename, dirname, join, relative } from "node:path";
import { Command } from "commander";
import { apiVersionOf, parseApiVersion } from "../../meta/resource-type.ts";
import { OperatorError } from "../../ports/operator-error.ts";
import {
  entryFor,
  findEntry,
  knowsEntry,
  parseDictionary,
  type Dictionary,
  type DictionaryEntry,
} from "../../scaffold/dictionary.ts";
import { parseManifests, type WrittenObject } from "../../scaffold/manifest.ts";
import { kebabCase, refuseInvalid } from "../../scaffold/names.ts";
import { declaredOwner, undeclaredOwner, type OwnerKind } from "../../scaffold/owner-kind.ts";
import { regenerated } from "../../scaffold/regions.ts";
import { linesForController, resourceFile, type ResourceFile } from "../../scaffold/resource-file.ts";
import { readIfThere, writeFiles, type PlannedFile } from "../../scaffold/write-files.ts";
import { withClusterAddress } from "../cluster-object.ts";
import { declaredKinds } from "../declared-kinds.ts";
import { readOwnDictionary } from "../dictionary-file.ts";
import { entriesOnCluster } from "../entries-on-cluster.ts";
import { examplesText } from "../examples-text.ts";
import { loadModule } from "../load-module.ts";
import { formatDocuments, textOrDataOption, type DataFormat } from "../output-format.ts";
import type { Terminal } from "../terminal.ts";
import { UsageError } from "../usage-error.ts";

interface ResourceOptions {
  readonly type?: string;
  readonly kind?: string;
  readonly group?: string;
  readonly version?: string;
  readonly dictionary?: string;
  readonly fromCluster?: boolean;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly path?: string;
  readonly module?: string;
  readonly name?: string;
  readonly force?: boolean;
  readonly list?: boolean;
  readonly output?: DataFormat;
}

/** The command `generate resource`. */
export function generateResourceCommand(terminal: Terminal): Command {
  const command = new Command("resource")
    .description("Write a resource in three parts, typed, from a kind and a YAML manifest.")
    .argument("[manifest]", "YAML or JSON with the objects, `-` for standard input; one file for each object")
    .option("--type <kind>", "kind of the object, such as Deployment; without it every kind of the manifest")
    .option("--kind <kind>", "kind of the custom resource that owns it, such as Memcached")
    .option("--group <group>", "its API group, such as cache.example.com")
    .option("--version <version>", "its version, such as v1alpha1")
    .option("--dictionary <file>", "more kinds: a dictionary, or CustomResourceDefinitions, in YAML")
    .option("--from-cluster", "read the definitions of kinds that the dictionary lacks from the cluster");
  return withClusterAddress(command)
    .option("--path <folder>", "folder for the files (default: `resources` beside the module of the kind)")
    .option("--module <file>", "module that declares the kind (default: it is looked for)")
    .option("--name <name>", "name of file and function (default: the object's, and its kind)")
    .option("--force", "replace existing files; the old ones are kept as .bak")
    .option("--list", "print the kinds of the dictionary")
    .addOption(textOrDataOption())
    .addHelpText(
      "after",
      examplesText(
        "generate resource --type Deployment --kind Memcached --group cache.example.com --version v1alpha1",
        "generate resource --kind Memcached memcached.yaml",
        "generate resource --type Certificate --dictionary cert-manager.crds.yaml --kind Memcached",
        "generate resource --list",
      ),
    )
    .action((manifest: string | undefined, options: ResourceOptions) =>
      generateResource(terminal, manifest, options),
    );
}

async function generateResource(
  terminal: Terminal,
  typedManifest: string | undefined,
  options: ResourceOptions,
): Promise<void> {
  const objects = typedManifest === undefined ? [] : await readManifest(terminal, typedManifest);
  const dictionary = await readDictionary(terminal, options, objects);
  if (options.list === true) return listKinds(terminal, dictionary, options);
  const owner = await findOwner(terminal, options);
  const source =
    typedManifest === undefined || typedManifest === "-" ? typedManifest : basename(typedManifest);
  const inputs =
    typedManifest === undefined
      ? [fromDictionary(dictionary, options)]
      : chooseObjects(dictionary, objects, options, typedManifest);
  if (options.name !== undefined && inputs.length > 1) {
    throw new UsageError(
      `${typedManifest ?? ""} has ${inputs.length} objects, so they cannot have one name`,
      "Omit --name, or choose one kind with --type.",
    );
  }
  const files = inputs.map((input) =>
    resourceFile({
      ...input,
      owner: owner.kind,
      source: source === "-" ? "standard input" : source,
      ...(options.name === undefined ? {} : { name: options.name }),
    }),
  );
  refuseDoubles(files);
  const planned: PlannedFile[] = [];
  for (const file of files) planned.push(await plan(owner.folder, file, options.force === true));
  const written = await writeFiles(planned);
  const shown = written.map(({ path, ...rest }) => ({ file: relative(terminal.path("."), path), ...rest }));
  if (options.output !== undefined) return terminal.out(formatDocuments([{ files: shown }], options.output));
  for (const { file, outcome, backup } of shown) {
    terminal.out(`${outcome} ${file}${backup === undefined ? "" : `; the old one is ${basename(backup)}`}\n`);
  }
  for (const { file, notes } of files) for (const note of notes) terminal.err(`${file}: ${note}\n`);
  const folder = `./${relative(owner.controllerFolder, owner.folder)}`.replace(/\/$/, "");
  const controller = (await readIfThere(join(owner.controllerFolder, "controller.ts"))) ?? "";
  const lines = linesForController(files, { folder, cr: "cr", imported: importedIn(controller) });
  terminal.err(`Add to the controller:\n${lines.map((line) => `  ${line}\n`).join("")}`);
}

/** The names that a module's import statements bind. */
function importedIn(text: string): ReadonlySet<string> {
  const lists = [...text.matchAll(/^import\s+(?:type\s+)?\{([^}]*)\}/gm)].map(([, list = ""]) => list);
  const names = lists.flatMap((list) => list.split(","));
  return new Set(names.map((name) => name.replace(/^.*\sas\s|^\s*type\s/, "").trim()));
}

async function readDictionary(
  terminal: Terminal,
  options: ResourceOptions,
  objects: readonly WrittenObject[],
): Promise<Dictionary> {
  const kinds = new Map(readOwnDictionary());
  if (options.dictionary !== undefined) {
    const text = await readInput(terminal, options.dictionary);
    for (const [name, entry] of parseDictionary(text, options.dictionary)) kinds.set(name, entry);
  }
  if (options.fromCluster !== true) return kinds;
  const { type } = options;
  if (type === undefined && objects.length === 0) {
    throw new UsageError(
      "--from-cluster needs a kind",
      "Name the kind whose definition is read (--type), or a manifest of it.",
    );
  }
  for (const wanted of type === undefined ? unknownKinds(kinds, objects) : [type]) {
    const entries = await entriesOnCluster(terminal, wanted, options, kinds);
    for (const entry of entries) kinds.set(entry.name, entry);
    // Typed in a way that only the cluster knows: as a short name, or with the group.
    const [preferred] = entries;
    if (preferred !== undefined && !knowsEntry(kinds, wanted)) kinds.set(wanted, preferred);
  }
  return kinds;
}

/** The kinds of a manifest that a dictionary lacks, each as `kind.group`. */
function unknownKinds(dictionary: Dictionary, objects: readonly WrittenObject[]): ReadonlySet<string> {
  return new Set(
    objects.flatMap(({ apiVersion, kind }) => {
      const [version, name] = [String(apiVersion), String(kind)];
      return entryFor(dictionary, version, name) === undefined
        ? [`${name}.${parseApiVersion(version).group}`]
        : [];
    }),
  );
}

function listKinds(terminal: Terminal, dictionary: Dictionary, { output }: ResourceOptions): void {
  const kinds = [...dictionary].map(([name, entry]) => ({
    name,
    apiVersion: apiVersionOf(entry),
    scope: entry.namespaced ? "Namespaced" : "Cluster",
  }));
  if (output !== undefined) return terminal.out(formatDocuments([kinds], output));
  const width = (field: "name" | "apiVersion"): number =>
    Math.max(...kinds.map((kind) => kind[field].length));
  for (const { name, apiVersion, scope } of kinds) {
    terminal.out(`${name.padEnd(width("name"))}  ${apiVersion.padEnd(width("apiVersion"))}  ${scope}\n`);
  }
}

interface Input {
  readonly entry: DictionaryEntry;
  readonly manifest: Readonly<Record<string, unknown>>;
}

function fromDictionary(dictionary: Dictionary, { type }: ResourceOptions): Input {
  if (type === undefined) {
    throw new UsageError("neither --type nor a manifest is given", "Name a kind, such as --type Deployment.");
  }
  const entry = findEntry(dictionary, type);
  return { entry, manifest: entry.manifest };
}

function chooseObjects(
  dictionary: Dictionary,
  objects: readonly WrittenObject[],
  { type }: ResourceOptions,
  source: string,
): readonly Input[] {
  const only = type === undefined ? undefined : findEntry(dictionary, type);
  const inputs = objects.flatMap((manifest): readonly Input[] => {
    const { apiVersion, kind } = manifest as { readonly apiVersion: string; readonly kind: string };
    const entry = entryFor(dictionary, apiVersion, kind);
    if (only !== undefined)
      return entry?.kind === only.kind && entry.group === only.group ? [{ entry, manifest }] : [];
    if (entry !== undefined) return [{ entry, manifest }];
    throw new OperatorError(
      "DICTIONARY_KIND_UNKNOWN",
      `the dictionary has no ${kind} of ${apiVersion}, which ${source} has`,
      {
        remedy:
          "Name a file with its CustomResourceDefinition (--dictionary FILE), or choose other kinds (--type).",
      },
    );
  });
  if (inputs.length > 0) return inputs;
  throw new OperatorError("DICTIONARY_KIND_UNKNOWN", `${source} has no ${only?.kind ?? "object"}`, {
    remedy: `Its kinds: ${[...new Set(objects.map(({ kind }) => String(kind)))].join(", ")}.`,
  });
}

async function readManifest(terminal: Terminal, typed: string): Promise<readonly WrittenObject[]> {
  const text = typed === "-" ? await terminal.readIn() : await readInput(terminal, typed);
  return parseManifests(text, typed === "-" ? "standard input" : typed);
}

async function readInput(terminal: Terminal, typed: string): Promise<string> {
  const text = await readIfThere(terminal.path(typed));
  if (text !== undefined) return text;
  throw new OperatorError("FILE_UNREADABLE", `there is no file ${terminal.path(typed)}`, {
    remedy: "Check the path; it is relative to the current directory.",
  });
}

interface Owner {
  readonly kind: OwnerKind;
  /** Absolute path of the folder for the files. */
  readonly folder: string;
  /** Where a controller of the kind is taken to be. */
  readonly controllerFolder: string;
}

async function findOwner(terminal: Terminal, options: ResourceOptions): Promise<Owner> {
  const { kind, group, version, path, module } = options;
  if (kind === undefined) {
    throw new UsageError(
      "--kind is missing",
      "Name the kind that owns the resource, such as --kind Memcached.",
    );
  }
  refuseInvalid("kind", kind);
  if (group !== undefined) refuseInvalid("group", group);
  if (version !== undefined) refuseInvalid("version", version);
  const name = kebabCase(kind);
  const chosen = path === undefined ? undefined : terminal.path(path);
  const places = [`src/${name}/${name}.ts`, `${name}/${name}.ts`, `src/${name}.ts`, `${name}.ts`].map(
    (place) => terminal.path(place),
  );
  const nearby =
    chosen === undefined ? [] : [dirname(chosen), chosen].map((each) => join(each, `${name}.ts`));
  const files = module === undefined ? [...nearby, ...places] : [terminal.path(module)];
  for (const file of files) {
    if (module === undefined && (await readIfThere(file)) === undefined) continue;
    const declared = declaredKinds(await loadModule(file));
    const found = declared.find((each) => each.kind === kind);
    if (found === undefined) {
      if (module === undefined) continue;
      throw new OperatorError("KIND_MISSING", `${file} declares no kind ${kind}`, {
        remedy: `It declares ${declared.map((each) => each.kind).join(", ")}.`,
      });
    }
    if ((group ?? found.group) !== found.group || (version ?? found.version) !== found.version) {
      throw new OperatorError(
        "KIND_MISSING",
        `${file} declares ${kind} as ${apiVersionOf(found)}, not as ${group ?? found.group}/${version ?? found.version}`,
        { remedy: "Omit --group and --version, or name another module (--module)." },
      );
    }
    const folder = chosen ?? join(dirname(file), "resources");
    return {
      kind: declaredOwner(found, modulePath(folder, file)),
      folder,
      controllerFolder: dirname(file),
    };
  }
  if (group === undefined || version === undefined) {
    throw new OperatorError("KIND_MISSING", `no module here declares the kind ${kind}`, {
      remedy: `Create it with \`xstate-operator create api\`, name its module (--module), or say which kind it is (--group, --version).`,
    });
  }
  const folder = chosen ?? terminal.path(".");
  return { kind: undeclaredOwner(kind, `${group}/${version}`), folder, controllerFolder: folder };
}

function modulePath(folder: string, file: string): string {
  const path = relative(folder, file).replaceAll("\\", "/");
  return path.startsWith(".") ? path : `./${path}`;
}

async function plan(folder: string, { file, text }: ResourceFile, force: boolean): Promise<PlannedFile> {
  const path = join(folder, file);
  const old = await readIfThere(path);
  if (old === undefined) return { path, text };
  return force ? { path, text, old, backup: true } : { path, text: regenerated(old, text, path), old };
}

function refuseDoubles(files: readonly ResourceFile[]): void {
  const seen = new Set<string>();
  for (const { file } of files) {
    if (seen.has(file)) {
      throw new OperatorError("FILE_EXISTS", `two objects of the manifest would be written into ${file}`, {
        remedy: "Give them different names in the manifest, or split it and use --name.",
      });
    }
    seen.add(file);
  }
}
