import { describe, expect, it } from "vitest";
import { StatefulSet } from "../../src/kinds/builtin/apps.ts";
import {
  encodeSecretValue,
  secretValue,
  withEncodedStringData,
} from "../../src/kinds/builtin/secret-value.ts";
import { builtinTypes, typeOf } from "../../src/kinds/builtin/type-lookup.ts";
import { typeKeyOf } from "../../src/meta/resource-type.ts";

describe("the lookup of built-in types", () => {
  it("finds a type by apiVersion and kind, and is exact about both", () => {
    expect(typeOf("apps/v1", "StatefulSet")).toBe(StatefulSet);
    expect(typeOf("v1", "StatefulSet")).toBeUndefined();
    expect(typeOf("apps/v1", "statefulset")).toBeUndefined();
  });

  it("holds each type once, with a lower-case plural", () => {
    const keys = builtinTypes.map(typeKeyOf);
    expect(new Set(keys).size).toBe(keys.length);
    for (const { plural } of builtinTypes) expect(plural).toMatch(/^[a-z]+$/);
  });

  it("knows which types belong to no namespace", () => {
    const clusterScoped = builtinTypes.filter((type) => !type.namespaced).map((type) => type.kind);
    expect(clusterScoped).toEqual([
      "Namespace",
      "Node",
      "PersistentVolume",
      "MutatingAdmissionPolicy",
      "MutatingAdmissionPolicyBinding",
      "MutatingWebhookConfiguration",
      "ValidatingAdmissionPolicy",
      "ValidatingAdmissionPolicyBinding",
      "ValidatingWebhookConfiguration",
      "CustomResourceDefinition",
      "APIService",
      "CertificateSigningRequest",
      "FlowSchema",
      "PriorityLevelConfiguration",
      "IngressClass",
      "RuntimeClass",
      "ClusterRole",
      "ClusterRoleBinding",
      "DeviceClass",
      "ResourceSlice",
      "PriorityClass",
      "CSIDriver",
      "CSINode",
      "StorageClass",
      "VolumeAttachment",
      "VolumeAttributesClass",
    ]);
  });
});

describe("the plain text of a secret", () => {
  it("is merged into data as the server does it, and wins over it", () => {
    const secret = {
      data: { a: encodeSecretValue("old"), b: encodeSecretValue("kept") },
      stringData: { a: "nëw", c: "" },
    };
    const stored = withEncodedStringData(secret);
    expect(stored).toEqual({ data: { a: "bsOrdw==", b: "a2VwdA==", c: "" } });
    expect(stored).not.toHaveProperty("stringData");
  });

  it("leaves a secret without plain text as it is", () => {
    expect(withEncodedStringData({ data: { a: "eA==" } })).toEqual({ data: { a: "eA==" } });
    expect(withEncodedStringData({})).toEqual({});
  });

  it("is read back by key", () => {
    const secret = { data: { password: encodeSecretValue('p&"ß') } };
    expect(secretValue(secret, "password")).toBe('p&"ß');
    expect(secretValue(secret, "user")).toBeUndefined();
  });
});
