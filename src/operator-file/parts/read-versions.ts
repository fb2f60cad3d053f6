// The other versions of a kind in a file: their schemas, and how their objects are converted, by expressions.
import type { ConvertedFrom, ConvertedTo } from "../../kinds/versions/version-options.ts";
import type { DeclaredVersion } from "../../kinds/versions/kind-version.ts";
import type { StructuralSchema } from "../../kinds/builtin/json-of.ts";
import { CelScope } from "../../schema/cel/cel-scope.ts";
import type { z } from "zod";
import type { ConvertedForm, VersionForm } from "../form/file-form.ts";
import type { FileReader, Path } from "../file/file-reader.ts";
import { compileTemplate, inside, type TemplatePlace } from "../expressions/template.ts";
import { asTexts, readSchema, zodOf } from "../written/written-schema.ts";

/** The schemas of a version, as they are written. */
interface VersionSchemas {
  readonly spec: StructuralSchema;
  readonly status: StructuralSchema;
}

type Converted = ConvertedFrom<z.ZodObject, undefined>;

/** The versions of a kind whose own schemas are `own`; what is wrong is reported. */
export function readVersions(
  reader: FileReader,
  path: Path,
  versions: Readonly<Record<string, VersionForm>>,
  own: VersionSchemas,
): Readonly<Record<string, DeclaredVersion>> {
  return Object.fromEntries(
    Object.entries(versions).flatMap(([name, form]) => {
      const here = [...path, name];
      const spec = readSchema(reader, [...here, "spec"], "spec");
      const status =
        form.status === undefined ? own.status : readSchema(reader, [...here, "status"], "status");
      if (spec === undefined || status === undefined) return [];
      const { convert, served, deprecated, printerColumns, validations, scale } = form;
      const given = { served, deprecated, printerColumns, validations, scale };
      const version = {
        ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
        spec: zodOf(spec),
        ...(form.status === undefined ? {} : { status: zodOf(status) }),
        ...(convert === undefined
          ? {}
          : {
              convert: {
                up: conversionOf(
                  convert.up,
                  conversionPlace(reader, [...here, "convert", "up"], { spec, status }),
                ),
                down: conversionOf(convert.down, conversionPlace(reader, [...here, "convert", "down"], own)),
              },
            }),
      };
      return [[name, version] as const];
    }),
  );
}

/** Where a conversion is written, and what its expressions read. */
export function conversionPlace(
  reader: FileReader,
  path: Path,
  { spec, status }: VersionSchemas,
): TemplatePlace {
  return { reader, path, scope: new CelScope({ spec: asTexts(spec), status: asTexts(status) }) };
}

/** What an object becomes in the other version. */
export function conversionOf(
  form: ConvertedForm,
  place: TemplatePlace,
): (object: Converted) => ConvertedTo<z.ZodObject, undefined> {
  const spec = compileTemplate(form.spec, inside(place, "spec"));
  const status =
    form.status === undefined ? undefined : compileTemplate(form.status, inside(place, "status"));
  return ({ spec: given, status: reported }) => {
    const values = { spec: given, status: reported };
    return {
      spec: spec(values) as Readonly<Record<string, unknown>>,
      ...(status === undefined ? {} : { status: status(values) as Readonly<Record<string, unknown>> }),
    };
  };
}
