// What an API server would refuse of a kind's definition, or take and never use: rules that do not compile, and paths of columns
// and of the scale that lead to no field. Found where the definition is complete, reported where its parts are written.
import { crdOf, type CrdManifest } from "../../kinds/crd.ts";
import type { PrinterColumn, ScaleSubresource } from "../../kinds/builtin/apiextensions.ts";
import type { StructuralSchema } from "../../schema/structural-schema.ts";
import type { Kind } from "../../kinds/define-kind.ts";
import type { KindValidation } from "../../kinds/kind-validation.ts";
import type { KubeObject } from "../../meta/object.ts";
import { meantBy } from "../../ports/misspelling.ts";
import { ruleFaultsOf } from "../../schema/cel/check-rule-declarations.ts";
import { compileJsonPath, type JsonPath } from "../../schema/json-path.ts";
import { additionalSchema, preservesUnknown, propertySchema } from "../../schema/structural-schema.ts";
import type { FileReader, Path } from "../file/file-reader.ts";
import { placed, type WrittenKind } from "../written/written-kind.ts";
import { reportRule } from "../file/report-rule.ts";
import { metadataSchema } from "../written/scopes.ts";

/** Checks the definition of a kind, in each of its versions; what is wrong is reported. */
export function checkDefinition({ reader, path, form }: WrittenKind, kind: Kind<KubeObject>): void {
  const definition = placed(reader, path, () => crdOf(kind));
  for (const version of definition?.spec.versions ?? []) {
    const isOwn = version.name === kind.version;
    const written = isOwn ? form : form.versions?.[version.name];
    if (written === undefined) continue;
    const place = isOwn ? path : [...path, "versions", version.name];
    const schema = schemaOf(version);
    checkRules(written.validations ?? [], schema, reader, [...place, "validations"]);
    for (const [index, column] of (written.printerColumns ?? []).entries()) {
      checkColumn(column, schema, reader, [...place, "printerColumns", String(index)]);
    }
    if (written.scale !== undefined) checkScale(written.scale, schema, reader, [...place, "scale"]);
  }
}

const metadata: StructuralSchema = {
  ...metadataSchema,
  properties: {
    ...metadataSchema.properties,
    finalizers: { type: "array", items: { type: "string" } },
    ownerReferences: {
      type: "array",
      items: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    },
  },
};

function schemaOf({ schema }: CrdManifest["spec"]["versions"][number]): StructuralSchema {
  const root = (schema?.openAPIV3Schema ?? {}) as StructuralSchema;
  return { ...root, properties: { ...root.properties, metadata } };
}

/** The author's rules are the first ones of the spec, or of the whole object. */
function checkRules(
  validations: readonly KindValidation[],
  { properties = {}, ...root }: StructuralSchema,
  reader: FileReader,
  path: Path,
): void {
  const { spec = {}, status = {} } = properties;
  const whole = { ...root, properties: { spec, status, metadata: { type: "object" } } } as StructuralSchema;
  const faults = Map.groupBy(ruleFaultsOf(whole, ""), ({ field }) => field.replace(/\]\.\w+$/, "]"));
  const counts = { spec: 0, object: 0 };
  for (const [index, { on = "spec" }] of validations.entries()) {
    const owner = on === "spec" ? ".properties[spec]" : "";
    const field = `${owner}.x-kubernetes-validations[${counts[on]}]`;
    counts[on] += 1;
    for (const fault of faults.get(field) ?? []) {
      const part = /\w+$/.exec(fault.field)?.[0] ?? "rule";
      reportRule(fault, spec, { reader, path: [...path, String(index), part] });
    }
  }
}

/** What a column of a type can show. */
const shownBy: Readonly<Record<PrinterColumn["type"], readonly (string | undefined)[]>> = {
  string: ["string", "integer", "number", "boolean", undefined],
  integer: ["integer", undefined],
  number: ["number", "integer", undefined],
  boolean: ["boolean", undefined],
  date: ["string", undefined],
};

function checkColumn(
  { jsonPath, type, name }: PrinterColumn,
  schema: StructuralSchema,
  reader: FileReader,
  path: Path,
): void {
  const found = follow(jsonPath, schema);
  const at = [...path, "jsonPath"];
  if ("fault" in found) {
    reader.report({
      code: "JSON_PATH_INVALID",
      path: at,
      message: `the column ${name}: ${found.fault}`,
      remedy: found.remedy,
    });
    return;
  }
  const shown = shownBy[type];
  if (found.schema === undefined || shown === undefined) return;
  const given = found.schema["x-kubernetes-int-or-string"] === true ? undefined : found.schema.type;
  if (shown.includes(given) || (type === "string" && given !== undefined)) return;
  reader.report({
    code: "JSON_PATH_INVALID",
    path: [...path, "type"],
    message: `the column ${name} is of type ${type}, and ${jsonPath} is of type ${given ?? "any"}: the column would stay empty`,
    remedy: `Write type: ${given === "integer" || given === "number" || given === "boolean" ? given : "string"}.`,
  });
}

/** What the paths of a scale begin with, and what they lead to. */
const scalePaths = {
  specReplicasPath: { begin: [".spec."], type: "integer" },
  statusReplicasPath: { begin: [".status."], type: "integer" },
  labelSelectorPath: { begin: [".status.", ".spec."], type: "string" },
} as const;

function checkScale(scale: ScaleSubresource, schema: StructuralSchema, reader: FileReader, path: Path): void {
  for (const [name, { begin, type }] of Object.entries(scalePaths)) {
    const jsonPath = scale[name as keyof ScaleSubresource];
    if (jsonPath === undefined) continue;
    const fail = (message: string, remedy: string): void =>
      reader.report({
        code: "JSON_PATH_INVALID",
        path: [...path, name],
        message: `${name}: ${message}`,
        remedy,
      });
    if (!begin.some((each) => jsonPath.startsWith(each))) {
      fail(
        `"${jsonPath}" does not begin with ${begin.join(" or ")}`,
        `Write where the number is: ${begin[0]}replicas.`,
      );
      continue;
    }
    const found = follow(jsonPath, schema);
    if ("fault" in found) fail(found.fault, found.remedy);
    else if (found.schema?.type !== undefined && found.schema.type !== type) {
      fail(
        `${jsonPath} is of type ${found.schema.type}, and must be of type ${type}`,
        `Name a field of type ${type}.`,
      );
    }
  }
}

type Followed =
  { readonly schema: StructuralSchema | undefined } | { readonly fault: string; readonly remedy: string };

/** The schema of what a path leads to; undefined where nothing is declared of it. */
function follow(jsonPath: string, schema: StructuralSchema): Followed {
  const steps = jsonPath.startsWith(".") ? compileJsonPath(jsonPath) : undefined;
  if (steps === undefined) {
    return {
      fault: `"${jsonPath}" is no path`,
      remedy:
        'Write it with a dot before each name: .spec.replicas, .status.conditions[?(@.type=="Ready")].status.',
    };
  }
  return followSteps(steps, schema, jsonPath);
}

function followSteps(steps: JsonPath, schema: StructuralSchema, jsonPath: string): Followed {
  let node: StructuralSchema | undefined = schema;
  for (const step of steps) {
    if (node === undefined) return { schema: undefined };
    if (step.kind === "descent" || step.kind === "any") return { schema: undefined };
    if (step.kind !== "field") {
      const item: StructuralSchema | undefined = node.items ?? additionalSchema(node);
      if (step.kind === "filter" && item !== undefined) {
        const filtered = followSteps(step.path, item, jsonPath);
        if ("fault" in filtered) return filtered;
      }
      node = item;
      continue;
    }
    const next: StructuralSchema | undefined = propertySchema(node, step.name) ?? additionalSchema(node);
    if (next === undefined && !preservesUnknown(node)) {
      const names = Object.keys(node.properties ?? {});
      const meant = meantBy(step.name, names);
      return {
        fault: `${jsonPath} leads to no field: there is no "${step.name}"`,
        remedy:
          meant !== undefined
            ? `Did you mean "${meant}"?`
            : names.length === 0
              ? "What is before it has no fields."
              : `Fields are there: ${names.join(", ")}.`,
      };
    }
    node = next;
  }
  return { schema: node };
}
