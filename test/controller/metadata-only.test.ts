// Types of which only the metadata is read, on each API server: what is sent, what is held, what can be read of it.
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { createSharedCache } from "../../src/cache/shared-cache.ts";
import { defineController, defineKind, defineOperator, metadataOnly, systemClock } from "../../src/index.ts";
import type { NamespacedObject } from "../../src/kinds/index.ts";
import { encodeSecretValue, Secret } from "../../src/kinds/index.ts";
import { isOperatorError } from "../../src/ports/operator-error.ts";
import { silentLogger } from "../../src/ports/logger.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { startOperator, type RunningOperator } from "../support/running-operator.ts";

const Vault = defineKind({
  group: "metadata.example.com",
  version: "v1",
  kind: "Vault",
  spec: z.object({ word: z.string() }),
  status: z.object({ labels: z.array(z.string()), refused: z.string() }),
});

const namespace = "default";
const word = "open-sesame";

const operator = defineOperator({
  name: "vault-operator",
  controllers: [
    defineController(Vault, {
      owns: [metadataOnly(Secret)],
      steps: {
        ObjectsGetter: ({ cr, registry }) => {
          const metadata = { name: cr.metadata.name, namespace, labels: { vault: cr.metadata.name } };
          const manifest = { apiVersion: "v1", kind: "Secret", metadata, stringData: { word: cr.spec.word } };
          registry.add(manifest);
        },
        SuccessManager: ({ owned, lookUp, cr }) => {
          const refusals = [() => lookUp(Secret, { name: cr.metadata.name, namespace }), () => owned(Secret)];
          const codes = refusals.map((read) => {
            try {
              read();
              return "none";
            } catch (error) {
              return isOperatorError(error) ? error.code : "other";
            }
          });
          const labels = owned(metadataOnly(Secret)).flatMap((object) =>
            Object.values(object.metadata.labels ?? {}),
          );
          return { labels, refused: codes.join(" ") };
        },
      },
    }),
  ],
});

describeOnEachApiServer(
  "metadata only",
  (server) => {
    const client = () => server().client;
    const secret = (name: string, labels = {}) => ({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name, namespace, labels },
      data: { word: encodeSecretValue(word) },
    });

    it("is what get, list and watch answer, under the object's own kind", async () => {
      await client().create(Secret, secret("plain", { app: "plain" }));
      const type = metadataOnly(Secret);
      const got = await client().get(type, { name: "plain", namespace });
      const list = await client().list(type, { namespace, labelSelector: "app=plain" });
      expect(Object.keys(got).toSorted()).toEqual(["apiVersion", "kind", "metadata"]);
      expect(got).toMatchObject({ apiVersion: "v1", kind: "Secret", metadata: { name: "plain" } });
      expect(list.items).toEqual([got]);
      const abort = new AbortController();
      const watch = client().watch(type, {
        namespace,
        labelSelector: "app=plain",
        resourceVersion: "0",
        signal: abort.signal,
      });
      for await (const event of watch) {
        expect(event).toEqual({ type: "ADDED", object: got });
        break;
      }
      abort.abort();
    });

    it("is asked of the server, which sends nothing else", async () => {
      const path = `/api/v1/namespaces/${namespace}/secrets`;
      const partial = "g=meta.k8s.io;v=v1";
      const accept = `application/json;as=PartialObjectMetadataList;${partial}`;
      const answer = await client().request({ method: "GET", path, accept });
      expect(answer).toMatchObject({ kind: "PartialObjectMetadataList", apiVersion: "meta.k8s.io/v1" });
      expect(JSON.stringify(answer)).not.toContain(encodeSecretValue(word));
    });

    it("is kept by one informer per namespace and selector; a change of data is seen, and not held", async () => {
      const tools = { client: client(), clock: systemClock, random: Math.random, log: silentLogger };
      const cache = createSharedCache(tools);
      const abort = new AbortController();
      const type = metadataOnly(Secret);
      const chosen = cache.informer(type, { namespace, labelSelector: "app=chosen" });
      const elsewhere = cache.informer(type, { namespace: "kube-public", labelSelector: "app=chosen" });
      expect(cache.informer(Secret, { namespace, labelSelector: "app=chosen" })).not.toBe(chosen);
      const changes: string[] = [];
      chosen.changes$.subscribe(({ type: what, object }) => changes.push(`${what} ${object.metadata.name}`));
      try {
        await client().create(Secret, secret("chosen", { app: "chosen" }));
        await client().create(Secret, secret("ignored", { app: "other" }));
        cache.start(abort.signal);
        await eventually(() => expect(chosen.lister.list()).toHaveLength(1));
        const body = { data: { word: encodeSecretValue("changed") } };
        const written = await client().patch(Secret, { name: "chosen", namespace }, { type: "merge", body });
        await eventually(() => expect(changes).toEqual(["added chosen", "modified chosen"]));
        // An own write is answered whole; the cache does not keep the rest either.
        chosen.recordWrite(written);
        const [held] = chosen.lister.list();
        expect(Object.keys(held ?? {}).toSorted()).toEqual(["apiVersion", "kind", "metadata"]);
        expect(elsewhere.lister.list()).toEqual([]);
      } finally {
        abort.abort();
      }
    });

    describe("in a controller", () => {
      let running: RunningOperator;
      beforeAll(async () => {
        running = await startOperator(operator, server().kubeconfig, { installCrds: true });
      });
      afterAll(() => running.stop());
      const key = { name: "one", namespace };
      const wordOf = async () => (await client().get(Secret, key)).data?.["word"];

      it("refuses reads of whole objects, and gives their metadata", async () => {
        const manifest = {
          apiVersion: "metadata.example.com/v1",
          kind: "Vault",
          metadata: key,
          spec: { word },
        };
        await client().create(Vault, manifest);
        const status = { labels: ["one"], refused: "CACHE_METADATA_ONLY CACHE_METADATA_ONLY" };
        await eventually(async () => expect((await client().get(Vault, key)).status).toMatchObject(status));
        expect(await wordOf()).toBe(encodeSecretValue(word));
      });

      it("still sees that somebody changed the data of a child, and puts it right", async () => {
        const body = { data: { word: encodeSecretValue("stolen") } };
        await client().patch(Secret, key, { type: "merge", body });
        await eventually(async () => expect(await wordOf()).toBe(encodeSecretValue(word)));
      });

      it("creates a child again that was deleted, and writes nothing when all is as declared", async () => {
        await client().delete(Secret, key);
        await eventually(async () => expect(await wordOf()).toBe(encodeSecretValue(word)));
        const before = (await client().get(Secret, key)).metadata.resourceVersion;
        const runs = running.reconciles("default/one");
        await client().patch(Vault, key, {
          type: "merge",
          body: { metadata: { labels: { touched: "yes" } } },
        });
        await eventually(() => expect(running.reconciles("default/one")).toBeGreaterThan(runs));
        expect((await client().get(Secret, key)).metadata.resourceVersion).toBe(before);
      });
    });
  },
  { embedded: { controllers: false }, real: { controllers: "none" } },
);

describe("a type read as metadata only", () => {
  it("has no data by type", () => {
    expectTypeOf(metadataOnly(Secret).instance).toEqualTypeOf<NamespacedObject | undefined>();
  });

  it("cannot be declared whole as well", () => {
    expect(() => defineController(Vault, { owns: [metadataOnly(Secret)], reads: [Secret] })).toThrow(
      /declares Secret whole and as metadata only/,
    );
  });
});
