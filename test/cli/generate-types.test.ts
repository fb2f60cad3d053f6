// `generate types` and `generate schema`: a kind as those see it who use it.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runCommand } from "../cli/run-in-process.ts";

const root = join(import.meta.dirname, "../..");
/** A kind with three versions. */
const stores = join(root, "test/kinds/versions/three-versions.ts");

interface VersionSchema {
  readonly properties: {
    readonly apiVersion: { readonly const: string };
    readonly spec: { readonly properties: object };
  };
}

const database = join(root, "examples/database/operator.ts");

describe("the types of a definition", () => {
  it("compile, and hold those who use them to the schema", async () => {
    const { out: crds } = await runCommand(["generate", "crd", database]);
    const { code, out, err } = await runCommand(["generate", "types", "-"], {}, { input: crds });
    expect(code, err).toBe(0);
    const folder = mkdtempSync(join(root, "node_modules/.xstate-operator-types-"));
    try {
      writeFileSync(join(folder, "database.ts"), out);
      writeFileSync(
        join(folder, "use.ts"),
        `import { Database } from "./database.ts";
export const state = (database: Database): string | undefined => database.status?.lifecycle?.state;
export const plural: string = Database.plural;
export const port = (database: Database): number | undefined => database.spec.port;
// @ts-expect-error: there is no such field
export const wrong = (database: Database) => database.spec.nothing;
`,
      );
      const config = { extends: join(root, "tsconfig.json"), include: [join(folder, "*.ts")] };
      writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
      const compiler = join(root, "node_modules/typescript/bin/tsc");
      const { stdout } = spawnSync(process.execPath, [compiler, "-p", folder], { encoding: "utf8" });
      expect(stdout.split("\n").filter((line) => line.includes(".xstate-operator-types-"))).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }, 60_000);

  it("are those of each version that is served, the preferred one by the kind's own name", async () => {
    const { out: crds } = await runCommand(["generate", "crd", stores]);
    const { code, out, err } = await runCommand(["generate", "types", "-"], {}, { input: crds });
    expect(code, err).toBe(0);
    expect(out.match(/^export (?:interface|const) \w+/gm)).toEqual(
      ["Store", "StoreV1beta1", "StoreV1alpha1"].flatMap((name) => [
        `export interface ${name}`,
        `export const ${name}`,
      ]),
    );
    expect(out).toMatch(
      /const StoreV1beta1: .*\{\n {2}group: "data.example.com",\n {2}version: "v1beta1",\n {2}kind: "Store",/,
    );
    expect(out).toMatch(/interface StoreV1alpha1 [^}]*sizeMb: number/);
  });

  it("are asked for of one source, which has definitions", async () => {
    expect((await runCommand(["generate", "types"])).code).toBe(2);
    expect((await runCommand(["generate", "types", "-", "--from-cluster", "Jar"])).code).toBe(2);
    const none = await runCommand(["generate", "types", "-"], {}, { input: "kind: List\nitems: []\n" });
    expect(none.err).toContain("DEFINITIONS_MISSING");
    expect((await runCommand(["generate", "types", "/nowhere.yaml"])).err).toContain("FILE_UNREADABLE");
  });
});

describe("the types of a manifest", () => {
  const other = "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\n";

  it("are those of its definitions, whatever else is applied with them", async () => {
    const { out: crds } = await runCommand(["generate", "crd", database]);
    const input = `${other}---\n${crds}`;
    const { code, out, err } = await runCommand(["generate", "types", "-"], {}, { input });
    expect(code, err).toBe(0);
    expect(out).toContain("export const Database");
  });

  it("are none of one without definitions, which is said with what it has", async () => {
    const { code, err } = await runCommand(["generate", "types", "-"], {}, { input: other });
    expect(code).toBe(1);
    expect(err).toContain("standard input has no CustomResourceDefinition with a schema, but ConfigMap\n");
    expect(err).toContain("xstate-operator/kinds");
  });
});

describe("the schema of a kind", () => {
  it("says in JSON Schema's words what the API server accepts in a manifest", async () => {
    const { code, out, err } = await runCommand(["generate", "schema", database]);
    expect(code, err).toBe(0);
    const schema = JSON.parse(out) as {
      readonly properties: {
        readonly spec: {
          readonly properties: Readonly<Record<string, object>>;
          readonly additionalProperties: boolean;
        };
      };
    };
    expect(schema).toMatchObject({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      title: "Database",
      properties: { apiVersion: { const: "data.example.com/v1" }, kind: { const: "Database" } },
      required: ["apiVersion", "kind", "metadata"],
      additionalProperties: false,
    });
    const { spec } = schema.properties;
    expect(spec.additionalProperties).toBe(false);
    expect(spec.properties).toMatchObject({
      port: { type: "integer", minimum: 1_024, maximum: 65_534, default: 5_432 },
      deletionPolicy: { enum: ["Retain", "Delete"] },
      parameters: { type: "object", additionalProperties: { type: "string" } },
    });
    expect(out).not.toContain("x-kubernetes");
    expect(out).not.toContain('"nullable"');
  });

  it("is that of each version which is served, or of one", async () => {
    const { out } = await runCommand(["generate", "schema", stores, "--kind", "Store"]);
    const schema = JSON.parse(out) as { readonly oneOf: readonly VersionSchema[] };
    expect(schema).toMatchObject({ title: "Store", required: ["apiVersion", "kind"] });
    const fieldsOf = ({ properties: { apiVersion, spec } }: VersionSchema) => [
      apiVersion.const,
      Object.keys(spec.properties),
    ];
    expect(schema.oneOf.map(fieldsOf)).toEqual([
      ["data.example.com/v1", ["size", "users", "notes"]],
      ["data.example.com/v1beta1", ["sizeGb", "users"]],
      ["data.example.com/v1alpha1", ["sizeMb", "owner", "legacyMode"]],
    ]);
    const one = await runCommand(["generate", "schema", stores, "--version", "v1beta1"]);
    expect(fieldsOf(JSON.parse(one.out) as VersionSchema)).toEqual([
      "data.example.com/v1beta1",
      ["sizeGb", "users"],
    ]);
    const none = await runCommand(["generate", "schema", stores, "--version", "v2"]);
    expect(none).toMatchObject({ code: 1, err: expect.stringContaining("VERSION_UNKNOWN") });
  });

  it("is of one kind", async () => {
    const { code, err } = await runCommand(["generate", "schema", database, "--kind", "Nothing"]);
    expect(code).toBe(2);
    expect(err).toContain("Database");
  });
});
