import { describe, expect, expectTypeOf, it } from "vitest";
import type { ConfigMap, Namespace } from "../../src/kinds/builtin/core.ts";
import { formatKey, keyOf, parseKey, type ObjectKey } from "../../src/meta/object-key.ts";
import type { KubeObject, ManifestOf } from "../../src/meta/object.ts";

describe("the key of an object", () => {
  it.each([
    ["in a namespace", { namespace: "shop", name: "page" }, "shop/page"],
    ["of the whole cluster", { name: "shop" }, "shop"],
  ])("%s is its name there, and is read back from text", (_, metadata, text) => {
    const key = keyOf({ metadata: { ...metadata, labels: { app: "shop" } } });
    expect(key).toEqual(metadata);
    expect(formatKey(key)).toBe(text);
    expect(parseKey(text)).toEqual(key);
  });

  it("has a namespace by type where the object has one", () => {
    const keys = (map: ConfigMap, manifest: ManifestOf<ConfigMap>, namespace: Namespace, any: KubeObject) => {
      expectTypeOf(keyOf(map).namespace).toEqualTypeOf<string>();
      expectTypeOf(
        keyOf({ metadata: { name: "page", namespace: "shop" } }).namespace,
      ).toEqualTypeOf<string>();
      expectTypeOf(keyOf(manifest)).toEqualTypeOf<ObjectKey>();
      expectTypeOf(keyOf(namespace)).toEqualTypeOf<ObjectKey & { readonly namespace?: never }>();
      expectTypeOf(keyOf(namespace).namespace).toEqualTypeOf<undefined>();
      expectTypeOf(keyOf(namespace)).toExtend<ObjectKey>();
      expectTypeOf(keyOf(any)).toEqualTypeOf<ObjectKey>();
    };
    expectTypeOf(keys).toBeFunction();
  });
});
