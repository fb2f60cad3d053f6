// What a deletion is guarded by, as it is sent.
import { describe, expect, it } from "vitest";
import { layered } from "../../src/client/client-layers.ts";
import type { DeleteOptions } from "../../src/client/kube-client.ts";
import { deleteObject } from "../../src/reconcile/resources/object-writer.ts";
import { ConfigMap, configMap } from "./support/children.ts";
import { MemoryClient } from "./support/memory-client.ts";

describe("a deletion", () => {
  it.each([
    ["whatever it is", ["uid"], "Background"],
    ["as seen", ["uid", "resourceVersion"], "Background"],
    ["with dependents first", ["uid"], "Foreground"],
  ] as const)(
    "of an object %s is guarded by its %s, and takes along what belongs to it (%s)",
    async (which, guards, propagationPolicy) => {
      const memory = new MemoryClient();
      const object = memory.put(ConfigMap, configMap("a"));
      const sent: DeleteOptions[] = [];
      const client = layered(memory, {
        place: "life",
        request: (call, send) => {
          if (call.verb === "delete") sent.push(call.options);
          return send(call);
        },
      });
      const { signal } = new AbortController();
      await deleteObject({ client, signal, countWrite: () => undefined }, ConfigMap, object, which);
      const preconditions = Object.fromEntries(guards.map((guard) => [guard, object.metadata[guard]]));
      expect(sent).toHaveLength(1);
      expect(sent[0]?.preconditions).toEqual(preconditions);
      expect(sent[0]?.propagationPolicy).toBe(propagationPolicy);
    },
  );
});
