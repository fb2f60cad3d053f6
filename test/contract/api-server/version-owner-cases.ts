// Who owns fields that one version of a kind alone has.
import { afterAll, expect, it } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { metadataOf, type Body, type RawClient } from "./raw-request.ts";

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const merge = { contentType: "application/merge-patch+json" };
const apply = { contentType: "application/apply-patch+yaml" };

/** Declares the cases. */
export function declareVersionOwnerCases(client: () => RawClient): void {
  const send: RawClient["send"] = (...request) => client().send(...request);

  afterAll(async () => {
    await send("DELETE", `${definitions}/forks.sequences.example.com`);
  });

  it("forgets the owners of fields that another version with owners does not have, and applies none of them", async () => {
    const text = { type: "string" };
    const version = (name: string, own: Body): Body => ({
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
    await send("POST", definitions, {
      metadata: { name: "forks.sequences.example.com" },
      spec: {
        group: "sequences.example.com",
        scope: "Namespaced",
        names: { plural: "forks", kind: "Fork" },
        versions: [version("v1", { old: text }), version("v2", { young: text })],
      },
    });
    const root = (of: string): string => `/apis/sequences.example.com/${of}/namespaces/default/forks`;
    const fork = (of: string, spec: Body): Body => ({
      apiVersion: `sequences.example.com/${of}`,
      kind: "Fork",
      metadata: { name: "f" },
      spec,
    });
    await eventually(async () => {
      for (const of of ["v1", "v2"]) expect((await send("GET", root(of))).status).toBe(200);
    });
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
}
