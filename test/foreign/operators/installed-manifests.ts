// What others install beside their Deployments, for the one account that runs their programs here: as Helm renders it, or from a file.
import { spawnSync } from "node:child_process";
import { parseAllDocuments, stringify } from "yaml";
import { home } from "../../support/side-by-side.ts";
import { buildGo } from "../go-program.ts";

interface ClientConfig {
  readonly service?: object;
}

/** An object that is installed. */
export interface InstalledManifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly webhooks?: readonly { readonly clientConfig: ClientConfig }[];
  readonly spec?: { readonly conversion?: { readonly webhook?: { readonly clientConfig: ClientConfig } } };
}

/** The objects of a text in YAML, but for those of the kinds left out, which run elsewhere or are there already. */
export function manifestsIn(text: string, leftOut: RegExp): readonly InstalledManifest[] {
  return parseAllDocuments(text)
    .map((document) => document.toJS() as InstalledManifest | null)
    .filter((each) => each !== null && !leftOut.test(each.kind))
    .map((each) => each as InstalledManifest);
}

/** Renders a chart for the operator's namespace with values as of `--set`; says why where it cannot. */
export function renderChart(
  name: string,
  chart: string,
  values: Readonly<Record<string, unknown>>,
): { readonly text: string } | { readonly failure: string } {
  const helm = buildGo("charts", "helm.sh/helm/v4/cmd/helm");
  if ("failure" in helm) return helm;
  const set = Object.entries(values).flatMap(([key, value]) => ["--set", `${key}=${String(value)}`]);
  const { status, stdout, stderr } = spawnSync(
    helm.file,
    ["template", name, chart, "--namespace", home, ...set],
    { encoding: "utf8", maxBuffer: 64 * 1_024 * 1_024 },
  );
  return status === 0 ? { text: stdout } : { failure: `helm template: ${stderr.trim()}` };
}

/** The objects with their webhooks, called through a Service that leads to a port here. */
export function calledThrough(
  service: string,
  port: number,
  objects: readonly InstalledManifest[],
): readonly object[] {
  const placed = <T extends { readonly clientConfig: ClientConfig }>(webhook: T): T => ({
    ...webhook,
    clientConfig: { ...webhook.clientConfig, service: { ...webhook.clientConfig.service, port } },
  });
  return [
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: service, namespace: home },
      spec: { type: "ExternalName", externalName: "localhost", ports: [{ port }] },
    },
    ...objects.map((each) => {
      const { webhooks, spec } = each;
      const conversion = spec?.conversion?.webhook;
      return {
        ...each,
        ...(webhooks === undefined ? {} : { webhooks: webhooks.map(placed) }),
        ...(conversion === undefined
          ? {}
          : { spec: { ...spec, conversion: { ...spec?.conversion, webhook: placed(conversion) } } }),
      };
    }),
  ];
}

/** As kubectl reads it, for which `yes` is no text. */
export function writtenOut(objects: readonly object[]): string {
  return objects.map((each) => `---\n${stringify(each, { version: "1.1" })}`).join("");
}
