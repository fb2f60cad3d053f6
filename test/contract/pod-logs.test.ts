// What of a container's log can be asked for, and what cannot, on both API servers: the real one says so before it asks a node.
import { beforeAll, expect, it } from "vitest";
import { Pod } from "../../src/kinds/builtin/core.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";

describeOnEachApiServer(
  "the log of a pod",
  (server) => {
    beforeAll(async () => {
      await eventually(() =>
        server().client.create(Pod, {
          apiVersion: "v1",
          kind: "Pod",
          metadata: { namespace: "default", name: "web" },
          spec: { containers: [{ name: "main", image: "web" }] },
        }),
      );
    });

    it.each([
      ["tailLines=-1", "tailLines: Invalid value: -1: must be greater than or equal to 0"],
      ["limitBytes=0", "limitBytes: Invalid value: 0: must be greater than 0"],
      ["sinceSeconds=0", "sinceSeconds: Invalid value: 0: must be greater than 0"],
      [
        "sinceSeconds=5&sinceTime=2026-01-01T00:00:00Z",
        "[]: Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified",
      ],
    ])("refuses %s", async (query, message) => {
      const path = `/api/v1/namespaces/default/pods/web/log?${query}`;
      await expect(server().client.request({ method: "GET", path })).rejects.toMatchObject({
        status: 422,
        reason: "Invalid",
        message: expect.stringContaining(`PodLogOptions "web" is invalid: ${message}`) as string,
      });
    });

    it.each(["tailLines=many", "sinceTime=yesterday"])("cannot read %s", async (query) => {
      const path = `/api/v1/namespaces/default/pods/web/log?${query}`;
      await expect(server().client.request({ method: "GET", path })).rejects.toMatchObject({
        status: 400,
        reason: "BadRequest",
      });
    });

    it("is empty as long as the pod has no node", async () => {
      const { client } = server();
      await client.create(Pod, {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { namespace: "default", name: "gated" },
        spec: {
          schedulingGates: [{ name: "example.com/wait" }],
          hostNetwork: true,
          containers: [{ name: "main", image: "web", ports: [{ containerPort: 8080 }] }],
        },
      });
      const path = "/api/v1/namespaces/default/pods/gated/log";
      expect((await client.request({ method: "GET", path })) ?? "").toBe("");
      // In the network of its node it has its ports there.
      const { spec } = await client.get(Pod, { namespace: "default", name: "gated" });
      expect(spec.containers[0]?.ports).toEqual([{ containerPort: 8080, hostPort: 8080, protocol: "TCP" }]);
    });
  },
  { real: { controllers: "serviceaccount-controller" } },
);
