// Makes one file of an operator and all that it imports, by rolldown, a package that is loaded when it is used.
import { existsSync, readFileSync } from "node:fs";
import { realpath, writeFile } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { stripVTControlCharacters } from "node:util";
import type { Plugin, rolldown } from "rolldown";
import { readOperatorText, type ReadOperator } from "../../operator-file/parts/read-operator.ts";
import { messageOf, OperatorError } from "../../ports/operator-error.ts";
import { requirePackages } from "../../ports/optional-package.ts";
import { drawingThread } from "../../web/graph-drawer.ts";
import { pagePackages } from "../../web/import-map.ts";
import { isOperatorFile } from "../operator-file.ts";
import { authorsMap, type SourceMapText } from "./authors-map.ts";
import { readBuiltins } from "./builtin-imports.ts";
import { evaluatedWhenUsed, unpacked } from "./packed-code.ts";
import { entryModule, ownModule, packageRoot, pageParts } from "./package-sources.ts";

/** A bundle that was written. */
export interface OperatorBundle {
  /** The file. */
  readonly file: string;
  readonly bytes: number;
  /** Files beside the operator's modules that they read by a literal `new URL("…", import.meta.url)`; relative to its folder. */
  readonly assets: readonly string[];
  /** Programs that an operator of YAML runs. */
  readonly programs: readonly string[];
  /** Modules of the author that read what is beside them in a form that cannot be followed. */
  readonly readers: readonly string[];
}

/** Packages that few operators need, and that a folder of packages is then needed for. */
const left: readonly string[] = ["@kubernetes/client-node", "@resvg/resvg-js", "pino-pretty"];

/**
 * Writes the file and its source map.
 *
 * **Errors**: `BUILD_UNAVAILABLE` without rolldown; `BUILD_FAILED` with what rolldown says.
 */
export async function bundleOperator(path: string, file: string): Promise<OperatorBundle> {
  // As Node itself: what a module imports is looked for from where the module really is.
  const operator = await realpath(path);
  const rolldownPackage = await loadRolldown();
  const { files, programs } = dataFilesOf(operator);
  const found = { assets: new Set(files), readers: new Set<string>() };
  try {
    const missing: string[] = [];
    const bundle = await rolldownPackage.rolldown({
      input: entryId,
      platform: "node",
      external: [...left],
      plugins: [operatorPlugin(operator, found)],
      onLog: (_level, { code, message, id = "" }) => {
        // Packages try to load what they do without; what the author imports has to be there.
        if (code === "UNRESOLVED_IMPORT" && !id.includes(`${sep}node_modules${sep}`))
          missing.push(firstLineOf(message));
      },
    });
    const { output } = await bundle.write({
      file,
      format: "esm",
      sourcemap: true,
      minify: { mangle: false, compress: false, codegen: { removeWhitespace: true } },
      codeSplitting: false,
    });
    await bundle.close();
    if (missing.length > 0) throw new Error(missing.join("\n"));
    const bytes = Buffer.byteLength(output[0].code);
    await writeFile(`${file}.map`, JSON.stringify(mapOf(output[0].map, file)));
    const [assets, readers] = [found.assets, found.readers].map((each) => [...each].toSorted());
    return { file, bytes, assets: assets ?? [], programs, readers: readers ?? [] };
  } catch (error) {
    throw new OperatorError(
      "BUILD_FAILED",
      `${operator} cannot be built: ${stripVTControlCharacters(messageOf(error))}`,
      {
        cause: error,
        remedy:
          "Correct the import or the module named above; the operator has to run with `xstate-operator run` first.",
      },
    );
  }
}

/** The map with the author's modules alone; sources are relative to the file's folder. */
function mapOf(map: SourceMapText | null, file: string): object {
  return authorsMap(
    map ?? { sources: [], mappings: "" },
    (source) => !source.includes("\0") && isAuthors(resolve(dirname(file), source)),
  );
}

/** The bundler. Errors: `BUILD_UNAVAILABLE`. */
export async function loadRolldown(): Promise<{ readonly rolldown: typeof rolldown }> {
  try {
    return await import("rolldown");
  } catch (error) {
    throw new OperatorError("BUILD_UNAVAILABLE", "build needs the package rolldown, which is not installed", {
      cause: error,
      remedy: "Install it: npm install --save-dev rolldown",
    });
  }
}

/** The files of an operator that is data, relative to its folder, and what it runs; none of a module. Errors: `BUILD_FAILED`. */
function dataFilesOf(operator: string): Pick<ReadOperator, "files" | "programs"> {
  if (!isOperatorFile(operator)) return { files: [], programs: [] };
  const base = dirname(operator);
  const { files, programs } = readOperatorText(readFileSync(operator, "utf8"), operator);
  const all = [operator, ...files].map((file) => relative(base, file));
  const outside = all.find((file) => file.startsWith("..") || isAbsolute(file));
  if (outside === undefined) return { files: all, programs };
  throw new OperatorError("BUILD_FAILED", `${operator} names ${outside}, which is outside of its folder`, {
    remedy: "Move the file into the operator's folder.",
  });
}

const entryId = "\0operator";

function operatorPlugin(
  operator: string,
  found: { readonly assets: Set<string>; readonly readers: Set<string> },
): Plugin {
  requirePackages("build", pagePackages);
  const packed = ownModule("ports/packed-parts");
  const base = dirname(operator);
  return {
    name: "xstate-operator",
    async resolveId(id, importer, { kind }) {
      if (id === entryId) return id;
      if (/^xstate-operator(\/|$)/.test(id)) return entryModule(id) ?? null;
      // A built operator runs on a cluster; the embedded one is for development.
      const isUsedLater = kind === "dynamic-import" && importer?.startsWith(packageRoot) === true;
      if (isUsedLater && id.includes("/cluster/index")) return clusterId;
      if (isUsedLater && certificateMaker.test(id)) {
        const found = await this.resolve(id, importer, { kind, skipSelf: true });
        return found === null ? null : `${usedLater}${found.id}`;
      }
      return isAbsolute(id) && existsSync(id) ? id : null;
    },
    async load(id) {
      if (id === entryId) return entryOf(operator);
      if (id === packed) return partsOf();
      if (id.endsWith(layoutEngine)) return evaluatedWhenUsed(readFileSync(id, "utf8"));
      if (id.startsWith(usedLater))
        return evaluatedWhenUsed(await packageText(id.slice(usedLater.length)), ["generate"]);
      // What would be beside it is in the file.
      if (id === ownModule("ports/own-folder"))
        return 'export const ownFolder = new URL("./", import.meta.url);\nexport const ownSuffix = "js";';
      return id === clusterId
        ? "export function startCluster() { throw new Error('not in a built operator'); }"
        : null;
    },
    transform(code, id) {
      if (isAuthors(id)) {
        const moved = placed(code, id, { base, found });
        return moved === null ? null : { code: moved, map: lineByLine(id, code) };
      }
      // What is required by name at run time has no folder to be found in; in a package that is bundled itself, that is its `__require`.
      const bundled = code.replaceAll(
        /(?:createRequire\(import\.meta\.url\)|\b__require)\(("[^"]+")\)/g,
        "require($1)",
      );
      return bundled === code ? null : { code: bundled, map: lineByLine(id, code) };
    },
    renderChunk: (code) => ({ code: readBuiltins(code), map: null }),
  };

  function partsOf(): string {
    const { version, suffix, ...shown } = pageParts(pagePackages);
    return `let shown;
const read = () => (shown ??= JSON.parse(${unpacked(JSON.stringify(shown))}));
const parts = {
  version: "${version}",
  suffix: "${suffix}",
  file: import.meta.filename,
  get pages() { return read().pages; },
  get packages() { return read().packages; },
};
export const packedParts = () => parts;
`;
  }
}

const layoutEngine = join("elkjs", "lib", "elk.bundled.js");

const usedLater = "\0used-later:";

/** Makes certificates: of webhooks that are given none, and of metrics over TLS. As this package's own code imports it. */
const certificateMaker = /^(?:\.\/)?selfsigned(?:\.js)?$/;

/** A text that is evaluated is given `require`, and has no file of its own to make one for. */
const requiring: Plugin = {
  name: "xstate-operator:require",
  transform: (code) =>
    code.includes(madeForFile) ? { code: code.replaceAll(madeForFile, "require"), map: null } : null,
};
const madeForFile = "createRequire(import.meta.url)";

/** A package with all that it imports. */
async function packageText(file: string): Promise<string> {
  const { rolldown: bundle } = await loadRolldown();
  const bundled = await bundle({ input: file, platform: "node", plugins: [requiring] });
  const { output } = await bundled.generate({
    format: "cjs",
    minify: { mangle: false, compress: false, codegen: { removeWhitespace: true } },
    codeSplitting: false,
  });
  await bundled.close();
  return output[0].code;
}

const clusterId = "\0no-cluster";

/** The author's module is evaluated in the main thread only, unless a thread of its own begins with the file. */
function entryOf(operator: string): string {
  return `import { isMainThread, workerData } from "node:worker_threads";
if (!isMainThread && workerData === ${JSON.stringify(drawingThread)}) {
  await import(${JSON.stringify(ownModule("web/drawing-thread"))});
} else {
  ${importOf(operator)}
  if (isMainThread) (await import(${JSON.stringify(ownModule("cli/built-operator"))})).runBuiltOperator(operator);
}
`;
}

function importOf(operator: string): string {
  if (!isOperatorFile(operator))
    return `const { default: operator } = await import(${JSON.stringify(operator)});`;
  return `const { readOperator } = await import(${JSON.stringify(ownModule("operator-file/index"))});
  const operator = readOperator(new URL(${JSON.stringify(`./${basename(operator)}`)}, import.meta.url));`;
}

function isAuthors(id: string): boolean {
  if (!isAbsolute(id) || id.includes(`${sep}node_modules${sep}`)) return false;
  return !["src", "machines", "dist"].some((folder) => id.startsWith(join(packageRoot, folder) + sep));
}

/** A module of the author with the places that it had: what it reads beside itself is found beside the file. */
function placed(
  code: string,
  id: string,
  {
    base,
    found,
  }: {
    readonly base: string;
    readonly found: { readonly assets: Set<string>; readonly readers: Set<string> };
  },
): string | null {
  if (!code.includes("import.meta.")) return null;
  const path = relative(base, id).replaceAll("\\", "/");
  const folder = dirname(path);
  let literals = 0;
  for (const [, literal = ""] of code.matchAll(
    /new URL\(\s*["'`](\.{0,2}\/?[\w./-]+)["'`]\s*,\s*import\.meta\.url\s*\)/g,
  )) {
    literals += 1;
    if (existsSync(resolve(dirname(id), literal)))
      found.assets.add(relative(base, resolve(dirname(id), literal)));
  }
  const uses = [...code.matchAll(/import\.meta\.(url|dirname|filename)/g)].length;
  if (uses > literals) found.readers.add(path);
  return code
    .replaceAll("import.meta.url", `new URL(${JSON.stringify(path)}, import.meta.url).href`)
    .replaceAll(
      "import.meta.dirname",
      `process.getBuiltinModule("node:path").join(import.meta.dirname, ${JSON.stringify(folder)})`,
    )
    .replaceAll(
      "import.meta.filename",
      `process.getBuiltinModule("node:path").join(import.meta.dirname, ${JSON.stringify(path)})`,
    );
}

/** The source map of a text of which no line has moved. */
function lineByLine(id: string, code: string) {
  const mappings = `AAAA${";AACA".repeat(code.split("\n").length - 1)}`;
  return { version: 3, sources: [id], sourcesContent: [code], names: [], mappings };
}

/** Below it is an excerpt of the code, in colours. */
function firstLineOf(message: string): string {
  const [line = ""] = stripVTControlCharacters(message).split("\n");
  return line.replace(/^\[\w+\] /, "");
}
