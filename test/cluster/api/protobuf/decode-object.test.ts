import { describe, expect, it } from "vitest";
import { builtinSchema } from "../../../../src/cluster/api/builtin/builtin-schemas.ts";
import { decodeObject, openEnvelope } from "../../../../src/cluster/api/protobuf/decode-object.ts";
import { envelope, field, message } from "../../../support/protobuf-message.ts";

function decode(schema: string, apiVersion: string, kind: string, raw: Buffer): unknown {
  return decodeObject(builtinSchema(schema), openEnvelope(envelope(apiVersion, kind, raw)));
}

describe("protobuf", () => {
  it("reads metadata, maps and bytes", () => {
    const metadata = field(1, message(field(1, "s"), field(11, message(field(1, "l"), field(2, "v")))));
    const data = field(2, message(field(1, "key"), field(2, "value")));
    expect(decode("io.k8s.api.core.v1.Secret", "v1", "Secret", message(metadata, data))).toEqual({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "s", labels: { l: "v" } },
      data: { key: Buffer.from("value").toString("base64") },
    });
  });

  it("reads lists, inlined messages, quantities, integers or strings, booleans and times", () => {
    const volume = field(1, message(field(1, "v"), field(2, field(2, field(2, field(1, "1Gi"))))));
    const get = field(1, field(2, message(field(1, "/x"), field(2, message(field(1, 1), field(3, "http"))))));
    const container = field(2, message(field(1, "c"), field(10, get)));
    const raw = message(field(1, field(8, field(1, 60))), field(2, message(volume, container, field(11, 1))));
    expect(decode("io.k8s.api.core.v1.Pod", "v1", "Pod", raw)).toEqual({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { creationTimestamp: "1970-01-01T00:01:00Z" },
      spec: {
        volumes: [{ name: "v", emptyDir: { sizeLimit: "1Gi" } }],
        containers: [{ name: "c", livenessProbe: { httpGet: { path: "/x", port: "http" } } }],
        hostNetwork: true,
      },
    });
  });

  it("passes over fields that it does not know", () => {
    expect(decode("io.k8s.api.core.v1.ConfigMap", "v1", "ConfigMap", field(14, "future"))).toEqual({
      apiVersion: "v1",
      kind: "ConfigMap",
    });
  });

  it.each([
    ["no magic", Buffer.from("{}")],
    ["a field longer than its message", Buffer.concat([Buffer.from("k8s\u0000"), Buffer.from([10, 99])])],
    ["a number without an end", Buffer.concat([Buffer.from("k8s\u0000"), Buffer.from([8, 255])])],
  ])("refuses %s", (_what, bytes) => {
    expect(() => openEnvelope(bytes)).toThrow(expect.objectContaining({ code: "PROTOBUF_INVALID" }));
  });
});
