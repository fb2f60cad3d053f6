// A server of metrics.k8s.io for a real API server, which asks it through an APIService: each pod uses what an annotation of the
// Deployment says that its label `app` names, as on an embedded cluster.
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { KubeClient } from "../../src/client/kube-client.ts";
import { createServerCertificate } from "../../src/cluster/api/http/tls.ts";
import { Deployment } from "../../src/kinds/builtin/apps.ts";
import { Pod } from "../../src/kinds/builtin/core.ts";
import { eventually } from "./eventually.ts";

const group = "metrics.k8s.io";
const version = "v1beta1";
const annotation = "metrics.xstate-operator.dev/";

/** Starts it, and has the API server ask it; resolves when it does. */
export async function serveMetrics(
  client: KubeClient,
  namespace: string,
): Promise<{ stop(): Promise<void> }> {
  const { key, certificate } = await createServerCertificate(Date.now());
  const server = createServer({ key, cert: certificate }, (request, response) => {
    void (async () => {
      try {
        const body = JSON.stringify(await answer(client, new URL(request.url ?? "/", "https://metrics")));
        response.writeHead(200, { "content-type": "application/json" }).end(body);
      } catch {
        response.writeHead(500).end();
      }
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const post = (path: string, body: object): Promise<unknown> =>
    client.request({ method: "POST", path, body });
  await post(`/api/v1/namespaces/${namespace}/services`, {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "metrics" },
    spec: { type: "ExternalName", externalName: "localhost", ports: [{ port }] },
  });
  const services = "/apis/apiregistration.k8s.io/v1/apiservices";
  const name = `${version}.${group}`;
  await post(services, {
    apiVersion: "apiregistration.k8s.io/v1",
    kind: "APIService",
    metadata: { name },
    spec: {
      group,
      version,
      service: { name: "metrics", namespace, port },
      insecureSkipTLSVerify: true,
      groupPriorityMinimum: 100,
      versionPriority: 100,
    },
  });
  await eventually(() =>
    client.request({ method: "GET", path: `/apis/${group}/${version}/namespaces/${namespace}/pods` }),
  );
  return {
    async stop() {
      await client.request({ method: "DELETE", path: `${services}/${name}` });
      server.closeAllConnections();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}

async function answer(client: KubeClient, { pathname, searchParams }: URL): Promise<object> {
  const head = { apiVersion: `${group}/${version}` };
  const [, namespace] = /\/namespaces\/([^/]+)\/pods$/.exec(pathname) ?? [];
  if (namespace === undefined) {
    const resources = [
      { name: "pods", singularName: "", namespaced: true, kind: "PodMetrics", verbs: ["get", "list"] },
    ];
    return { kind: "APIResourceList", apiVersion: "v1", groupVersion: head.apiVersion, resources };
  }
  const labelSelector = searchParams.get("labelSelector") ?? "";
  const [pods, deployments] = await Promise.all([
    client.list(Pod, { namespace, ...(labelSelector === "" ? {} : { labelSelector }) }),
    client.list(Deployment, { namespace }),
  ]);
  const usageOf = (pod: Pod): Record<string, string> => {
    const owner = deployments.items.find(({ metadata }) => metadata.name === pod.metadata.labels?.["app"]);
    const said = Object.entries(owner?.metadata.annotations ?? {});
    return Object.fromEntries(
      said.flatMap(([key, value]) =>
        key.startsWith(annotation) ? [[key.slice(annotation.length), value]] : [],
      ),
    );
  };
  const timestamp = new Date().toISOString().replace(/\.\d+/, "");
  const items = pods.items
    .filter(({ status }) => status?.phase === "Running")
    .map((pod) => ({ pod, usage: usageOf(pod) }))
    .filter(({ usage }) => Object.keys(usage).length > 0)
    .map(({ pod: { metadata, spec }, usage }) => ({
      metadata: { name: metadata.name, namespace, labels: metadata.labels },
      timestamp,
      window: "0s",
      containers: spec.containers.map((container, index) => ({
        name: container.name,
        usage: index === 0 ? { cpu: "0", memory: "0", ...usage } : { cpu: "0", memory: "0" },
      })),
    }));
  return { kind: "PodMetricsList", ...head, metadata: {}, items };
}
