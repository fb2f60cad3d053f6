// Who owns which fields after writes of the Scale and in several versions, on every API server.
import { afterAll, beforeAll, expect, it } from "vitest";
import { eventually } from "../../support/eventually.ts";
import type { Body, RawClient } from "./raw-request.ts";

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const root = (version: string): string => `/apis/owners.example.com/${version}/namespaces/default/things`;
const deployments = "/apis/apps/v1/namespaces/default/deployments";
const jobs = "/apis/batch/v1/namespaces/default/jobs";
const merge = { contentType: "application/merge-patch+json" };
const apply = { contentType: "application/apply-patch+yaml" };

const schema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        replicas: { type: "integer" },
        mode: { type: "string", default: "slow" },
        size: { type: "string" },
      },
    },
    status: { type: "object", properties: { phase: { type: "string" } } },
  },
};
const version = (name: string): Body => ({
  name,
  served: true,
  storage: name === "v1",
  schema: { openAPIV3Schema: schema },
  subresources: {
    status: {},
    scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
  },
});
const definition = {
  metadata: { name: "things.owners.example.com" },
  spec: {
    group: "owners.example.com",
    scope: "Namespaced",
    names: { plural: "things", kind: "Thing" },
    versions: [version("v1"), version("v2")],
  },
};

const pods = { metadata: { labels: { app: "a" } }, spec: { containers: [{ name: "c", image: "i" }] } };
const deployment = (name: string, replicas: number): Body => ({
  metadata: { name },
  spec: { replicas, selector: { matchLabels: { app: "a" } }, template: pods },
});

/** Declares the cases. */
export function declareOwnerCases(client: () => RawClient): void {
  const send: RawClient["send"] = (...request) => client().send(...request);
  const thing = (apiVersion: string, name: string, spec: Body, more: Body = {}): Body => ({
    apiVersion: `owners.example.com/${apiVersion}`,
    kind: "Thing",
    metadata: { name },
    spec,
    ...more,
  });
  /** Manager, operation, version and endpoint of each entry, with the paths of its fields below the spec and the status. */
  const owners = async (path: string): Promise<readonly string[]> => {
    const { metadata } = (await send("GET", path)).body as {
      metadata: { managedFields?: readonly Record<string, unknown>[] };
    };
    return (metadata.managedFields ?? [])
      .map((entry) => {
        const { "f:spec": spec = {}, "f:status": status = {} } = entry["fieldsV1"] as Record<string, Body>;
        const names = [...Object.keys(spec), ...Object.keys(status)]
          .filter((each) => each !== ".")
          .toSorted();
        const place = entry["subresource"] === undefined ? "" : ` ${entry["subresource"] as string}`;
        return `${entry["manager"] as string} ${entry["operation"] as string} ${entry["apiVersion"] as string}${place}: ${names.join(" ")}`;
      })
      .toSorted();
  };

  beforeAll(async () => {
    await send("POST", definitions, definition);
    await eventually(async () => {
      expect((await send("GET", root("v2"))).status).toBe(200);
    });
  });
  afterAll(async () => {
    await send("DELETE", `${definitions}/${definition.metadata.name}`);
  });

  it("an apply of the replicas alone is one, and conflicts with who has set them", async () => {
    const path = `${deployments}/applied-scale`;
    await send("POST", `${deployments}?fieldManager=creator`, deployment("applied-scale", 2));
    const applied = (force: boolean) =>
      send(
        "PATCH",
        `${path}/scale?fieldManager=scaler&force=${force}`,
        {
          apiVersion: "autoscaling/v1",
          kind: "Scale",
          metadata: { name: "applied-scale" },
          spec: { replicas: 4 },
        },
        apply,
      );
    const refused = await applied(false);
    expect(refused.status).toBe(409);
    expect(refused.body["message"]).toBe(
      'Apply failed with 1 conflict: conflict with "creator" using autoscaling/v1: .spec.replicas',
    );
    expect((await applied(true)).body["spec"]).toEqual({ replicas: 4 });
    expect(await owners(path)).toEqual([
      "creator Update apps/v1: f:progressDeadlineSeconds f:revisionHistoryLimit f:selector f:strategy f:template",
      "scaler Apply apps/v1 scale: f:replicas",
    ]);
  });

  it("nobody owns the replicas that a Scale has set to none", async () => {
    const path = `${deployments}/no-replicas`;
    await send("POST", `${deployments}?fieldManager=creator`, deployment("no-replicas", 2));
    await send("PATCH", `${path}/scale?fieldManager=scaler`, { spec: { replicas: 0 } }, merge);
    expect(await owners(path)).toEqual([
      "creator Update apps/v1: f:progressDeadlineSeconds f:revisionHistoryLimit f:selector f:strategy f:template",
    ]);
  });

  it("a Scale that changes nothing parts the replicas from what their owner has set besides", async () => {
    const path = `${deployments}/same-replicas`;
    await send("POST", `${deployments}?fieldManager=creator`, deployment("same-replicas", 2));
    const version = async () => ((await send("GET", path)).body["metadata"] as Body)["resourceVersion"];
    const before = await version();
    await send("PATCH", `${path}/scale?fieldManager=scaler`, { spec: { replicas: 2 } }, merge);
    const after = await version();
    expect(after).not.toBe(before);
    expect(await owners(path)).toEqual([
      "creator Update apps/v1: f:progressDeadlineSeconds f:revisionHistoryLimit f:selector f:strategy f:template",
      "creator Update apps/v1: f:replicas",
    ]);
  });

  it("what an applier drops in another version stays where it is owned in this one", async () => {
    const path = `${root("v1")}/dropped`;
    const applied = (apiVersion: string, manager: string, spec: Body) =>
      send(
        "PATCH",
        `${root(apiVersion)}/dropped?fieldManager=${manager}`,
        thing(apiVersion, "dropped", spec),
        apply,
      );
    await applied("v2", "one", { size: "s", replicas: 1 });
    await applied("v1", "two", { size: "s" });
    const { body } = await applied("v1", "one", { mode: "slow" });
    expect(body["spec"]).toEqual({ mode: "slow", size: "s" });
    expect(await owners(path)).toEqual([
      "one Apply owners.example.com/v1: f:mode",
      "two Apply owners.example.com/v1: f:size",
    ]);
  });

  it("a status that is sent to the main endpoint takes it from owners in another version, and is not written", async () => {
    const path = `${root("v1")}/sent-status`;
    await send("POST", `${root("v1")}?fieldManager=creator`, thing("v1", "sent-status", { size: "s" }));
    await send("PATCH", `${path}/status?fieldManager=one`, { status: { phase: "Ready" } }, merge);
    const sent = { status: { phase: "Sent" } };
    await send("PATCH", `${path}?fieldManager=two`, sent, merge);
    const before = ["creator Update owners.example.com/v1: f:mode f:size"];
    expect(await owners(path)).toEqual([...before, "one Update owners.example.com/v1 status: f:phase"]);
    await send("PATCH", `${root("v2")}/sent-status?fieldManager=two`, sent, merge);
    expect(await owners(path)).toEqual([...before, "one Update owners.example.com/v1 status: "]);
    expect((await send("GET", path)).body["status"]).toEqual({ phase: "Ready" });
  });

  it("a Job is deleted without its pods where nothing is said of them, with a warning", async () => {
    const job = {
      metadata: { name: "orphaning" },
      spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } } },
    };
    await send("POST", jobs, job);
    const silent = await send("DELETE", `${jobs}/orphaning?dryRun=All&propagationPolicy=Background`);
    expect(silent.headers["warning"]).toBeUndefined();
    const { body, headers } = await send("DELETE", `${jobs}/orphaning`);
    expect((body["metadata"] as Body)["finalizers"]).toEqual(["orphan"]);
    expect([headers["warning"]].flat().join()).toContain(
      "child pods are preserved by default when jobs are deleted",
    );
    await send("PATCH", `${jobs}/orphaning`, { metadata: { finalizers: null } }, merge);
  });
}
