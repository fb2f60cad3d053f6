// Slices of Endpoints that somebody keeps for a Service without a selector, as every cluster's controllers make them.
import { beforeAll, expect, it } from "vitest";
import type { KubeClient } from "../../src/client/kube-client.ts";
import { builtin } from "../../src/kinds/builtin/builtin-type.ts";
import { Namespace, Service } from "../../src/kinds/builtin/core.ts";
import { EndpointSlice } from "../../src/kinds/builtin/discovery.ts";
import type { NamespacedObject } from "../../src/meta/object.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";

interface Endpoints extends NamespacedObject {
  readonly subsets?: readonly object[];
}

const Endpoints = builtin<Endpoints>("v1", "Endpoints", "endpoints");
const namespace = "mirrored";
const key = (name: string) => ({ namespace, name });
const http = { name: "http", port: 8080, protocol: "TCP" };
const metrics = { name: "metrics", port: 81, protocol: "UDP", appProtocol: "kubernetes.io/h2c" };
const targetRef = { kind: "Pod", name: "p", namespace };

describeOnEachApiServer(
  "mirrored endpoints",
  (server) => {
    let client: KubeClient;
    const create = async (name: string, endpoints: object, service: object = {}): Promise<void> => {
      const metadata = { namespace, name };
      const spec = { ports: [{ name: "http", port: 80 }], ...service };
      await client.create(Service, { apiVersion: "v1", kind: "Service", metadata, spec });
      const { metadata: more = {}, ...others } = endpoints as { readonly metadata?: object };
      await client.create(Endpoints, {
        apiVersion: "v1",
        kind: "Endpoints",
        metadata: { ...metadata, ...more },
        ...others,
      });
    };
    const slicesOf = async (name: string) =>
      (
        await client.list(EndpointSlice, {
          namespace,
          labelSelector: `kubernetes.io/service-name=${name}`,
        })
      ).items;
    const contentsOf = async (name: string): Promise<readonly string[]> =>
      (await slicesOf(name))
        .map(({ addressType, ports, endpoints }) =>
          JSON.stringify([
            addressType,
            (ports ?? []).map(
              (port) => `${port.name}:${port.port}/${port.protocol}/${port.appProtocol ?? ""}`,
            ),
            (endpoints ?? [])
              .map(({ addresses, conditions, hostname, nodeName, targetRef: of }) =>
                [addresses.join(), conditions?.ready, hostname ?? "", nodeName ?? "", of?.name ?? ""].join(
                  " ",
                ),
              )
              .sort(),
          ]),
        )
        .sort();

    beforeAll(async () => {
      ({ client } = server());
      await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
    });

    it("are one for each family and set of ports, with labels and annotations, and follow what is changed", async () => {
      const subsets = [
        {
          addresses: [{ ip: "192.0.2.7", hostname: "h", nodeName: "n" }, { ip: "2001:db8::1" }],
          notReadyAddresses: [{ ip: "192.0.2.8", targetRef }],
          ports: [http, metrics],
        },
        { addresses: [{ ip: "192.0.2.9" }], ports: [{ port: 9090, name: "http" }] },
      ];
      const annotations = {
        note: "a",
        "endpoints.kubernetes.io/last-change-trigger-time": "2026-01-01T00:00:00Z",
      };
      await create("full", { metadata: { labels: { app: "x" }, annotations }, subsets });
      const both = ["http:8080/TCP/", "metrics:81/UDP/kubernetes.io/h2c"];
      await eventually(async () =>
        expect(await contentsOf("full")).toEqual([
          JSON.stringify(["IPv4", both, ["192.0.2.7 true h n ", "192.0.2.8 false   p"]]),
          JSON.stringify(["IPv4", ["http:9090/TCP/"], ["192.0.2.9 true   "]]),
          JSON.stringify(["IPv6", both, ["2001:db8::1 true   "]]),
        ]),
      );
      const { metadata } = await client.get(Endpoints, key("full"));
      for (const slice of await slicesOf("full")) {
        expect(slice.metadata.name).toMatch(/^full-/);
        expect(slice.metadata.labels).toEqual({
          app: "x",
          "kubernetes.io/service-name": "full",
          "endpointslice.kubernetes.io/managed-by": "endpointslicemirroring-controller.k8s.io",
        });
        expect(slice.metadata.annotations).toEqual({ note: "a" });
        expect(slice.metadata.ownerReferences).toMatchObject([
          { kind: "Endpoints", name: "full", uid: metadata.uid, controller: true },
        ]);
      }
      const body = {
        metadata: { labels: { app: "y" } },
        subsets: [{ addresses: [{ ip: "192.0.2.7" }], ports: [http] }],
      };
      await client.patch(Endpoints, key("full"), { type: "merge", body });
      await eventually(async () => {
        expect(await contentsOf("full")).toEqual([
          JSON.stringify(["IPv4", ["http:8080/TCP/"], ["192.0.2.7 true   "]]),
        ]);
        expect((await slicesOf("full"))[0]?.metadata.labels).toMatchObject({ app: "y" });
      });
      await client.patch(Endpoints, key("full"), { type: "merge", body: { subsets: null } });
      await eventually(async () => expect(await slicesOf("full")).toEqual([]));
    });

    it("have a port that several subsets have in a slice of its own", async () => {
      const subsets = ["192.0.2.1", "192.0.2.2"].map((ip, index) => ({
        addresses: [{ ip }],
        ports: index === 0 ? [http, metrics] : [http],
      }));
      await create("shared", { subsets });
      await eventually(async () =>
        expect(await contentsOf("shared")).toEqual([
          JSON.stringify(["IPv4", ["http:8080/TCP/"], ["192.0.2.1 true   ", "192.0.2.2 true   "]]),
          JSON.stringify(["IPv4", ["metrics:81/UDP/kubernetes.io/h2c"], ["192.0.2.1 true   "]]),
        ]),
      );
    });

    it("are not made of locks, of what is not to be mirrored, and of what has no addresses", async () => {
      const subsets = [{ addresses: [{ ip: "192.0.2.7" }], ports: [http] }];
      await create("empty", {});
      await create("lock", {
        metadata: { annotations: { "control-plane.alpha.kubernetes.io/leader": "{}" } },
        subsets,
      });
      const labels = { "endpointslice.kubernetes.io/skip-mirror": "true" };
      await create("skipped", { metadata: { labels }, subsets });
      const metadata = key("alone");
      await client.create(Endpoints, { apiVersion: "v1", kind: "Endpoints", metadata, subsets: subsets });
      await create(
        "external",
        { subsets },
        { type: "ExternalName", externalName: "a.example.com", ports: [] },
      );
      await eventually(async () => expect(await slicesOf("external")).toHaveLength(1));
      for (const name of ["empty", "lock", "skipped", "alone"]) expect(await slicesOf(name)).toEqual([]);
      const unlabelled = { metadata: { labels: { "endpointslice.kubernetes.io/skip-mirror": null } } };
      await client.patch(Endpoints, key("skipped"), { type: "merge", body: unlabelled });
      await eventually(async () => expect(await slicesOf("skipped")).toHaveLength(1));
    });

    it("go when the Service gets a selector, or goes", async () => {
      const subsets = [{ addresses: [{ ip: "192.0.2.7" }], ports: [http] }];
      for (const name of ["selecting", "going"]) {
        await create(name, { subsets });
        await eventually(async () => expect(await slicesOf(name)).toHaveLength(1));
      }
      const manager = "endpointslice.kubernetes.io/managed-by";
      await client.patch(Service, key("selecting"), {
        type: "merge",
        body: { spec: { selector: { a: "b" } } },
      });
      await client.delete(Service, key("going"));
      await eventually(async () => {
        const managers = (await slicesOf("selecting")).map(({ metadata: { labels } }) => labels?.[manager]);
        expect(managers).toEqual(["endpointslice-controller.k8s.io"]);
        expect(await slicesOf("going")).toEqual([]);
      });
    });
  },
  {
    real: {
      controllers:
        "endpointslice-mirroring-controller,endpointslice-controller,endpoints-controller,garbage-collector-controller",
    },
  },
);
