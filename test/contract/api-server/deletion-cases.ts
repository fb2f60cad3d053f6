// How deletions are seen, and what of them a write may not say.
import { beforeAll, expect, it } from "vitest";
import { metadataOf, type Body, type RawClient } from "./raw-request.ts";

const space = "/api/v1/namespaces/deletions";
const merge = { contentType: "application/merge-patch+json" };
const apply = { contentType: "application/apply-patch+yaml" };
const pods = { metadata: { labels: { app: "a" } }, spec: { containers: [{ name: "c", image: "i" }] } };
const selector = { matchLabels: { app: "a" } };

/** Declares the cases. */
export function declareDeletionCases(client: () => RawClient): void {
  const send: RawClient["send"] = (...request) => client().send(...request);
  const inSpace = (path: string): string => path.replace("SPACE", "namespaces/deletions");

  beforeAll(async () => {
    await send("POST", "/api/v1/namespaces", { metadata: { name: "deletions" } });
    // No controller makes it.
    await send("POST", `${space}/serviceaccounts`, { metadata: { name: "default" } });
  });

  async function createPod(name: string, isBound: boolean): Promise<void> {
    await send("POST", `${space}/pods`, { metadata: { name }, spec: pods.spec });
    if (!isBound) return;
    const target = { kind: "Node", name: "n" };
    await send("POST", `${space}/pods/${name}/binding`, { metadata: { name }, target });
  }

  it.each<[string, boolean, Body, readonly (readonly [string, number | undefined])[]]>([
    [
      "waiting",
      false,
      {},
      [
        ["MODIFIED", 0],
        ["DELETED", 0],
      ],
    ],
    [
      "hurried",
      false,
      { gracePeriodSeconds: 5 },
      [
        ["MODIFIED", 0],
        ["DELETED", 0],
      ],
    ],
    [
      "cut-short",
      true,
      { gracePeriodSeconds: 0 },
      [
        ["MODIFIED", 0],
        ["DELETED", 0],
      ],
    ],
    ["given-time", true, {}, [["MODIFIED", 30]]],
    ["given-less-than-none", true, { gracePeriodSeconds: -1 }, [["MODIFIED", 1]]],
    ["kept", false, { propagationPolicy: "Orphan" }, [["MODIFIED", 0]]],
  ])(
    "shows watches of pods first that one is being deleted: %s",
    async (name, isBound, options, expected) => {
      await createPod(name, isBound);
      // With all that has happened before, the server's cache included.
      const { body: list } = await send("GET", `${space}/pods`);
      await send("DELETE", `${space}/pods/${name}`, { kind: "DeleteOptions", apiVersion: "v1", ...options });
      const { resourceVersion } = metadataOf(list);
      const { lines } = await client().watch(
        `${space}/pods?watch=true&resourceVersion=${String(resourceVersion)}`,
        expected.length,
      );
      const seen = lines.map(({ type, object }) => [type, metadataOf(object)["deletionGracePeriodSeconds"]]);
      expect(seen).toEqual(expected);
      await send("PATCH", `${space}/pods/${name}`, { metadata: { finalizers: null } }, merge);
      await send("DELETE", `${space}/pods/${name}?gracePeriodSeconds=0`);
    },
  );

  it.each([
    [{ dryRun: "All" }, "string into Go struct field DeleteOptions.dryRun of type []string"],
    [
      { gracePeriodSeconds: "x" },
      "string into Go struct field DeleteOptions.gracePeriodSeconds of type int64",
    ],
    [{ preconditions: { uid: 5 } }, "number into Go struct field Preconditions.preconditions.uid of type "],
  ])("deletes nothing by the options %j", async (options, fault) => {
    const path = "/api/v1/namespaces/default/configmaps";
    await client().send("POST", path, { metadata: { name: "kept" } });
    for (const each of [`${path}/kept`, `${path}?fieldSelector=metadata.name%3Dkept`]) {
      const { status, body } = await client().send("DELETE", each, options);
      const said = `json: cannot unmarshal ${fault}`;
      expect([status, body["message"]]).toEqual([400, expect.stringContaining(said)]);
    }
    expect((await client().send("DELETE", `${path}/kept`, "null")).status).toBe(200);
  });

  it("takes nothing for an empty object", async () => {
    const path = "/api/v1/namespaces/default/configmaps";
    for (const contentType of ["application/json", "application/yaml"]) {
      const { status, body } = await client().send("POST", path, "null", { contentType });
      expect([status, body["reason"]]).toEqual([422, "Invalid"]);
    }
    const { body } = await client().send("PUT", `${path}/any`, "null");
    expect(body["message"]).toMatch(/was undeterminable: name must be provided$/);
  });

  it.each<[Body, string]>([
    [
      { finalizers: ["orphan", "foregroundDeletion"] },
      'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set',
    ],
    [
      { ownerReferences: [{ apiVersion: "v1", kind: "Event", name: "x", uid: "u" }] },
      'metadata.ownerReferences: Invalid value: {"apiVersion":"v1","kind":"Event","name":"x","uid":"u"}: /v1, Kind=Event is disallowed from being an owner',
    ],
    ...["", "a/b/c", "group/", "/"].map((apiVersion): [Body, string] => [
      { ownerReferences: [{ apiVersion, kind: "A", name: "x", uid: "u" }] },
      `metadata.ownerReferences.apiVersion: Invalid value: "${apiVersion}": version must not be empty`,
    ]),
  ])("refuses the owners and finalizers %j", async (metadata, fault) => {
    const path = "/api/v1/namespaces/default/configmaps?dryRun=All";
    const { status, body } = await client().send("POST", path, { metadata: { name: "x", ...metadata } });
    expect([status, body["message"]]).toEqual([422, `ConfigMap "x" is invalid: ${fault}`]);
  });

  it("deletes a pod that is being deleted as it was stored", async () => {
    await createPod("orphaning", false);
    await send("DELETE", `${space}/pods/orphaning?propagationPolicy=Orphan`);
    const { body } = await send("DELETE", `${space}/pods/orphaning?propagationPolicy=Background`);
    expect(metadataOf(body)["finalizers"]).toEqual(["orphan"]);
    expect((await send("GET", `${space}/pods/orphaning`)).status).toBe(404);
  });

  it("leaves the pods of a replication controller, unless it is told what becomes of them", async () => {
    const controllers = `${space}/replicationcontrollers`;
    await send("POST", controllers, { metadata: { name: "former" }, spec: { template: pods } });
    const { body } = await send("DELETE", `${controllers}/former`);
    expect(metadataOf(body)["finalizers"]).toEqual(["orphan"]);
  });

  it.each<[string, string, Body, boolean]>([
    ["deployments", "/apis/apps/v1/SPACE/deployments", { selector, template: pods }, true],
    ["pods", "/api/v1/SPACE/pods", pods.spec, false],
    ["claims", "/api/v1/SPACE/persistentvolumeclaims", claimSpec(), true],
    ["budgets", "/apis/policy/v1/SPACE/poddisruptionbudgets", { minAvailable: 1 }, true],
  ])("lets nobody say by a write when %s were deleted", async (_, path, spec, isTimeRefused) => {
    await send("POST", inSpace(path), { metadata: { name: "undeleted" }, spec });
    const refused = async (endpoint: string, metadata: Body): Promise<unknown> => {
      const { body } = await send("PATCH", `${inSpace(path)}/undeleted${endpoint}`, { metadata }, merge);
      const { causes = [] } = (body["details"] ?? {}) as { causes?: readonly Body[] };
      return causes[0]?.["field"];
    };
    const time = { deletionTimestamp: "2001-02-03T04:05:06Z" };
    const grace = { deletionGracePeriodSeconds: 7 };
    expect(await refused("", time)).toBe("metadata.deletionTimestamp");
    expect(await refused("", grace)).toBe("metadata.deletionGracePeriodSeconds");
    expect(await refused("/status", time)).toBe(isTimeRefused ? "metadata.deletionTimestamp" : undefined);
    expect(await refused("/status", grace)).toBe("metadata.deletionGracePeriodSeconds");
  });

  it("makes an object that is being deleted where a write that is no creation says so", async () => {
    const path = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
    const deletionTimestamp = "2001-02-03T04:05:06Z";
    const lease = (name: string, more: Body = {}): Body => ({
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { name, deletionTimestamp, ...more },
    });
    const told = async (answer: Promise<{ readonly body: Body }>): Promise<unknown> => {
      const { deletionTimestamp: at, deletionGracePeriodSeconds: grace } = metadataOf((await answer).body);
      return [at, grace];
    };
    expect(await told(send("POST", path, lease("posted")))).toEqual([undefined, undefined]);
    expect(await told(send("PUT", `${path}/put`, lease("put", { finalizers: ["example.com/a"] })))).toEqual([
      deletionTimestamp,
      undefined,
    ]);
    expect(await told(send("PATCH", `${path}/applied?fieldManager=m`, lease("applied"), apply))).toEqual([
      deletionTimestamp,
      undefined,
    ]);
    // It goes with the next write that leaves it nothing that keeps it, or is given no time by its deletion.
    const labels = { metadata: { labels: { a: "b" } } };
    await send("PATCH", `${path}/applied`, labels, merge);
    expect((await send("GET", `${path}/applied`)).status).toBe(404);
    await send("DELETE", `${path}/put`);
    expect(await told(send("GET", `${path}/put`))).toEqual([deletionTimestamp, 0]);
    await send("PATCH", `${path}/put`, { metadata: { finalizers: null } }, merge);
    expect((await send("GET", `${path}/put`)).status).toBe(404);
    // Also with one that changes nothing.
    await send("PUT", `${path}/unchanged`, lease("unchanged"));
    const { body } = await send("GET", `${path}/unchanged`);
    expect((await send("PUT", `${path}/unchanged`, body)).status).toBe(200);
    expect((await send("GET", `${path}/unchanged`)).status).toBe(404);
    // Which is answered as it was sent.
    const roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
    const role = {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: { name: "unruled", deletionTimestamp },
      rules: [],
    };
    expect((await send("PUT", `${roles}/unruled`, role)).body["rules"]).toBeNull();
    expect((await send("PUT", `${roles}/unruled`, role)).body["rules"]).toEqual([]);
    await send("DELETE", `${path}/posted`);
  });

  it.each([
    ["pods", 60, 30],
    ["hurried-pods", 5, 5],
  ])("lets the time that a pod has left only become shorter: %s", async (name, asked, expected) => {
    await createPod(name, true);
    await send("DELETE", `${space}/pods/${name}`);
    const again = await send(
      "DELETE",
      `${space}/pods/${name}?gracePeriodSeconds=${asked}&propagationPolicy=Orphan`,
    );
    const { deletionGracePeriodSeconds, finalizers } = metadataOf(again.body);
    const isShorter = asked === expected;
    expect([deletionGracePeriodSeconds, finalizers]).toEqual([expected, isShorter ? ["orphan"] : undefined]);
    await send("PATCH", `${space}/pods/${name}`, { metadata: { finalizers: null } }, merge);
    await send("DELETE", `${space}/pods/${name}?gracePeriodSeconds=0`);
  });

  it("says in the status of an evicted pod why it goes, since when and in its place", async () => {
    await createPod("evicted", true);
    const path = `${space}/pods/evicted`;
    const told = { type: "DisruptionTarget", status: "True", reason: "R" };
    await send(
      "PATCH",
      `${path}/status`,
      { status: { conditions: [told, { type: "Ready", status: "True" }] } },
      merge,
    );
    await send("POST", `${path}/eviction`, { metadata: { name: "evicted" } });
    const { conditions } = (await send("GET", path)).body["status"] as {
      readonly conditions: readonly Body[];
    };
    const unset = { lastProbeTime: null, lastTransitionTime: null };
    expect(conditions).toEqual([
      { ...told, ...unset, reason: "EvictionByEvictionAPI", message: "Eviction API: evicting" },
      { type: "Ready", status: "True", ...unset },
    ]);
    await send("DELETE", `${path}?gracePeriodSeconds=0`);
  });

  it("knows nothing of an object whose last finalizers go with its deletion", async () => {
    const path = `${space}/configmaps/unread`;
    await send("POST", `${space}/configmaps`, {
      metadata: { name: "unread", finalizers: ["orphan"] },
      data: { a: "b" },
    });
    const background = { kind: "DeleteOptions", apiVersion: "v1", propagationPolicy: "Background" };
    const { body } = await send("GET", path);
    const { resourceVersion } = metadataOf(body);
    const refused = await send("DELETE", path, { ...background, preconditions: { resourceVersion } });
    expect(refused.body["message"]).toContain(
      `Precondition failed: ResourceVersion in precondition: , ResourceVersion in object meta: ${String(resourceVersion)}`,
    );
    expect((await send("DELETE", path, background)).status).toBe(200);
    expect((await send("GET", path)).status).toBe(404);
  });

  it("deletes the Endpoints of a Service with it, which their finalizers hold", async () => {
    const [services, addresses] = ["services", "endpoints"].map(
      (plural) => `/api/v1/namespaces/default/${plural}`,
    ) as [string, string];
    const make = async (name: string, finalizers: readonly string[]): Promise<void> => {
      const spec = { clusterIP: "None", ports: [{ port: 80 }] };
      await send("POST", services, { metadata: { name, finalizers }, spec });
      await send("POST", addresses, { metadata: { name, finalizers } });
    };
    await make("gone", []);
    await send("DELETE", `${services}/gone?dryRun=All`);
    expect((await send("GET", `${addresses}/gone`)).status).toBe(200);
    await send("DELETE", `${services}/gone`);
    expect((await send("GET", `${addresses}/gone`)).status).toBe(404);
    await make("held", ["example.com/a"]);
    await send("DELETE", `${services}/held`);
    expect(metadataOf((await send("GET", `${addresses}/held`)).body)).not.toHaveProperty("deletionTimestamp");
    await send("PATCH", `${services}/held`, { metadata: { finalizers: null } }, merge);
    expect(metadataOf((await send("GET", `${addresses}/held`)).body)).toMatchObject({
      deletionTimestamp: expect.any(String) as string,
      deletionGracePeriodSeconds: 0,
      finalizers: ["example.com/a"],
    });
    await send("PATCH", `${addresses}/held`, { metadata: { finalizers: null } }, merge);
    expect((await send("GET", `${addresses}/held`)).status).toBe(404);
  });
}

function claimSpec(): Body {
  return { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
}
