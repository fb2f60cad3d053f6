import { describe, expect, it } from "vitest";
import type { KeysOf } from "../../../../src/cluster/pods/pod-sources.ts";
import { containerEnvironment } from "../../../../src/cluster/pods/process/container-environment.ts";
import type { Pod } from "../../../../src/kinds/builtin/core.ts";
import type { Container } from "../../../../src/kinds/builtin/parts.ts";

const pod: Pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    namespace: "shop",
    name: "db-0",
    uid: "u-1",
    resourceVersion: "1",
    creationTimestamp: "2026-01-01T00:00:00Z",
    labels: { app: "db" },
    annotations: { "a.b/c": "noted" },
  },
  spec: { containers: [], nodeName: "node-1" },
};

const keysOf: KeysOf = async (kind, name) => {
  const encode = (keys: Record<string, string>): Record<string, Uint8Array> =>
    Object.fromEntries(Object.entries(keys).map(([key, value]) => [key, Buffer.from(value)]));
  if (kind === "ConfigMap" && name === "settings") return encode({ LEVEL: "debug", PORT: "1" });
  if (kind === "Secret" && name === "login") return encode({ password: "pässword" });
  return undefined;
};

function environmentOf(container: Omit<Container, "name">, base: Record<string, string> = {}) {
  const facts = { podIP: "127.130.0.7", hostIP: "127.0.0.1" };
  return containerEnvironment({ pod, container: { name: "c", ...container }, facts, keysOf, base });
}

describe("container environment", () => {
  it("takes literals, and expands earlier variables in them", async () => {
    const env = [
      { name: "HOST", value: "db" },
      { name: "URL", value: "http://$(HOST):$(PORT)/$(LATER)" },
      { name: "LATER", value: "x" },
    ];
    expect(await environmentOf({ env }, { PORT: "80" })).toEqual({
      PORT: "80",
      HOST: "db",
      URL: "http://db:80/$(LATER)",
      LATER: "x",
    });
  });

  it("reads keys of config maps and secrets", async () => {
    const env = [
      { name: "LEVEL", valueFrom: { configMapKeyRef: { name: "settings", key: "LEVEL" } } },
      { name: "PASSWORD", valueFrom: { secretKeyRef: { name: "login", key: "password" } } },
    ];
    expect(await environmentOf({ env })).toEqual({ LEVEL: "debug", PASSWORD: "pässword" });
  });

  it("takes whole config maps and secrets, which own variables override", async () => {
    const envFrom = [
      { prefix: "CFG_", configMapRef: { name: "settings" } },
      { secretRef: { name: "login" } },
    ];
    const env = [{ name: "CFG_PORT", value: "2" }];
    expect(await environmentOf({ envFrom, env })).toEqual({
      CFG_LEVEL: "debug",
      CFG_PORT: "2",
      password: "pässword",
    });
  });

  it.each([
    ["metadata.name", "db-0"],
    ["metadata.namespace", "shop"],
    ["metadata.uid", "u-1"],
    ["metadata.labels['app']", "db"],
    ["metadata.annotations['a.b/c']", "noted"],
    ["metadata.annotations['missing']", ""],
    ["spec.nodeName", "node-1"],
    ["spec.serviceAccountName", "default"],
    ["status.podIP", "127.130.0.7"],
    ["status.hostIP", "127.0.0.1"],
  ])("reads the pod's %s", async (fieldPath, value) => {
    const env = [{ name: "FIELD", valueFrom: { fieldRef: { fieldPath } } }];
    expect(await environmentOf({ env })).toEqual({ FIELD: value });
  });

  it("reads limits in the unit that is asked for", async () => {
    const resources = { limits: { memory: "64Mi", cpu: "250m" } };
    const env = [
      { name: "MEMORY", valueFrom: { resourceFieldRef: { resource: "limits.memory", divisor: "1Mi" } } },
      { name: "CPU", valueFrom: { resourceFieldRef: { resource: "limits.cpu" } } },
      { name: "MILLI", valueFrom: { resourceFieldRef: { resource: "limits.cpu", divisor: "1m" } } },
    ];
    expect(await environmentOf({ env, resources })).toEqual({ MEMORY: "64", CPU: "1", MILLI: "250" });
  });

  it.each([
    [
      { env: [{ name: "A", valueFrom: { secretKeyRef: { name: "none", key: "k" } } }] },
      'secret "none" not found',
    ],
    [
      { env: [{ name: "A", valueFrom: { configMapKeyRef: { name: "settings", key: "k" } } }] },
      "couldn't find key k in ConfigMap shop/settings",
    ],
    [{ envFrom: [{ configMapRef: { name: "none" } }] }, 'configmap "none" not found'],
    [
      { env: [{ name: "A", valueFrom: { fieldRef: { fieldPath: "spec.x" } } }] },
      "unsupported fieldPath: spec.x",
    ],
  ])("refuses to start without what %j refers to", async (container, message) => {
    await expect(environmentOf(container)).rejects.toMatchObject({
      reason: "CreateContainerConfigError",
      message,
    });
  });

  it("leaves out optional references that lead nowhere", async () => {
    const env = [
      { name: "A", valueFrom: { secretKeyRef: { name: "none", key: "k", optional: true } } },
      { name: "B", valueFrom: { configMapKeyRef: { name: "settings", key: "k", optional: true } } },
    ];
    const envFrom = [{ secretRef: { name: "none", optional: true } }];
    expect(await environmentOf({ env, envFrom })).toEqual({});
  });
});
