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
  ["follow", [ConfigMap, { signal: new AbortController().signal }, () => undefined]],
];

/** A client that answers each call with what it was called with. */
function echo(): KubeClient {
  return new Proxy({} as KubeClient, {
    get: (_, verb) => {
      if (verb === "server") return "https://server";
      return (...args: readonly unknown[]) => Promise.resolve([verb, ...args]);
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
    watch: (follow, ...watch) => {
      seen.push(`watch ${name}`);
      return follow(...watch);
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
    const { signal } = new AbortController();
    await whole.follow(ConfigMap, { signal }, () => undefined);
    expect(seen).toEqual(places.map((place) => `watch ${place}`));
    seen.length = 0;
    await whole.watch(ConfigMap, { signal })[Symbol.asyncIterator]().next();
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
