// Children of the tests' custom resource, as an author would write them.
import { Deployment } from "../../../src/kinds/builtin/apps.ts";
import { ConfigMap, Service } from "../../../src/kinds/builtin/core.ts";
import type { Manifest, ManifestOf } from "../../../src/meta/object.ts";
import { kubernetesResource } from "../../../src/reconcile/resources/kubernetes-resource.ts";
import type { BindableResource } from "../../../src/reconcile/resources/resource.ts";
import { fromTemplate } from "../../../src/reconcile/resources/template.ts";
import { crKey, type Cache } from "./harness.ts";

export const { namespace } = crKey;

/** A ConfigMap manifest. */
export function configMap(name: string, data: Record<string, string> = { size: "1" }): ManifestOf<ConfigMap> {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace, name }, data };
}

export const deploymentKey = { namespace, name: "basket" };
export const serviceKey = { namespace, name: "basket" };

const deploymentTemplate = `
apiVersion: apps/v1
kind: Deployment
spec:
  selector: { matchLabels: { app: cache } }
  template:
    metadata: { labels: { app: cache } }
    spec:
      containers:
        - name: cache
          image: \${image}
          stdin: false
          args: []
          ports: [{ containerPort: 11211 }]
          env: [{ name: MODE, value: fast }, { name: LEVEL, value: "2" }]
          resources: { limits: { cpu: 1000m, memory: 64Mi } }
        - name: exporter
          image: exporter:1
      volumes: [{ name: tmp, emptyDir: {} }]
`;

/** A Deployment in three parts. */
export function deployment(cr: Cache, image = "memcached:1"): BindableResource<Cache> {
  return kubernetesResource<Deployment, Cache>({
    type: Deployment,
    key: deploymentKey,
    mutateWithInitialData: fromTemplate(deploymentTemplate, { image: cr.spec.image ?? image }),
    mutateWithCR: (object, { spec }) => {
      object.spec.replicas = spec.size;
    },
  });
}

/** A Service manifest. */
export function service(): Manifest {
  const manifest: ManifestOf<Service> = {
    apiVersion: "v1",
    kind: "Service",
    metadata: { ...serviceKey, labels: { app: "cache" } },
    spec: { selector: { app: "cache" }, ports: [{ port: 11211 }] },
  };
  return manifest;
}

export { ConfigMap, Deployment, Service };
