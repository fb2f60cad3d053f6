// Bundles what Node loads of this package: each entry stays where package.json names it, what entries share becomes a few chunks,
// and what is loaded when it is used stays apart. A start is then a dozen files instead of a thousand.
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown, type OutputOptions, type Plugin } from "rolldown";
import { readBuiltins } from "../src/cli/build/builtin-imports.ts";
import { kept } from "./kept-modules.ts";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, "dist");
const require = createRequire(import.meta.url);

interface PackageFile {
  readonly exports: Readonly<Record<string, { readonly "xstate-operator-source": string }>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

const { exports, dependencies, optionalDependencies, peerDependencies } = JSON.parse(
  readFileSync(join(root, "package.json"), "utf8"),
) as PackageFile;

/**
 * Packages that are loaded from beside this one; what else is imported becomes a part of it. RxJS does so too: it is installed for its
 * types, and is 200 files. Its observables work with those of another copy.
 */
const installed = [dependencies, optionalDependencies, peerDependencies]
  .flatMap(Object.keys)
  .filter((name) => name !== "rxjs");

const entries = [
  ...Object.values(exports).map((entry) => entry["xstate-operator-source"].replace(/^\.\/|\.ts$/g, "")),
  "src/cli/main",
  "src/cli/built-operator",
  "src/sidecar/sidecar-process",
  "src/web/drawing-thread",
];

/** Entries that are loaded without the rest: what they share with it is in chunks of its own. */
const alone = [
  "src/client/index",
  "src/kinds/index",
  "machines/index",
  "src/web/drawing-thread",
  "src/cli/main",
];

/** What each module imports when it is loaded; and which packages are imported when they are used. */
const imports = new Map<string, readonly string[]>();
const usedLater = new Set<string>();

const undici = "\0undici";
/**
 * Parts of undici that nothing of ours uses, with what stands for each: HTTP/2, another parser, which an environment variable chooses,
 * and bodies that are no texts.
 */
const unused: ReadonlyMap<string, string> = new Map([
  ["./client-h2.js", "module.exports = undefined;"],
  ["../web/fetch/body.js", "module.exports = {};"],
  ["../web/fetch/formdata", "module.exports = {};"],
  ["../web/webidl", "module.exports = { webidl: { is: { FormData: () => false } } };"],
  ["./parser-h1.js", "module.exports = { getMiloEnabled: () => false };"],
]);
/** Not what it has for Node, of which nothing can be left out. */
const rxjs = join(root, "node_modules/rxjs/dist/esm/index.js");
/** What it needs of tslib, as its own: what others that are loaded later need of that would be loaded with the library. */
const tslibOfRxjs = "\0tslib";
const required = "createRequire(import.meta.url)(";

/** Modules of Node that few starts need, or that only a failure does: each is loaded when something of it is used. */
const builtinsUsedLater: readonly string[] = [
  "assert",
  "child_process",
  "fs/promises",
  "https",
  "readline",
  "stream/consumers",
  "stream/promises",
  "timers/promises",
  "zlib",
];
const builtinUsedLater = "\0builtin:";

/** Packages that are a part of this one, and that few starts need whole: as the modules of Node above. */
const packagesUsedLater: readonly string[] = ["ws", "yaml"];
const packageUsedLater = "\0package:";

const plugin: Plugin = {
  name: "xstate-operator",
  async resolveId(id, importer, options) {
    if (id === "undici") return undici;
    if (id === "rxjs") return rxjs;
    if (id === "tslib" && importer?.includes("/node_modules/rxjs/") === true) return tslibOfRxjs;
    if (unused.has(id)) return `\0${id}`;
    const builtin = id.replace(/^node:/, "");
    if (builtinsUsedLater.includes(builtin)) return builtinUsedLater + builtin;
    if (packagesUsedLater.includes(id)) return packageUsedLater + id;
    const resolved = await this.resolve(id, importer, { ...options, skipSelf: true });
    const name = resolved === null ? "" : nameOf(resolved.id);
    return kept.includes(name) ? { id: `kept:${name}`, external: true } : resolved;
  },
  // The whole of undici also has fetch, caches and mocks, which take longer to load than what is used; and for HTTP/2 Node has many modules of its own.
  load(id) {
    if (id.startsWith(builtinUsedLater)) return builtinWhenUsed(id.slice(builtinUsedLater.length));
    if (id.startsWith(packageUsedLater)) return packageWhenUsed(id.slice(packageUsedLater.length));
    if (id === tslibOfRxjs) return readFileSync(join(root, "node_modules/tslib/tslib.es6.mjs"), "utf8");
    if (id !== undici) return unused.get(id.slice(1)) ?? null;
    return `const connecting = (made) => {
  // The whole of undici gives it to all of them; proxies are asked for connections by it.
  require("undici/lib/dispatcher/dispatcher.js").prototype.connect ??= require("undici/lib/api/api-connect.js");
  return made;
};
${gettersOf({
  Agent: 'require("undici/lib/dispatcher/agent.js")',
  Client: 'connecting(require("undici/lib/dispatcher/client.js"))',
  ProxyAgent: 'connecting(require("undici/lib/dispatcher/proxy-agent.js"))',
  Socks5ProxyAgent: 'require("undici/lib/dispatcher/socks5-proxy-agent.js")',
})}`;
  },
  // What is required in a function is loaded when that is called, bundled too.
  transform: (code) =>
    code.includes(required)
      ? {
          code: code.replaceAll(/createRequire\(import\.meta\.url\)\(("[^"]+")\)/g, "require($1)"),
          map: null,
        }
      : null,
  moduleParsed({ id, importedIds, dynamicallyImportedIds }) {
    imports.set(id, importedIds);
    for (const later of dynamicallyImportedIds) if (later.includes("/node_modules/")) usedLater.add(later);
  },
  renderChunk: (code, { fileName }) => ({
    code: readBuiltins(code).replaceAll(/(?<=^import .* from ")kept:(.*)(?=";$)/gm, (_name, name: string) =>
      relative(dirname(fileName), `${name}.js`).replace(/^(?!\.)/, "./"),
    ),
    map: null,
  }),
};

/** A module of Node that is loaded when something of it is used; `assert`, when what is asserted is wrong. */
function builtinWhenUsed(name: string): string {
  const loaded = `process.getBuiltinModule("node:${name}")`;
  return name === "assert"
    ? `module.exports = (value, ...message) => value || ${loaded}(value, ...message);`
    : gettersOf(membersOf(process.getBuiltinModule(`node:${name}`) as object, loaded));
}

/** The same of a package. */
function packageWhenUsed(name: string): string {
  const file = require.resolve(name);
  return gettersOf(membersOf(require(file) as object, `require(${JSON.stringify(file)})`));
}

function membersOf(loaded: object, expression: string): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.keys(loaded).map((name) => [name, `${expression}.${name}`]));
}

/** A module with these members, each of which is worked out when it is read. */
function gettersOf(members: Readonly<Record<string, string>>): string {
  const getters = Object.entries(members).map(([name, value]) => `get ${name}() { return ${value}; }`);
  return `module.exports = { ${getters.join(", ")} };`;
}

function nameOf(id: string): string {
  return relative(root, id).replace(/\.ts$/, "");
}

/**
 * The modules of each chunk: those that the same entries load. A chunk comes after all that it imports, which more entries load.
 * What is loaded only when it is used is in none of them.
 */
function chunks(): readonly (readonly [string, ReadonlySet<string>])[] {
  const users = new Map<string, Set<string>>();
  const use = (id: string, user: string): void => {
    const known = users.get(id) ?? new Set<string>();
    if (known.has(user)) return;
    users.set(id, known.add(user));
    for (const imported of imports.get(id) ?? []) use(imported, user);
  };
  for (const entry of entries) use(join(root, `${entry}.ts`), userOf(entry));
  const loaded = new Set(users.keys());
  for (const id of usedLater) use(id, /.*\/node_modules\/([^/]+)/.exec(id)?.[1] ?? "");
  const modules = new Map<string, Set<string>>();
  for (const [id, all] of users) {
    if (entries.includes(nameOf(id)) || !loaded.has(id)) continue;
    // Whatever else loads the library needs no chunk of its own for a part of it.
    const needed = [...all].filter((user) => !all.has(library) || user === library || alone.includes(user));
    const name = needed.toSorted().join(" ");
    modules.set(name, (modules.get(name) ?? new Set()).add(id));
  }
  const rank = (name: string): number =>
    name.split(" ").length + (name.split(" ").includes(library) ? entries.length : 0);
  return [...modules].toSorted(([a], [b]) => rank(b) - rank(a));
}

const library = "library";

function userOf(entry: string): string {
  return entry === "src/index" ? library : entry;
}

const bundle = await rolldown({
  cwd: root,
  input: Object.fromEntries(entries.map((entry) => [entry, join(root, `${entry}.ts`)])),
  platform: "node",
  external: (id) => installed.some((name) => id === name || id.startsWith(`${name}/`)),
  plugins: [plugin],
  onLog: (_level, { code, message }) => {
    if (code !== "INEFFECTIVE_DYNAMIC_IMPORT") throw new Error(message);
  },
});
const output: OutputOptions = {
  dir: dist,
  format: "esm",
  sourcemap: true,
  minify: false,
  comments: false,
  entryFileNames: "[name].js",
  chunkFileNames: "chunks/[name].js",
};
// The first time for what modules import.
await bundle.generate(output);
const groups = chunks().map(([name, modules], at, all) => ({
  name: name.replaceAll(/\/index|src\//g, "").replaceAll(/[/ ]/g, "-"),
  test: (id: string) => modules.has(id),
  priority: all.length - at,
}));
const written = await bundle.write({ ...output, codeSplitting: { groups } });
await bundle.close();

// Of others' code the places are enough: what it says is in their packages.
for (const file of globSync(join(dist, "**/*.js.map"))) {
  const map = JSON.parse(readFileSync(file, "utf8")) as {
    readonly sources: readonly string[];
    readonly sourcesContent: readonly (string | null)[];
  };
  const sourcesContent = map.sourcesContent.map((text, at) =>
    map.sources[at]?.includes("/node_modules/") === true ? null : text,
  );
  writeFileSync(file, JSON.stringify({ ...map, sourcesContent }));
}

// What is a part of these files keeps its licence.
const modules = written.output.flatMap((part) => (part.type === "chunk" ? part.moduleIds : []));
const folders = modules.flatMap((id) => /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1] ?? []);
writeFileSync(join(dist, "licenses.txt"), [...new Set(folders)].toSorted().map(licenceOf).join("\n"));

function licenceOf(folder: string): string {
  const { name, version, license, author } = JSON.parse(
    readFileSync(join(folder, "package.json"), "utf8"),
  ) as {
    readonly name: string;
    readonly version: string;
    readonly license: string;
    readonly author?: string | { readonly name: string };
  };
  const [file] = globSync(join(folder, "{LICENSE,LICENCE,license,LICENSE-MIT,CopyrightNotice}{,.md,.txt}"));
  const by = typeof author === "string" ? author : (author?.name ?? "its authors");
  const text =
    file === undefined
      ? `Copyright ${by}; see https://spdx.org/licenses/${license}.html`
      : readFileSync(file, "utf8");
  return `${"=".repeat(40)}\n${name} ${version} (${license})\n\n${text.trim()}\n`;
}
