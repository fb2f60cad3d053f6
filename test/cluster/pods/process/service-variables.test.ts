import { describe, expect, it } from "vitest";
import { serverVariables, serviceVariables } from "../../../../src/cluster/pods/process/service-variables.ts";
import type { Service } from "../../../../src/kinds/builtin/core.ts";

function service(name: string, spec: Service["spec"], namespace = "shop"): Service {
  const metadata = {
    name,
    namespace,
    uid: name,
    resourceVersion: "1",
    creationTimestamp: "2026-01-01T00:00:00Z",
  };
  return { apiVersion: "v1", kind: "Service", metadata, spec };
}

describe("service variables", () => {
  it("name address and ports of each service", () => {
    const ports = [
      { name: "sql", port: 5432 },
      { name: "web-ui", port: 80 },
    ];
    expect(serviceVariables([service("my-db", { clusterIP: "127.96.0.9", ports })])).toEqual({
      MY_DB_SERVICE_HOST: "127.96.0.9",
      MY_DB_SERVICE_PORT: "5432",
      MY_DB_SERVICE_PORT_SQL: "5432",
      MY_DB_SERVICE_PORT_WEB_UI: "80",
    });
  });

  it("name the API server where it answers", () => {
    expect(serverVariables("https://127.0.0.1:6443")).toEqual({
      KUBERNETES_SERVICE_HOST: "127.0.0.1",
      KUBERNETES_SERVICE_PORT: "6443",
      KUBERNETES_SERVICE_PORT_HTTPS: "6443",
    });
  });

  it("leave out services without an address, and the API server's own", () => {
    const ports = [{ port: 1 }];
    const services = [
      service("headless", { clusterIP: "None", ports }),
      service("external", { type: "ExternalName", ports }),
      service("kubernetes", { clusterIP: "127.96.0.1", ports }, "default"),
    ];
    expect(serviceVariables(services)).toEqual({});
  });
});
