// What an author writes where it is used: the compiler of this repository is the test.
import { expectTypeOf, it } from "vitest";
import type { Registry } from "../../src/index.ts";
import type { AnyManifest, KubeClient } from "../../src/client/index.ts";

it("accepts a manifest with the fields of its kind, written where it is used", () => {
  const manifest = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "page" },
    data: { "index.html": "hello" },
  };
  expectTypeOf(manifest).toExtend<AnyManifest>();
  const use = (registry: Registry, client: KubeClient, type: Parameters<KubeClient["create"]>[0]) => {
    registry.add({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "page" }, data: { key: "value" } });
    // @ts-expect-error A manifest without a name is none.
    registry.add({ apiVersion: "v1", kind: "ConfigMap", metadata: {}, data: {} });
    return client.create(type, { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec: {} });
  };
  expectTypeOf(use).toBeFunction();
});
