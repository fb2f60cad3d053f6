// Cluster roles that are put together of others: a controller fills in their rules, as Kubernetes' own does.
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { createRawClient, type Body, type RawClient } from "./api-server/raw-request.ts";

const roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
const merge = { contentType: "application/merge-patch+json" };

describeOnEachApiServer(
  "aggregated cluster roles",
  (server) => {
    let client: RawClient;
    beforeAll(() => {
      client = createRawClient(server());
    });
    afterAll(() => client.close());
    const send: RawClient["send"] = (...request) => client.send(...request);
    const rule = (resource: string): Body => ({ verbs: ["get"], apiGroups: [""], resources: [resource] });
    const part = (name: string, label: string, ...rules: readonly Body[]): Promise<unknown> =>
      send("POST", roles, { metadata: { name, labels: { [label]: "true" } }, rules });
    const sum = (name: string, labels: Body, ...selected: readonly string[]): Promise<unknown> =>
      send("POST", roles, {
        metadata: { name, labels },
        aggregationRule: {
          clusterRoleSelectors: selected.map((label) => ({ matchLabels: { [label]: "true" } })),
        },
        rules: [rule("written-by-hand")],
      });
    const rulesOf = async (name: string): Promise<unknown> =>
      (await send("GET", `${roles}/${name}`)).body["rules"];
    const comeTo = (name: string, ...rules: readonly Body[]): Promise<void> =>
      eventually(async () => expect(await rulesOf(name)).toEqual(rules));

    it("have the rules of what they select by default", async () => {
      for (const [name, count] of [
        ["view", 12],
        ["edit", 27],
        ["admin", 29],
      ] as const)
        await eventually(async () =>
          expect([name, await rulesOf(name)]).toMatchObject([name, { length: count }]),
        );
    });

    it("have them by selector and by name, each once, in place of what is written by hand", async () => {
      await part("z-first", "first", rule("a"), rule("b"));
      await part("a-second", "second", rule("b"), rule("c"));
      await part("b-second", "second", rule("d"));
      await sum("summed", { third: "true" }, "second", "first");
      await comeTo("summed", rule("b"), rule("c"), rule("d"), rule("a"));
      await sum("of-sums", {}, "third");
      await comeTo("of-sums", rule("b"), rule("c"), rule("d"), rule("a"));
      await send("PATCH", `${roles}/summed`, { rules: [rule("more")] }, merge);
      await comeTo("summed", rule("b"), rule("c"), rule("d"), rule("a"));
      const { metadata } = (await send("GET", `${roles}/summed`)).body as {
        metadata: { managedFields: readonly { manager: string; operation: string; fieldsV1: object }[] };
      };
      expect(metadata.managedFields.filter(({ operation }) => operation === "Apply")).toMatchObject([
        { manager: "clusterrole-aggregation-controller", fieldsV1: { "f:rules": {} } },
      ]);
    });

    it("follow what is changed, and what goes", async () => {
      await send("PATCH", `${roles}/a-second`, { rules: [rule("e")] }, merge);
      await comeTo("of-sums", rule("e"), rule("d"), rule("a"), rule("b"));
      await send("DELETE", `${roles}/z-first`);
      await comeTo("of-sums", rule("e"), rule("d"));
    });

    it("keep what is written by hand where they select nobody", async () => {
      await sum("of-nobody", {}, "nobody");
      await sum("of-somebody", {}, "second");
      await comeTo("of-somebody", rule("e"), rule("d"));
      expect(await rulesOf("of-nobody")).toEqual([rule("written-by-hand")]);
    });
  },
  { real: { controllers: "clusterrole-aggregation-controller" } },
);
