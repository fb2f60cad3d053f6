// What every API server answers to writes of built-in types.
import { expect, it } from "vitest";
import { metadataOf, type Body, type RawClient } from "./raw-request.ts";

const maps = "/api/v1/namespaces/default/configmaps";
const merge = { contentType: "application/merge-patch+json" };
const json = { contentType: "application/json-patch+json" };
const apply = { contentType: "application/apply-patch+yaml" };

const configMap = (name: string, data: Body = { a: "1" }, metadata: Body = {}): Body => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, ...metadata },
  data,
});

/** Declares the cases. */
export function declareWriteCases(client: () => RawClient): void {
  const send: RawClient["send"] = (...request) => client().send(...request);

  it("answers what does not exist with 404 in the words of its kind", async () => {
    expect((await send("GET", `${maps}/nope`)).body).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: 'configmaps "nope" not found',
      reason: "NotFound",
      details: { name: "nope", kind: "configmaps" },
      code: 404,
    });
    const deployment = await send("GET", "/apis/apps/v1/namespaces/default/deployments/nope");
    expect(deployment.body["details"]).toEqual({ name: "nope", group: "apps", kind: "deployments" });
    expect((await send("GET", "/apis/apps/v1/namespaces/default/foos")).body["message"]).toBe(
      "the server could not find the requested resource",
    );
    expect((await send("GET", "/apis/nope.io/v1/foos")).text).toBe("404 page not found\n");
  });

  it.each([
    ["none", undefined, ["app", "controller-uid", "job-name"]],
    ["those of its pods", { app: "job" }, ["app"]],
    ["others", { team: "a" }, ["team"]],
  ])("gives the labels of its pods to a job that has no own ones: %s", async (_which, labels, expected) => {
    const { body } = await send("POST", "/apis/batch/v1/namespaces/default/jobs?dryRun=All", {
      metadata: { name: "labelled", labels },
      spec: {
        template: {
          metadata: { labels: { app: "job" } },
          spec: { restartPolicy: "Never", containers: [{ name: "c", image: "c" }] },
        },
      },
    });
    const own = Object.keys(metadataOf(body)["labels"] as Body);
    expect(own.filter((key) => !key.startsWith("batch.kubernetes.io/")).toSorted()).toEqual(expected);
  });

  it.each(["configmaps", "secrets"])(
    "takes as many bytes of values as there may be, in %s",
    async (plural) => {
      const path = `/api/v1/namespaces/default/${plural}?dryRun=All`;
      const [field, kind] = plural === "secrets" ? ["stringData", "Secret"] : ["data", "ConfigMap"];
      const sent = async (bytes: number) => {
        const body = {
          apiVersion: "v1",
          kind,
          metadata: { name: "large" },
          [field]: { a: "x".repeat(bytes) },
        };
        return (await send("POST", path, body)).status;
      };
      expect([await sent(1_048_576), await sent(1_048_577)]).toEqual([201, 422]);
    },
  );

  it.each(["a\u0007b", "a\nb", "a\u200bb", "x".repeat(129)])(
    "refuses %j as the name of a field manager",
    async (manager) => {
      const query = `fieldManager=${encodeURIComponent(manager)}&dryRun=All`;
      const name = "managed";
      await send("POST", maps, configMap(name));
      const answers = [
        await send("POST", `${maps}?${query}`, configMap("other")),
        await send("PUT", `${maps}/${name}?${query}`, configMap(name)),
        await send("PATCH", `${maps}/${name}?${query}`, { data: { a: "2" } }, merge),
        await send("PATCH", `${maps}/${name}?${query}`, configMap(name), apply),
      ];
      const isLong = manager.length > 128;
      const expected = isLong
        ? /^may not be more than 128 bytes|^Too long: may not be more than 128 bytes/
        : /^Invalid value: .*: invalid character U\+[\dA-F]{4} \(at position 1\)$/;
      for (const { status, body } of answers) {
        const causes = (body["details"] as { causes: { field: string; message: string }[] }).causes;
        expect([status, causes.map(({ field }) => field)]).toEqual([422, ["fieldManager"]]);
        expect(causes[0]?.message).toMatch(expected);
      }
    },
  );

  it.each([
    ["europe/paris", 422],
    ["Europe/paris", 422],
    ["utc", 422],
    ["Europe/Paris", 201],
    ["UTC", 201],
    ["US/Pacific", 201],
    ["Etc/GMT-5", 201],
    ["America/Port-au-Prince", 201],
    ["America/Port-Au-Prince", 422],
    ["Local", 422],
    ["local", 422],
  ])("answers to the time zone %s of a cron job with %i", async (timeZone, status) => {
    const { status: answered } = await send("POST", "/apis/batch/v1/namespaces/default/cronjobs?dryRun=All", {
      metadata: { name: "zoned" },
      spec: {
        schedule: "* * * * *",
        timeZone,
        jobTemplate: {
          spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "c" }] } } },
        },
      },
    });
    expect(answered).toBe(status);
  });

  it("refuses an unknown token with 401, none with 403", async () => {
    expect((await send("GET", maps, undefined, { token: "wrong" })).body).toMatchObject({
      code: 401,
      reason: "Unauthorized",
    });
    expect((await send("GET", maps, undefined, { token: null })).body).toMatchObject({
      code: 403,
      message:
        'configmaps is forbidden: User "system:anonymous" cannot list resource "configmaps" in API group "" in the namespace "default"',
    });
  });

  const gone = "00000000-0000-4000-8000-000000000000";
  const types = {
    ConfigMap: ["/api/v1", "v1", "configmaps"],
    ServiceAccount: ["/api/v1", "v1", "serviceaccounts"],
    Lease: ["/apis/coordination.k8s.io/v1", "coordination.k8s.io/v1", "leases"],
    Role: ["/apis/rbac.authorization.k8s.io/v1", "rbac.authorization.k8s.io/v1", "roles"],
  } as const;
  it.each([
    // What a PUT does not create is not found, whoever it was.
    ["ConfigMap", { named: 404, identified: 404 }],
    ["ServiceAccount", { named: 404, identified: 404 }],
    // What it does create must not take the place of another one.
    ["Lease", { named: 201, identified: 409 }],
    ["Role", { named: 201, identified: 409 }],
  ] as const)("tells a %s that is gone from one that never was", async (kind, expected) => {
    const [root, apiVersion, plural] = types[kind];
    const path = `${root}/namespaces/default/${plural}/was-here`;
    const put = (metadata: Body) =>
      send("PUT", path, { apiVersion, kind, metadata: { name: "was-here", ...metadata } });
    const { status, body } = await put({ uid: gone });
    expect(status).toBe(expected.identified);
    if (status === 409) {
      expect(body["message"]).toContain(
        `Precondition failed: UID in precondition: ${gone}, UID in object meta: `,
      );
    }
    expect((await put({ uid: gone, resourceVersion: "1" })).status).toBe(expected.identified);
    expect((await send("GET", path)).status).toBe(404);
    expect((await put({})).status).toBe(expected.named);
  });

  it.each([
    ["POST", `${maps}/x`, configMap("x"), {}, 405],
    ["PUT", maps, configMap("x"), {}, 405],
    ["POST", maps, "{bad", {}, 400],
    ["POST", maps, "x", { contentType: "text/plain" }, 415],
    ["PATCH", `${maps}/x`, {}, {}, 415],
    ["GET", maps, undefined, { accept: "image/png" }, 406],
    ["POST", maps, { kind: "Secret", apiVersion: "v1", metadata: { name: "x" } }, {}, 400],
    ["POST", maps, configMap("Bad_Name"), {}, 422],
    ["POST", maps, { metadata: {} }, {}, 422],
    ["POST", maps, configMap("x", {}, { namespace: "other" }), {}, 400],
    ["POST", "/api/v1/namespaces/absent/configmaps", configMap("x"), {}, 404],
    ["POST", maps, configMap("x", {}, { resourceVersion: "1" }), {}, 500],
    ["POST", `${maps}?dryRun=some`, configMap("x"), {}, 422],
    ["POST", `${maps}?fieldValidation=Zed`, configMap("x"), {}, 422],
    ["POST", `${maps}?fieldManager=${"m".repeat(129)}`, configMap("x"), {}, 422],
    ["POST", maps, configMap("x", { a: "x".repeat(1_100_000) }), {}, 422],
    ["POST", maps, configMap("x", { a: "x".repeat(3_300_000) }), {}, 413],
    ["PATCH", `${maps}/x`, {}, apply, 422],
    ["DELETE", `${maps}/x?propagationPolicy=Zed`, undefined, {}, 422],
  ])("%s %s (%#) is refused", async (method, path, body, options, status) => {
    const answer = await send(method, path, body, options);
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ kind: "Status", status: "Failure", code: status });
  });

  it("creates with the server's metadata, refuses the name a second time", async () => {
    const created = await send("POST", maps, configMap("dup"));
    expect(created.status).toBe(201);
    expect(created.headers["cache-control"]).toBe("no-cache, private");
    expect(Object.keys(created.body)).toEqual(["kind", "apiVersion", "metadata", "data"]);
    expect(metadataOf(created.body)["managedFields"]).toMatchObject([
      {
        manager: "contract",
        operation: "Update",
        apiVersion: "v1",
        fieldsV1: { "f:data": { ".": {}, "f:a": {} } },
      },
    ]);
    expect((await send("POST", maps, configMap("dup"))).body).toMatchObject({
      code: 409,
      reason: "AlreadyExists",
      message: 'configmaps "dup" already exists',
    });
  });

  it("warns of unknown fields, and refuses unknown and duplicate ones when strict", async () => {
    const warned = await send("POST", `${maps}?dryRun=All`, { ...configMap("w"), foo: 1 });
    expect(warned.status).toBe(201);
    expect(warned.headers["warning"]).toBe('299 - "unknown field \\"foo\\""');
    const strict = await send(
      "POST",
      `${maps}?fieldValidation=Strict`,
      '{"metadata":{"name":"w"},"data":{"a":"1","a":"2"},"foo":1}',
    );
    expect(strict.body["message"]).toBe(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: duplicate field "data.a", unknown field "foo"',
    );
  });

  it("guards updates by resourceVersion and uid, and writes nothing when nothing changes", async () => {
    const { body: first } = await send("POST", maps, configMap("upd"));
    const { body: second } = await send("PUT", `${maps}/upd`, configMap("upd", { a: "2" }));
    expect((await send("PUT", `${maps}/upd`, first)).body).toMatchObject({ code: 409, reason: "Conflict" });
    expect((await send("PUT", `${maps}/upd`, second)).body).toEqual(second);
    expect((await send("PATCH", `${maps}/upd`, { data: { a: "2" } }, merge)).body).toEqual(second);
    const foreign = configMap("upd", {}, { uid: "11111111-1111-1111-1111-111111111111" });
    expect((await send("PUT", `${maps}/upd`, foreign)).status).toBe(409);
    expect((await send("PUT", `${maps}/upd`, configMap("other"))).status).toBe(400);
  });

  it("applies JSON patches all or nothing", async () => {
    await send("POST", maps, configMap("jp"));
    const failing = [
      { op: "add", path: "/data/b", value: "2" },
      { op: "test", path: "/data/a", value: "other" },
    ];
    expect((await send("PATCH", `${maps}/jp`, failing, json)).body).toMatchObject({
      code: 422,
      message: "the server rejected our request due to an error in our request",
    });
    expect((await send("GET", `${maps}/jp`)).body["data"]).toEqual({ a: "1" });
    expect((await send("PATCH", `${maps}/jp`, { op: "add" }, json)).status).toBe(400);
    expect((await send("PATCH", `${maps}/jp`, failing.slice(0, 1), json)).body["data"]).toEqual({
      a: "1",
      b: "2",
    });
  });

  it("applies manifests: creates, shares, conflicts, forces, removes what is dropped", async () => {
    const path = (manager: string, force = false): string =>
      `${maps}/ssa?fieldManager=${manager}&force=${force}`;
    const created = await send("PATCH", path("one"), configMap("ssa", { x: "1", y: "1" }), apply);
    expect(created.status).toBe(201);
    expect((await send("PATCH", path("one"), configMap("ssa", { x: "1", y: "1" }), apply)).body).toEqual(
      created.body,
    );
    const conflict = await send("PATCH", path("two"), configMap("ssa", { x: "2" }), apply);
    expect(conflict.body).toMatchObject({
      code: 409,
      reason: "Conflict",
      message: 'Apply failed with 1 conflict: conflict with "one": .data.x',
      details: {
        causes: [{ reason: "FieldManagerConflict", field: ".data.x", message: 'conflict with "one"' }],
      },
    });
    expect(
      (await send("PATCH", path("two", true), configMap("ssa", { x: "2" }), apply)).body["data"],
    ).toEqual({ x: "2", y: "1" });
    expect((await send("PATCH", path("one"), configMap("ssa", {}), apply)).body["data"]).toEqual({ x: "2" });
    const unknown = await send("PATCH", path("one"), { ...configMap("ssa"), zork: 1 }, apply);
    expect(unknown.body).toMatchObject({
      code: 500,
      message:
        "failed to create typed patch object (/ssa; /v1, Kind=ConfigMap): .zork: field not declared in schema",
    });
  });

  it("deletes at once, or after the last finalizer", async () => {
    const { body: created } = await send("POST", maps, configMap("del"));
    expect((await send("DELETE", `${maps}/del`)).body).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Success",
      details: { name: "del", kind: "configmaps", uid: metadataOf(created)["uid"] },
    });
    await send("POST", maps, configMap("fin", {}, { finalizers: ["a.b/c"] }));
    const deleting = await send("DELETE", `${maps}/fin`);
    expect(metadataOf(deleting.body)).toMatchObject({ finalizers: ["a.b/c"], deletionGracePeriodSeconds: 0 });
    expect((await send("DELETE", `${maps}/fin`)).body).toEqual(deleting.body);
    const added = await send("PATCH", `${maps}/fin`, { metadata: { finalizers: ["a.b/c", "d.e/f"] } }, merge);
    expect(added.body).toMatchObject({ code: 422, reason: "Invalid" });
    expect((await send("PATCH", `${maps}/fin`, { metadata: { finalizers: null } }, merge)).status).toBe(200);
    expect((await send("GET", `${maps}/fin`)).status).toBe(404);
  });

  it("checks the preconditions of a deletion", async () => {
    await send("POST", maps, configMap("pre"));
    const wrong = {
      kind: "DeleteOptions",
      apiVersion: "v1",
      preconditions: { uid: "11111111-1111-1111-1111-111111111111" },
    };
    expect((await send("DELETE", `${maps}/pre`, wrong)).body).toMatchObject({
      code: 409,
      reason: "Conflict",
    });
    expect((await send("GET", `${maps}/pre`)).status).toBe(200);
  });

  it("gives a Deployment its defaults, generations, and a scale", async () => {
    const path = "/apis/apps/v1/namespaces/default/deployments";
    const template = {
      metadata: { labels: { a: "b" } },
      spec: { containers: [{ name: "c", image: "i:1" }] },
    };
    const { body } = await send("POST", path, {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "d" },
      spec: { selector: { matchLabels: { a: "b" } }, template },
    });
    expect(body["spec"]).toMatchObject({
      replicas: 1,
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
      strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "25%", maxSurge: "25%" } },
    });
    expect(metadataOf(body)["generation"]).toBe(1);
    const scale = {
      apiVersion: "autoscaling/v1",
      kind: "Scale",
      metadata: { name: "d", namespace: "default" },
      spec: { replicas: 3 },
    };
    expect((await send("PUT", `${path}/d/scale`, scale)).body).toMatchObject({
      spec: { replicas: 3 },
      status: { selector: "a=b" },
    });
    const status = { metadata: { labels: { l: "1" } }, spec: { replicas: 9 }, status: { replicas: 1 } };
    const written = await send("PATCH", `${path}/d/status`, status, merge);
    expect(written.body).toMatchObject({
      metadata: { generation: 2 },
      spec: { replicas: 3 },
      status: { replicas: 1 },
    });
    expect(metadataOf(written.body)["labels"]).toBeUndefined();
    const strategic = { spec: { template: { spec: { containers: [{ name: "d", image: "j:1" }] } } } };
    const merged = await send("PATCH", `${path}/d`, strategic, {
      contentType: "application/strategic-merge-patch+json",
    });
    expect(
      (
        merged.body["spec"] as { template: { spec: { containers: { name: string }[] } } }
      ).template.spec.containers.map((each) => each.name),
    ).toEqual(["d", "c"]);
    const selector = { spec: { selector: { matchLabels: { a: "c" } } } };
    expect((await send("PATCH", `${path}/d`, selector, merge)).body["message"]).toContain(
      "field is immutable",
    );
  });

  it("labels a pod that has no node yet", async () => {
    const pods = "/api/v1/namespaces/default/pods";
    const account = { metadata: { name: "default" } };
    await send("POST", "/api/v1/namespaces/default/serviceaccounts", account);
    await send("POST", pods, { metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "i" }] } });
    const { status } = await send("PATCH", `${pods}/p`, { metadata: { labels: { a: "b" } } }, merge);
    expect(status).toBe(200);
    const fewer = await send("PATCH", `${pods}/p`, { spec: { tolerations: [{ operator: "X" }] } }, merge);
    const { causes } = fewer.body["details"] as { causes: { field: string; reason: string }[] };
    expect(causes.map(({ field, reason }) => `${reason} ${field}`).toSorted()).toEqual([
      "FieldValueForbidden spec.tolerations",
      "FieldValueInvalid spec.tolerations[0].operator",
      "FieldValueNotSupported spec.tolerations[0].operator",
    ]);
    const wide = await send("POST", `${pods}?dryRun=All`, {
      metadata: { name: "q" },
      spec: { containers: [{ name: "c", image: "i" }], tolerations: [{ operator: "Exists" }] },
    });
    expect((wide.body["spec"] as { tolerations: unknown[] }).tolerations).toEqual([{ operator: "Exists" }]);
    await send("DELETE", `${pods}/p?gracePeriodSeconds=0`);
  });

  it("nobody owns a zero that is written in any case", async () => {
    const path = "/apis/scheduling.k8s.io/v1/priorityclasses";
    await send("POST", path, { metadata: { name: "zero" }, value: 0, description: "d" });
    await send("PATCH", `${path}/zero`, { metadata: { managedFields: [{}] } }, merge);
    const manifest = {
      apiVersion: "scheduling.k8s.io/v1",
      kind: "PriorityClass",
      metadata: { name: "zero" },
      value: 0,
    };
    const { body } = await send("PATCH", `${path}/zero?fieldManager=a`, manifest, apply);
    const [applied, first] = metadataOf(body)["managedFields"] as Body[];
    expect([applied?.["fieldsV1"], first?.["fieldsV1"]]).toEqual([
      { "f:value": {} },
      { "f:description": {}, "f:preemptionPolicy": {} },
    ]);
    await send("DELETE", `${path}/zero`);
  });

  it("names a time that it cannot read before what else is of the wrong type", async () => {
    const lease = { metadata: { name: "l" }, spec: { holderIdentity: 1, renewTime: "x" } };
    const { body } = await send("POST", "/apis/coordination.k8s.io/v1/namespaces/default/leases", lease);
    expect(body["message"]).toContain('parsing time "x"');
  });

  it("refuses counts and conditions of a status that cannot be", async () => {
    const budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
    await send("POST", budgets, { metadata: { name: "b" }, spec: {} });
    const status = { currentHealthy: -1, conditions: [{ type: "A", status: "X" }] };
    const budget = await send("PATCH", `${budgets}/b/status`, { status }, merge);
    expect(
      (budget.body["details"] as { causes: { field: string }[] }).causes.map(({ field }) => field),
    ).toEqual([
      "status.conditions[0].status",
      "status.conditions[0].lastTransitionTime",
      "status.conditions[0].reason",
      "status.currentHealthy",
    ]);
    const jobs = "/apis/batch/v1/namespaces/default/jobs";
    const template = { spec: { containers: [{ name: "c", image: "i" }], restartPolicy: "Never" } };
    await send("POST", jobs, { metadata: { name: "j" }, spec: { suspend: true, template } });
    const label = { spec: { template: { metadata: { labels: { x: "y" } } } } };
    expect((await send("PATCH", `${jobs}/j`, label, merge)).status).toBe(422);
    const suspended = { status: { conditions: [{ type: "Suspended", status: "True" }] } };
    expect((await send("PATCH", `${jobs}/j/status`, suspended, merge)).status).toBe(200);
    expect((await send("PATCH", `${jobs}/j`, label, merge)).status).toBe(200);
    const failed = { status: { conditions: [{ type: "Failed", status: "True" }] } };
    expect((await send("PATCH", `${jobs}/j/status`, failed, merge)).body["message"]).toContain(
      "cannot set Failed=True condition without the FailureTarget=true condition",
    );
    await send("DELETE", `${budgets}/b`);
    await send("DELETE", `${jobs}/j?propagationPolicy=Background`);
  });

  it("keeps nothing of a StatefulSet that needs a feature which is off", async () => {
    const sets = "/apis/apps/v1/namespaces/default/statefulsets?dryRun=All";
    const updateStrategy = { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 2 } };
    const labels = { a: "b" };
    const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } };
    const spec = { serviceName: "s", selector: { matchLabels: labels }, template, updateStrategy };
    const { status, body } = await send("POST", sets, { metadata: { name: "s" }, spec });
    expect([status, (body["spec"] as Body)["updateStrategy"]]).toEqual([
      201,
      { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
    ]);
  });

  it("merges no items of different types", async () => {
    const path = `${maps}/alike`;
    await send("POST", maps, { metadata: { name: "alike", finalizers: ["example.com/a"] } });
    for (const field of ["finalizers", "$deleteFromPrimitiveList/finalizers"]) {
      const { body } = await send(
        "PATCH",
        path,
        { metadata: { [field]: [1] } },
        { contentType: "application/strategic-merge-patch+json" },
      );
      expect([body["code"], body["message"]]).toEqual([
        500,
        "list element types are not identical: [[example.com/a] [1]]",
      ]);
    }
    await send("PATCH", path, { metadata: { finalizers: null } }, merge);
    await send("DELETE", path);
  });
}
