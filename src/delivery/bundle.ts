// A bundle for the Operator Lifecycle Manager: a ClusterServiceVersion with the CRDs, and what says where they are.
// https://olm.operatorframework.io/docs/tasks/creating-operator-bundle/
import type { OperatorDefinition } from "../controller/declaration/define-operator.ts";
import { servesWebhooks } from "../controller/declaration/operator-webhooks.ts";
import type { Kind } from "../kinds/define-kind.ts";
import { resourceNameOf, apiVersionOf } from "../meta/resource-type.ts";
import type { KubeObject } from "../meta/object.ts";
import { crdFilesOf } from "./manifests.ts";
import type { PackageFacts } from "./package-facts.ts";
import type { Format } from "./helm.ts";
import { requiredPermissions } from "./required-permissions.ts";
import { deploymentOf } from "./workload.ts";
import { olmWebhooksOf } from "./webhooks.ts";
import type { WorkloadOptions } from "./workload-options.ts";

/** A file of the bundle. */
export interface BundleFile {
  readonly path: string;
  readonly text: string;
}

/** Since then the rules in our definitions, which are CEL, are a stable part of Kubernetes. */
const minKubeVersion = "1.29.0";

/** Options of {@link bundleOf}. */
export interface BundleOptions {
  readonly channel: string;
  readonly facts: PackageFacts;
  readonly format: Format;
}

/** The files of the bundle. */
export function bundleOf(
  operator: OperatorDefinition,
  options: WorkloadOptions,
  { channel, facts, format }: BundleOptions,
): readonly BundleFile[] {
  const workload: WorkloadOptions = { ...options, webhookCertificate: "mounted" };
  const { name } = operator;
  const labels = {
    "operators.operatorframework.io.bundle.mediatype.v1": "registry+v1",
    "operators.operatorframework.io.bundle.manifests.v1": "manifests/",
    "operators.operatorframework.io.bundle.metadata.v1": "metadata/",
    "operators.operatorframework.io.bundle.package.v1": name,
    "operators.operatorframework.io.bundle.channels.v1": channel,
    "operators.operatorframework.io.bundle.channel.default.v1": channel,
  };
  return [
    {
      path: `manifests/${name}.clusterserviceversion.yaml`,
      text: format([serviceVersionOf(operator, workload, facts)]),
    },
    ...crdFilesOf(operator, workload).map((file) => ({
      path: `manifests/${file.name}.yaml`,
      text: format(file.documents),
    })),
    { path: "metadata/annotations.yaml", text: format([{ annotations: labels }]) },
    {
      path: "bundle.Dockerfile",
      text: [
        "FROM scratch",
        ...Object.entries(labels).map(([label, value]) => `LABEL ${label}=${value}`),
        "COPY manifests /manifests/",
        "COPY metadata /metadata/",
        "",
      ].join("\n"),
    },
  ];
}

function serviceVersionOf(
  operator: OperatorDefinition,
  workload: WorkloadOptions,
  facts: PackageFacts,
): object {
  const { name } = operator;
  const kinds = operator.controllers.map(({ kind }) => kind);
  const { served, own, cluster } = requiredPermissions(operator, workload);
  const everywhere = [...served, ...cluster];
  const { metadata, spec } = deploymentOf(operator, workload);
  const display = displayNameOf(name);
  return {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: {
      name: `${name}.v${facts.version}`,
      annotations: {
        "alm-examples": JSON.stringify(kinds.map(exampleOf)),
        capabilities: "Basic Install",
        ...(facts.description === "" ? {} : { description: facts.description }),
        ...(facts.repository === undefined ? {} : { repository: facts.repository }),
        containerImage: workload.image,
      },
    },
    spec: {
      displayName: display,
      description: facts.description || `${display}.`,
      version: facts.version,
      maturity: "alpha",
      minKubeVersion,
      ...(facts.keywords.length === 0 ? {} : { keywords: facts.keywords }),
      provider: { name: facts.author?.name ?? display },
      ...(facts.author === undefined || facts.author.email === "" ? {} : { maintainers: [facts.author] }),
      ...(facts.homepage === undefined ? {} : { links: [{ name: "Homepage", url: facts.homepage }] }),
      installModes: ["OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces"].map((type) => ({
        type,
        supported: type === "AllNamespaces",
      })),
      install: {
        strategy: "deployment",
        spec: {
          ...(own.length === 0 ? {} : { permissions: [{ serviceAccountName: name, rules: own }] }),
          clusterPermissions: [{ serviceAccountName: name, rules: everywhere }],
          deployments: [{ name, label: metadata.labels, spec }],
        },
      },
      ...(servesWebhooks(operator) ? { webhookdefinitions: olmWebhooksOf(operator, workload) } : {}),
      customresourcedefinitions: {
        owned: kinds.map((kind) => ({
          name: resourceNameOf(kind),
          version: kind.version,
          kind: kind.kind,
          displayName: displayNameOf(kind.singular),
          description: kind.description ?? `A ${kind.kind}.`,
        })),
      },
    },
  };
}

function exampleOf(kind: Kind<KubeObject>): object {
  return {
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    metadata: { name: `${kind.singular}-sample` },
    spec: {},
  };
}

function displayNameOf(name: string): string {
  return name.replaceAll(
    /(^|-)([a-z])/g,
    (_, dash: string, letter: string) => (dash === "" ? "" : " ") + letter.toUpperCase(),
  );
}
