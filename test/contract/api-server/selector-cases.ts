// Field selectors: what each type lets be selected, how it is read, and in which words the rest is refused.
import { beforeAll, describe, expect, it } from "vitest";
import type { Body, RawAnswer, RawClient } from "./raw-request.ts";

const space = "/api/v1/namespaces/selected";
const maps = `${space}/configmaps`;
const usual = (field: string): string =>
  `"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`;
const own = (field: string): string => `field label not supported: ${field}`;
const involved = ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"];

/** What types offer, and what they say of anything else. */
const offered: readonly (readonly [
  path: string,
  fields: readonly string[],
  refusal: (field: string) => string,
])[] = [
  [
    "/api/v1/pods",
    [
      "metadata.namespace",
      "spec.nodeName",
      "spec.host",
      "spec.restartPolicy",
      "spec.schedulerName",
      "spec.serviceAccountName",
      "spec.hostNetwork",
      "status.phase",
      "status.podIP",
      "status.podIPs",
      "status.nominatedNodeName",
    ],
    own,
  ],
  ["/api/v1/nodes", ["spec.unschedulable"], own],
  ["/api/v1/namespaces", ["status.phase"], own],
  ["/api/v1/secrets", ["metadata.namespace", "type"], own],
  ["/api/v1/services", ["metadata.namespace", "spec.clusterIP", "spec.type"], own],
  ["/api/v1/replicationcontrollers", ["metadata.namespace", "status.replicas"], own],
  [
    "/api/v1/events",
    [
      ...involved.map((name) => `involvedObject.${name}`),
      "metadata.namespace",
      "reason",
      "type",
      "source",
      "reportingComponent",
    ],
    own,
  ],
  [
    "/apis/events.k8s.io/v1/events",
    [
      ...involved.map((name) => `regarding.${name}`),
      "metadata.namespace",
      "reason",
      "type",
      "reportingController",
    ],
    own,
  ],
  ["/apis/certificates.k8s.io/v1/certificatesigningrequests", ["spec.signerName"], own],
  [
    "/apis/batch/v1/jobs",
    ["metadata.namespace", "status.successful"],
    (field) => `field label "${field}" not supported for Job`,
  ],
  [
    "/apis/resource.k8s.io/v1/resourceslices",
    ["spec.nodeName", "spec.driver"],
    (field) => `field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: ${field}`,
  ],
  ["/api/v1/configmaps", ["metadata.namespace"], usual],
  ["/apis/apps/v1/replicasets", ["metadata.namespace"], usual],
  // Also where there is no namespace.
  ["/apis/rbac.authorization.k8s.io/v1/clusterroles", ["metadata.namespace"], usual],
  ["/apis/apiextensions.k8s.io/v1/customresourcedefinitions", ["metadata.namespace"], usual],
];
const everyField = [...new Set(["metadata.uid", "x", ...offered.flatMap(([, fields]) => fields)])];

export function declareSelectorCases(client: () => RawClient): void {
  const send: RawClient["send"] = (...request) => client().send(...request);
  const select = (path: string, selector: string): Promise<RawAnswer> =>
    send("GET", `${path}${path.includes("?") ? "&" : "?"}fieldSelector=${encodeURIComponent(selector)}`);
  const namesOf = ({ body }: RawAnswer): readonly unknown[] =>
    (body["items"] as Body[]).map(({ metadata }) => (metadata as Body)["name"]);

  beforeAll(async () => {
    const make = async (path: string, object: Body): Promise<void> => {
      expect((await send("POST", path, object)).status).toBe(201);
    };
    await make("/api/v1/namespaces", { metadata: { name: "selected" } });
    await make(`${space}/serviceaccounts`, { metadata: { name: "default" } });
    const spec = { containers: [{ name: "c", image: "i" }] };
    await make(`${space}/pods`, { metadata: { name: "plain" }, spec });
    await make(`${space}/pods`, {
      metadata: { name: "placed" },
      spec: { ...spec, hostNetwork: true, nodeName: "n", schedulerName: "s" },
    });
    await send(
      "PATCH",
      `${space}/pods/placed/status`,
      { status: { podIPs: [{ ip: "1.2.3.4" }], podIP: "1.2.3.4" } },
      { contentType: "application/merge-patch+json" },
    );
    await make("/apis/batch/v1/namespaces/selected/jobs", {
      metadata: { name: "new" },
      spec: { template: { spec: { ...spec, restartPolicy: "Never" } } },
    });
    await make("/api/v1/nodes", { metadata: { name: "selected-open" } });
    await make("/api/v1/nodes", { metadata: { name: "selected-shut" }, spec: { unschedulable: true } });
    for (const name of ["x", "y"]) await make(maps, { metadata: { name } });
  });

  it.each(offered)("%s is selected by %j, and refuses others", async (path, fields, refusal) => {
    const answers = await Promise.all(
      everyField.map(async (field) => [field, (await select(path, `${field}=nothing`)).body["message"]]),
    );
    expect(Object.fromEntries(answers)).toEqual(
      Object.fromEntries(
        everyField.map((field) => [field, fields.includes(field) ? undefined : refusal(field)]),
      ),
    );
  });

  it.each([
    [`${space}/pods`, "spec.host=n", ["placed"]],
    [`${space}/pods`, "spec.hostNetwork=false", ["plain"]],
    [`${space}/pods`, "spec.hostNetwork!=false", ["placed"]],
    [`${space}/pods`, "spec.schedulerName=default-scheduler", ["plain"]],
    [`${space}/pods`, "spec.serviceAccountName=default", ["placed", "plain"]],
    [`${space}/pods`, "status.podIP=1.2.3.4", ["placed"]],
    [`${space}/pods`, "status.podIPs=1.2.3.4", []],
    ["/apis/batch/v1/namespaces/selected/jobs", "status.successful=0", ["new"]],
    ["/apis/batch/v1/namespaces/selected/jobs", "status.successful=", []],
    ["/api/v1/nodes?labelSelector=!group", "spec.unschedulable=true", ["selected-shut"]],
    ["/api/v1/nodes?labelSelector=!group", "spec.unschedulable=", []],
    ["/apis/rbac.authorization.k8s.io/v1/clusterroles", "metadata.namespace!=", []],
    [maps, "metadata.name=x,metadata.name!=y", ["x"]],
    [maps, ",metadata.name==x,,", ["x"]],
    [maps, "metadata.name= x", []],
    [maps, "metadata.name=\\,\\=\\\\", []],
    // A term of nothing is no term.
    [maps, "=", ["x", "y"]],
    [maps, "!=", ["x", "y"]],
  ])("%s with %s are %j", async (path, selector, names) => {
    expect(namesOf(await select(path, selector))).toEqual(names);
  });

  describe("says", () => {
    it.each([
      [" ", "invalid selector: ' '; can't understand ' '"],
      ["b=1,a", "invalid selector: 'b=1,a'; can't understand 'a'"],
      ["metadata.name===x", "invalid field selector: unescaped character in value: 61"],
      ["metadata.name=\\x", "invalid field selector: invalid escape sequence: \\x"],
      ["metadata.name=x\\", "invalid field selector: invalid escape sequence: \\"],
      // Terms are looked at in their alphabetical order, and those that cannot be read before those that are not known.
      ["b=1,a=1", usual("a")],
      ["z,a=\\a", "invalid field selector: invalid escape sequence: \\a"],
      [" metadata.name=x", usual(" metadata.name")],
      ["=x", usual("")],
    ])("of %j: %s", async (selector, message) => {
      expect((await select(maps, selector)).body).toMatchObject({ code: 400, message });
    });

    it.each([
      ["GET", "resourceVersionMatch=Exact&fieldSelector=a", 400, "can't understand 'a'"],
      ["GET", "watch=1&resourceVersion=abc&fieldSelector=a%3Db", 400, '"a" is not a known'],
      ["GET", "watch=1&resourceVersionMatch=Exact&fieldSelector=a%3Db", 422, "Unsupported value"],
      ["DELETE", "dryRun=x&fieldSelector=a%3Db", 400, '"a" is not a known'],
    ])("of %s ?%s with %i: %s", async (method, query, status, message) => {
      const { body } = await send(method, `${maps}?${query}`);
      expect(body).toMatchObject({ code: status, message: expect.stringContaining(message) as string });
    });
  });

  describe("by a path of a watch", () => {
    const watched = "/api/v1/watch/namespaces/selected/configmaps/x";

    it.each(["", "?fieldSelector=metadata.name%3Dx"])("one object is watched%s", async (query) => {
      const { lines } = await client().watch(`${watched}${query}`, 1);
      expect(lines).toMatchObject([{ type: "ADDED", object: { metadata: { name: "x" } } }]);
    });

    it.each(["metadata.name=y", "metadata.name!=y", "metadata.namespace=selected"])(
      "a selector that does not leave its name, as %s, is refused",
      async (selector) => {
        expect((await select(watched, selector)).body).toMatchObject({
          code: 400,
          message: "fieldSelector metadata.name doesn't match requested name",
        });
      },
    );

    it.each([
      ["GET", `${watched}/status`, 404],
      ["DELETE", watched, 405],
      ["POST", "/api/v1/watch/namespaces/selected/configmaps", 405],
      ["POST", "/apis/authorization.k8s.io/v1/watch/subjectaccessreviews", 404],
    ])("%s %s is answered with %i", async (method, path, status) => {
      expect((await send(method, path, method === "POST" ? {} : undefined)).status).toBe(status);
    });
  });
}
