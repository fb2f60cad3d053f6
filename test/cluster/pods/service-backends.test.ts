import { describe, expect, it } from "vitest";
import { backendsOf, endpointOf, groupByPorts } from "../../../src/cluster/pods/service-backends.ts";
import type { Pod, Service } from "../../../src/kinds/builtin/core.ts";
import type { PodSpec } from "../../../src/kinds/builtin/parts.ts";

const metadata = {
  namespace: "n",
  uid: "u",
  resourceVersion: "1",
  creationTimestamp: "2026-01-01T00:00:00Z",
};

function service(spec: Service["spec"]): Service {
  return { apiVersion: "v1", kind: "Service", metadata: { ...metadata, name: "web" }, spec };
}

interface PodOptions {
  readonly labels?: Record<string, string>;
  readonly ready?: boolean;
  readonly deleting?: boolean;
  readonly phase?: "Running" | "Succeeded";
  readonly ip?: string;
  readonly spec?: Partial<PodSpec>;
  readonly namespace?: string;
}

function pod(name: string, options: PodOptions = {}): Pod {
  const {
    labels = { app: "web" },
    ready = true,
    deleting = false,
    phase = "Running",
    ip = "127.130.0.1",
  } = options;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      ...metadata,
      name,
      uid: name,
      labels,
      namespace: options.namespace ?? "n",
      ...(deleting ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {}),
    },
    spec: { containers: [{ name: "c", ports: [{ name: "http", containerPort: 8080 }] }], ...options.spec },
    status: { phase, podIP: ip, conditions: [{ type: "Ready", status: ready ? "True" : "False" }] },
  };
}

const web = service({ selector: { app: "web" }, ports: [{ port: 80, targetPort: "http" }] });

describe("backends of a service", () => {
  it("are the pods with its labels, by name", () => {
    const pods = [pod("b"), pod("a"), pod("c", { labels: { app: "db" } }), pod("d", { namespace: "other" })];
    expect(backendsOf(web, pods).map((each) => each.pod.metadata.name)).toEqual(["a", "b"]);
  });

  it("have an address and have not ended", () => {
    expect(backendsOf(web, [pod("a", { ip: "" }), pod("b", { phase: "Succeeded" })])).toEqual([]);
  });

  it("get traffic when they are ready and stay", () => {
    const backends = backendsOf(web, [pod("a"), pod("b", { ready: false }), pod("c", { deleting: true })]);
    expect(backends.map((each) => each.ready)).toEqual([true, false, false]);
  });

  it("get traffic before they are ready when the service says so", () => {
    const early = service({ ...web.spec, publishNotReadyAddresses: true });
    expect(backendsOf(early, [pod("a", { ready: false })])[0]?.ready).toBe(true);
  });

  it("are none without a selector, or with an empty one", () => {
    expect(backendsOf(service({ ports: [{ port: 80 }] }), [pod("a")])).toEqual([]);
    expect(backendsOf(service({ selector: {}, ports: [{ port: 80 }] }), [pod("a")])).toEqual([]);
    expect(backendsOf(service({ ...web.spec, type: "ExternalName" }), [pod("a")])).toEqual([]);
  });

  it("have their own number for a named port, and are grouped by it", () => {
    const other = { containers: [{ name: "c", ports: [{ name: "http", containerPort: 9090 }] }] };
    const groups = groupByPorts(backendsOf(web, [pod("a"), pod("b", { spec: other }), pod("c")]));
    expect(
      groups.map((group) => [group[0]?.ports[0]?.port, group.map((each) => each.pod.metadata.name)]),
    ).toEqual([
      [8080, ["a", "c"]],
      [9090, ["b"]],
    ]);
  });

  it("are written with their host name when it belongs to the service", () => {
    const spec = { hostname: "web-0", subdomain: "web", nodeName: "node" };
    const [backend] = backendsOf(web, [pod("web-0", { spec })]);
    expect(backend && endpointOf(backend, web)).toEqual({
      addresses: ["127.130.0.1"],
      conditions: { ready: true, serving: true, terminating: false },
      hostname: "web-0",
      nodeName: "node",
      targetRef: { kind: "Pod", namespace: "n", name: "web-0", uid: "web-0" },
    });
  });

  it("say for whom they are, where the service prefers those that are near", () => {
    const spec = { nodeName: "node" };
    const [backend] = backendsOf(web, [pod("a", { spec })]);
    const hints = (trafficDistribution: string, zone?: string): unknown =>
      backend && endpointOf(backend, service({ ...web.spec, trafficDistribution }), () => zone).hints;
    expect(hints("PreferClose")).toBeUndefined();
    expect(hints("PreferClose", "one")).toEqual({ forZones: [{ name: "one" }] });
    expect(hints("PreferSameNode")).toEqual({ forNodes: [{ name: "node" }] });
    expect(hints("PreferSameNode", "one")).toEqual({
      forNodes: [{ name: "node" }],
      forZones: [{ name: "one" }],
    });
    expect(backend && endpointOf(backend, web, () => "one")).toMatchObject({ zone: "one" });
  });
});
