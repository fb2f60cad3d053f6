// What one version of a kind alone has: who owns it, and what becomes of it by writes in another version.
import { afterAll, beforeAll, expect, it } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { metadataOf, type Body, type RawClient } from "./raw-request.ts";

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const merge = { contentType: "application/merge-patch+json" };
const apply = { contentType: "application/apply-patch+yaml" };
const text = { type: "string" };
const version = (name: string, own: Body, more: Body = {}): Body => ({
  ...more,
  name,
  served: true,
  storage: name === "v1",
  schema: {
    openAPIV3Schema: {
      type: "object",
      properties: { spec: { type: "object", properties: { size: text, ...own } } },
    },
  },
});
const root = (of: string, plural = "forks"): string =>
  `/apis/sequences.example.com/${of}/namespaces/default/${plural}`;
const fork = (of: string, spec: Body | undefined, metadata: Body = { name: "f" }): Body => ({
  apiVersion: `sequences.example.com/${of}`,
  kind: "Fork",
  metadata,
  ...(spec === undefined ? {} : { spec }),
});

/** Declares the cases. */
export function declareVersionOwnerCases(client: () => RawClient): void {
  const send: RawClient["send"] = (...request) => client().send(...request);
  const versionOf = async (path: string): Promise<string> =>
    String(metadataOf((await send("GET", path)).body)["resourceVersion"]);

  beforeAll(async () => {
    for (const [plural, kind, ofFirst, ofSecond, more] of [
      ["forks", "Fork", { old: text }, { young: text }, {}],
      ["spoons", "Spoon", {}, { count: { type: "integer", default: 3 } }, {}],
      ["knives", "Knife", {}, {}, { subresources: { status: {} } }],
    ] as const) {
      await send("POST", definitions, {
        metadata: { name: `${plural}.sequences.example.com` },
        spec: {
          group: "sequences.example.com",
          scope: "Namespaced",
          names: { plural, kind },
          versions: [version("v1", ofFirst, more), version("v2", ofSecond, more)],
        },
      });
      await eventually(async () => {
        for (const version of ["v1", "v2"])
          expect((await send("GET", root(version, plural))).status).toBe(200);
      });
    }
  });
  afterAll(async () => {
    for (const plural of ["forks", "spoons", "knives"]) {
      await send("DELETE", `${definitions}/${plural}.sequences.example.com`);
    }
  });

  it("forgets the owners of fields that another version with owners does not have, and applies none of them", async () => {
    await send("POST", `${root("v1")}?fieldManager=a`, fork("v1", { size: "s" }));
    await send("PATCH", `${root("v2")}/f?fieldManager=b`, { metadata: { labels: { a: "b" } } }, merge);
    const owners = async (): Promise<unknown> => {
      const { managedFields = [] } = metadataOf((await send("GET", `${root("v1")}/f`)).body) as {
        readonly managedFields?: readonly Body[];
      };
      return managedFields
        .map(({ manager, apiVersion }) => `${String(manager)} ${String(apiVersion)}`)
        .toSorted();
    };
    expect(await owners()).toEqual(["a sequences.example.com/v1", "b sequences.example.com/v2"]);
    const applied = await send("PATCH", `${root("v1")}/f?fieldManager=c`, fork("v1", { old: "o" }), apply);
    expect([applied.status, applied.body["message"]]).toEqual([
      500,
      "failed to convert new object: .spec.old: field not declared in schema",
    ]);
    await send("PATCH", `${root("v1")}/f?fieldManager=a`, { spec: { old: "o" } }, merge);
    expect(await owners()).toEqual([]);
  });

  it("loses what the version of a write does not have, also where the write changes nothing", async () => {
    const path = (of: string): string => `${root(of)}/lost`;
    const made = fork("v1", { size: "s" }, { name: "lost", finalizers: ["example.com/a"] });
    const { body } = await send("POST", root("v1"), made);
    const { resourceVersion } = metadataOf(body);
    const watching = client().watch(
      `${root("v1")}?watch=true&resourceVersion=${String(resourceVersion)}&fieldSelector=metadata.name%3Dlost`,
      ({ type }) => type === "DELETED",
    );
    const old = { spec: { old: "o" } };
    const deletions: string[] = [];
    for (const write of [
      () => send("PATCH", `${path("v2")}?fieldManager=b`, fork("v2", undefined, { name: "lost" }), apply),
      () => send("DELETE", path("v2")),
      () => send("DELETE", path("v2")),
    ]) {
      await send("PATCH", path("v1"), old, merge);
      const before = await versionOf(path("v1"));
      await send("GET", `${root("v2")}/none?resourceVersion=${before}`);
      await write();
      deletions.push((await versionOf(path("v1"))) === before ? "kept" : "stored");
      expect((await send("GET", path("v1"))).body["spec"]).toEqual({ size: "s" });
    }
    expect(deletions).toEqual(["stored", "stored", "stored"]);
    await send("PATCH", path("v1"), old, merge);
    // Its end is told of as it was stored last, whatever the version is in which it is ended.
    await send("PATCH", path("v2"), { metadata: { finalizers: null } }, merge);
    const { lines } = await watching;
    expect(lines.at(-1)).toMatchObject({ type: "DELETED", object: { spec: { size: "s", old: "o" } } });
  });

  it("counts defaults of its version where an apply says that nobody owns anything", async () => {
    const spoon = (of: string, metadata: Body): Body => ({ ...fork(of, undefined, metadata), kind: "Spoon" });
    const path = `${root("v2", "spoons")}/counted?fieldManager=b`;
    await send("POST", root("v1", "spoons"), { ...spoon("v1", { name: "counted" }), spec: { size: "s" } });
    const generations: unknown[] = [];
    for (const metadata of [{}, { managedFields: null }, {}]) {
      const { body } = await send("PATCH", path, spoon("v2", { name: "counted", ...metadata }), apply);
      generations.push(metadataOf(body)["generation"]);
    }
    expect(generations).toEqual([1, 2, 2]);
  });

  it("keeps empty metadata of an apply only in the version in which it is stored", async () => {
    const stored: boolean[] = [];
    for (const version of ["v1", "v2"]) {
      const name = `empty-${version}`;
      await send(
        "PATCH",
        `${root(version)}/${name}?fieldManager=b`,
        fork(version, { size: "s" }, { name, labels: {} }),
        apply,
      );
      const before = await versionOf(`${root(version)}/${name}`);
      await send("GET", `${root(version)}/none?resourceVersion=${before}`);
      await send("PATCH", `${root(version)}/${name}`, {}, merge);
      stored.push((await versionOf(`${root(version)}/${name}`)) !== before);
    }
    expect(stored).toEqual([true, false]);
  });

  it("takes nothing by a status from who owns it in another version that has that endpoint, too", async () => {
    const path = `${root("v1", "knives")}/sharp`;
    const knife = (spec: Body): Body => ({ ...fork("v2", spec, { name: "sharp" }), kind: "Knife" });
    await send("PATCH", `${root("v2", "knives")}/sharp?fieldManager=b`, knife({ size: "s" }), apply);
    const before = await versionOf(path);
    const { body } = await send("PATCH", `${path}/status`, { spec: { size: "t" } }, merge);
    expect(metadataOf(body)).toMatchObject({
      resourceVersion: before,
      managedFields: [{ manager: "b", fieldsV1: { "f:spec": { "f:size": {} } } }],
    });
  });
}
