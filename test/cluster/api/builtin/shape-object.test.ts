import { describe, expect, it } from "vitest";
import { builtinSchema } from "../../../../src/cluster/api/builtin/builtin-schemas.ts";
import { isSentEmpty } from "../../../../src/cluster/api/sent-empty.ts";
import { shapeObject } from "../../../../src/cluster/api/builtin/shape-object.ts";

const pod = builtinSchema("io.k8s.api.core.v1.Pod");
const lease = builtinSchema("io.k8s.api.coordination.v1.Lease");
const deployment = builtinSchema("io.k8s.api.apps.v1.Deployment");

describe("shaping an object", () => {
  it("reports unknown fields with their place and leaves them out", () => {
    const { value, unknownFields } = shapeObject(pod, {
      spec: { containers: [{ name: "c", imag: "i" }], nodes: 1 },
    });
    expect(unknownFields).toEqual(["spec.containers[0].imag", "spec.nodes"]);
    expect(value).toEqual({ spec: { containers: [{ name: "c" }] } });
  });

  it("leaves out what is empty, and keeps zero where it means something", () => {
    const { value } = shapeObject(deployment, {
      metadata: { labels: {}, finalizers: [] },
      spec: {
        replicas: 0,
        minReadySeconds: 0,
        paused: false,
        template: { spec: { containers: [], hostNetwork: false } },
      },
      status: null,
    });
    expect(JSON.parse(JSON.stringify(value))).toEqual({
      metadata: {},
      spec: { replicas: 0, template: { spec: { containers: [] } } },
    });
    const { metadata } = value as { metadata: object };
    expect(["labels", "finalizers", "annotations"].filter((name) => isSentEmpty(metadata, name))).toEqual([
      "labels",
      "finalizers",
    ]);
  });

  it("keeps empty structs: an emptyDir says something", () => {
    const { value } = shapeObject(pod, { spec: { volumes: [{ name: "v", emptyDir: {} }] } });
    expect(value).toEqual({ spec: { volumes: [{ name: "v", emptyDir: {} }] } });
  });

  it("reads a quantity that is a number as text", () => {
    const { value } = shapeObject(pod, {
      spec: { containers: [{ name: "c", resources: { limits: { cpu: 1 } } }] },
    });
    expect(value).toMatchObject({ spec: { containers: [{ resources: { limits: { cpu: "1" } } }] } });
  });

  it.each([
    [pod, { spec: "text" }, "cannot unmarshal string into Go struct field Pod.spec of type v1.PodSpec"],
    [
      deployment,
      { spec: { replicas: "2" } },
      "cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32",
    ],
    [
      pod,
      { spec: { containers: {} } },
      "cannot unmarshal object into Go struct field PodSpec.spec.containers of type []v1.Container",
    ],
    [lease, { spec: { renewTime: "2026-01-01T00:00:00.123Z" } }, 'cannot parse ".123Z" as ".000000"'],
    [lease, { spec: { renewTime: "yesterday" } }, 'parsing time "yesterday"'],
  ])("refuses a value of the wrong type (%#)", (schema, value, text) => {
    expect(shapeObject(schema, value).typeErrors[0]).toContain(text);
  });

  it("cuts times to whole seconds, and leaves micro times alone", () => {
    const time = "2026-01-01T00:00:00.123456Z";
    expect(shapeObject(pod, { status: { startTime: time } }).value).toEqual({
      status: { startTime: "2026-01-01T00:00:00Z" },
    });
    expect(shapeObject(lease, { spec: { renewTime: time } }).value).toEqual({ spec: { renewTime: time } });
  });
});
