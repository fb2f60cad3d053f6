// What every API server answers to objects that are larger than its storage takes.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { metadataOf, type Body, type RawClient } from "./raw-request.ts";

const group = "large.example.com";
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const foos = `/apis/${group}/v1/namespaces/default/foos`;
const deployments = "/apis/apps/v1/namespaces/default/deployments";
const merge = { contentType: "application/merge-patch+json" };
const apply = { contentType: "application/apply-patch+yaml" };

const definition = (plural: string, description = ""): Body => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${plural}.${group}` },
  spec: {
    group,
    scope: "Namespaced",
    names: {
      plural,
      singular: plural.slice(0, -1),
      kind: `${plural.slice(0, 1).toUpperCase()}${plural.slice(1, -1)}`,
    },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: { type: "object", description, "x-kubernetes-preserve-unknown-fields": true },
        },
      },
    ],
  },
});
const foo = (name: string, size: number, letter = "x"): Body => ({
  apiVersion: `${group}/v1`,
  kind: "Foo",
  metadata: { name },
  spec: { text: letter.repeat(size) },
});
const deployment = (name: string, container: Body): Body => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name },
  spec: {
    replicas: 0,
    selector: { matchLabels: { app: "large" } },
    template: {
      metadata: { labels: { app: "large" } },
      spec: { containers: [{ name: "c", image: "i", ...container }] },
    },
  },
});
const variables = (count: number): Body => ({
  env: Array.from({ length: count }, (_, index) => ({ name: `E${index + 100_000}`, value: "v" })),
});

/** Declares the cases. */
export function declareLargeObjectCases(client: () => RawClient): void {
  const send: RawClient["send"] = (...request) => client().send(...request);
  const said = async (...request: Parameters<RawClient["send"]>): Promise<string> => {
    const { status, body } = await send(...request);
    return status < 300 ? String(status) : `${status} ${String(body["reason"])} ${String(body["message"])}`;
  };
  const tooLarge = "500 undefined etcdserver: request is too large";
  const tooLargeToSend = (size: string): unknown =>
    expect.stringMatching(
      new RegExp(
        `^500 undefined rpc error: code = ResourceExhausted desc = trying to send message larger than max \\(${size} vs. 2097152\\)$`,
      ),
    );

  beforeAll(async () => {
    expect(await said("POST", definitions, definition("foos"))).toBe("201");
    await eventually(async () => expect(await said("GET", foos)).toBe("200"));
  });
  afterAll(async () => {
    await send("DELETE", `${definitions}/foos.${group}`);
  });

  it("refuses custom resources by their size as JSON", async () => {
    expect(await said("POST", foos, foo("a", 1_572_400))).toBe("201");
    expect(await said("POST", foos, foo("b", 1_572_700))).toBe(tooLarge);
    expect(await said("POST", foos, foo("c", 2_096_000))).toBe(tooLarge);
    expect(await said("POST", foos, foo("d", 2_200_000))).toEqual(tooLargeToSend("2200\\d{3}"));
    // Go escapes what could end a script.
    expect(await said("POST", foos, foo("e", 270_000, "<"))).toBe(tooLarge);
    expect(await said("POST", foos, foo("f", 520_000, "€"))).toBe("201");
    expect(await said("POST", foos, foo("g", 530_000, "€"))).toBe(tooLarge);
    expect(await said("POST", `${foos}?dryRun=All`, foo("h", 1_600_000))).toBe("201");
  });

  it("refuses what grows too large, on either endpoint", async () => {
    expect(await said("POST", foos, foo("grown", 800_000))).toBe("201");
    const more = "y".repeat(800_000);
    for (const [endpoint, field] of [
      ["", "spec"],
      ["/status", "status"],
    ] as const) {
      const change = { [field]: { more } };
      expect(await said("PATCH", `${foos}/grown${endpoint}`, change, merge)).toBe(tooLarge);
      expect(await said("PATCH", `${foos}/grown${endpoint}?dryRun=All`, change, merge)).toBe("200");
    }
    const { body } = await send("GET", `${foos}/grown`);
    expect(JSON.stringify(body)).not.toContain("yyy");
    const replaced = { ...foo("grown", 1_600_000), metadata: metadataOf(body) };
    expect(await said("PUT", `${foos}/grown`, replaced)).toBe(tooLarge);
    expect(
      await said("PATCH", `${foos}/grown?fieldManager=m&force=true`, foo("grown", 1_600_000), apply),
    ).toBe(tooLarge);
  });

  it("refuses Kubernetes' own types by their size as protobuf, and definitions by that as JSON", async () => {
    expect(await said("POST", deployments, deployment("a", { args: ["x".repeat(1_570_000)] }))).toBe("201");
    expect(await said("POST", deployments, deployment("b", { args: ["x".repeat(1_573_000)] }))).toBe(
      tooLarge,
    );
    expect(await said("POST", deployments, deployment("c", { args: ["x".repeat(2_100_000)] }))).toEqual(
      tooLargeToSend("2100\\d{3}"),
    );
    expect(await said("POST", definitions, definition("bars", "x".repeat(1_580_000)))).toBe(tooLarge);
    for (const name of ["a", "b", "c"]) await send("DELETE", `${deployments}/${name}`);
  });

  describe("stores without the owners of its fields what is too large with them", () => {
    it.each([
      ["created", (body: Body) => said("POST", deployments, body), "201"],
      ["replaced", (body: Body) => said("PUT", `${deployments}/replaced`, body), "200"],
      ["patched", (body: Body) => said("PATCH", `${deployments}/patched`, body, merge), "200"],
    ])("%s", { timeout: 60_000 }, async (name, write, status) => {
      if (name !== "created") expect(await said("POST", deployments, deployment(name, {}))).toBe("201");
      expect(await write(deployment(name, variables(54_000)))).toBe(status);
      const { body } = await send("GET", `${deployments}/${name}`);
      expect(metadataOf(body)["managedFields"]).toBeUndefined();
      expect(JSON.stringify(body).length).toBeGreaterThan(1_600_000);
      await send("DELETE", `${deployments}/${name}`);
    });

    it("but not by an apply", { timeout: 60_000 }, async () => {
      const path = `${deployments}/applied?fieldManager=m`;
      expect(await said("PATCH", path, deployment("applied", variables(54_000)), apply)).toMatch(
        /^500 undefined (etcdserver: request is too large|rpc error: .*trying to send message larger than max \(\d+ vs\. 2097152\))$/,
      );
    });
  });
}
