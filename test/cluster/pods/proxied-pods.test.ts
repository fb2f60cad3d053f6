// Pods of each runtime behind the proxies of the API server: a script answers for simulated ones, processes answer themselves.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { ClusterOptions } from "../../../src/cluster/cluster.ts";
import { createScriptedPods } from "../../../src/cluster/pods/simulated/script/scripted-pods.ts";
import { startCluster } from "../../../src/cluster/start-cluster.ts";
import { Deployment } from "../../../src/kinds/builtin/apps.ts";
import { Service } from "../../../src/kinds/builtin/core.ts";
import { createRawClient, type RawAnswer } from "../../contract/api-server/raw-request.ts";
import { clientOf } from "../../support/api-servers.ts";
import { eventually } from "../../support/eventually.ts";

const server = `
require("node:http").createServer(({ method, url }, response) => {
  response.statusCode = url === "/health" ? 200 : 404;
  response.end(method + " " + url);
}).listen(8080, process.env.POD_IP);
`;

describe.each(["simulated", "process"] as const)("proxies of %s pods", (mode) => {
  it("ask the pods of a Service, a pod, and their node", async () => {
    const folder = mkdtempSync(join(tmpdir(), "proxied-pods-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
    writeFileSync(join(folder, "server.cjs"), server);
    const http = [{ path: "/health", method: "PUT", body: "PUT /health" }];
    const scripted = createScriptedPods({ pods: [{ ports: [{ port: 8080, http }] }] });
    const options: ClusterOptions =
      mode === "process" ? { pods: "process", directory: join(folder, "cluster") } : { pods: scripted };
    const cluster = await startCluster(options);
    onTestFinished(() => cluster.stop());
    const client = await clientOf(cluster.kubeconfig);
    onTestFinished(() => client.close());
    const raw = createRawClient(cluster);
    onTestFinished(() => raw.close());
    const ask = (place: string, method = "GET"): Promise<RawAnswer> => raw.send(method, `/api/v1/${place}`);

    const metadata = { namespace: "default", name: "web" };
    const labels = { app: "web" };
    const container = {
      name: "web",
      image: "web",
      command: [process.execPath, join(folder, "server.cjs")],
      env: [{ name: "POD_IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } }],
      ports: [{ name: "http", containerPort: 8080 }],
    };
    await client.create(Deployment, {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata,
      spec: {
        replicas: 2,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [container] } },
      },
    });
    const ports = [
      { name: "http", port: 80, targetPort: "http" },
      { name: "closed", port: 81, targetPort: 8081 },
    ];
    await client.create(Service, {
      apiVersion: "v1",
      kind: "Service",
      metadata,
      spec: { selector: labels, ports },
    });

    const service = "namespaces/default/services/web";
    const health = await eventually(async () => {
      const answer = await ask(`${service}:http/proxy/health`, "PUT");
      expect(answer.status).toBe(200);
      return answer.text;
    });
    expect(health).toBe("PUT /health");
    expect((await ask(`${service}:80/proxy/other`)).status).toBe(404);
    expect((await ask(`${service}:81/proxy/`)).body).toMatchObject({
      code: 503,
      message: expect.stringMatching(
        /^error trying to reach service: dial tcp [\d.]+:8081: connect: connection refused$/,
      ),
    });

    const listed = (await ask("nodes/xstate-operator-node/proxy/pods")).body as unknown as {
      readonly kind: string;
      readonly items: readonly { readonly metadata: { readonly name: string } }[];
    };
    expect([listed.kind, listed.items.length]).toEqual(["PodList", 2]);
    const name = listed.items[0]?.metadata.name ?? "";
    expect((await ask(`namespaces/default/pods/${name}/proxy/health`, "PUT")).text).toBe("PUT /health");
    expect((await ask("nodes/xstate-operator-node/proxy/healthz")).text).toBe("ok");
    expect((await ask("nodes/xstate-operator-node:10250/proxy/other")).status).toBe(404);
  });
});
