import { describe, expect, it } from "vitest";
import {
  conversionFailureOf,
  convertObject,
  failedAnnotation,
  keptAnnotation,
  type ConvertedObject,
} from "../../../src/kinds/versions/convert.ts";
import { reviewConversion } from "../../../src/kinds/versions/conversion-review.ts";
import { Store } from "./three-versions.ts";

const metadata = { name: "a", namespace: "default", uid: "u", resourceVersion: "7", generation: 3 };

function store(
  version: string,
  spec: object,
  more: object = {},
): ConvertedObject & { spec: object; metadata: object } {
  return { apiVersion: `data.example.com/${version}`, kind: "Store", metadata, spec, ...more } as never;
}

const convert = <T extends ConvertedObject>(object: T, to: string): T => convertObject(Store, object, to);

/** What clients change: only the spec. */
function withSpec<T extends object>(object: T, spec: object): T {
  return { ...object, spec };
}

const rich = store("v1", {
  size: { amount: 1500, unit: "Mi" },
  users: [{ name: "ada", quota: 5 }, { name: "bob" }],
  notes: { team: "blue" },
});

describe("the conversion between versions", () => {
  it("converts by the author's functions, with the defaults of the version", () => {
    expect(convert(store("v1alpha1", { sizeMb: 2048, owner: "ada" }), "v1")).toMatchObject({
      apiVersion: "data.example.com/v1",
      kind: "Store",
      spec: { size: { amount: 2, unit: "Gi" }, users: [{ name: "ada" }] },
    });
  });

  it("converts between two others by way of the kind's own version", () => {
    expect(convert(store("v1alpha1", { sizeMb: 2048, owner: "ada" }), "v1beta1").spec).toEqual({
      sizeGb: 2,
      users: ["ada"],
    });
  });

  it("changes nothing of the metadata but annotations, and nothing of the lifecycle and the conditions", () => {
    const object = store(
      "v1",
      { size: { amount: 1, unit: "Gi" }, users: [], lifecycle: { desiredState: "Running" } },
      {
        status: {
          endpoint: "a:1",
          users: 4,
          observedGeneration: 3,
          conditions: [{ type: "Ready" }],
          lifecycle: { state: "Running" },
        },
      },
    );
    const { annotations: _, ...rest } = convert(object, "v1alpha1").metadata as Record<string, unknown>;
    expect(rest).toEqual(metadata);
    expect(convert(object, "v1alpha1")).toMatchObject({
      spec: { sizeMb: 1024, lifecycle: { desiredState: "Running" } },
      status: {
        address: "a:1",
        observedGeneration: 3,
        conditions: [{ type: "Ready" }],
        lifecycle: { state: "Running" },
      },
    });
    expect(convert(object, "v1alpha1")).not.toHaveProperty("status.endpoint");
  });

  it("adds no status to an object that has none", () => {
    expect(
      convert(store("v1", { size: { amount: 1, unit: "Gi" }, users: [] }), "v1alpha1"),
    ).not.toHaveProperty("status");
  });

  it.each(["v1alpha1", "v1beta1"])("gives back exactly what was converted to %s, with no trace", (to) => {
    expect(convert(convert(rich, to), "v1")).toEqual(rich);
  });

  it("gives back what was written in an old version and cannot be expressed in the new one", () => {
    const old = store("v1alpha1", { sizeMb: 700, legacyMode: true });
    expect(convert(convert(old, "v1"), "v1alpha1")).toEqual(old);
    expect(convert(convert(old, "v1beta1"), "v1alpha1")).toEqual(old);
  });

  it("keeps the author's own annotations, and an empty set of them", () => {
    const own = { ...rich, metadata: { ...metadata, annotations: { team: "blue" } } };
    expect(convert(convert(own, "v1alpha1"), "v1")).toEqual(own);
    const empty = { ...rich, metadata: { ...metadata, annotations: {} } };
    expect(convert(convert(empty, "v1beta1"), "v1").metadata).toEqual(metadata);
  });

  it("takes over what is changed in the old version, and keeps the rest", () => {
    const old = convert(rich, "v1alpha1");
    const edited = withSpec(old, { ...old.spec, sizeMb: 4096 });
    expect(convert(edited, "v1").spec).toEqual({
      ...rich.spec,
      size: { amount: 4, unit: "Gi" },
    });
  });

  it("keeps what was lost of the items of a list that are still there, wherever they are", () => {
    const old = convert(rich, "v1beta1");
    const edited = withSpec(old, { ...old.spec, users: ["eve", "ada"] });
    expect(convert(edited, "v1").spec).toMatchObject({ users: [{ name: "eve" }, { name: "ada", quota: 5 }] });
  });

  it("does not bring back what was inside a field that is removed in the meantime", () => {
    const old = convert(store("v1alpha1", { sizeMb: 700, legacyMode: true }), "v1");
    const later = withSpec(old, { size: { amount: 9, unit: "Gi" }, users: [] });
    expect(convert(later, "v1alpha1").spec).toEqual({ sizeMb: 9216, legacyMode: true });
  });

  it.each([
    ["not JSON", "{"],
    ["of another form", '{"v1":{"fields":[{"path":[]}]},"v1beta1":3}'],
    ["of a version that is gone", '{"v1alpha0":{"whole":{"spec":{},"status":{},"shown":{}}}}'],
    [
      "not accepted by the schema",
      '{"v1":{"fields":[{"path":["spec","size"],"was":{"amount":1,"unit":"Gi"},"is":7}]}}',
    ],
    ["about the prototype", '{"v1":{"fields":[{"path":["spec","__proto__","polluted"],"is":true}]}}'],
  ])("ignores a kept part that is %s", (_, text) => {
    const object = {
      ...store("v1beta1", { sizeGb: 1, users: [] }),
      metadata: { ...metadata, annotations: { [keptAnnotation]: text } },
    };
    expect(convert(object, "v1").spec).toEqual({ size: { amount: 1, unit: "Gi" }, users: [] });
    expect({}).not.toHaveProperty("polluted");
  });

  it("does not let a function change the object that it is given", () => {
    const frozen = Object.freeze(
      store("v1beta1", Object.freeze({ sizeGb: 1, users: Object.freeze(["ada"]) })),
    );
    expect(() => convert(frozen, "v1")).not.toThrow();
  });

  it("refuses a version that the kind does not have", () => {
    expect(() => convert(rich, "v2")).toThrow(expect.objectContaining({ code: "VERSION_UNKNOWN" }));
  });
});

describe("an object that cannot be converted", () => {
  const poison = store("v1alpha1", { sizeMb: 2048, owner: "nobody", legacyMode: true });
  const marked = convert(poison, "v1") as typeof poison & {
    metadata: { annotations: Record<string, string> };
  };

  it("is shown with what the version accepts of it, and says why", () => {
    expect(marked).toMatchObject({ apiVersion: "data.example.com/v1", spec: { users: [] } });
    expect(marked.metadata.annotations[failedAnnotation]).toBe("v1alpha1 to v1: nobody cannot own a store");
    expect(conversionFailureOf(marked)).toEqual({
      from: "v1alpha1",
      reason: "v1alpha1 to v1: nobody cannot own a store",
    });
  });

  it("is whole again in its own version, whichever way it went", () => {
    expect(convert(marked, "v1alpha1")).toEqual(poison);
    expect(convert(convert(marked, "v1beta1"), "v1alpha1")).toEqual(poison);
    expect(convert(convert(poison, "v1beta1"), "v1alpha1")).toEqual(poison);
  });

  it("is converted once it is corrected where it was written", () => {
    const corrected = withSpec(convert(marked, "v1alpha1"), { sizeMb: 2048, owner: "ada", legacyMode: true });
    const converted = convert(corrected, "v1");
    expect(converted.spec).toEqual({ size: { amount: 2, unit: "Gi" }, users: [{ name: "ada" }] });
    expect(conversionFailureOf(converted)).toBeUndefined();
    expect(converted.metadata).not.toHaveProperty(["annotations", failedAnnotation]);
  });

  it("names the fields where it is older than the schema of its own version, or does not become one of the kind's", () => {
    const reasonOf = (object: Parameters<typeof convert>[0]): string | undefined =>
      conversionFailureOf(convert(object, "v1"))?.reason;
    expect(reasonOf(store("v1alpha1", { owner: "ada" }))).toMatch(
      /^v1alpha1 to v1: spec\.sizeMb: Invalid input: expected number.* \(the result is not a v1: spec\.size\.amount: /,
    );
    expect(reasonOf(store("v1alpha1", { sizeMb: 1024, owner: "" }))).toMatch(
      /^v1alpha1 to v1: spec\.owner: Too small.* \(the result is not a v1: spec\.users\[0\]\.name: Too small/,
    );
    const old = store("v1beta1", { sizeGb: 2, users: "ada" });
    expect(reasonOf(old)).toMatch(
      /^v1beta1 to v1: spec\.users: Invalid input: expected array.* \(users\.map is not/,
    );
    expect(convert(convert(old, "v1"), "v1beta1")).toEqual(old);
  });

  it("is what it is made to be where it is shown", () => {
    const corrected = withSpec(marked, { size: { amount: 3, unit: "Gi" }, users: [] });
    expect(conversionFailureOf(corrected)).toBeUndefined();
    expect(convert(corrected, "v1beta1").spec).toEqual({ sizeGb: 3, users: [] });
    expect(convert(corrected, "v1alpha1").spec).toEqual({ sizeMb: 3072, legacyMode: false });
  });
});

describe("a conversion review", () => {
  const review = (desiredAPIVersion: string, objects: readonly object[]): object => ({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "ConversionReview",
    request: { uid: "r-1", desiredAPIVersion, objects },
  });

  it("is answered with all objects, in order, under its uid", () => {
    const objects = [store("v1alpha1", { sizeMb: 1024 }), store("v1beta1", { sizeGb: 7 }), rich];
    const { answer, failures } = reviewConversion(Store, review("data.example.com/v1", objects));
    expect(answer).toMatchObject({
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "ConversionReview",
      response: { uid: "r-1", result: { status: "Success" } },
    });
    const amounts = answer.response.convertedObjects?.map((each) => (each as typeof rich).spec);
    expect(amounts).toMatchObject([
      { size: { amount: 1 } },
      { size: { amount: 7 } },
      { size: { amount: 1500 } },
    ]);
    expect(failures).toEqual([]);
  });

  it("is not failed by one object that cannot be converted", () => {
    const objects = [
      store("v1alpha1", { sizeMb: 1024, owner: "nobody" }),
      store("v1alpha1", { sizeMb: 1024 }),
    ];
    const { answer, failures } = reviewConversion(Store, review("data.example.com/v1", objects));
    expect(answer.response.convertedObjects).toHaveLength(2);
    expect(failures).toEqual(["default/a: v1alpha1 to v1: nobody cannot own a store"]);
  });

  it.each([
    ["version", "data.example.com/v3", "Store has no version v3"],
    ["group", "web.example.com/v1", "Store is of the group data.example.com, not of web.example.com"],
  ])("fails as a whole, with the reason, for a %s that the kind does not have", (_, desired, message) => {
    const { answer } = reviewConversion(Store, review(desired, [rich]));
    expect(answer.response).toEqual({ uid: "r-1", result: { status: "Failure", message } });
  });

  it.each([
    undefined,
    "text",
    {},
    { ...review("data.example.com/v1", []), apiVersion: "v1" },
    review("data.example.com/v1", [{}]),
  ])("refuses what is not one: %j", (body) => {
    expect(() => reviewConversion(Store, body)).toThrow(
      expect.objectContaining({ code: "CONVERSION_REVIEW_MALFORMED" }),
    );
  });
});
