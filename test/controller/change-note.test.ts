import { describe, expect, it } from "vitest";
import { noteOf } from "../../src/controller/changes/change-note.ts";
import { ConfigMap } from "../../src/kinds/builtin/core.ts";
import type { KubeObject } from "../../src/meta/object.ts";

const configMap = (version: string, fields: number): KubeObject & { readonly data: object } => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: {
    name: "a",
    namespace: "ns",
    uid: "1",
    resourceVersion: version,
    creationTimestamp: "2026-01-01T00:00:00Z",
    labels: { version },
  },
  data: Object.fromEntries(Array.from({ length: fields }, (_, at) => [`key-${at}`, version])),
});

const noteOfChange = (fields: number) =>
  noteOf(
    { type: "modified", old: configMap("1", fields), object: configMap("2", fields) },
    ConfigMap,
    "child",
  );

describe("the note of a change", () => {
  it("names each field that differs", () => {
    const { fields, cause } = noteOfChange(2);
    expect(fields).toEqual(["data.key-0", "data.key-1", "metadata.labels.version"]);
    expect(cause.detail).toBe("data.key-0, data.key-1, metadata.labels");
  });

  it("names what they are in where there are very many, and metadata as ever", () => {
    const { fields, cause } = noteOfChange(10_000);
    expect(fields).toEqual(["data", "metadata.labels.version"]);
    expect(cause.detail).toBe("data, metadata.labels");
  });
});
