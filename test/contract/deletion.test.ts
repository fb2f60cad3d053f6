// What a delete is answered with: the object while something keeps it, nothing once it is gone.
import { beforeAll, expect, it } from "vitest";
import type { KubeClient } from "../../src/client/kube-client.ts";
import { Namespace, Pod } from "../../src/kinds/builtin/core.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";

describeOnEachApiServer(
  "a delete",
  (server) => {
    const namespace = "deletion";
    let client: KubeClient;
    beforeAll(async () => {
      client = server().client;
      const metadata = { name: namespace };
      await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata });
    });

    async function createPod(name: string, finalizers: readonly string[] = []): Promise<void> {
      const metadata = { name, namespace, finalizers };
      const spec = { containers: [{ name: "c", image: "i" }] };
      await client.create(Pod, { apiVersion: "v1", kind: "Pod", metadata, spec });
    }
    const bind = async (name: string): Promise<void> => {
      const path = `/api/v1/namespaces/${namespace}/pods/${name}`;
      await client.request({
        method: "POST",
        path: `${path}/binding`,
        body: { apiVersion: "v1", kind: "Binding", metadata: { name }, target: { kind: "Node", name: "n" } },
      });
      await noticed(path);
    };
    /**
     * Until the server's own cache has the object as it is. kube-apiserver begins a deletion with what its cache has; where that is a
     * pod without a node, it settles on no grace, and does not take that back when it finds that the pod was bound meanwhile.
     */
    const noticed = async (path: string): Promise<void> => {
      const { metadata } = (await client.request({ method: "GET", path })) as Pod;
      const query = `?resourceVersion=${metadata.resourceVersion}`;
      await client.request({ method: "GET", path: path + query });
    };
    const remove = (name: string, options = {}) => client.delete(Pod, { namespace, name }, options);

    it("of a pod that no node runs gives nothing: it is gone", async () => {
      await createPod("pending");
      expect(await remove("pending")).toBeUndefined();
    });

    it("of a pod that runs gives the pod in its grace, and nothing once the grace is cut short", async () => {
      await createPod("running");
      await bind("running");
      const ending = await remove("running");
      expect(ending?.metadata).toMatchObject({ name: "running", deletionGracePeriodSeconds: 30 });
      expect(await remove("running", { gracePeriodSeconds: 0 })).toBeUndefined();
    });

    it("of a pod with a finalizer gives the pod, however short its grace", async () => {
      await createPod("kept", ["example.com/keep"]);
      const kept = await remove("kept", { gracePeriodSeconds: 0 });
      expect(kept?.metadata).toMatchObject({ finalizers: ["example.com/keep"] });
    });

    it("that is sent several times at once never gives a pod that is gone", async () => {
      for (let round = 0; round < 20; round += 1) {
        const name = `racing-${round}`;
        await createPod(name);
        await bind(name);
        await remove(name);
        const all = await Promise.allSettled([1, 2, 3].map(() => remove(name, { gracePeriodSeconds: 0 })));
        const left = all.filter((each) => each.status === "fulfilled").map(({ value }) => value);
        expect(left.filter((each) => each !== undefined)).toEqual([]);
      }
    });
  },
  {
    embedded: { controllers: false },
    // Nobody makes the tokens that the plug-in wants to mount.
    real: { controllers: "none", apiServerFlags: ["--disable-admission-plugins=ServiceAccount"] },
  },
);
