// A Helm chart: the same objects as the other formats, with what an installation decides taken from its values.
import type { OperatorDefinition } from "../controller/declaration/define-operator.ts";
import { servesWebhooks } from "../controller/declaration/operator-webhooks.ts";
import type { Document } from "./document.ts";
import { partsOf } from "./kustomize.ts";
import { crdFilesOf } from "./manifests.ts";
import type { PackageFacts } from "./package-facts.ts";
import { rolesOf, serviceAccountOf } from "./roles.ts";
import { deploymentOf, disruptionBudgetOf, metricsServiceOf, serviceMonitorOf } from "./workload.ts";
import { admissionConfigurationsOf, webhookServicesOf } from "./webhooks.ts";
import { resources, type WorkloadOptions } from "./workload-options.ts";

/** A file of the chart. */
export interface ChartFile {
  readonly path: string;
  readonly text: string;
  /** A beginning for the author. */
  readonly once?: true;
}

/** Formats objects as YAML. */
export type Format = (documents: readonly object[]) => string;

/** In an object, stands for a scalar or a whole value that Helm puts in. */
const slot = (expression: string): string => `@@${expression}@@`;

/** The files of the chart. */
export function helmChart(
  operator: OperatorDefinition,
  options: WorkloadOptions,
  {
    facts,
    alerts,
    format,
  }: { readonly facts: PackageFacts; readonly alerts: object; readonly format: Format },
): readonly ChartFile[] {
  const { name } = operator;
  const placed: WorkloadOptions = { ...options, operatorNamespace: slot(".Release.Namespace") };
  const rule = alerts as Document;
  const template = (file: string, documents: readonly object[], condition?: string): ChartFile => ({
    path: `templates/${file}.yaml`,
    text: conditional(templated(format(documents)), condition),
  });
  return [
    {
      path: "Chart.yaml",
      text: format([
        {
          apiVersion: "v2",
          name,
          description: facts.description || `The ${name}.`,
          type: "application",
          version: facts.version,
          appVersion: facts.version,
          ...(facts.homepage === undefined ? {} : { home: facts.homepage }),
          ...(facts.keywords.length === 0 ? {} : { keywords: facts.keywords }),
        },
      ]),
    },
    { path: "values.yaml", text: format([valuesOf(options)]) },
    ...crdFilesOf(operator, { operatorNamespace: releaseNamespace }).map((file) => ({
      path: `files/${file.name}.yaml`,
      text: format(file.documents.map(kept)),
    })),
    { path: "templates/crds.yaml", text: crdTemplate },
    template("service-account", [serviceAccountOf(operator, placed.operatorNamespace)]),
    template("rbac", rolesOf(operator, placed)),
    {
      path: "templates/deployment.yaml",
      text: `${options.sharing === "none" ? alone : ""}${templated(format([chartDeployment(operator, placed)]))}`,
    },
    template("metrics-service", [metricsServiceOf(name, placed)]),
    template(
      "pod-disruption-budget",
      disruptionBudgetOf(name, { ...placed, replicas: 2 }),
      "gt (int .Values.replicas) 1",
    ),
    ...(servesWebhooks(operator)
      ? [
          template("webhook-service", webhookServicesOf(operator, placed)),
          template("webhook-configurations", admissionConfigurationsOf(operator, placed)),
        ]
      : []),
    template("service-monitor", [serviceMonitorOf(name, placed)], ".Values.monitoring.enabled"),
    {
      path: "templates/prometheus-rule.yaml",
      // Prometheus has templates of its own, in the same braces.
      text: conditional(
        templated(
          escaped(format([{ ...rule, metadata: { ...rule.metadata, namespace: placed.operatorNamespace } }])),
        ),
        ".Values.monitoring.enabled",
      ),
    },
  ];
}

function valuesOf({ image, replicas }: WorkloadOptions): object {
  const { name, tag } = partsOf(image);
  return {
    image: { repository: name, tag, pullPolicy: "IfNotPresent" },
    imagePullSecrets: [],
    replicas,
    extraArgs: [],
    resources,
    podAnnotations: {},
    nodeSelector: {},
    tolerations: [],
    affinity: {},
    crds: { install: true },
    monitoring: { enabled: false },
  };
}

/** Helm removes what a chart no longer has, and with a CRD all its resources. */
function kept(crd: Document): Document {
  const annotations = { ...crd.metadata.annotations, "helm.sh/resource-policy": "keep" };
  return { ...crd, metadata: { ...crd.metadata, annotations } };
}

/** Stands in files, which are no templates, for the namespace of the operator. */
const releaseNamespace = "@release-namespace@";

const crdTemplate = `{{- if .Values.crds.install }}
{{- range $path, $_ := .Files.Glob "files/crd-*.yaml" }}
---
{{ $.Files.Get $path | replace "${releaseNamespace}" $.Release.Namespace }}
{{- end }}
{{- end }}
`;

/** Generated without an election. */
const alone = `{{- if gt (int .Values.replicas) 1 }}
{{- fail "several replicas would all work on the same objects: generate the chart with --leader-elect or --sharding" }}
{{- end }}
`;

interface PodTemplate {
  readonly metadata: object;
  readonly spec: { readonly containers: readonly { readonly args: readonly string[] }[] };
}

function chartDeployment(operator: OperatorDefinition, options: WorkloadOptions): object {
  const deployment = deploymentOf(operator, options);
  const spec = deployment["spec"] as { readonly template: PodTemplate };
  const { metadata, spec: pod } = spec.template;
  const containers = pod.containers.map(({ args, ...container }) => ({
    ...container,
    image: slot('printf "%s:%s" .Values.image.repository .Values.image.tag'),
    imagePullPolicy: slot(".Values.image.pullPolicy"),
    args: [...args, slot("items .Values.extraArgs")],
    resources: slot("value .Values.resources"),
  }));
  return {
    ...deployment,
    spec: {
      ...spec,
      replicas: slot(".Values.replicas"),
      template: {
        metadata: { ...metadata, annotations: slot("value .Values.podAnnotations") },
        spec: {
          ...pod,
          containers,
          imagePullSecrets: slot("value .Values.imagePullSecrets"),
          nodeSelector: slot("value .Values.nodeSelector"),
          tolerations: slot("value .Values.tolerations"),
          affinity: slot("value .Values.affinity"),
        },
      },
    },
  };
}

/** The text with its slots as Helm's expressions. */
function templated(yaml: string): string {
  return yaml
    .replaceAll(/^( *)- "?@@items (\S+)@@"?$/gm, (_, indent: string, path: string) => {
      return `${indent}{{- with ${path} }}\n${indent}{{- toYaml . | nindent ${indent.length} }}\n${indent}{{- end }}`;
    })
    .replaceAll(/^( *)([\w./-]+): "?@@value (\S+)@@"?$/gm, (_, indent: string, key: string, path: string) => {
      return `${indent}${key}:\n${indent}  {{- toYaml ${path} | nindent ${indent.length + 2} }}`;
    })
    .replaceAll(
      /["']?@@(.+?)@@["']?/g,
      (_, expression: string) => `{{ ${expression.replaceAll('\\"', '"')} }}`,
    );
}

function escaped(yaml: string): string {
  return yaml.replaceAll(/\{\{(.*?)\}\}/g, (_, inner: string) => `{{ "{{" }}${inner}{{ "}}" }}`);
}

function conditional(text: string, condition?: string): string {
  return condition === undefined ? text : `{{- if ${condition} }}\n${text}{{- end }}\n`;
}
