// What a write costs the embedded cluster, and how many it takes a second, by verb and type: from another process, by a plain HTTP
// client, with as many requests at once as there are connections.
//   node --conditions=xstate-operator-source bench/micro/cluster-writes.ts [writes of each kind] [connections] [watches]
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import { createKubeClient, loadConnection } from "xstate-operator/client";
import { CustomResourceDefinition } from "xstate-operator/kinds";
import { print } from "./measure.ts";
import { serveCluster, startOtherCluster, withMany } from "./other-cluster.ts";

const [writes = 4_000, connections = 16, watches = 1] = process.argv.slice(2).map(Number);

type Body = Readonly<Record<string, unknown>>;

/** One kind of object, and how it is made, replaced and changed. */
interface Subject {
  readonly what: string;
  readonly path: string;
  readonly object: (name: string, round: string) => Body;
  readonly change: (round: string) => Body;
}

async function measureWrites(): Promise<void> {
  const cluster = await startOtherCluster(import.meta.filename);
  const connection = await loadConnection({ path: cluster.kubeconfig, env: {} });
  const client = createKubeClient(connection);
  await client.create(CustomResourceDefinition, widgetDefinition());
  const { headers, tls } = await connection.authenticate(0);
  const agent = new Agent({ ...tls, keepAlive: true, maxSockets: connections + watches * subjects.length });
  const { hostname, port } = new URL(connection.server);

  const open = (method: string, path: string, type: string, body: unknown): Promise<IncomingMessage> => {
    const text = body === undefined ? "" : JSON.stringify(body);
    const sent = request({
      agent,
      hostname,
      port,
      method,
      path,
      headers: { ...headers, "content-type": type, "content-length": Buffer.byteLength(text) },
    });
    sent.end(text);
    return once(sent, "response").then(([answer]) => answer as IncomingMessage);
  };
  /** The version of the object that is answered. */
  const send = async (
    method: string,
    path: string,
    body?: unknown,
    type = "application/json",
  ): Promise<string> => {
    const answer = await open(method, path, type, body);
    const chunks: Buffer[] = [];
    for await (const chunk of answer as AsyncIterable<Buffer>) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    if ((answer.statusCode ?? 500) >= 300) throw new Error(`${method} ${path}: ${text}`);
    return /"resourceVersion":"(\d+)"/.exec(text)?.[1] ?? "";
  };
  const measure = async (what: string, write: (name: string) => Promise<unknown>): Promise<void> => {
    const names = Array.from({ length: writes }, (_, index) => `w-${index}`);
    const before = await cluster.usage();
    const begun = performance.now();
    await withMany(names, connections, write);
    const seconds = (performance.now() - begun) / 1_000;
    const { cpu } = await cluster.usage();
    const each = (((cpu - before.cpu) * 1e3) / writes).toFixed(3);
    print(`  ${what}`, `${each} ms, ${(writes / seconds).toFixed(0)}/s`);
  };

  // Until the type is served.
  for (let isServed = false; !isServed;) {
    isServed = await send("GET", subjects.at(-1)?.path ?? "").then(
      () => true,
      () => false,
    );
  }
  print("what", "CPU of the cluster, writes a second");
  for (const { what, path, object, change } of subjects) {
    for (let index = 0; index < watches; index += 1)
      (await open("GET", `${path}?watch=1`, "", undefined)).resume();
    print(what, "");
    const versions = new Map<string, string>();
    await measure("create", async (name) => {
      versions.set(name, await send("POST", path, object(name, "1")));
    });
    await measure("update", (name) => {
      const body = object(name, "2");
      const resourceVersion = versions.get(name);
      return send("PUT", `${path}/${name}`, { ...body, metadata: { ...metadata(name), resourceVersion } });
    });
    const merge = "application/merge-patch+json";
    await measure("merge patch", (name) => send("PATCH", `${path}/${name}`, change("3"), merge));
    const json = "application/json-patch+json";
    const operations = [{ op: "add", path: "/metadata/annotations", value: { round: "4" } }];
    await measure("JSON patch", (name) => send("PATCH", `${path}/${name}`, operations, json));
    const apply = (round: string) => (name: string) =>
      send(
        "PATCH",
        `${path}/${name}?fieldManager=bench&force=true`,
        object(name, round),
        "application/apply-patch+yaml",
      );
    await measure("apply, first", apply("5"));
    await measure("apply, again", apply("6"));
    await measure("apply, nothing new", apply("6"));
    await measure("delete", (name) => send("DELETE", `${path}/${name}`));
  }
  agent.destroy();
  await client.close();
  await cluster.stop();
}

const metadata = (name: string) => ({ name, namespace: "default", labels: { app: name, made: "here" } });

const values = Object.fromEntries(
  Array.from({ length: 8 }, (_, key) => [`key-${key}`, `value-${key}-xxxxxxxxxxxx`]),
);

const subjects: readonly Subject[] = [
  {
    what: "ConfigMap",
    path: "/api/v1/namespaces/default/configmaps",
    object: (name, round) => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: metadata(name),
      data: { ...values, round },
    }),
    change: (round) => ({ data: { round } }),
  },
  {
    what: "Deployment",
    path: "/apis/apps/v1/namespaces/default/deployments",
    object: (name, round) => ({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: metadata(name),
      spec: {
        replicas: 3,
        selector: { matchLabels: { app: name } },
        template: {
          metadata: { labels: { app: name }, annotations: { round } },
          spec: {
            containers: [
              {
                name: "web",
                image: "web:1",
                ports: [{ name: "http", containerPort: 8080 }],
                env: [{ name: "ROUND", value: round }],
                resources: { requests: { cpu: "100m", memory: "64Mi" } },
                readinessProbe: { httpGet: { path: "/ready", port: "http" } },
              },
            ],
          },
        },
      },
    }),
    change: (round) => ({ spec: { template: { metadata: { annotations: { round } } } } }),
  },
  {
    what: "custom resource",
    path: "/apis/bench.example.com/v1/namespaces/default/widgets",
    object: (name, round) => ({
      apiVersion: "bench.example.com/v1",
      kind: "Widget",
      metadata: metadata(name),
      spec: {
        size: 3,
        round,
        payload: values,
        parts: [
          { name: "one", weight: 1 },
          { name: "two", weight: 2 },
        ],
      },
    }),
    change: (round) => ({ spec: { round } }),
  },
];

function widgetDefinition() {
  const text = { type: "string" };
  const part = {
    type: "object",
    required: ["name"],
    properties: { name: text, weight: { type: "integer" } },
  };
  const spec = {
    type: "object",
    required: ["size"],
    properties: {
      size: { type: "integer", minimum: 1, maximum: 9 },
      round: { ...text, maxLength: 10 },
      colour: { ...text, default: "blue", enum: ["blue", "red"] },
      payload: { type: "object", additionalProperties: text },
      parts: {
        type: "array",
        items: part,
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name"],
      },
    },
    "x-kubernetes-validations": [{ rule: "self.size > 0", message: "must have a size" }],
  };
  const status = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "widgets.bench.example.com" },
    spec: {
      group: "bench.example.com",
      scope: "Namespaced",
      names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: { type: "object", properties: { spec, status } } },
        },
      ],
    },
  };
}

if (process.send === undefined) await measureWrites();
else await serveCluster({ controllers: false });
