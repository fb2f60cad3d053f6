// Evictions, as every API server asks disruption budgets about them, which a controller counts.
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { createRawClient, type Body, type RawAnswer, type RawClient } from "./api-server/raw-request.ts";

const space = "/api/v1/namespaces/default";
const budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
const merge = { contentType: "application/merge-patch+json" };

describeOnEachApiServer(
  "evictions",
  (server) => {
    let client: RawClient;
    const send: RawClient["send"] = (...request) => client.send(...request);
    const evict = (name: string, content: Body = {}): Promise<RawAnswer> =>
      send("POST", `${space}/pods/${name}/eviction`, {
        apiVersion: "policy/v1",
        kind: "Eviction",
        metadata: { name, namespace: "default" },
        ...content,
      });
    const run = async (name: string): Promise<void> => {
      await send("POST", `${space}/pods`, {
        metadata: { name, labels: { app: "web" } },
        spec: {
          automountServiceAccountToken: false,
          serviceAccountName: "default",
          containers: [{ name: "c", image: "i" }],
        },
      });
      // There is no kubelet beside the real one.
      const status = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };
      if (server().kind === "real") await send("PATCH", `${space}/pods/${name}/status`, { status }, merge);
      await eventually(async () => {
        const { body } = await send("GET", `${space}/pods/${name}`);
        expect((body["status"] as Body)["phase"]).toBe("Running");
      });
    };
    const counted = (name: string, status: Body): Promise<void> =>
      eventually(async () => {
        expect((await send("GET", `${budgets}/${name}`)).body["status"]).toMatchObject(status);
      });

    beforeAll(async () => {
      client = createRawClient(server());
      await eventually(async () =>
        expect((await send("GET", `${space}/serviceaccounts/default`)).status).toBe(200),
      );
      await run("one");
      await run("two");
    });
    afterAll(() => client.close());

    it("ask for the pod by its name", async () => {
      expect((await evict("none")).status).toBe(404);
      expect((await evict("one", { metadata: { name: "two" } })).body["message"]).toBe(
        "name in URL does not match name in Eviction object",
      );
      expect((await send("GET", `${space}/pods/one/eviction`)).status).toBe(405);
    });

    it("are refused while a budget needs all of its pods, and granted as often as it can spare one", async () => {
      const spec = { minAvailable: 2, selector: { matchLabels: { app: "web" } } };
      await send("POST", budgets, { metadata: { name: "web" }, spec });
      await counted("web", {
        currentHealthy: 2,
        desiredHealthy: 2,
        expectedPods: 2,
        disruptionsAllowed: 0,
        observedGeneration: 1,
        conditions: [{ type: "DisruptionAllowed", status: "False", reason: "InsufficientPods" }],
      });
      expect((await evict("one")).body).toMatchObject({
        code: 429,
        reason: "TooManyRequests",
        message: "Cannot evict pod as it would violate the pod's disruption budget.",
        details: {
          causes: [
            {
              reason: "DisruptionBudget",
              message: "The disruption budget web needs 2 healthy pods and has 2 currently",
            },
          ],
        },
      });
      await send("PATCH", `${budgets}/web`, { spec: { minAvailable: 1 } }, merge);
      await counted("web", { disruptionsAllowed: 1, desiredHealthy: 1, observedGeneration: 2 });
      expect((await evict("one", { deleteOptions: { dryRun: ["All"] } })).status).toBe(201);
      const { status, body: answer } = await evict("one", { deleteOptions: { gracePeriodSeconds: 0 } });
      expect([status, answer["status"]]).toEqual([201, "Success"]);
      await eventually(async () => expect((await send("GET", `${space}/pods/one`)).status).toBe(404));
      await counted("web", { disruptionsAllowed: 0, currentHealthy: 1, expectedPods: 1 });
      // The API server took one from the budget, by the status.
      const { metadata } = (await send("GET", `${budgets}/web`)).body as {
        metadata: { managedFields: Body[] };
      };
      expect(metadata.managedFields.filter(({ manager }) => manager === "kube-apiserver")).toMatchObject([
        {
          operation: "Update",
          subresource: "status",
          fieldsV1: {
            "f:status": {
              "f:disruptionsAllowed": {},
              "f:conditions": { 'k:{"type":"DisruptionAllowed"}': { "f:reason": {}, "f:status": {} } },
            },
          },
        },
      ]);
      expect((await evict("two")).status).toBe(429);
    });

    it("are refused where two budgets are about a pod", async () => {
      const spec = { maxUnavailable: 1, selector: { matchLabels: { app: "web" } } };
      await send("POST", budgets, { metadata: { name: "other" }, spec });
      await eventually(async () =>
        expect((await evict("two")).body).toMatchObject({
          code: 500,
          message:
            "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
        }),
      );
      await send("DELETE", `${budgets}/other`);
      await send("DELETE", `${budgets}/web`);
      await eventually(async () => expect((await evict("two")).status).toBe(201));
    });

    it("ask the scale of a custom resource how many pods it wants, and forbid all where there is none", async () => {
      const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
      const sized = {
        subresources: {
          scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
        },
      };
      const openAPIV3Schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
      for (const [kind, more] of [
        ["Herd", sized],
        ["Stray", {}],
      ] as const) {
        const singular = kind.toLowerCase();
        const plural = `${singular}s`;
        const defined = await send("POST", definitions, {
          metadata: { name: `${plural}.farm.example.com` },
          spec: {
            group: "farm.example.com",
            names: { kind, plural, singular, listKind: `${kind}List` },
            scope: "Namespaced",
            versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema }, ...more }],
          },
        });
        expect(defined.status, JSON.stringify(defined.body)).toBe(201);
        let uid: unknown;
        await eventually(async () => {
          const made = await send("POST", `/apis/farm.example.com/v1/namespaces/default/${plural}`, {
            apiVersion: "farm.example.com/v1",
            kind,
            metadata: { name: singular },
            spec: { replicas: 3 },
          });
          expect(made.status).toBe(201);
          uid = (made.body["metadata"] as Body)["uid"];
        });
        await run(singular);
        const owner = { apiVersion: "farm.example.com/v1", kind, name: singular, uid, controller: true };
        const metadata = { labels: { app: singular }, ownerReferences: [owner] };
        await send("PATCH", `${space}/pods/${singular}`, { metadata }, merge);
        const spec = { maxUnavailable: 2, selector: { matchLabels: { app: singular } } };
        await send("POST", budgets, { metadata: { name: singular }, spec });
      }
      await counted("herd", { expectedPods: 3, desiredHealthy: 1, currentHealthy: 1 });
      // The real one may not know the new kind yet; either way it says that it cannot tell.
      await counted("stray", {
        disruptionsAllowed: 0,
        conditions: [expect.objectContaining({ status: "False", reason: "SyncFailed" })],
      });
      expect((await evict("stray")).status).toBe(429);
    });
  },
  { real: { controllers: "disruption-controller,serviceaccount-controller" } },
);
