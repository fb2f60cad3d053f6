// What the subresources of a pod may write of it, on both API servers: ephemeral containers, and the resources of its containers.
import { beforeAll, expect, it } from "vitest";
import { Pod } from "../../src/kinds/builtin/core.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";

describeOnEachApiServer(
  "parts of a pod",
  (server) => {
    const key = { namespace: "default", name: "looked-at" };
    const write = (subresource: string, spec: object): Promise<Pod> =>
      server().client.request({
        method: "PATCH",
        path: `/api/v1/namespaces/default/pods/${key.name}/${subresource}`,
        contentType: "application/strategic-merge-patch+json",
        body: { spec },
      }) as Promise<Pod>;
    const debug = (container: object): Promise<Pod> =>
      write("ephemeralcontainers", { ephemeralContainers: [container] });
    const resize = (resources: object): Promise<Pod> =>
      write("resize", { containers: [{ name: "app", resources }] });
    const said = async (writing: Promise<unknown>): Promise<string> => {
      const error: unknown = await writing.then(
        () => "it was done",
        (reason: unknown) => reason,
      );
      return (error as Error).message.split("\n")[0]!;
    };

    beforeAll(async () => {
      await eventually(() =>
        server().client.request({
          method: "GET",
          path: "/api/v1/namespaces/default/serviceaccounts/default",
        }),
      );
      await server().client.create(Pod, {
        apiVersion: "v1",
        kind: "Pod",
        metadata: key,
        spec: {
          automountServiceAccountToken: false,
          containers: [
            {
              name: "app",
              image: "app:1",
              resources: { requests: { cpu: "100m", "ephemeral-storage": "1Mi" }, limits: { cpu: "200m" } },
            },
          ],
        },
      });
    });

    it("adds an ephemeral container with its defaults, and nothing else", async () => {
      const { metadata, spec } = await write("ephemeralcontainers", {
        ephemeralContainers: [{ name: "look", image: "busybox", targetContainerName: "app", stdin: true }],
        activeDeadlineSeconds: 5,
        containers: [{ name: "app", image: "app:2" }],
      });
      expect(spec.ephemeralContainers).toEqual([
        {
          name: "look",
          image: "busybox",
          imagePullPolicy: "Always",
          resources: {},
          stdin: true,
          targetContainerName: "app",
          terminationMessagePath: "/dev/termination-log",
          terminationMessagePolicy: "File",
        },
      ]);
      expect([spec.activeDeadlineSeconds, spec.containers[0]?.image]).toEqual([undefined, "app:1"]);
      expect(metadata.generation).toBe(2);
    });

    it.each([
      [
        "of a name that is taken",
        { name: "app", image: "x" },
        'spec.ephemeralContainers[0].name: Duplicate value: "app"',
      ],
      ["without an image", { name: "no-image" }, "spec.ephemeralContainers[0].image: Required value"],
      [
        "beside a container that there is not",
        { name: "beside", image: "x", targetContainerName: "none" },
        'spec.ephemeralContainers[0].targetContainerName: Not found: "none"',
      ],
      [
        "with ports",
        { name: "ports", image: "x", ports: [{ containerPort: 80 }] },
        "spec.ephemeralContainers[0].ports: Forbidden: cannot be set for an Ephemeral Container",
      ],
      [
        "that is there and is to be changed",
        { name: "look", image: "other" },
        'spec.ephemeralContainers: Forbidden: existing ephemeral containers "look" may not be changed',
      ],
    ])("refuses an ephemeral container %s", async (_, container, fault) => {
      expect(await said(debug(container))).toContain(fault);
    });

    it("changes the ephemeral containers by no other way", async () => {
      const { client } = server();
      const body = { spec: { ephemeralContainers: [{ name: "another", image: "x" }] } };
      expect(await said(client.patch(Pod, key, { type: "strategic", body }))).toContain(
        "pod updates may not change fields other than",
      );
    });

    it("resizes what a container is given, and nothing else", async () => {
      const { spec, metadata } = await resize({ requests: { cpu: "150m" } });
      expect(spec.containers[0]?.resources).toEqual({
        requests: { cpu: "150m", "ephemeral-storage": "1Mi" },
        limits: { cpu: "200m" },
      });
      expect(metadata.generation).toBe(3);
    });

    it.each([
      [
        "of other resources",
        { requests: { "ephemeral-storage": "2Mi" } },
        "only cpu and memory resources are mutable",
      ],
      ["above the limit", { requests: { cpu: "300m" } }, "must be less than or equal to cpu limit of 200m"],
    ])("refuses a resize %s", async (_, resources, fault) => {
      expect(await said(resize(resources))).toContain(fault);
    });
  },
  { real: { controllers: "serviceaccount-controller" } },
);
