// A kind of a file in two versions: what is converted, both ways, and that nothing gets lost.
import { describe, expect, it } from "vitest";
import { crdOf } from "../../src/kinds/crd.ts";
import { readOperatorText } from "../../src/operator-file/parts/read-operator.ts";
import { conversionTests } from "../../src/testing/index.ts";

const { operator, problems } = readOperatorText(
  `
operator: disks
kinds:
  - group: storage.example.com
    version: v1
    kind: Disk
    spec:
      properties:
        size:
          type: object
          properties: { amount: { type: integer, minimum: 1 }, unit: { type: string, enum: [Mi, Gi], default: Gi } }
          required: [amount]
        users: { type: array, items: { type: string }, default: [] }
      required: [size]
    status: { properties: { free: { type: integer } } }
    versions:
      v1alpha1:
        spec:
          properties: { sizeGb: { type: integer, minimum: 1 }, owner: { type: string, minLength: 1 } }
          required: [sizeGb]
        deprecated: use v1
        convert:
          up:
            spec:
              size: { amount: "\${ spec.sizeGb }", unit: Gi }
              users: "\${ has(spec.owner) ? [spec.owner] : [] }"
          down:
            spec:
              sizeGb: "\${ spec.size.unit == 'Gi' ? spec.size.amount : spec.size.amount >= 1024 ? spec.size.amount / 1024 : 1 }"
              owner: "\${ spec.users.size() > 0 && spec.users[0] != '' ? optional.of(spec.users[0]) : optional.none() }"
`,
  "disks.yaml",
);

describe("a kind of a file in two versions", () => {
  const kind = operator?.controllers[0]?.kind;
  if (kind === undefined) throw new Error(JSON.stringify(problems));

  it("is defined in both, of which one is deprecated", () => {
    expect(problems).toEqual([]);
    const { versions } = crdOf(kind, { webhooks: { service: { name: "disks", namespace: "disks" } } }).spec;
    expect(
      versions.map(({ name, storage, deprecationWarning }) => [name, storage, deprecationWarning]),
    ).toEqual([
      ["v1", true, undefined],
      ["v1alpha1", false, "use v1"],
    ]);
  });

  it("is converted by its expressions", () => {
    const convert = kind.versions.find(({ name }) => name === "v1alpha1")?.convert;
    expect(convert?.up({ spec: { sizeGb: 3, owner: "ann" }, status: {} })).toEqual({
      spec: { size: { amount: 3, unit: "Gi" }, users: ["ann"] },
    });
    expect(convert?.down({ spec: { size: { amount: 4096, unit: "Mi" }, users: [] }, status: {} })).toEqual({
      spec: { sizeGb: 4 },
    });
  });

  for (const { name, run } of conversionTests(kind as never)) it(name, run);
});
