// A Helm chart as children of a custom resource: rendered by `helm template`, and written like any other child.
import type { AnyManifest } from "../meta/object.ts";
import type { ResourceType } from "../meta/resource-type.ts";
import {
  duration,
  having,
  listOf,
  oneOf,
  optionsOf,
  required,
  text,
  valueOf,
} from "../options/option-schemas.ts";
import { refuseWrongOptions } from "../options/option-problems.ts";
import { toMilliseconds, type Duration } from "../ports/duration.ts";
import { sourcePath } from "./chart-source.ts";
import { Renderings } from "./renderings.ts";
import { runTool } from "./run-tool.ts";

/** Options of {@link helmChart}. */
export interface HelmChartOptions {
  /** The chart: its folder, or the packed file. What it depends on is in its `charts/` (`helm dependency build`). */
  readonly chart: string | URL;
  /** The types of the objects that it makes: what the operator owns, and may write. */
  readonly types: readonly ResourceType[];
  /** What is done with hooks, which nobody runs; default `refuse`. Tests are always left out. */
  readonly hooks?: "refuse" | "ignore";
  /** The version of Kubernetes that templates see, for instance `1.36`; default the one that helm was made for. */
  readonly kubeVersion?: string;
  /** API versions that templates see besides Kubernetes' own, for instance `monitoring.coreos.com/v1`; default none. */
  readonly apiVersions?: readonly string[];
  /** The program; default `helm`, from the `PATH`. */
  readonly program?: string;
  /** How long a rendering may take; default 30 s. */
  readonly timeout?: Duration;
}

/** What a chart is rendered for. */
export interface ChartRelease {
  /** The release, most often the custom resource's name. */
  readonly name: string;
  /** Where its objects are; default where the custom resource is. */
  readonly namespace?: string | undefined;
  /** Values in place of those in `values.yaml`; default none. */
  readonly values?: Readonly<Record<string, unknown>>;
  /** Ends the rendering; the hook's. */
  readonly signal: AbortSignal;
}

/** A chart that can be rendered. */
export interface HelmChart {
  /** Those it was declared with, for `owns`. */
  readonly types: readonly ResourceType[];
  /** The objects of a release, for `registry.add`. */
  readonly objects: (release: ChartRelease) => Promise<readonly AnyManifest[]>;
}

/** What {@link helmChart} takes. */
export const renderingShape = {
  types: required(
    listOf(having([], "a type", "Import it from xstate-operator/kinds.")),
    "Write types: [Deployment, Service].",
  ),
  program: text.optional(),
  timeout: duration.optional(),
};

/** A path or a file's address. */
export const location = valueOf((value) => typeof value === "string" || value instanceof URL, {
  expected: "a path, or a URL of a file",
  remedy: 'Write new URL("./chart/", import.meta.url).',
});

const helmChartOptions = optionsOf<HelmChartOptions>()({
  chart: required(location, 'Write chart: new URL("./chart/", import.meta.url).'),
  ...renderingShape,
  hooks: oneOf("refuse", "ignore").optional(),
  kubeVersion: text.optional(),
  apiVersions: listOf(text).optional(),
});

/**
 * A Helm chart whose objects are the children of a custom resource. `helm template` renders it; there is no release that Helm knows.
 *
 * **Guarantees**: no shell, values by standard input; rendered again only when the values or the chart's files change; ended with
 * the run, or when it takes too long.
 * **Caveats**: `lookup` finds nothing in templates. CRDs in `crds/` are not part of a release: install them beside the operator.
 * Objects that are no longer rendered are deleted by `registry.pruneOthers(chart.types)` in `Updater`, as of any child.
 * **Errors**: `CHART_MISSING`, `CHART_OPTIONS_INVALID`; in the run `CHART_TOOL_MISSING`, `CHART_INVALID` with what helm says,
 * `CHART_TYPE_UNDECLARED`, `CHART_HOOKS`, `CHART_UNSTABLE`, `CHART_TIMEOUT`.
 *
 * @example
 * const chart = helmChart({ chart: new URL("./chart/", import.meta.url), types: [Deployment, Service] });
 * defineController(Website, {
 *   owns: [...chart.types],
 *   steps: {
 *     ObjectsGetter: async ({ cr, registry, signal }) =>
 *       registry.add(...(await chart.objects({ name: cr.metadata.name, values: { replicaCount: cr.spec.replicas }, signal }))),
 *   },
 * });
 */
export function helmChart(options: HelmChartOptions): HelmChart {
  refuseWrongOptions(helmChartOptions, options, "helmChart", "CHART_OPTIONS_INVALID");
  const {
    types,
    hooks = "refuse",
    kubeVersion,
    apiVersions = [],
    program = "helm",
    timeout = "30s",
  } = options;
  const path = sourcePath(options.chart, ["Chart.yaml"], "chart");
  const renderings = new Renderings(path, toMilliseconds(timeout));
  const flags = [
    ...(kubeVersion === undefined ? [] : ["--kube-version", kubeVersion]),
    ...apiVersions.flatMap((version) => ["--api-versions", version]),
  ];
  return {
    types,
    objects: ({ name, namespace, values = {}, signal }) => {
      const stdin = JSON.stringify(values);
      const within = namespace === undefined ? [] : ["--namespace", namespace];
      const args = ["template", ...within, ...flags, "--values", "-", "--", name, path];
      return renderings.of({
        name: `${namespace ?? ""}/${name}`,
        input: stdin,
        what: `the chart ${path}`,
        types,
        namespace,
        hooks,
        signal,
        render: (limited) => runTool({ program, args, stdin, signal: limited }),
      });
    },
  };
}
