// For how long kubelets may keep what they have read, which a controller says on nodes.
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { createRawClient, metadataOf, type Body, type RawClient } from "./api-server/raw-request.ts";

const nodes = "/api/v1/nodes";

describeOnEachApiServer(
  "the time for which a node keeps what it has read",
  (server) => {
    let client: RawClient;
    beforeAll(() => {
      client = createRawClient(server());
    });
    afterAll(() => client.close());
    const create = async (name: string): Promise<void> => {
      await client.send("POST", nodes, { metadata: { name, labels: { many: "" } } });
    };
    const said = (name: string, seconds: string): Promise<void> =>
      eventually(async () => {
        const { annotations } = metadataOf((await client.send("GET", `${nodes}/${name}`)).body);
        expect(annotations).toEqual({ "node.alpha.kubernetes.io/ttl": seconds });
      });

    it("is none, until there are many nodes", async () => {
      await create("first");
      await said("first", "0");
      const { managedFields } = metadataOf((await client.send("GET", `${nodes}/first`)).body);
      const writer = { operation: "Update", manager: "kube-controller-manager" };
      expect(managedFields).toContainEqual(
        expect.objectContaining({
          ...writer,
          fieldsV1: expect.objectContaining({
            "f:metadata": { "f:annotations": { ".": {}, "f:node.alpha.kubernetes.io/ttl": {} } },
          }) as Body,
        }),
      );
      await Promise.all(Array.from({ length: 100 }, (_, index) => create(`many-${index}`)));
      await create("last");
      await said("last", "15");
      await client.send("DELETE", `${nodes}?labelSelector=many`);
    });
  },
  { real: { controllers: "ttl-controller" } },
);
