import { describe, expect, it } from "vitest";
import { differencesOf } from "../../src/reconcile/comparison/intent-comparison.ts";
import type { ListRules } from "../../src/reconcile/comparison/list-types.ts";

const builtin: ListRules = { builtin: true, kind: "Deployment" };
const custom: ListRules = { builtin: false, kind: "Gateway" };

function pathsOf(declared: unknown, live: unknown, rules: ListRules = builtin): string[] {
  return differencesOf(declared, live, rules).map(({ path }) => path);
}

const inPod = (field: string, value: unknown): unknown => ({
  spec: { containers: [{ name: "a", [field]: value }] },
});

describe("comparison of intent and live object", () => {
  it.each([
    ["what the server added", { a: 1 }, { a: 1, b: 2 }],
    ["a declared null", { a: null }, { a: 1 }],
    ["an empty map that is absent", { a: {} }, {}],
    ["nested empty values that are absent", { a: { b: {}, c: [], d: "" } }, {}],
    ["an empty list that is null", { a: [] }, { a: null }],
    ["false that the server leaves out", inPod("tty", false), inPod("x", 1)],
    [
      "a quantity in another form",
      inPod("resources", { limits: { cpu: "1000m" } }),
      inPod("resources", { limits: { cpu: "1" } }),
    ],
    [
      "a quantity written as a number",
      inPod("resources", { requests: { cpu: 2 } }),
      inPod("resources", { requests: { cpu: "2" } }),
    ],
    [
      "bytes in another unit",
      { spec: { volumes: [{ name: "v", emptyDir: { sizeLimit: "1024Mi" } }] } },
      { spec: { volumes: [{ name: "v", emptyDir: { sizeLimit: "1Gi" } }] } },
    ],
    ["an int-or-string in the other form", { spec: { maxSurge: 1 } }, { spec: { maxSurge: "1" } }],
    [
      "keyed elements in another order",
      { spec: { containers: [{ name: "a" }, { name: "b" }] } },
      { spec: { containers: [{ name: "b" }, { name: "a" }] } },
    ],
    [
      "elements that others added to a keyed list",
      { spec: { containers: [{ name: "a" }] } },
      { spec: { containers: [{ name: "sidecar" }, { name: "a" }] } },
    ],
    [
      "a port without its default protocol",
      inPod("ports", [{ containerPort: 80 }]),
      inPod("ports", [{ containerPort: 80, protocol: "TCP" }]),
    ],
    ["finalizers of others", { metadata: { finalizers: ["a"] } }, { metadata: { finalizers: ["b", "a"] } }],
    [
      "rights in another order",
      { rules: [{ verbs: ["get", "list"] }] },
      { rules: [{ verbs: ["list", "get"] }] },
    ],
    [
      "defaults within a whole-valued list",
      { spec: { ingress: [{ ports: [{ port: 80 }] }] } },
      { spec: { ingress: [{ ports: [{ port: 80, protocol: "TCP" }] }] } },
    ],
    [
      "what others add to maps that are not declared as a whole",
      { spec: { template: { metadata: { labels: { a: "b" } }, spec: { nodeSelector: { a: "b" } } } } },
      {
        spec: { template: { metadata: { labels: { a: "b", c: "d" } }, spec: { nodeSelector: { a: "b" } } } },
      },
    ],
  ])("finds none in %s", (_name, declared, live) => {
    expect(pathsOf(declared, live)).toEqual([]);
  });

  it.each([
    ["another value", { spec: { a: { b: 1 } } }, { spec: { a: { b: 2 } } }, ["spec.a.b"]],
    [
      "what is added to a selector",
      { spec: { selector: { a: "b" }, template: { spec: { nodeSelector: { a: "b" } } } } },
      { spec: { selector: { a: "b", c: "d" }, template: { spec: { nodeSelector: { a: "b", c: "" } } } } },
      ["spec.selector.c", "spec.template.spec.nodeSelector.c"],
    ],
    [
      "what is added to an element of a list without keys",
      { spec: { tolerations: [{ key: "a" }], ingress: [{ from: [{ podSelector: {} }] }] } },
      {
        spec: {
          tolerations: [{ key: "a", operator: "Exists" }],
          ingress: [{ from: [{ podSelector: { matchLabels: { a: "b" } }, namespaceSelector: {} }] }],
        },
      },
      [
        "spec.tolerations[0].operator",
        "spec.ingress[0].from[0].podSelector.matchLabels",
        "spec.ingress[0].from[0].namespaceSelector",
      ],
    ],
    ["a missing field", { spec: { a: 1 } }, { spec: {} }, ["spec.a"]],
    [
      "false that is no default",
      { spec: { automountServiceAccountToken: false } },
      { spec: {} },
      ["spec.automountServiceAccountToken"],
    ],
    [
      "an empty label that is absent",
      { metadata: { labels: { role: "" } } },
      { metadata: {} },
      ["metadata.labels"],
    ],
    [
      "an empty volume that is another kind now",
      { spec: { volumes: [{ name: "v", emptyDir: {} }] } },
      { spec: { volumes: [{ name: "v", hostPath: {} }] } },
      ["spec.volumes[v].emptyDir"],
    ],
    [
      "a missing element",
      { spec: { containers: [{ name: "a" }, { name: "b" }] } },
      { spec: { containers: [{ name: "a" }] } },
      ["spec.containers[b]"],
    ],
    ["a field of an element", inPod("image", "x"), inPod("image", "y"), ["spec.containers[a].image"]],
    [
      "another order of arguments",
      inPod("args", ["a", "b"]),
      inPod("args", ["b", "a"]),
      ["spec.containers[a].args[0]", "spec.containers[a].args[1]"],
    ],
    ["an argument more", inPod("args", ["a"]), inPod("args", ["a", "b"]), ["spec.containers[a].args"]],
    [
      "a right more",
      { rules: [{ verbs: ["get"] }] },
      { rules: [{ verbs: ["get", "delete"] }] },
      ["rules[0].verbs"],
    ],
    [
      "a quantity of another amount",
      inPod("resources", { limits: { cpu: "1" } }),
      inPod("resources", { limits: { cpu: "2" } }),
      ["spec.containers[a].resources.limits.cpu"],
    ],
    [
      "a text that only looks like a quantity",
      { data: { limits: "1000m" } },
      { data: { limits: "1" } },
      ["data.limits"],
    ],
    [
      "a text that only looks like a number",
      { metadata: { labels: { a: "1" } } },
      { metadata: { labels: { a: 1 } } },
      ["metadata.labels.a"],
    ],
    ["a list that became a map", { a: [1] }, { a: {} }, ["a"]],
    ["a map that became a text", { a: { b: 1 } }, { a: "b" }, ["a"]],
    [
      "a narrowed network rule",
      { spec: { ingress: [{}] } },
      { spec: { ingress: [{ from: [] }] } },
      ["spec.ingress[0]"],
    ],
    [
      "init containers in another order",
      { spec: { initContainers: [{ name: "a" }, { name: "b" }] } },
      { spec: { initContainers: [{ name: "b" }, { name: "a" }] } },
      ["spec.initContainers"],
    ],
  ])("finds %s", (_name, declared, live, paths) => {
    expect(pathsOf(declared, live)).toEqual(paths);
  });

  it("takes the lists and numbers of a custom type literally, unless told its keys", () => {
    const declared = { spec: { listeners: [{ name: "a", port: 1 }] } };
    const live = { spec: { listeners: [{ name: "b" }, { name: "a", port: 1 }] } };
    expect(pathsOf(declared, live, custom)).toEqual(["spec.listeners"]);
    expect(pathsOf(declared, live, { ...custom, listKeys: { "spec.listeners": ["name"] } })).toEqual([]);
    expect(
      pathsOf({ spec: { limits: { cpu: "1000m" } } }, { spec: { limits: { cpu: "1" } } }, custom),
    ).toEqual(["spec.limits.cpu"]);
  });

  it("takes the ports of a Service by key, and those of a NetworkPolicy as a whole", () => {
    const declared = { spec: { ports: [{ port: 1 }] } };
    const live = { spec: { ports: [{ port: 2 }, { port: 1 }] } };
    expect(pathsOf(declared, live, { builtin: true, kind: "Service" })).toEqual([]);
    expect(pathsOf(declared, live, { builtin: true, kind: "NetworkPolicy" })).toEqual(["spec.ports"]);
  });
});
