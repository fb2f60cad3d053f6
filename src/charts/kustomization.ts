// A kustomization as children of a custom resource: built by `kustomize`, or by the one in `kubectl`, with an overlay for each
// custom resource.
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, relative } from "node:path";
import type { AnyManifest } from "../meta/object.ts";
import type { ResourceType } from "../meta/resource-type.ts";
import { optionsOf, required } from "../options/option-schemas.ts";
import { refuseWrongOptions } from "../options/option-problems.ts";
import { toMilliseconds, type Duration } from "../ports/duration.ts";
import { isOperatorError, messageOf, OperatorError } from "../ports/operator-error.ts";
import { sourcePath } from "./chart-source.ts";
import { location, renderingShape } from "./helm-chart.ts";
import { Renderings } from "./renderings.ts";
import { runTool } from "./run-tool.ts";

/** Options of {@link kustomization}. */
export interface KustomizationOptions {
  /** The folder with `kustomization.yaml`. */
  readonly folder: string | URL;
  /** The types of the objects that it makes: what the operator owns, and may write. */
  readonly types: readonly ResourceType[];
  /** The program; default `kustomize` from the `PATH`, or else `kubectl`, which has it built in. */
  readonly program?: string;
  /** How long it may take; default 30 s. */
  readonly timeout?: Duration;
}

/** What a kustomization is built for. */
export interface KustomizationBuild {
  /** The namespace of all objects that have one; default what the kustomization says. */
  readonly namespace?: string | undefined;
  /**
   * Fields of a kustomization on top of it: `namePrefix`, `images`, `replicas`, `labels`, `patches`, … A patch may be an object in
   * place of a text. Default none.
   */
  readonly overlay?: Readonly<Record<string, unknown>>;
  /** Ends it; the hook's. */
  readonly signal: AbortSignal;
}

/** A kustomization that can be built. */
export interface Kustomization {
  /** Those it was declared with, for `owns`. */
  readonly types: readonly ResourceType[];
  /** Its objects, for `registry.add`. */
  readonly objects: (build: KustomizationBuild) => Promise<readonly AnyManifest[]>;
}

const kustomizationOptions = optionsOf<KustomizationOptions>()({
  folder: required(location, 'Write folder: new URL("./config/", import.meta.url).'),
  ...renderingShape,
});

/**
 * A kustomization whose objects are the children of a custom resource.
 *
 * **Guarantees** and **caveats**: as of `helmChart`. Two custom resources in one namespace need different names: give them a
 * `namePrefix`.
 * **Errors**: `CHART_MISSING`, `CHART_OPTIONS_INVALID`; in the run `CHART_TOOL_MISSING`, `CHART_INVALID` with what the tool says,
 * `CHART_TYPE_UNDECLARED`, `CHART_TIMEOUT`.
 *
 * @example
 * const config = kustomization({ folder: new URL("./config/", import.meta.url), types: [Deployment] });
 * await config.objects({ namespace, overlay: { namePrefix: `${cr.metadata.name}-` }, signal });
 */
export function kustomization(options: KustomizationOptions): Kustomization {
  refuseWrongOptions(kustomizationOptions, options, "kustomization", "CHART_OPTIONS_INVALID");
  const { types, timeout = "30s", program } = options;
  const path = sourcePath(
    options.folder,
    ["kustomization.yaml", "kustomization.yml", "Kustomization"],
    "kustomization",
  );
  const renderings = new Renderings(path, toMilliseconds(timeout));
  return {
    types,
    objects: ({ namespace, overlay = {}, signal }) => {
      const { namePrefix, nameSuffix } = overlay;
      return renderings.of({
        // What two custom resources cannot have in common.
        name: JSON.stringify([namespace, namePrefix, nameSuffix]),
        input: JSON.stringify(overlay),
        what: `the kustomization ${path}`,
        types,
        namespace,
        hooks: "ignore",
        signal,
        render: (limited) =>
          withOverlay(path, { ...(namespace === undefined ? {} : { namespace }), ...overlay }, (folder) =>
            build(program, folder, limited),
          ),
      });
    },
  };
}

async function build(program: string | undefined, folder: string, signal: AbortSignal): Promise<string> {
  const run = (name: string): Promise<string> => {
    const verb = basename(name) === "kubectl" ? "kustomize" : "build";
    return runTool({ program: name, args: [verb, "--", folder], signal });
  };
  if (program !== undefined) return run(program);
  try {
    return await run("kustomize");
  } catch (error) {
    if (!isOperatorError(error, "CHART_TOOL_MISSING")) throw error;
    return run("kubectl").catch((second: unknown) => {
      throw isOperatorError(second, "CHART_TOOL_MISSING") ? error : second;
    });
  }
}

/** Works in a folder of its own, with a kustomization on top of the one that is given. */
async function withOverlay(
  path: string,
  overlay: Readonly<Record<string, unknown>>,
  work: (folder: string) => Promise<string>,
): Promise<string> {
  if (Object.keys(overlay).length === 0) return work(path);
  const folder = await temporaryFolder();
  try {
    const { resources, patches, ...rest } = overlay;
    const content = {
      apiVersion: "kustomize.config.k8s.io/v1beta1",
      kind: "Kustomization",
      ...rest,
      // A tool reads no base by an absolute path.
      resources: [
        relative(folder, await realpath(path)),
        ...(Array.isArray(resources) ? (resources as unknown[]) : []),
      ],
      ...(Array.isArray(patches) ? { patches: patches.map(asText) } : {}),
    };
    await writeFile(join(folder, "kustomization.yaml"), JSON.stringify(content));
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function temporaryFolder(): Promise<string> {
  try {
    return await realpath(await mkdtemp(join(tmpdir(), "xstate-operator-overlay-")));
  } catch (error) {
    throw new OperatorError(
      "FOLDER_NOT_MADE",
      `no temporary folder can be made in ${tmpdir()}: ${messageOf(error)}`,
      {
        cause: error,
        remedy: "Make it writable; the environment variable TMPDIR names the one for temporary files.",
      },
    );
  }
}

/** A patch that is an object is JSON, so that nothing in its values is read as YAML. */
function asText(entry: unknown): unknown {
  const { patch, ...rest } = entry as { readonly patch?: unknown };
  return typeof patch === "object" ? { ...rest, patch: JSON.stringify(patch) } : entry;
}
