// What the server makes of an intent is no drift, in this process or in the next one, on both API servers: no write and no Event at
// a start. And who else has elements in a keyed list of a custom type is left alone, as the server says which lists are keyed.
import { beforeAll, describe, expect, it, vi } from "vitest";
import type { KubeClient } from "../../src/client/kube-client.ts";
import { HorizontalPodAutoscaler } from "../../src/kinds/builtin/autoscaling.ts";
import { CustomResourceDefinition } from "../../src/kinds/builtin/apiextensions.ts";
import { ConfigMap, LimitRange, Namespace, Secret, Service } from "../../src/kinds/builtin/core.ts";
import type { AnyObject, Manifest } from "../../src/meta/object.ts";
import { apiVersionOf, type ResourceType } from "../../src/meta/resource-type.ts";
import { fromManifest, kubernetesResource } from "../../src/reconcile/resources/kubernetes-resource.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { Box, boxDefinition, Boxed } from "./boxed.ts";

const namespace = "server-forms-contract";

type Fields = Record<string, unknown>;

const Entrance: ResourceType<AnyObject> = {
  group: "contract.example.com",
  version: "v1",
  kind: "Entrance",
  plural: "entrances",
  namespaced: true,
};
const text = { type: "string" };
const listener = { name: text, port: { type: "integer" }, hosts: {} };
const entranceDefinition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "entrances.contract.example.com" },
  spec: {
    group: Entrance.group,
    scope: "Namespaced",
    names: { kind: Entrance.kind, plural: Entrance.plural, singular: "entrance", listKind: "EntranceList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                properties: {
                  listeners: {
                    type: "array",
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["name"],
                    items: {
                      type: "object",
                      required: ["name"],
                      properties: {
                        ...listener,
                        hosts: { type: "array", items: text, "x-kubernetes-list-type": "set" },
                      },
                    },
                  },
                  whole: { type: "array", items: text },
                  pods: {
                    type: "object",
                    additionalProperties: text,
                    "x-kubernetes-map-type": "atomic",
                  },
                  notes: { type: "object", additionalProperties: text },
                },
              },
            },
          },
        },
      },
    ],
  },
};

/** What is declared, in a form that the server changes. */
const forms: readonly [string, ResourceType, Fields][] = [
  [
    "quantities in any field",
    HorizontalPodAutoscaler,
    {
      spec: {
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" },
        maxReplicas: 3,
        metrics: [
          { type: "External", external: { metric: { name: "m" }, target: { type: "Value", value: "0.5" } } },
        ],
      },
    },
  ],
  [
    "ratios of limits",
    LimitRange,
    { spec: { limits: [{ type: "Container", maxLimitRequestRatio: { cpu: "2.5" } }] } },
  ],
  ["base64 with line breaks", Secret, { data: { a: "aGVsbG8g\nd29ybGQ=" } }],
  [
    "an address and a port that the server chooses",
    Service,
    { spec: { type: "NodePort", clusterIP: "", ports: [{ port: 80, nodePort: 0 }] } },
  ],
];

describeOnEachApiServer(
  "the server's form",
  (server) => {
    let client: KubeClient;
    let count = 0;

    beforeAll(async () => {
      client = server().client;
      await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
      for (const definition of [boxDefinition, entranceDefinition]) {
        await client.create(CustomResourceDefinition, definition);
      }
      for (const type of [Box, Entrance]) {
        await vi.waitFor(() => client.list(type), { timeout: 20_000, interval: 100 });
      }
    });

    async function newBox(): Promise<Boxed> {
      return new Boxed(client, { namespace, name: `form-${(count += 1)}` }).start();
    }

    describe.each(["apply", "update", "patch"] as const)("of what is written by %s", (write) => {
      it.each(forms)("is no drift in the next process: %s", async (_what, type, fields) => {
        // The embedded one has no objects of these types.
        if (server().kind === "embedded" && (type === HorizontalPodAutoscaler || type === LimitRange)) return;
        const box = await newBox();
        const manifest = { apiVersion: apiVersionOf(type), kind: type.kind, metadata: box.key, ...fields };
        box.children = [fromManifest(manifest as Manifest, { write })];
        expect(await box.written()).toHaveLength(1);
        const { resourceVersion } = (await client.get(type, box.key)).metadata;
        expect(await box.written()).toEqual([]);
        for (let process = 0; process < 2; process += 1) {
          box.restart();
          expect(await box.written()).toEqual([]);
        }
        expect((await client.get(type, box.key)).metadata.resourceVersion).toBe(resourceVersion);
      });
    });

    it("does not hide what somebody has changed while no process ran", async () => {
      const box = await newBox();
      const manifest = {
        apiVersion: "v1",
        kind: "Secret",
        metadata: box.key,
        data: { a: "YQ\n==", b: "Yg==" },
      };
      box.children = [fromManifest(manifest as Manifest)];
      await box.run();
      await client.patch(Secret, box.key, { type: "merge", body: { data: { b: "eA==" } } });
      box.restart();
      expect(await box.written()).toHaveLength(1);
      const { data = {} } = await client.get(Secret, box.key);
      const texts = Object.values(data).map((each) => Buffer.from(each, "base64").toString());
      expect(texts).toEqual(["a", "b"]);
      expect(await box.written()).toEqual([]);
    });

    describe("of a list of a custom type", () => {
      const declare = (box: Boxed, listeners: readonly Fields[], whole: readonly string[] = []): void => {
        box.children = [
          kubernetesResource({
            type: Entrance,
            key: box.key,
            mutateWithInitialData: (object) => {
              (object as Fields)["spec"] = { listeners, whole };
            },
          }),
        ];
      };
      const specOf = async (box: Boxed): Promise<Fields> =>
        (await client.get(Entrance, box.key))["spec"] as Fields;
      const listenersOf = async (box: Boxed): Promise<readonly Fields[]> =>
        ((await specOf(box))["listeners"] as Fields[]).sort((one, other) =>
          String(one["name"]).localeCompare(String(other["name"])),
        );
      const applyTheirs = async (box: Boxed, port: number): Promise<unknown> => {
        const { apiVersion, kind } = { apiVersion: apiVersionOf(Entrance), kind: Entrance.kind };
        const spec = {
          listeners: [
            { name: "acme", port },
            { name: "http", hosts: [`h${port}`] },
          ],
        };
        return client.apply(
          Entrance,
          { apiVersion, kind, metadata: box.key, spec },
          {
            fieldManager: "acme-solver",
          },
        );
      };

      it("leaves alone whoever has elements of their own, in this process and the next", async () => {
        const box = await newBox();
        declare(box, [{ name: "http", port: 80, hosts: ["ours"] }]);
        await box.run();
        for (let port = 1; port < 8; port += 1) {
          await applyTheirs(box, port);
          expect(await box.written()).toEqual([]);
          if (port === 4) box.restart();
        }
        expect(box.memory.fights.of((await box.cr()).metadata.uid)).toEqual([]);
        expect((await listenersOf(box)).map(({ name, port }) => [name, port])).toEqual([
          ["acme", 7],
          ["http", 80],
        ]);
      });

      it("repairs an own element, an own member of a set, and a list that is one value", async () => {
        const box = await newBox();
        declare(box, [{ name: "http", port: 80, hosts: ["ours"] }], ["a", "b"]);
        await box.run();
        await applyTheirs(box, 1);
        const theirs = async (name: string, field: string, value: unknown): Promise<unknown> => {
          const listeners = (await specOf(box))["listeners"] as Fields[];
          const index = listeners.findIndex((each) => each["name"] === name);
          const path = `/spec/listeners/${index}/${field}`;
          return client.patch(Entrance, box.key, { type: "json", body: [{ op: "replace", path, value }] });
        };
        await theirs("http", "port", 81);
        expect(await box.written()).toHaveLength(1);
        await theirs("http", "hosts", ["h1"]);
        expect(await box.written()).toHaveLength(1);
        await client.patch(Entrance, box.key, { type: "merge", body: { spec: { whole: ["b", "a"] } } });
        box.restart();
        expect(await box.written()).toHaveLength(1);
        expect(await specOf(box)).toMatchObject({ whole: ["a", "b"] });
        expect((await listenersOf(box)).map(({ name, port }) => [name, port])).toEqual([
          ["acme", 1],
          ["http", 80],
        ]);
      });
    });

    it("of a map of a custom type is whole where the type says so: what others add there goes, and stays elsewhere", async () => {
      for (const write of ["apply", "update", "patch"] as const) {
        const box = await newBox();
        const spec = { pods: { app: "a" }, notes: { ours: "a" } };
        const mutateWithInitialData = (object: object): void => {
          Object.assign(object, { spec });
        };
        box.children = [kubernetesResource({ type: Entrance, key: box.key, write, mutateWithInitialData })];
        await box.run();
        const live = async (): Promise<unknown> => (await client.get(Entrance, box.key))["spec"];
        const patch = (body: Fields): Promise<unknown> =>
          client.patch(Entrance, box.key, { type: "merge", body: { spec: body } });
        await patch({ notes: { theirs: "b" } });
        expect(await box.written()).toEqual([]);
        await patch({ pods: { tier: "none" } });
        expect(await box.written()).toHaveLength(1);
        expect(await live()).toEqual({ pods: { app: "a" }, notes: { ours: "a", theirs: "b" } });
        expect(await box.written()).toEqual([]);
      }
    });

    it("is not imposed on an object that has taken the name of the one that was seen", async () => {
      for (const write of ["apply", "update", "patch"] as const) {
        const box = await newBox();
        const manifest = { apiVersion: "v1", kind: "ConfigMap", metadata: box.key };
        box.children = [fromManifest({ ...manifest, data: { a: "1" } }, { write })];
        await box.run();
        box.children = [
          kubernetesResource({
            type: ConfigMap,
            key: box.key,
            write,
            mutateWithInitialData: async (object) => {
              object.data = { a: "2" };
              // Between what is seen and what is written.
              await client.delete(ConfigMap, box.key);
              await client.create(ConfigMap, { ...manifest, data: { theirs: "1" } });
            },
          }),
        ];
        await expect(box.run()).rejects.toMatchObject({ code: "API_CONFLICT" });
        expect((await client.get(ConfigMap, box.key)).data).toEqual({ theirs: "1" });
      }
    });
  },
  { embedded: { controllers: false }, real: { controllers: "none" } },
);
