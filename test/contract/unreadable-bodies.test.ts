// What is said of bodies that cannot be read, as every API server says it: texts that are no JSON, values that are no objects, objects
// that do not say what they are, and integers that are not written as such.
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { createRawClient, type RawClient } from "./api-server/raw-request.ts";

const read = "couldn't get version/kind; json parse error: ";
const struct =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
const invalid = (character: string, where: string): string =>
  `${read}invalid character '${character}' ${where}`;

/** Bodies with what is said of each, and how its beginning is shown. */
const unreadable: readonly (readonly [body: string, said: string, shown: string])[] = [
  ["{", `${read}unexpected end of JSON input`, "{"],
  ["[1,", `${read}unexpected end of JSON input`, "5b312c"],
  ["{} x", invalid("x", "after top-level value"), "{} x"],
  ["{}{}", invalid("{", "after top-level value"), "{}{}"],
  ['{"a":}', invalid("}", "looking for beginning of value"), '{"a":}'],
  ['{"a" 1}', invalid("1", "after object key"), '{"a" 1}'],
  ['{"a":1 "b"}', invalid('"', "after object key:value pair"), '{"a":1 "b"}'],
  ['{"a":1,}', invalid("}", "looking for beginning of object key string"), '{"a":1,}'],
  ['{"a":[1 2]}', invalid("2", "after array element"), '{"a":[1 2]}'],
  ['{"a":01}', invalid("1", "after object key:value pair"), '{"a":01}'],
  ['{"a":-}', invalid("}", "in numeric literal"), '{"a":-}'],
  ['{"a":1.}', invalid("}", "after decimal point in numeric literal"), '{"a":1.}'],
  ['{"a":1e}', invalid("}", "in exponent of numeric literal"), '{"a":1e}'],
  ['{"a":"\\x"}', invalid("x", "in string escape code"), '{"a":"\\x"}'],
  ['{"a":"\\u00g0"}', invalid("g", "in \\u hexadecimal character escape"), '{"a":"\\u00g0"}'],
  ['{"a":"\n"}', invalid("\\n", "in string literal"), '{"a":"\n"}'],
  ['{"a":trux}', invalid("x", "in literal true (expecting 'e')"), '{"a":trux}'],
  ["nul", invalid(" ", "in literal null (expecting 'l')"), "6e756c"],
  ["[]", `${read}json: cannot unmarshal array into Go value of type ${struct}`, "5b5d"],
  ["true", `${read}json: cannot unmarshal bool into Go value of type ${struct}`, "74727565"],
  ['"a"', `${read}json: cannot unmarshal string into Go value of type ${struct}`, "226122"],
  [
    '{"kind":1}',
    `${read}json: cannot unmarshal number into Go struct field .kind of type string`,
    '{"kind":1}',
  ],
  [
    '{"apiVersion":[]}',
    `${read}json: cannot unmarshal array into Go struct field .apiVersion of type string`,
    '{"apiVersion":[]}',
  ],
  [
    '{"apiVersion":"a/b/c","kind":"Foo"}',
    "unexpected GroupVersion string: a/b/c",
    '{"apiVersion":"a/b/c","kind":" ...',
  ],
];

/** Integers that are not written as such, and what of them is said. */
const numbers: readonly (readonly [written: string, refused: boolean])[] = [
  ["1.0", true],
  ["1e3", true],
  ["1E2", true],
  ["1.50", true],
  ["0.0", true],
  ["9223372036854775808", true],
  ["9223372036854775807", false],
  ["9007199254740993", false],
  ["12", false],
];

const maps = "/api/v1/namespaces/default/configmaps?dryRun=All";
const numbered = "/apis/bodies.example.com/v1/namespaces/default/numbered?dryRun=All";

describeOnEachApiServer("a body that cannot be read", (server) => {
  let client: RawClient;
  beforeAll(async () => {
    client = createRawClient(server());
    await client.send("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "numbered.bodies.example.com" },
      spec: {
        group: "bodies.example.com",
        scope: "Namespaced",
        names: { plural: "numbered", singular: "numbered", kind: "Numbered", listKind: "NumberedList" },
        versions: [
          { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } },
        ],
      },
    });
    await eventually(async () => {
      expect((await client.send("GET", numbered)).status).toBe(200);
    });
  });
  afterAll(() => client.close());

  const said = async (path: string, body: string | Buffer, contentType?: string): Promise<unknown> => {
    const sent = Buffer.from(body);
    const answer = await client.send("POST", path, sent, { contentType: contentType ?? "application/json" });
    return [answer.status, answer.body["message"]];
  };

  it.each(unreadable)("says of %j what is wrong", async (body, text, shown) => {
    for (const [path, kind] of [
      [maps, "ConfigMap"],
      [numbered, "Numbered"],
    ] as const) {
      expect(await said(path, body)).toEqual([
        400,
        `the object provided is unrecognized (must be of type ${kind}): ${text} (${shown})`,
      ]);
    }
  });

  it.each(numbers)("takes %s for no integer: %s", async (written, isRefused) => {
    const body = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","generation":${written}}}`;
    expect(await said(maps, body)).toEqual(
      isRefused
        ? [
            400,
            `ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number ${written} into Go struct field ObjectMeta.metadata.generation of type int64`,
          ]
        : [201, undefined],
    );
  });

  it.each([
    ["of other types", '{"apiVersion":"v1","kind":"ConfigMapList","items":[]}', "ConfigMapList"],
    ["of none", '{"apiVersion":"v1","kind":"Status"}', "Status"],
  ])("knows the kinds %s", async (_, body, kind) => {
    expect(await said(maps, body)).toEqual([
      400,
      `${kind} in version "v1" cannot be handled as a ConfigMap: converting (v1.${kind}) to (core.ConfigMap): unknown conversion`,
    ]);
  });

  it.each([
    ["d9d9f7", "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]"],
    ["6b387300", "empty body"],
  ])("says of protobuf %s what is wrong", async (bytes, text) => {
    expect(await said(maps, Buffer.from(bytes, "hex"), "application/vnd.kubernetes.protobuf")).toEqual([
      400,
      `the object provided is unrecognized (must be of type ConfigMap): ${text} (${bytes})`,
    ]);
  });
});
