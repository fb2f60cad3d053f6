import { describe, expect, it } from "vitest";
import { layered, withOptions, type ClientLayer } from "../../src/client/client-layers.ts";
import type { KubeClient } from "../../src/client/kube-client.ts";
import { ConfigMap } from "../../src/kinds/builtin/core.ts";

const key = { namespace: "default", name: "a" };
const manifest = { apiVersion: "v1", kind: "ConfigMap", metadata: key };

/** Every verb, with all that its method takes. */
const verbs: readonly (readonly [keyof KubeClient, readonly unknown[]])[] = [
  ["get", [ConfigMap, key, { timeout: 1 }]],
  ["list", [ConfigMap, { limit: 1 }]],
  ["create", [ConfigMap, manifest, { dryRun: true }]],
  ["update", [ConfigMap, manifest, { dryRun: true }]],
  ["patch", [ConfigMap, key, { type: "merge", body: {} }, { dryRun: true }]],
  ["apply", [ConfigMap, manifest, { fieldManager: "me" }]],
  ["delete", [ConfigMap, key, { dryRun: true }]],
  ["request", [{ method: "GET", path: "/version" }]],
  ["watch", [ConfigMap, { signal: new AbortController().signal }]],
];

/** A client that answers each call with what it was called with. */
function echo(): KubeClient {
  return new Proxy({} as KubeClient, {
    get: (_, verb) => {
      if (verb === "server") return "https://server";
      const answer = (args: readonly unknown[]): unknown => (verb === "watch" ? args : Promise.resolve(args));
      return (...args: readonly unknown[]) => answer([verb, ...args]);
    },
  });
}

function noting(place: ClientLayer["place"], seen: string[], name: string = place): ClientLayer {
  return {
    place,
    request: async (call, send) => {
      seen.push(`> ${name}`);
      const answer = await send(call);
      seen.push(`< ${name}`);
      return answer;
    },
    watch: (type, options, open) => {
      seen.push(`watch ${name}`);
      return open(type, options);
    },
  };
}

describe("the layers of a client", () => {
  it.each(verbs)("pass %s on as it is, with its answer", async (verb, args) => {
    const client = layered(echo(), noting("run", []), { place: "secrets" });
    const method = client[verb] as unknown as (...args: readonly unknown[]) => unknown;
    expect(await method(...args)).toEqual([verb, ...args]);
    expect(client.server).toBe("https://server");
  });

  it("are in one order, whoever added them and when", async () => {
    const seen: string[] = [];
    const inner = layered(echo(), noting("secrets", seen), noting("fence", seen, "leadership"));
    const client = layered(inner, noting("recording", seen), noting("fence", seen, "shard"));
    const whole = layered(
      client,
      noting("ownWrites", seen),
      noting("run", seen),
      noting("generatedNames", seen),
    );
    await whole.get(ConfigMap, key);
    const places = ["run", "ownWrites", "generatedNames", "recording", "shard", "leadership", "secrets"];
    expect(seen).toEqual([
      ...places.map((place) => `> ${place}`),
      ...places.toReversed().map((place) => `< ${place}`),
    ]);
    seen.length = 0;
    whole.watch(ConfigMap, { signal: new AbortController().signal });
    expect(seen).toEqual(places.map((place) => `watch ${place}`));
  });

  it("leave the client that they are put around as it is", async () => {
    const seen: string[] = [];
    const inner = layered(echo(), noting("secrets", seen));
    layered(inner, noting("run", seen));
    await inner.get(ConfigMap, key);
    expect(seen).toEqual(["> secrets", "< secrets"]);
  });

  it("may replace options, and refuse at once, which rejects", async () => {
    const { signal } = new AbortController();
    const bounded = layered(echo(), {
      place: "run",
      request: (call, send) => send(withOptions(call, { signal })),
    });
    expect(await bounded.delete(ConfigMap, key, { dryRun: true })).toEqual([
      "delete",
      ConfigMap,
      key,
      { dryRun: true, signal },
    ]);
    const refusing = layered(echo(), {
      place: "run",
      request: () => {
        throw new Error("refused");
      },
    });
    await expect(refusing.get(ConfigMap, key)).rejects.toThrow("refused");
  });

  it("may stand in for closing; the client behind stays open", async () => {
    const closed: string[] = [];
    const open = {
      server: "",
      close: () => Promise.resolve(void closed.push("client")),
    } as unknown as KubeClient;
    await layered(open, { place: "secrets" }).close();
    expect(closed).toEqual(["client"]);
    await layered(open, { place: "run", close: () => Promise.resolve() }).close();
    expect(closed).toEqual(["client"]);
  });
});
