// What several of the built-in kinds have: pod templates, replicas, conditions, directives of strategic merge patches.
import type { FieldChoices, Fields } from "./random-kind.ts";

export const selector = { matchLabels: { app: "a" } };
export const container = { name: "c", image: "i" };
export const template = { metadata: { labels: { app: "a" } }, spec: { containers: [container] } };

/** Fields of the pods in a template at a path. */
export function podFields(...at: readonly string[]): readonly FieldChoices[] {
  const first = [...at, "spec", "containers", 0];
  return [
    { path: [...first, "image"], right: ["i", "j:2", "k"], wrong: ["", 1] },
    {
      path: [...first, "env"],
      right: [
        [{ name: "A", value: "1" }],
        [
          { name: "B", value: "2" },
          { name: "A", value: "3" },
        ],
        [{ name: "F", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
        [],
      ],
      wrong: [
        [{ value: "x" }],
        [{ name: "A", value: "1", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
      ],
    },
    {
      path: [...first, "ports"],
      right: [
        [{ containerPort: 80 }],
        [
          { containerPort: 80, name: "http" },
          { containerPort: 80, protocol: "UDP", name: "quic" },
        ],
        [],
      ],
      wrong: [[{ containerPort: 0 }], [{ containerPort: 80, protocol: "X" }], [{ containerPort: "80" }]],
    },
    {
      path: [...first, "resources"],
      right: [
        { requests: { cpu: "100m" } },
        { limits: { cpu: 1, memory: "1Gi" } },
        { limits: { memory: "0.5Gi" } },
        {},
      ],
      wrong: [{ requests: { cpu: "2" }, limits: { cpu: "1" } }, { requests: { cpu: "x" } }],
    },
    {
      path: [...first, "readinessProbe"],
      right: [{ httpGet: { port: 80 } }, { exec: { command: ["true"] }, periodSeconds: 3 }],
      wrong: [{ periodSeconds: 1 }, { tcpSocket: { port: 0 } }],
    },
    { path: [...first, "command"], right: [["a", "b"], ["a"], []], wrong: ["a"] },
    { path: [...first, "volumeMounts"], right: [[]], wrong: [[{ name: "absent", mountPath: "/x" }]] },
    {
      path: [...at, "spec", "containers"],
      right: [[container, { name: "d", image: "i" }], [container], [{ name: "d", image: "j" }, container]],
      wrong: [[], [container, container], [{ image: "i" }]],
    },
    {
      path: [...at, "spec", "volumes"],
      right: [[{ name: "v", emptyDir: {} }], [{ name: "w", configMap: { name: "x" } }], []],
      wrong: [[{ name: "v" }, { name: "v" }], [{ name: "v", emptyDir: {}, hostPath: { path: "/" } }]],
    },
    {
      path: [...at, "spec", "tolerations"],
      right: [[{ key: "a", operator: "Exists", effect: "NoSchedule" }], []],
      wrong: [[{ operator: "X" }]],
    },
    { path: [...at, "spec", "nodeSelector"], right: [{ a: "b" }, {}], wrong: [{ "-": "b" }] },
    { path: [...at, "spec", "terminationGracePeriodSeconds"], right: [5, 0], wrong: [-1, "x"] },
    { path: [...at, "spec", "serviceAccountName"], right: ["default"], wrong: ["A B"] },
    { path: [...at, "spec", "unknown"], right: [1] },
  ];
}

export const replicas: FieldChoices = {
  path: ["spec", "replicas"],
  right: [0, 2, 3, null],
  wrong: [-1, "2", 1.5],
};
export const conditions = (...types: readonly string[]): FieldChoices => ({
  path: ["status", "conditions"],
  right: [
    [{ type: types[0], status: "True", reason: "R" }],
    types.map((type) => ({ type, status: "False", reason: "S", message: "m" })),
    [],
  ],
  wrong: [[{ type: types[0] }], "x"],
});
export const counts = (...names: readonly string[]): readonly FieldChoices[] =>
  names.map((name) => ({ path: ["status", name], right: [1, 2, 0], wrong: [-1, "x"] }));

export const podDirectives = (inTemplate: (spec: Fields) => Fields): readonly Fields[] => [
  inTemplate({ containers: [{ name: "d", $patch: "delete" }] }),
  inTemplate({ containers: [{ name: "c", $patch: "replace", image: "z" }] }),
  inTemplate({ containers: [{ name: "c", env: [{ name: "A", $patch: "delete" }] }] }),
  inTemplate({ $setElementOrder: [], containers: [{ name: "e", image: "e" }] }),
  inTemplate({
    "$setElementOrder/containers": [{ name: "e" }, { name: "c" }],
    containers: [{ name: "e", image: "e" }],
  }),
  inTemplate({ $patch: "x" }),
  inTemplate({ $retainKeys: ["containers"], containers: [container] }),
  inTemplate({ containers: [{ image: "no name" }] }),
];
export const metadataDirectives: readonly Fields[] = [
  {
    metadata: {
      finalizers: ["example.com/b"],
      "$setElementOrder/finalizers": ["example.com/b", "example.com/a"],
    },
  },
  { metadata: { labels: { $patch: "replace", app: "b" } } },
  { metadata: { annotations: null } },
  { metadata: { ownerReferences: [{ uid: "6dcdde8a-0000-4000-8000-000000000001", $patch: "delete" }] } },
];
