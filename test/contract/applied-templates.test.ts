// What server-side apply adds to an object that it creates: of the structs in a pod's template those that are no pointers.
import { expect, it } from "vitest";
import { Deployment } from "../../src/kinds/builtin/apps.ts";
import { PersistentVolumeClaim } from "../../src/kinds/builtin/core.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";

const key = { namespace: "default", name: "applied" };
const options = { fieldManager: "contract" };

describeOnEachApiServer("server-side apply", (server) => {
  it("gives a pod's template no resources that nobody asked for", async () => {
    const labels = { app: "applied" };
    const body = {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: key,
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: "a", image: "a:1" }] } },
      },
    };
    const applied = await server().client.apply(Deployment, body, options);
    expect(applied.spec.template.spec).not.toHaveProperty("resources");
    expect(applied.spec.template.spec?.containers[0]).toHaveProperty("resources", {});
  });

  it("refuses a claim without resources as one that asks for no storage", async () => {
    const body = {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: key,
      spec: { accessModes: ["ReadWriteOnce"] },
    };
    await expect(server().client.apply(PersistentVolumeClaim, body, options)).rejects.toMatchObject({
      status: 422,
      details: { causes: [{ field: "spec.resources[storage]" }] },
    });
  });
});
