// What is written to subresources is read and refused as objects are: Scales, Bindings, Evictions, requests for tokens.
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Body, RawClient } from "./raw-request.ts";

const space = "/api/v1/namespaces/subresources";
const deployment = "/apis/apps/v1/namespaces/subresources/deployments/one";
const merge = { contentType: "application/merge-patch+json" };
const posted = [
  ["Binding", "v1", `${space}/pods/one/binding`, { metadata: { name: "one" }, target: { name: "n" } }],
  ["Eviction", "policy/v1", `${space}/pods/one/eviction`, { metadata: { name: "one" } }],
  ["TokenRequest", "authentication.k8s.io/v1", `${space}/serviceaccounts/one/token`, { spec: {} }],
] as const;

/** Declares the cases. */
export function declareSubresourceCases(client: () => RawClient): void {
  const send: RawClient["send"] = (...request) => client().send(...request);
  const said = async (...request: Parameters<RawClient["send"]>): Promise<readonly unknown[]> => {
    const { status, headers, body } = await send(...request);
    return [status, headers["warning"] ?? body["message"]];
  };

  beforeAll(async () => {
    await send("POST", "/api/v1/namespaces", { metadata: { name: "subresources" } });
    await send("POST", `${space}/serviceaccounts`, { metadata: { name: "one" } });
    const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } };
    await send("POST", "/apis/apps/v1/namespaces/subresources/deployments", {
      metadata: { name: "one" },
      spec: { replicas: 0, selector: { matchLabels: { a: "b" } }, template },
    });
    await send("POST", `${space}/pods`, {
      metadata: { name: "one" },
      spec: { serviceAccountName: "one", automountServiceAccountToken: false, ...template.spec },
    });
  });
  afterAll(async () => {
    await send("DELETE", `${space}/pods/one`);
    await send("DELETE", space);
  });

  it.each(posted)("reads a %s as one of %s", async (kind, apiVersion, path, body) => {
    const [, version = apiVersion] = apiVersion.split("/");
    const cannot = (given: string, of = version) =>
      `${given} in version "${of}" cannot be handled as a ${kind}: `;
    const post = async (more: Body, query = "") =>
      said("POST", `${path}?dryRun=All${query}`, { ...body, ...more });
    expect(await post({ kind: "Other" })).toEqual([
      400,
      `${cannot("Other")}no kind "Other" is registered for version "${apiVersion}" in scheme "pkg/runtime/scheme.go:111"`,
    ]);
    const group = { Binding: "core", Eviction: "policy", TokenRequest: "authentication" }[kind];
    expect(await post({ kind: "Pod", apiVersion: "v1" })).toEqual([
      400,
      `${cannot("Pod", "v1")}converting (v1.Pod) to (${group}.${kind}): unknown conversion`,
    ]);
    expect(await post({ foo: 1 }, "&fieldValidation=Strict")).toEqual([
      400,
      `${cannot(kind)}strict decoding error: unknown field "foo"`,
    ]);
    expect(await post({ foo: 1 })).toEqual([201, '299 - "unknown field \\"foo\\""']);
    expect(await post({ kind, apiVersion })).toEqual([201, undefined]);
  });

  it.each([
    ["Binding", { target: "x" }, "string into Go struct field Binding.target of type v1.ObjectReference"],
    [
      "Binding",
      { target: { name: 5 } },
      "number into Go struct field ObjectReference.target.name of type string",
    ],
    [
      "Eviction",
      { deleteOptions: { gracePeriodSeconds: "x" } },
      "string into Go struct field DeleteOptions.deleteOptions.gracePeriodSeconds of type int64",
    ],
    [
      "TokenRequest",
      { spec: { audiences: "x" } },
      "string into Go struct field TokenRequestSpec.spec.audiences of type []string",
    ],
  ])("refuses values of the wrong type in a %s: %j", async (kind, more, fault) => {
    const [, , path = "", body] = posted.find(([each]) => each === kind) ?? [];
    const [status, message] = await said("POST", `${path}?dryRun=All`, { ...body, ...more });
    expect([status, String(message).split("cannot unmarshal ")[1]]).toEqual([400, fault]);
  });

  it("takes an Eviction of the version that is not served any more", async () => {
    const eviction = { apiVersion: "policy/v1beta1", kind: "Eviction", metadata: { name: "one" } };
    expect((await said("POST", `${space}/pods/one/eviction?dryRun=All`, eviction))[0]).toBe(201);
  });

  it.each([
    [{ spec: {} }, "the name of the object (one based on URL) was undeterminable: name must be provided"],
    [
      { metadata: { name: "other" } },
      "the name of the object (other) does not match the name on the URL (one)",
    ],
    [
      { metadata: { name: "one", namespace: "other" } },
      "the namespace of the provided object does not match the namespace sent on the request",
    ],
    [
      { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "one" } },
      'Deployment in version "v1" cannot be handled as a Scale: converting (v1.Deployment) to (autoscaling.Scale): unknown conversion',
    ],
    [
      { metadata: { name: "one" }, spec: { replicas: "x" } },
      'Scale in version "v1" cannot be handled as a Scale: json: cannot unmarshal string into Go struct field ScaleSpec.spec.replicas of type int32',
    ],
  ])("refuses as a Scale %j", async (scale, message) => {
    expect(await said("PUT", `${deployment}/scale`, scale)).toEqual([400, message]);
  });

  it.each([
    [{ metadata: null }, 400, /undeterminable/],
    [{ metadata: { name: "other" } }, 400, /does not match the name on the URL/],
    [{ kind: "Other" }, 422, /": no kind "Other" is registered for version "autoscaling\/v1" in scheme/],
    [{ spec: { foo: 1 } }, 422, /": strict decoding error: unknown field "spec.foo"$/],
    [{ spec: { replicas: 0 } }, 200, /undefined/],
  ])("answers to the patch %j of a Scale, read strictly, with %i", async (patch, status, message) => {
    const answer = await said("PATCH", `${deployment}/scale?fieldValidation=Strict`, patch, merge);
    expect(answer).toEqual([status, status === 200 ? undefined : expect.stringMatching(message)]);
  });
}
