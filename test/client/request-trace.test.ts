import { describe, expect, it } from "vitest";
import { beginRequest, readPath } from "../../src/client/request-trace.ts";
import { noSpan, noTracing } from "../../src/ports/tracing.ts";

describe("the path of a traced request", () => {
  it.each([
    ["/api/v1/namespaces/a/pods", { template: "/api/v1/namespaces/{namespace}/pods", namespace: "a" }],
    [
      "/api/v1/namespaces/a/pods/web-0",
      { template: "/api/v1/namespaces/{namespace}/pods/{name}", namespace: "a", name: "web-0" },
    ],
    [
      "/apis/apps/v1/namespaces/a/deployments/web/status",
      {
        template: "/apis/apps/v1/namespaces/{namespace}/deployments/{name}/status",
        namespace: "a",
        name: "web",
      },
    ],
    ["/api/v1/namespaces/a", { template: "/api/v1/namespaces/{name}", name: "a" }],
    ["/apis/apps/v1/deployments", { template: "/apis/apps/v1/deployments" }],
    [
      "/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Anode",
      { template: "/apis/rbac.authorization.k8s.io/v1/clusterroles/{name}", name: "system:node" },
    ],
    ["/version", { template: "/version" }],
    ["/api/v1", { template: "/api/v1" }],
  ])("%s is told without its variable parts", (path, told) => {
    expect(readPath(path)).toEqual(told);
  });

  it("costs nothing outside of a traced reconcile", () => {
    expect(beginRequest(noTracing, new URL("https://127.0.0.1"), { method: "GET", path: "/version" })).toBe(
      noSpan,
    );
  });
});
