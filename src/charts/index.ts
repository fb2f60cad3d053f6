/**
 * Helm charts and kustomizations as children of a custom resource.
 *
 * @module xstate-operator/charts
 */
export { helmChart } from "./helm-chart.ts";
export type { ChartRelease, HelmChart, HelmChartOptions } from "./helm-chart.ts";
export { kustomization } from "./kustomization.ts";
export type { Kustomization, KustomizationBuild, KustomizationOptions } from "./kustomization.ts";
