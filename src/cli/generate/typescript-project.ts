// A project in TypeScript of an operator that is a file: the kinds, their schemas, versions and lifecycles as code, and what depends on
// expressions by the very engine that reads files, to be replaced by code one part after the other.
import { dirname, join, normalize } from "node:path";
import type { StructuralSchema } from "../../kinds/builtin/json-of.ts";
import { nameExpressions } from "../../operator-file/expressions/named-expressions.ts";
import type { KindForm, OperatorForm } from "../../operator-file/form/file-form.ts";
import { OperatorError } from "../../ports/operator-error.ts";
import { namesOfKind, type ProjectFiles } from "../../scaffold/kind-files.ts";
import { kebabCase, variableName } from "../../scaffold/names.ts";
import { projectFiles, withController } from "../../scaffold/project-files.ts";
import { Code, literal, schemaCode } from "../../operator-file/typescript/typescript-code.ts";

/** A kind as it is written; its lifecycle is the configuration itself. */
export interface SourceKind {
  readonly form: Omit<KindForm, "lifecycle"> & { readonly lifecycle?: object };
  /** The file in which it is written. */
  readonly file: string;
}

/** What a project is made of. */
export interface ProjectSource {
  readonly form: OperatorForm;
  readonly kinds: readonly SourceKind[];
  /** What npm installs this package from. */
  readonly packageSpec: string;
}

/** A project. */
export interface TypeScriptProject {
  readonly files: ProjectFiles;
  /** Files and folders that are copied as they are: from where, and where to in the project. */
  readonly copies: readonly { readonly from: string; readonly to: string }[];
}

/** The files of the project. Errors: `FILE_OUTSIDE` for a file that a kind names outside of its folder. */
export function typeScriptProject({ form, kinds, packageSpec }: ProjectSource): TypeScriptProject {
  const [first] = kinds;
  if (first === undefined) return { files: new Map(), copies: [] };
  const files = new Map(projectFiles({ name: form.operator, kind: first.form, packageSpec }));
  for (const { form: kind } of kinds.slice(1)) {
    files.set("operator.ts", withController(files.get("operator.ts") ?? "", kind.kind) ?? "");
  }
  if (form.formerNames !== undefined) {
    const operator = files.get("operator.ts") ?? "";
    files.set(
      "operator.ts",
      operator.replace(/^ {2}name: .*\n/m, (line) => `${line}  formerNames: ${literal(form.formerNames)},\n`),
    );
  }
  const copies = kinds.flatMap((kind) => {
    for (const [file, text] of kindFilesOf(kind, form)) files.set(file, text);
    return copiesOf(kind);
  });
  return { files, copies };
}

function kindFilesOf({ form }: SourceKind, operator: OperatorForm): ProjectFiles {
  const { file } = namesOfKind(form.kind);
  const folder = `src/${file}`;
  return new Map([
    [`${folder}/${file}-spec.ts`, specModule(form)],
    ...(form.lifecycle === undefined
      ? []
      : ([[`${folder}/${file}-lifecycle.ts`, lifecycleModule(form, form.lifecycle)]] as const)),
    [`${folder}/${file}.ts`, kindModule(form)],
    [`${folder}/controller.ts`, controllerModule(form, operator)],
    [`test/${file}.test.ts`, testModule(form)],
    [`samples/${file}.yaml`, sampleOf(form)],
  ]);
}

const specName = (kind: string): string => `${variableName(kind)}Spec`;
const statusName = (kind: string): string => `${variableName(kind)}Status`;

const none: StructuralSchema = { type: "object", properties: {} };

/** The imports that code needs, by the names in it. */
function importsFor(code: string, from: Readonly<Record<string, readonly string[]>>): string {
  return Object.entries(from)
    .flatMap(([module, names]) => {
      const used = names.filter((name) =>
        new RegExp(`(^|[^\\w.])${name.replace(/^type /, "")}\\b`).test(code),
      );
      return used.length === 0 ? [] : [`import { ${used.join(", ")} } from "${module}";\n`];
    })
    .join("");
}

function specModule({ kind, spec = none, status, versions = {} }: KindForm): string {
  const declared = [
    ...Object.entries(versions).flatMap(([name, version]) => [
      schemaConstant(`The schema of the spec in ${name}.`, `${specName(kind)}${upper(name)}`, version.spec),
      ...(version.status === undefined
        ? []
        : [
            schemaConstant(
              `The schema of the status in ${name}.`,
              `${statusName(kind)}${upper(name)}`,
              version.status,
            ),
          ]),
    ]),
    schemaConstant(`What is declared of a ${kind}.`, specName(kind), spec),
    ...(status === undefined
      ? []
      : [schemaConstant(`What is reported of a ${kind}.`, statusName(kind), status)]),
  ].join("\n");
  const imports = importsFor(declared, {
    "xstate-operator/operator-file": ["openApi", "openApiField"],
    zod: ["z"],
  });
  return `// The schemas of a ${kind}.\n${imports}\n${declared}`;
}

function schemaConstant(comment: string, name: string, schema: StructuralSchema): string {
  return `/** ${comment} */\nexport const ${name} = ${schemaCode(schema)};\n`;
}

function upper(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

function lifecycleModule(form: KindForm, lifecycle: object): string {
  const { kind, guards = {}, delays = {}, actions = {}, effects = {}, tasks = {} } = form;
  const { file, lifecycle: constant } = namesOfKind(kind);
  const written = { id: kind.toLowerCase(), version: "1", ...lifecycle };
  const named = nameExpressions(written);
  const calls = (word: string, given: object): object =>
    Object.fromEntries(
      Object.entries(given).map(([name, value]) => [name, new Code(`${word}(${literal(value, 8)})`)]),
    );
  const values = (given: Readonly<Record<string, { readonly value: unknown }>>): object =>
    Object.fromEntries(Object.entries(given).map(([name, { value }]) => [name, value]));
  const setup = Object.fromEntries(
    Object.entries({
      guards: calls("condition", { ...guards, ...values(named.guards) }),
      delays: calls("delay", { ...delays, ...values(named.delays) }),
      inputs: calls("input", values(named.inputs)),
      actions: calls("change", actions),
      effects: Object.keys(effects),
      tasks: Object.keys(tasks),
    }).filter(([, each]) => Object.keys(each).length > 0),
  );
  const body = `export const ${constant} = setupLifecycle()
  .extend(${literal(setup, 2)})
  .createMachine(${literal(named.config, 2)});
`;
  const used = ["condition", "delay", "input", "change"].filter((word) => body.includes(`${word}(`));
  const expressions =
    used.length === 0 ? "" : `const { ${used.join(", ")} } = lifecycleExpressions(${specName(kind)});\n\n`;
  const imports = importsFor(expressions + body, {
    "xstate-operator": ["setupLifecycle"],
    "xstate-operator/operator-file": ["lifecycleExpressions"],
    [`./${file}-spec.ts`]: [specName(kind)],
  });
  return `// The lifecycle of a ${kind}, as a statechart.\n${imports}\n${expressions}${body}`;
}

function kindModule(form: KindForm): string {
  const { kind, group, version, plural, singular, shortNames, categories, scope, description } = form;
  const { printerColumns, validations, scale, finalize, defaultDesiredState, specEdits, storage } = form;
  const { file, lifecycle } = namesOfKind(kind);
  const own = { spec: specName(kind), status: form.status === undefined ? undefined : statusName(kind) };
  const versions =
    form.versions === undefined
      ? undefined
      : Object.fromEntries(
          Object.entries(form.versions).map(([name, { convert, status, spec: _spec, ...rest }]) => {
            const other = {
              spec: `${specName(kind)}${upper(name)}`,
              status: status === undefined ? own.status : `${statusName(kind)}${upper(name)}`,
            };
            return [
              name,
              {
                spec: new Code(other.spec),
                ...(status === undefined ? {} : { status: new Code(other.status ?? "") }),
                ...rest,
                ...(convert === undefined
                  ? {}
                  : { convert: { up: conversion(other, convert.up), down: conversion(own, convert.down) } }),
              },
            ];
          }),
        );
  const options = {
    group,
    version,
    kind,
    plural,
    singular,
    shortNames,
    categories,
    scope,
    description,
    spec: new Code(own.spec),
    status: own.status === undefined ? undefined : new Code(own.status),
    lifecycle: form.lifecycle === undefined ? undefined : new Code(lifecycle),
    printerColumns,
    validations,
    scale,
    finalize,
    defaultDesiredState,
    specEdits,
    versions,
    storage,
  };
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  const body = `/** The kind of {@link ${kind}}. */
export const ${kind} = defineKind(${literal(given)});

/** One ${kind}. */
export type ${kind} = InstanceOf<typeof ${kind}>;
`;
  const schemas = [
    own.spec,
    ...(own.status === undefined ? [] : [own.status]),
    ...Object.keys(form.versions ?? {}).flatMap((name) => [
      `${specName(kind)}${upper(name)}`,
      `${statusName(kind)}${upper(name)}`,
    ]),
  ];
  const imports = importsFor(body, {
    "xstate-operator": ["defineKind", "type InstanceOf"],
    "xstate-operator/operator-file": ["writtenConversion"],
    [`./${file}-spec.ts`]: schemas,
    [`./${file}-lifecycle.ts`]: [lifecycle],
  });
  return `// The kind ${kind}.\n${imports}\n${body}`;
}

function conversion(
  from: { readonly spec: string; readonly status: string | undefined },
  form: object,
): Code {
  const schemas = {
    spec: new Code(from.spec),
    ...(from.status === undefined ? {} : { status: new Code(from.status) }),
  };
  return new Code(`writtenConversion(${literal(schemas)}, ${literal(form, 8)})`);
}

function controllerModule(form: KindForm, { operator, types }: OperatorForm): string {
  const { kind, read, watches, children, observe, statusFields, tasks, effects } = form;
  const { workers, timeout, maxCreations } = form;
  const { file, controller } = namesOfKind(kind);
  const defined = (parts: object): object =>
    Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined));
  const parts = defined({
    operator,
    base: new Code("import.meta.url"),
    types,
    read,
    watches,
    children,
    observe,
    statusFields,
    tasks,
    effects,
  });
  const limits = Object.entries(defined({ workers, timeout, maxCreations }))
    .map(([name, value]) => `, ${name}: ${literal(value)}`)
    .join("");
  return `// What the operator does for a ${kind}. What is written here as in a file may be replaced by code, one part after the other: leave it
// out of \`written\`, and give it to defineController.
import { defineController } from "xstate-operator";
import { writtenParts } from "xstate-operator/operator-file";
import { ${kind} } from "./${file}.ts";

const written = writtenParts(${kind}, ${literal(parts)});

export const ${controller} = defineController(${kind}, { ...written${limits} });
`;
}

function testModule(form: KindForm): string {
  const { kind, lifecycle } = form;
  const { file } = namesOfKind(kind);
  const samples = [sampleSpec(form.spec), otherSpec(form.spec)];
  const walks =
    lifecycle === undefined
      ? ""
      : `
// Specs for which guards are true: the last test names what none of them reaches.
const specs = ${literal(samples)};

describe("the lifecycle of a ${kind}", () => {
  for (const { name, run } of lifecycleTests(${kind}, { specs })) test(name, () => run());
});
`;
  const body = `describe("the operator", () => {
  test("starts on a cluster, with what is written of a ${kind}", async () => {
    const running = await runOnCluster(operator);
    try {
      assert.deepEqual((await running.client.list(${kind})).items, []);
    } finally {
      await running.stop();
    }
  });
});
${walks}`;
  const imports = importsFor(body, {
    "xstate-operator/testing": ["lifecycleTests"],
  });
  return `// A ${kind}: the operator on an embedded cluster, and every edge of the lifecycle.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
${imports}import operator from "../operator.ts";
import { ${kind} } from "../src/${file}/${file}.ts";
import { runOnCluster } from "./cluster.ts";

${body}`;
}

function sampleOf(form: KindForm): string {
  const { group, version, kind } = form;
  const spec = JSON.stringify(sampleSpec(form.spec));
  return `apiVersion: ${group}/${version}\nkind: ${kind}\nmetadata:\n  name: first\nspec: ${spec}\n`;
}

/** What has to be written of a spec, by its types. */
function sampleSpec({ properties = {}, required = [] }: StructuralSchema = none): Readonly<
  Record<string, unknown>
> {
  return Object.fromEntries(required.map((name) => [name, sampleValue(properties[name] ?? {})]));
}

/** The same with other values, as far as types allow them. */
function otherSpec(schema: StructuralSchema = none): Readonly<Record<string, unknown>> {
  const others = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const other = otherValue(field);
    return other === undefined ? [] : [[name, other] as const];
  });
  return { ...sampleSpec(schema), ...Object.fromEntries(others) };
}

function otherValue(schema: StructuralSchema): unknown {
  const { default: usual, maximum = Infinity, multipleOf = 1 } = schema;
  if (Array.isArray(schema.enum)) return (schema.enum as unknown[]).find((each) => each !== usual);
  if (schema.type === "boolean") return usual !== true;
  if (schema.type !== "integer" && schema.type !== "number") return undefined;
  const number = (typeof usual === "number" ? usual : (schema.minimum ?? 0)) + multipleOf;
  return number <= maximum ? number : undefined;
}

function sampleValue(schema: StructuralSchema): unknown {
  if (schema.default !== undefined) return schema.default;
  if (Array.isArray(schema.enum)) return schema.enum[0] as unknown;
  switch (schema.type) {
    case "integer":
    case "number":
      return schema.minimum ?? 1;
    case "boolean":
      return false;
    case "array":
      return [];
    case "object":
      return sampleSpec(schema);
    case "string":
    case undefined:
    default:
      return kebabCase(schema.description ?? "text").slice(0, 10);
  }
}

/** What is named by path is copied beside the code that names it. */
function copiesOf({ form, file }: SourceKind): TypeScriptProject["copies"] {
  const folder = `src/${namesOfKind(form.kind).file}`;
  const paths = (form.children ?? []).flatMap(({ file: named, chart, kustomization }) =>
    [named, chart?.path, kustomization?.path].filter((each) => each !== undefined),
  );
  return [...new Set(paths.map(normalize))].map((path) => {
    if (path.startsWith("..") || path.startsWith("/")) {
      throw new OperatorError(
        "FILE_OUTSIDE",
        `${form.kind} names ${path}, which is outside of the folder of ${file}`,
        {
          remedy: "Move it into that folder: it becomes a part of the project.",
        },
      );
    }
    return { from: join(dirname(file), path), to: join(folder, path) };
  });
}
