// Custom kinds that random operations are about: schemas with defaults, list maps, sets, atomic lists and maps, embedded objects,
// rules, two versions, with and without a status endpoint.
import type { FieldChoices, Fields, RandomKind } from "./random-kind.ts";

const group = "random.example.com";
const text = { type: "string" };
const condition = {
  type: "object",
  required: ["type", "status"],
  properties: { type: text, status: { ...text, enum: ["True", "False", "Unknown"] }, reason: text },
};

const gadgetSpec = {
  type: "object",
  properties: {
    replicas: { type: "integer", format: "int32", minimum: 0, maximum: 10, default: 1 },
    mode: { ...text, enum: ["fast", "slow"], default: "slow" },
    size: { "x-kubernetes-int-or-string": true, default: "10%" },
    ratio: { type: "number" },
    parts: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name", "protocol"],
      items: {
        type: "object",
        required: ["name"],
        properties: {
          name: { ...text, maxLength: 8 },
          protocol: { ...text, default: "TCP" },
          weight: { type: "integer", default: 5 },
          tags: { type: "array", "x-kubernetes-list-type": "set", items: text },
          deep: { type: "object", properties: { a: text, b: { ...text, default: "b" } } },
        },
      },
    },
    tags: {
      type: "array",
      "x-kubernetes-list-type": "set",
      maxItems: 4,
      items: { ...text, pattern: "^[a-z]+$" },
    },
    steps: {
      type: "array",
      "x-kubernetes-list-type": "atomic",
      items: {
        type: "object",
        properties: { run: text, with: { type: "object", additionalProperties: text } },
      },
    },
    plain: { type: "array", items: { type: "integer" } },
    labels: { type: "object", additionalProperties: text },
    limits: { type: "object", "x-kubernetes-map-type": "atomic", additionalProperties: { type: "integer" } },
    nested: {
      type: "object",
      additionalProperties: {
        type: "object",
        properties: { on: { type: "boolean", default: true }, list: { type: "array", items: text } },
      },
    },
    open: {
      type: "object",
      "x-kubernetes-preserve-unknown-fields": true,
      properties: { known: { type: "integer" } },
    },
    template: {
      type: "object",
      "x-kubernetes-embedded-resource": true,
      "x-kubernetes-preserve-unknown-fields": true,
    },
    nothing: { ...text, nullable: true },
    something: { ...text, default: "x" },
    started: { ...text, format: "date-time" },
    window: {
      type: "object",
      default: {},
      properties: { from: { type: "integer", default: 9 }, to: { type: "integer", default: 17 } },
      "x-kubernetes-validations": [
        {
          rule: "!has(self.from) || !has(self.to) || self.from < self.to",
          message: "must not end before it begins",
        },
      ],
    },
    owner: {
      ...text,
      "x-kubernetes-validations": [
        { rule: "self == oldSelf", message: "is settled once", reason: "FieldValueForbidden" },
      ],
    },
    choice: {
      type: "object",
      properties: { one: text, other: text },
      oneOf: [{ required: ["one"] }, { required: ["other"] }],
    },
  },
  "x-kubernetes-validations": [
    {
      rule: "!has(self.ratio) || self.ratio < 1.0",
      messageExpression: "'too much: %s'.format([self.ratio])",
      fieldPath: ".ratio",
    },
    { rule: "self.replicas >= oldSelf.replicas || self.mode == 'fast'", message: "shrinks only fast" },
  ],
};
const gadgetStatus = {
  type: "object",
  properties: {
    phase: text,
    replicas: { type: "integer" },
    selector: text,
    since: { ...text, default: "never" },
    conditions: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["type"],
      items: condition,
    },
  },
};
const gadgetSubresources = {
  status: {},
  scale: {
    specReplicasPath: ".spec.replicas",
    statusReplicasPath: ".status.replicas",
    labelSelectorPath: ".status.selector",
  },
};

function version(name: string, storage: boolean, schema: unknown, more: Fields = {}): Fields {
  return { name, served: true, storage, schema: { openAPIV3Schema: schema }, ...more };
}

function definition(kind: string, scope: "Namespaced" | "Cluster", versions: readonly Fields[]): Fields {
  const plural = `${kind.toLowerCase()}s`;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: { group, scope, names: { plural, kind }, versions },
  };
}

/** The same fields: what one version does not have, the real server cannot own there, and then it forgets all owners. */
const second = {
  ...gadgetSpec,
  properties: { ...gadgetSpec.properties, something: { ...text, default: "z" } },
};

/** Of two versions that each have a field of their own, and another default; only the second one has a status endpoint. */
const gizmoVersion = (own: Fields, color: string): Fields => ({
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        size: text,
        color: { ...text, default: color },
        sides: { type: "array", "x-kubernetes-list-type": "set", items: text },
        ...own,
      },
    },
    status: { type: "object", properties: { phase: text } },
  },
});

/** The definitions of the kinds. */
export const definitions: readonly Fields[] = [
  definition("Gadget", "Namespaced", [
    version(
      "v1",
      true,
      { type: "object", properties: { spec: gadgetSpec, status: gadgetStatus } },
      {
        subresources: gadgetSubresources,
        selectableFields: [{ jsonPath: ".spec.mode" }],
        additionalPrinterColumns: [{ name: "Mode", type: "string", jsonPath: ".spec.mode" }],
      },
    ),
    version(
      "v2",
      false,
      { type: "object", properties: { spec: second, status: gadgetStatus } },
      {
        subresources: gadgetSubresources,

        deprecated: true,
      },
    ),
  ]),
  definition("Widget", "Cluster", [
    version("v1", true, { type: "object", "x-kubernetes-preserve-unknown-fields": true }),
  ]),
  definition("Gizmo", "Namespaced", [
    version("v1", true, gizmoVersion({ old: text }, "red")),
    version("v2", false, gizmoVersion({ young: { type: "integer", default: 3 } }, "blue"), {
      subresources: { status: {} },
    }),
  ]),
  definition("Form", "Namespaced", [
    version("v1", true, {
      type: "object",
      required: ["spec"],
      properties: {
        spec: {
          type: "object",
          required: ["title"],
          properties: {
            title: { ...text, minLength: 2, maxLength: 5 },
            count: { type: "integer", minimum: 1, exclusiveMinimum: true, multipleOf: 2 },
            kinds: { type: "array", uniqueItems: false, minItems: 1, items: { ...text, enum: ["a", "b"] } },
            map: {
              type: "object",
              minProperties: 1,
              maxProperties: 2,
              additionalProperties: { type: "integer" },
            },
            any: { anyOf: [{ minimum: 5 }, { maximum: 0 }], type: "integer" },
            not: { type: "integer", not: { enum: [3] } },
            date: { ...text, format: "date" },
            bytes: { ...text, format: "byte" },
            uuid: { ...text, format: "uuid" },
            flag: { type: "boolean" },
          },
        },
        status: { type: "object", properties: { count: { type: "integer" } } },
      },
    }),
  ]),
];

const gadgetFields: readonly FieldChoices[] = [
  { path: ["spec", "replicas"], right: [1, 2, 3, null], wrong: [11, -1, "1", 1.5] },
  { path: ["spec", "mode"], right: ["fast", "slow", null], wrong: ["x", 1] },
  { path: ["spec", "size"], right: [5, "5%", null], wrong: [true, 1.5, {}] },
  { path: ["spec", "ratio"], right: [0.5, 0, -1], wrong: [1, 2.5, "0.5"] },
  {
    path: ["spec", "parts"],
    right: [
      [{ name: "a" }],
      [{ name: "a", protocol: "UDP" }, { name: "a" }],
      [{ name: "b", weight: 7, tags: ["x", "y"], deep: { a: "1" } }],
      [{ name: "b" }, { name: "a", weight: null }],
      [],
    ],
    wrong: [
      [{ name: "a" }, { name: "a" }],
      [{ weight: 1 }],
      [{ name: "much-too-long" }],
      "x",
      [1],
      [{ name: "a", unknown: 1 }],
    ],
  },
  { path: ["spec", "parts", 0, "weight"], right: [1, 2], wrong: ["x"] },
  { path: ["spec", "parts", 0, "deep"], right: [{ a: "1" }, { b: "2" }, {}], wrong: [[]] },
  {
    path: ["spec", "tags"],
    right: [["a"], ["b", "a"], ["a", "c"], []],
    wrong: [["a", "a"], ["A"], ["a", "b", "c", "d", "e"], [1]],
  },
  {
    path: ["spec", "steps"],
    right: [[{ run: "x" }], [{ run: "x", with: { a: "1" } }, { run: "y" }], []],
    wrong: [[{ run: 1 }], [null]],
  },
  { path: ["spec", "plain"], right: [[1, 2], [2, 2], []], wrong: [["x"]] },
  { path: ["spec", "labels", "k"], right: ["1", "2"], wrong: [1] },
  { path: ["spec", "labels"], right: [{ k: "1", l: "2" }, {}], wrong: [[]] },
  { path: ["spec", "limits"], right: [{ a: 1 }, { a: 1, b: 2 }, {}], wrong: [{ a: "x" }] },
  { path: ["spec", "nested", "n"], right: [{}, { on: false }, { list: ["x"] }, { list: [] }], wrong: ["x"] },
  {
    path: ["spec", "open"],
    right: [{ x: { y: [1, { z: null }] } }, { known: 1, t: "u" }, {}],
    wrong: [{ known: "x" }],
  },
  { path: ["spec", "open", "known"], right: [1, 2], wrong: ["x"] },
  {
    path: ["spec", "template"],
    right: [{ apiVersion: "v1", kind: "X", metadata: { name: "t", labels: { a: "b" } }, data: 1 }],
    wrong: [
      { kind: "X" },
      { apiVersion: "v1", kind: "X", metadata: { name: 1 } },
      { apiVersion: "v1", kind: "X", metadata: { labels: { "-": "x" } } },
    ],
  },
  { path: ["spec", "nothing"], right: ["y", null], wrong: [1] },
  { path: ["spec", "something"], right: ["y", null, ""] },
  { path: ["spec", "started"], right: ["2020-01-01T00:00:00Z"], wrong: ["2020-01-01", "x"] },
  {
    path: ["spec", "window"],
    right: [{ from: 1 }, {}, { from: 3, to: 4 }, null],
    wrong: [{ from: 18 }, { to: "x" }],
  },
  { path: ["spec", "owner"], right: ["o"], wrong: ["p"] },
  { path: ["spec", "choice"], right: [{ one: "1" }, { other: "2" }], wrong: [{}, { one: "1", other: "2" }] },
  { path: ["spec", "unknown"], right: [1, { a: 1 }] },
  { path: ["spec"], right: [{}], wrong: ["x", []] },
  { path: ["status", "phase"], right: ["sent"] },
  { path: ["unknown"], right: ["x"] },
];
const gadgetStatusFields: readonly FieldChoices[] = [
  { path: ["status", "phase"], right: ["Ready", "Waiting", null], wrong: [1] },
  { path: ["status", "replicas"], right: [1, 2], wrong: ["x"] },
  { path: ["status", "selector"], right: ["app=a"], wrong: [1] },
  {
    path: ["status", "conditions"],
    right: [
      [{ type: "A", status: "True" }],
      [
        { type: "B", status: "False", reason: "r" },
        { type: "A", status: "True" },
      ],
      [],
    ],
    wrong: [
      [{ type: "A" }],
      [{ type: "A", status: "X" }],
      [
        { type: "A", status: "True" },
        { type: "A", status: "True" },
      ],
    ],
  },
  { path: ["status", "unknown"], right: [1] },
  { path: ["status"], right: [{}, { phase: "Ready" }], wrong: ["x"] },
];

const gadget: RandomKind = {
  apiVersion: `${group}/v1`,
  kind: "Gadget",
  plural: "gadgets",
  isCustom: true,
  sample: { spec: { mode: "fast" } },
  fields: gadgetFields,
  status: gadgetStatusFields,
  hasScale: true,
  directives: [{ spec: { mode: "slow" } }],
  selectors: ["spec.mode=fast", "spec.mode!=fast,metadata.name=one", "spec.size=1"],
  watched: "spec.mode=fast",
};

const gizmo = (of: "v1" | "v2"): RandomKind => ({
  apiVersion: `${group}/${of}`,
  kind: "Gizmo",
  plural: "gizmos",
  isCustom: true,
  sample: { spec: { size: "s" } },
  fields: [
    { path: ["spec", "size"], right: ["m", "l", null], wrong: [1] },
    { path: ["spec", "color"], right: ["green", null], wrong: [1] },
    { path: ["spec", "sides"], right: [["a"], ["b", "a"], []], wrong: [["a", "a"]] },
    { path: ["spec", "old"], right: ["o", "p"], wrong: [1] },
    { path: ["spec", "young"], right: [4, 5], wrong: ["x"] },
    { path: ["status", "phase"], right: ["On"] },
  ],
  ...(of === "v2" ? { status: [{ path: ["status", "phase"], right: ["On", "Off", null], wrong: [1] }] } : {}),
});

/** The kinds. */
export const customKinds: readonly RandomKind[] = [
  gadget,
  {
    ...gadget,
    apiVersion: `${group}/v2`,
    fields: gadgetFields,
    selectors: ["metadata.name=one"],
    watched: "metadata.name!=two",
  },
  {
    apiVersion: `${group}/v1`,
    kind: "Widget",
    plural: "widgets",
    isClusterScoped: true,
    isCustom: true,
    sample: { spec: { a: 1 } },
    fields: [
      { path: ["spec", "a"], right: [1, "x", null, { b: [1] }, [], [1, "x", [2]], { b: {} }] },
      { path: ["spec", "list"], right: [[{ name: "a" }], [{ name: "a" }, { name: "b" }], []] },
      { path: ["status", "s"], right: [1, 2] },
      { path: ["data"], right: ["x", { y: "z" }, null] },
      { path: ["spec"], right: ["x", {}, [], null] },
    ],
  },
  {
    apiVersion: `${group}/v1`,
    kind: "Form",
    plural: "forms",
    isCustom: true,
    sample: { spec: { title: "abc" } },
    fields: [
      { path: ["spec", "title"], right: ["ab", "abcde"], wrong: ["a", "abcdef", 1, null] },
      { path: ["spec", "count"], right: [2, 4], wrong: [1, 3, "2", 2.5] },
      { path: ["spec", "kinds"], right: [["a"], ["a", "b", "a"]], wrong: [[], ["c"], [1]] },
      { path: ["spec", "map"], right: [{ a: 1 }], wrong: [{}, { a: 1, b: 2, c: 3 }, { a: "x" }] },
      { path: ["spec", "any"], right: [5, 0], wrong: [3, "x"] },
      { path: ["spec", "not"], right: [2], wrong: [3] },
      { path: ["spec", "date"], right: ["2020-01-01"], wrong: ["x", "2020-13-01"] },
      { path: ["spec", "bytes"], right: ["MQ=="], wrong: ["?"] },
      { path: ["spec", "uuid"], right: ["6dcdde8a-0000-4000-8000-000000000001"], wrong: ["x"] },
      { path: ["spec", "flag"], right: [true, false], wrong: ["true"] },
      { path: ["spec", "toString"], right: ["x"] },
      { path: ["spec"], right: [], wrong: [{}, null] },
      { path: ["status", "count"], right: [1, 2], wrong: ["x"] },
    ],
  },
  gizmo("v1"),
  gizmo("v2"),
];
