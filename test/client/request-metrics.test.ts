import { describe, expect, it, onTestFinished } from "vitest";
import { createKubeClient } from "../../src/client/http-client.ts";
import { ConfigMap } from "../../src/kinds/builtin/core.ts";
import { createPrometheusMetrics } from "../../src/manager/prometheus-metrics.ts";
import { samplesOf } from "../support/samples.ts";
import { connectionTo, json, startLocalServer } from "./local-server.ts";

describe("counted requests", () => {
  it("are told apart by status code and method, never by what was asked for", async () => {
    const server = await startLocalServer((response, { method, url }) => {
      if (url.endsWith("/cut")) response.destroy();
      else if (method === "GET") json(response, { kind: "Status", code: 404 }, 404);
      else json(response, { metadata: {} }, 201);
    });
    const metrics = createPrometheusMetrics();
    const client = createKubeClient(connectionTo(server.url), { metrics });
    onTestFinished(() => client.close());
    for (const name of ["a", "b", "cut"]) {
      await client.get(ConfigMap, { namespace: "team", name }).catch(() => undefined);
    }
    const manifest = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace: "team" } };
    await client.create(ConfigMap, manifest);
    const { host } = new URL(server.url);
    const samples = samplesOf(await metrics.expose());
    const requests = [...samples].filter(([name]) => name.startsWith("rest_client_requests_total"));
    expect(Object.fromEntries(requests)).toEqual({
      [`rest_client_requests_total{code="404",method="GET",host="${host}"}`]: 2,
      [`rest_client_requests_total{code="<error>",method="GET",host="${host}"}`]: 1,
      [`rest_client_requests_total{code="201",method="POST",host="${host}"}`]: 1,
    });
  });
});
