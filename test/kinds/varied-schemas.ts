// Thirty kinds, each of one construct that a schema may have: what is accepted by it, and what is refused and how.
import { z } from "zod";
import { defineKind } from "../../src/kinds/define-kind.ts";
import type { KindValidation } from "../../src/kinds/kind-validation.ts";

/** A kind with an object that it accepts and one that it refuses. */
export interface VariedKind {
  readonly construct: string;
  readonly kind: ReturnType<typeof kindOf>;
  readonly valid: object;
  readonly invalid: object;
  /** What the refusal says: the field, and why. */
  readonly refusal: RegExp;
}

type Fields = Readonly<Record<string, z.ZodType>>;

interface More {
  readonly validations?: readonly KindValidation[];
}

function kindOf(index: number, fields: Fields, more: More) {
  return defineKind({
    group: "varied.example.com",
    version: "v1",
    kind: `Form${String.fromCodePoint(65 + Math.floor(index / 26))}${String.fromCodePoint(97 + (index % 26))}`,
    spec: z.object(fields),
    ...more,
  });
}

const quantity = z.string().regex(/^\d+(\.\d+)?([KMGTPE]i?|m)?$/);
const port = z.object({
  name: z.string(),
  port: z.int().min(1).max(65_535),
  protocol: z.enum(["TCP", "UDP"]),
});

const rows: readonly (readonly [string, Fields, object, object, RegExp, More?])[] = [
  ["texts with a length", { a: z.string().min(2).max(4) }, { a: "abc" }, { a: "a" }, /spec\.a: .*2/],
  ["a pattern", { a: z.string().regex(/^[a-z]+$/) }, { a: "abc" }, { a: "A1" }, /spec\.a: .*\^\[a-z\]\+\$/],
  [
    "several patterns",
    { a: z.string().startsWith("db-").endsWith("-0") },
    { a: "db-x-0" },
    { a: "db-x-1" },
    /spec\.a/,
  ],
  [
    "values that are listed",
    { a: z.enum(["fast", "safe"]), b: z.literal([1, 5, 9]) },
    { a: "safe", b: 9 },
    { a: "wild", b: 9 },
    /spec\.a: Unsupported value: "wild": supported values: "fast", "safe"/,
  ],
  ["integers with bounds", { a: z.int().min(-3).max(9) }, { a: -3 }, { a: 10 }, /spec\.a: .*9/],
  [
    "integers of 64 bits, as far as they are exact",
    { a: z.int() },
    { a: -9_007_199_254_740_991 },
    { a: 1.5 },
    /spec\.a: .*integer/,
  ],
  [
    "numbers",
    { a: z.number().gt(0).lt(1), b: z.number().multipleOf(0.5) },
    { a: 0.25, b: 2.5 },
    { a: 1, b: 2.5 },
    /spec\.a: .*less than 1/,
  ],
  ["booleans", { a: z.boolean() }, { a: false }, { a: "false" }, /spec\.a: .*boolean/],
  [
    "defaults, also below others",
    {
      a: z.string().default("x"),
      b: z.object({ c: z.int().default(7), d: z.array(z.string()).default(["y"]) }).prefault({}),
    },
    {},
    { b: { c: "7" } },
    /spec\.b\.c: .*integer/,
  ],
  [
    "what may be left out, or null",
    { a: z.string().optional(), b: z.string().nullable(), c: z.enum(["x"]).nullable().default("x") },
    { b: null, c: null },
    { a: null, b: 1 },
    /spec\.b: .*string/,
  ],
  [
    "what is required",
    { a: z.object({ b: z.object({ c: z.string() }) }) },
    { a: { b: { c: "x" } } },
    { a: { b: {} } },
    /spec\.a\.b\.c: Required value/,
  ],
  [
    "lists with a length",
    { a: z.array(z.int()).min(1).max(2) },
    { a: [1, 2] },
    { a: [1, 2, 3] },
    /spec\.a: .*2 items/,
  ],
  [
    "lists of lists",
    { a: z.array(z.array(z.object({ b: z.boolean() }))) },
    { a: [[], [{ b: true }]] },
    { a: [[{ b: 1 }]] },
    /spec\.a\[0\]\[0\]\.b/,
  ],
  [
    "lists as sets",
    { a: z.array(z.string()).meta({ "x-kubernetes-list-type": "set" }) },
    { a: ["x", "y"] },
    { a: ["x", "x"] },
    /spec\.a\[1\]: Duplicate value/,
  ],
  [
    "lists with keys",
    {
      ports: z
        .array(port)
        .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["port", "protocol"] }),
    },
    {
      ports: [
        { name: "dns", port: 53, protocol: "TCP" },
        { name: "dns-udp", port: 53, protocol: "UDP" },
      ],
    },
    {
      ports: [
        { name: "dns", port: 53, protocol: "TCP" },
        { name: "other", port: 53, protocol: "TCP" },
      ],
    },
    /spec\.ports\[1\]: Duplicate value/,
  ],
  [
    "lists and objects as a whole",
    {
      a: z.array(z.string()).meta({ "x-kubernetes-list-type": "atomic" }),
      b: z.object({ c: z.string() }).meta({ "x-kubernetes-map-type": "atomic" }),
    },
    { a: ["x", "x"], b: { c: "y" } },
    { a: "x", b: { c: "y" } },
    /spec\.a: .*array/,
  ],
  ["records", { a: z.record(z.string(), z.int().min(0)) }, { a: { x: 1 } }, { a: { x: -1 } }, /spec\.a\.x/],
  [
    "records with checked keys",
    {
      a: z
        .record(
          z
            .string()
            .regex(/^[a-z.]+$/)
            .max(20),
          z.string(),
        )
        .meta({ maxProperties: 8 }),
    },
    { a: { "log.level": "debug" } },
    { a: { "Log Level": "debug" } },
    /spec\.a: .*every key must satisfy/,
  ],
  [
    "records with known keys",
    { a: z.record(z.enum(["cpu", "memory"]), quantity), b: z.partialRecord(z.enum(["x", "y"]), z.int()) },
    { a: { cpu: "500m", memory: "1Gi" }, b: { y: 1 } },
    { a: { cpu: "500m" }, b: {} },
    /spec\.a\.memory: Required value/,
  ],
  [
    "records of records of lists",
    { a: z.record(z.string(), z.record(z.string(), z.array(quantity))) },
    { a: { x: { y: ["1Gi", "2.5M"] } } },
    { a: { x: { y: ["1 Gi"] } } },
    /spec\.a\.x\.y\[0\]/,
  ],
  [
    "integers or texts",
    { a: z.union([z.int().min(1), z.string().regex(/^\d+%$/)]), b: z.union([z.int(), z.literal("auto")]) },
    { a: "25%", b: 3 },
    { a: "a quarter", b: 3 },
    /spec\.a/,
  ],
  [
    "one of several texts",
    { a: z.union([z.ipv4(), z.string().startsWith("host-")]) },
    { a: "host-a" },
    { a: "a" },
    /spec\.a/,
  ],
  [
    "variants, told apart by a field",
    {
      a: z.discriminatedUnion("type", [
        z.object({ type: z.literal("disk"), size: quantity }),
        z.object({ type: z.literal("bucket"), url: z.string(), region: z.string().optional() }),
      ]),
    },
    { a: { type: "bucket", url: "s3://a" } },
    { a: { type: "disk", url: "s3://a" } },
    /spec\.a/,
  ],
  [
    "variants, told apart by what they have",
    { a: z.union([z.object({ secret: z.string() }), z.object({ configMap: z.string(), key: z.string() })]) },
    { a: { configMap: "a", key: "b" } },
    { a: { configMap: "a" } },
    /spec\.a/,
  ],
  [
    "days, times and durations",
    { a: z.iso.date(), b: z.iso.datetime(), c: z.string().regex(/^\d+(ms|s|m|h)$/) },
    { a: "2026-02-28", b: "2026-02-28T12:00:00Z", c: "15m" },
    { a: "2026-02-30", b: "2026-02-28T12:00:00Z", c: "15m" },
    /spec\.a/,
  ],
  [
    "addresses and identifiers",
    { a: z.email(), b: z.url(), c: z.ipv4(), d: z.ipv6(), e: z.uuid() },
    {
      a: "ada@example.com",
      b: "https://example.com/a?b=c",
      c: "10.0.0.1",
      d: "fd00::1",
      e: "4e3f9a1e-5a1c-4f7d-9d2b-0a1b2c3d4e5f",
    },
    {
      a: "ada@example.com",
      b: "https://example.com/a?b=c",
      c: "10.0.0.256",
      d: "fd00::1",
      e: "4e3f9a1e-5a1c-4f7d-9d2b-0a1b2c3d4e5f",
    },
    /spec\.c/,
  ],
  ["bytes", { a: z.base64() }, { a: "aGVsbG8=" }, { a: "hello!" }, /spec\.a/],
  [
    "what nobody has to know",
    {
      a: z.unknown(),
      b: z.looseObject({ c: z.int() }),
      d: z.record(z.string(), z.unknown()),
    },
    { a: [{ x: null }, 1, "y"], b: { c: 1, other: { deep: [true] } }, d: { any: "thing" } },
    { a: 1, b: { c: "1" }, d: {} },
    /spec\.b\.c: .*integer/,
  ],
  [
    "whole objects of Kubernetes",
    {
      a: z.looseObject({}).meta({ "x-kubernetes-embedded-resource": true }),
    },
    {
      a: {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "x", labels: { y: "z" } },
        data: { k: "v" },
      },
    },
    { a: { apiVersion: "v1", metadata: { name: "x" } } },
    /spec\.a\.kind: Required value/,
  ],
  [
    "rules about fields, and about what was there before",
    {
      least: z.int(),
      most: z.int(),
      name: z.string().meta({
        "x-kubernetes-validations": [{ rule: "!self.startsWith('kube-')", message: "is reserved" }],
      }),
    },
    { least: 1, most: 2, name: "a" },
    { least: 3, most: 2, name: "a" },
    /spec: .*least must not be above most/,
    {
      validations: [{ rule: "self.least <= self.most", message: "least must not be above most" }],
    },
  ],
];

/** The kinds, in an order that stays. */
export const variedKinds: readonly VariedKind[] = rows.map(
  ([construct, fields, valid, invalid, refusal, more = {}], index) => ({
    construct,
    kind: kindOf(index, fields, more),
    valid,
    invalid,
    refusal,
  }),
);
