// What the admission of service accounts makes of a pod, on both API servers: the token that is mounted, where it is not, the secrets for
// pulling images, and the account that there is not.
import { beforeAll, expect, it } from "vitest";
import { Pod } from "../../src/kinds/builtin/core.ts";
import type { PodSpec } from "../../src/kinds/builtin/parts.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";

const mountPath = "/var/run/secrets/kubernetes.io/serviceaccount";

describeOnEachApiServer(
  "the account of a pod",
  (server) => {
    let count = 0;
    const accounts = "/api/v1/namespaces/default/serviceaccounts";
    const account = (name: string, more: object): Promise<unknown> =>
      server().client.request({
        method: "POST",
        path: accounts,
        body: { apiVersion: "v1", kind: "ServiceAccount", metadata: { name }, ...more },
      });
    const create = async (spec: object): Promise<PodSpec> => {
      const metadata = { name: `pod-${(count += 1)}`, namespace: "default" };
      const containers = [{ name: "app", image: "app" }];
      const manifest = { apiVersion: "v1", kind: "Pod", metadata, spec: { containers, ...spec } };
      return (await server().client.create(Pod, manifest)).spec;
    };

    beforeAll(async () => {
      await eventually(() => server().client.request({ method: "GET", path: `${accounts}/default` }));
      await account("quiet", { automountServiceAccountToken: false });
      await account("pulling", { imagePullSecrets: [{ name: "registry" }] });
    });

    it("mounts a token into every container", async () => {
      const spec = await create({ initContainers: [{ name: "first", image: "first" }] });
      const name = spec.volumes?.[0]?.name ?? "";
      expect(name).toMatch(/^kube-api-access-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
      for (const { volumeMounts } of [...(spec.initContainers ?? []), ...spec.containers]) {
        expect(volumeMounts).toEqual([{ name, readOnly: true, mountPath }]);
      }
      expect([spec.serviceAccount, spec.serviceAccountName]).toEqual(["default", "default"]);
      const fieldRef = { apiVersion: "v1", fieldPath: "metadata.namespace" };
      expect(spec.volumes).toEqual([
        {
          name,
          projected: {
            defaultMode: 420,
            sources: [
              { serviceAccountToken: { expirationSeconds: 3607, path: "token" } },
              { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
              { downwardAPI: { items: [{ path: "namespace", fieldRef }] } },
            ],
          },
        },
      ]);
    });

    it.each([
      ["the pod says so", { automountServiceAccountToken: false }],
      ["the account says so", { serviceAccountName: "quiet" }],
    ])("mounts none where %s", async (_, given) => {
      expect((await create(given)).volumes).toBe(undefined);
    });

    it("mounts one where the pod says so against its account", async () => {
      const spec = await create({ serviceAccountName: "quiet", automountServiceAccountToken: true });
      expect(spec.volumes?.length).toBe(1);
    });

    it("leaves a container alone that has something mounted there", async () => {
      const volumes = [{ name: "own", emptyDir: {} }];
      const volumeMounts = [{ name: "own", mountPath }];
      const spec = await create({ volumes, containers: [{ name: "app", image: "app", volumeMounts }] });
      expect([spec.volumes, spec.containers[0]?.volumeMounts]).toEqual([volumes, volumeMounts]);
    });

    it("takes the secrets for pulling images, unless the pod has its own", async () => {
      const serviceAccountName = "pulling";
      expect((await create({ serviceAccountName })).imagePullSecrets).toEqual([{ name: "registry" }]);
      const imagePullSecrets = [{ name: "own" }];
      expect((await create({ serviceAccountName, imagePullSecrets })).imagePullSecrets).toEqual(
        imagePullSecrets,
      );
    });

    it("refuses an account that there is not", async () => {
      await expect(create({ serviceAccountName: "nobody" })).rejects.toMatchObject({
        status: 403,
        message: expect.stringContaining(
          'is forbidden: error looking up service account default/nobody: serviceaccount "nobody" not found',
        ) as string,
      });
    });
  },
  { real: { controllers: "serviceaccount-controller" } },
);
