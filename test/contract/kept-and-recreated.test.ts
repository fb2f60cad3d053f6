// What cannot be changed in place, and what is left to others, on both API servers: the error that names the field, the object that
// is made again when its predecessor is gone, and replicas that are let go of without a jump.
import { beforeAll, describe, expect, it } from "vitest";
import type { KubeClient } from "../../src/client/kube-client.ts";
import { Deployment, StatefulSet } from "../../src/kinds/builtin/apps.ts";
import { Job } from "../../src/kinds/builtin/batch.ts";
import { ConfigMap, Secret, Service } from "../../src/kinds/builtin/core.ts";
import type { Manifest } from "../../src/meta/object.ts";
import { apiVersionOf, type ResourceType } from "../../src/meta/resource-type.ts";
import {
  fromManifest,
  type ManifestResourceOptions,
} from "../../src/reconcile/resources/kubernetes-resource.ts";
import { deleteObject } from "../../src/reconcile/resources/object-writer.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { Boxed, serveBoxes } from "./boxed.ts";

const namespace = "kept-contract";
const labels = { app: "a" };

type Fields = Record<string, unknown>;

const template = (image: string): Fields => ({
  metadata: { labels },
  spec: { containers: [{ name: "main", image }] },
});
const jobOf = (image: string): Fields => ({
  spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "main", image }] } } },
});
const setOf = (serviceName: string, replicas: number): Fields => ({
  spec: { serviceName, replicas, selector: { matchLabels: labels }, template: template("x") },
});
const deploymentOf = (replicas: number | undefined, image = "x"): Fields => ({
  spec: {
    ...(replicas === undefined ? {} : { replicas }),
    selector: { matchLabels: labels },
    template: template(image),
  },
});

/** What cannot be changed, and what is said of it. */
const immutable: readonly [string, ResourceType, Fields, Fields, string][] = [
  ["a Job", Job, jobOf("a"), jobOf("b"), 'spec.template.spec.containers[main].image from "a" to "b"'],
  ["a StatefulSet", StatefulSet, setOf("a", 1), setOf("b", 2), 'spec.serviceName from "a" to "b"'],
  [
    "a ConfigMap",
    ConfigMap,
    { data: { a: "1" }, immutable: true },
    { data: { a: "2" }, immutable: true },
    'data.a from "1" to "2"',
  ],
  [
    "a Secret, without its values",
    Secret,
    { stringData: { a: "first-value" }, immutable: true },
    { stringData: { a: "second-value" }, immutable: true },
    "data.a",
  ],
  [
    "a Service",
    Service,
    { spec: { selector: labels, ports: [{ port: 80 }], clusterIP: "None" } },
    { spec: { selector: labels, ports: [{ port: 80 }], clusterIP: "10.96.0.99" } },
    'spec.clusterIP from "None" to "10.96.0.99"',
  ],
];

describeOnEachApiServer(
  "a child",
  (server) => {
    let client: KubeClient;
    let count = 0;

    beforeAll(async () => {
      client = server().client;
      await serveBoxes(client, namespace);
    });

    async function boxOf(type: ResourceType) {
      const box = await new Boxed(client, { namespace, name: `kept-${(count += 1)}` }).start();
      const declare = (fields: Fields, options: ManifestResourceOptions = {}): void => {
        const manifest = { apiVersion: apiVersionOf(type), kind: type.kind, metadata: box.key, ...fields };
        box.children = [fromManifest(manifest as Manifest, options)];
      };
      return { box, declare };
    }

    it("that is deleted takes along what belongs to it, which a server leaves of a Job unless it is asked", async () => {
      const held = "contract.example.com/hold";
      const metadata = { namespace, name: "deleted", finalizers: [held] };
      const containers = [{ name: "main", image: "a" }];
      const spec = { template: { spec: { restartPolicy: "Never", containers } } };
      const job = await client.create(Job, { apiVersion: "batch/v1", kind: Job.kind, metadata, spec });
      const { signal } = new AbortController();
      await deleteObject({ client, signal, countWrite: () => undefined }, Job, job);
      const going = await client.get(Job, metadata);
      expect(going.metadata.deletionTimestamp).toBeDefined();
      expect(going.metadata.finalizers).toEqual([held]);
    });

    describe.each(["apply", "update", "patch"] as const)("written by %s", (write) => {
      it.each(immutable)(
        "whose change is refused is named with field, old and new value: %s",
        async (_what, type, first, second, said) => {
          const { box, declare } = await boxOf(type);
          declare(first, { write });
          await box.run();
          declare(second, { write });
          const name = `${type.kind}/${box.key.name}`;
          await expect(box.run()).rejects.toMatchObject({
            code: "RESOURCE_IMMUTABLE",
            message: `${name} cannot be changed in place: ${said}`,
            remedy: expect.stringContaining("recreate: true"),
          });
        },
      );

      it("is made again when its predecessor is gone, and what held that back has let go", async () => {
        const { box, declare } = await boxOf(Job);
        declare(jobOf("a"), { write, recreate: true });
        await box.run();
        const hold = { metadata: { finalizers: ["contract.example.com/hold"] } };
        const { uid } = (await client.patch(Job, box.key, { type: "merge", body: hold })).metadata;
        declare(jobOf("b"), { write, recreate: true });
        await box.run();
        expect((await box.run()).pending).toBe(true);
        const going = await client.get(Job, box.key);
        expect(going.metadata).toMatchObject({ uid, deletionTimestamp: expect.any(String) });
        expect(going.spec?.template.spec?.containers[0]?.image).toBe("a");
        // The garbage collector and whoever holds it.
        await client.patch(Job, box.key, { type: "merge", body: { metadata: { finalizers: null } } });
        expect(await box.written()).toEqual([`Job/${box.key.name}`]);
        const made = await client.get(Job, box.key);
        expect(made.metadata.uid).not.toBe(uid);
        expect(made.spec?.template.spec?.containers[0]?.image).toBe("b");
        expect(await box.written()).toEqual([]);
      });

      it("keeps what is left to an autoscaler, from the creation on", async () => {
        const { box, declare } = await boxOf(Deployment);
        const replicas = async (): Promise<number | undefined> =>
          (await client.get(Deployment, box.key)).spec?.replicas;
        const keep = ["spec.replicas"];
        declare(deploymentOf(3), { write, keep });
        await box.run();
        expect(await replicas()).toBe(3);
        await client.patch(Deployment, box.key, { type: "merge", body: { metadata: { annotations: null } } });
        expect(await box.written()).toHaveLength(1);
        expect(await replicas()).toBe(3);
        await client.patch(
          Deployment,
          box.key,
          { type: "merge", body: { spec: { replicas: 7 } } },
          { subresource: "scale", fieldManager: "autoscaler" },
        );
        expect(await box.written()).toEqual([]);
        declare(deploymentOf(4, "y"), { write, keep });
        expect(await box.written()).toHaveLength(1);
        expect(await replicas()).toBe(7);
        // The change of the number alone is none.
        declare(deploymentOf(5, "y"), { write, keep });
        expect(await box.written()).toEqual([]);
        declare(deploymentOf(5, "y"), { write });
        expect(await box.written()).toHaveLength(1);
        expect(await replicas()).toBe(5);
      });

      it("lets go of what it has declared so far without a jump", async () => {
        const { box, declare } = await boxOf(Deployment);
        declare(deploymentOf(3), { write });
        await box.run();
        declare(deploymentOf(3), { write, keep: ["spec.replicas"] });
        expect(await box.written()).toHaveLength(1);
        declare(deploymentOf(undefined, "y"), { write, keep: ["spec.replicas"] });
        expect(await box.written()).toHaveLength(1);
        const { spec, metadata } = await client.get(Deployment, box.key);
        expect(spec?.replicas).toBe(3);
        const owned = (metadata.managedFields ?? []).filter(({ fieldsV1 }) =>
          JSON.stringify(fieldsV1).includes("f:replicas"),
        );
        if (write === "apply") expect(owned).toEqual([]);
      });
    });
  },
  { embedded: { controllers: false }, real: { controllers: "none" } },
);
