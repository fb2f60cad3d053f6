// Random schemas of a custom type whose lists and maps of every kind stand within one another: what other clients have of their own
// is left alone at any depth, and what they change within a value that is one as a whole is repaired, in a new process too.
import * as fc from "fast-check";
import { beforeAll, describe, expect, it, vi } from "vitest";
import type { KubeClient } from "../../src/client/kube-client.ts";
import { CustomResourceDefinition } from "../../src/kinds/builtin/apiextensions.ts";
import type { AnyObject } from "../../src/meta/object.ts";
import { apiVersionOf, type ResourceType } from "../../src/meta/resource-type.ts";
import { kubernetesResource } from "../../src/reconcile/resources/kubernetes-resource.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { Boxed, serveBoxes } from "./boxed.ts";

const namespace = "nested-lists-contract";
type Fields = Record<string, unknown>;

/** A part of a schema, and values of it. */
interface Part {
  readonly schema: Fields;
  /** What we declare. */
  readonly ours: unknown;
  /** What another client may have beside it; undefined where there is no room. */
  readonly theirs: unknown;
  /** Changes what is one value as a whole, in place; whether there is such. */
  readonly spoil: (live: unknown) => boolean;
}

const text: Part = { schema: { type: "string" }, ours: "a", theirs: undefined, spoil: () => false };
const set: Part = {
  schema: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
  ours: ["a", "b"],
  theirs: ["c"],
  spoil: () => false,
};

const withFields = (parts: readonly Part[]): Fields => ({
  type: "object",
  properties: Object.fromEntries(parts.map(({ schema }, index) => [`f${index}`, schema])),
});
const oursOf = (parts: readonly Part[]): Fields =>
  Object.fromEntries(parts.map(({ ours }, index) => [`f${index}`, ours]));
const theirsOf = (parts: readonly Part[]): Fields =>
  Object.fromEntries(
    parts.flatMap(({ theirs }, index) => (theirs === undefined ? [] : [[`f${index}`, theirs]])),
  );
const anySpoiled = (parts: readonly Part[], live: unknown): boolean =>
  parts.map(({ spoil }, index) => spoil((live as Fields)[`f${index}`])).includes(true);

const struct = (parts: readonly Part[]): Part => {
  const theirs = theirsOf(parts);
  return {
    schema: withFields(parts),
    ours: oursOf(parts),
    theirs: Object.keys(theirs).length === 0 ? undefined : theirs,
    spoil: (live) => anySpoiled(parts, live),
  };
};
const wholeMap = (parts: readonly Part[]): Part => {
  const { properties } = withFields(parts) as { properties: Fields };
  return {
    schema: {
      type: "object",
      properties: { ...properties, more: { type: "string" } },
      "x-kubernetes-map-type": "atomic",
    },
    ours: oursOf(parts),
    theirs: undefined,
    spoil: (live) => Object.assign(live as Fields, { more: "theirs" }) !== undefined,
  };
};
const freeMap = (part: Part): Part => ({
  schema: { type: "object", additionalProperties: part.schema },
  ours: { "a.b": part.ours },
  theirs: { ...(part.theirs === undefined ? {} : { "a.b": part.theirs }), c: part.ours },
  spoil: (live) => part.spoil((live as Fields)["a.b"]),
});
const keyedList = (parts: readonly Part[], hasDefault: boolean): Part => {
  const { properties } = withFields(parts) as { properties: Fields };
  const keys = {
    name: { type: "string" },
    ...(hasDefault ? { zone: { type: "string", default: "z" } } : {}),
  };
  return {
    schema: {
      type: "array",
      items: { type: "object", required: ["name"], properties: { ...properties, ...keys } },
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": Object.keys(keys),
    },
    ours: [{ name: "ours", ...oursOf(parts) }],
    theirs: [
      { name: "theirs", ...oursOf(parts) },
      { name: "ours", ...theirsOf(parts) },
    ],
    spoil: (live) =>
      anySpoiled(
        parts,
        (live as Fields[]).find(({ name }) => name === "ours"),
      ),
  };
};
const wholeList = (part: Part): Part => ({
  schema: { type: "array", items: part.schema, "x-kubernetes-list-type": "atomic" },
  ours: [part.ours],
  theirs: undefined,
  // Within it, what would be someone's own elsewhere makes it another value.
  spoil: (live) => {
    const [first] = live as unknown[];
    if (Array.isArray(first) && Array.isArray(part.theirs)) first.push(part.theirs[0]);
    else (live as unknown[]).push(part.ours);
    return true;
  },
});

const { part } = fc.letrec<{ part: Part; parts: Part[] }>((tie) => ({
  part: fc.oneof(
    { depthSize: "large", maxDepth: 4, withCrossShrink: true },
    { weight: 1, arbitrary: fc.constantFrom(text, set) },
    { weight: 3, arbitrary: fc.tuple(tie("parts"), fc.boolean()).map((each) => keyedList(...each)) },
    { weight: 2, arbitrary: tie("parts").map(wholeMap) },
    { weight: 1, arbitrary: tie("parts").map(struct) },
    { weight: 1, arbitrary: tie("part").map(freeMap) },
    { weight: 1, arbitrary: tie("part").map(wholeList) },
  ),
  parts: fc.array(tie("part"), { minLength: 1, maxLength: 2 }),
}));

/** As fields of one type: a definition takes the servers a while. */
const parts = fc.sample(
  part.filter(({ schema }) => schema["type"] !== "string"),
  { numRuns: 12 },
);

const Nest: ResourceType<AnyObject> = {
  group: "contract.example.com",
  version: "v1",
  kind: "Nest",
  plural: "nests",
  namespaced: true,
};
const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "nests.contract.example.com" },
  spec: {
    group: Nest.group,
    scope: "Namespaced",
    names: { kind: Nest.kind, plural: Nest.plural, singular: "nest", listKind: "NestList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: { type: "object", properties: { spec: withFields(parts) } },
        },
      },
    ],
  },
};

describeOnEachApiServer(
  "lists and maps within one another",
  (server) => {
    let client: KubeClient;
    beforeAll(async () => {
      client = server().client;
      await serveBoxes(client, namespace);
      await client.create(CustomResourceDefinition, definition);
      await vi.waitFor(() => client.list(Nest), { timeout: 20_000, interval: 100 });
    });

    describe.each(["apply", "patch"] as const)("written by %s", (write) => {
      it.each(parts.map((each, index) => [index, each] as const))(
        "are each client's own, or one value, as the schema of sample %d says",
        async (index, { ours, theirs, spoil }) => {
          const field = `f${index}`;
          const box = await new Boxed(client, { namespace, name: `${write}-${index}` }).start();
          const mutateWithInitialData = (object: object): void => {
            Object.assign(object, { spec: { [field]: structuredClone(ours) } });
          };
          box.children = [kubernetesResource({ type: Nest, key: box.key, write, mutateWithInitialData })];
          expect(await box.written()).toHaveLength(1);
          if (theirs !== undefined) {
            const { apiVersion, kind } = { apiVersion: apiVersionOf(Nest), kind: Nest.kind };
            const manifest = { apiVersion, kind, metadata: box.key, spec: { [field]: theirs } };
            await client.apply(Nest, manifest, { fieldManager: "another" });
          }
          box.restart();
          expect(await box.written()).toEqual([]);
          expect(await box.written()).toEqual([]);

          const live = await client.get(Nest, box.key);
          const before = structuredClone(live["spec"]);
          if (!spoil((live["spec"] as Fields)[field])) return;
          await client.update(Nest, live, { fieldManager: "another" });
          box.restart();
          expect(await box.written()).toHaveLength(1);
          expect((await client.get(Nest, box.key))["spec"]).toEqual(before);
          expect(await box.written()).toEqual([]);
        },
      );
    });
  },
  { embedded: { controllers: false }, real: { controllers: "none" } },
);
