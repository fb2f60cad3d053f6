// The schemas of served types as OpenAPI documents have them, in the form of version 2 or 3: built-in structs stand by their full names and are
// referred to, with what is said of them; those of custom types are written out.
import type { StructuralSchema } from "../../../schema/structural-schema.ts";
import { preservesUnknown } from "../../../schema/structural-schema.ts";
import { builtinSchema, nameOfBuiltinSchema, presenceOf } from "../builtin/builtin-schemas.ts";
import { describeType, type TypeDescription } from "../builtin/type-descriptions.ts";
import type { Fields } from "../api-object.ts";
import type { ServedType } from "../served-type.ts";
import { typedSchemaOf } from "../typed-schema.ts";
import type { SchemaNames } from "./open-api-paths.ts";

/** The version of OpenAPI. */
export type OpenApiForm = "v2" | "v3";

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1";

/** Where schemas are in a document of this form. */
const places: Readonly<Record<OpenApiForm, string>> = { v2: "#/definitions/", v3: "#/components/schemas/" };

/** A reference to a schema of the document. */
export function referenceTo(name: string, form: OpenApiForm): { readonly $ref: string } {
  return { $ref: `${places[form]}${name}` };
}

interface NamedSchema {
  readonly name: string;
  readonly schema: Readonly<Record<OpenApiForm, Fields>>;
}

const plain = (name: string, schema: Fields): NamedSchema => ({ name, schema: { v2: schema, v3: schema } });

/** What the schemas of the built-in types refer to though it has no fields, by its format, or the name of an open object. */
const plainSchemas: ReadonlyMap<string, NamedSchema> = new Map([
  [
    "int-or-string",
    {
      name: "io.k8s.apimachinery.pkg.util.intstr.IntOrString",
      schema: {
        v2: { type: "string", format: "int-or-string" },
        v3: { format: "int-or-string", oneOf: [{ type: "integer" }, { type: "string" }] },
      },
    },
  ],
  [
    "quantity",
    {
      name: "io.k8s.apimachinery.pkg.api.resource.Quantity",
      schema: { v2: { type: "string" }, v3: { oneOf: [{ type: "string" }, { type: "number" }] } },
    },
  ],
  ["date-time", plain(`${meta}.Time`, { type: "string", format: "date-time" })],
  ["micro-time", plain(`${meta}.MicroTime`, { type: "string", format: "date-time" })],
  ["fieldsV1", plain(`${meta}.FieldsV1`, { type: "object" })],
]);

/** What the schemas of custom types are made of: kept as they are sent, and read by rules of their own. */
const schemaOfSchemas = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps";

const conventions = "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md";

/** What every object has, in the words that are said of it. */
const objectFields = ["apiVersion", "kind", "metadata"];

/** The schemas of one document. */
export class OpenApiSchemas {
  readonly #form: OpenApiForm;
  readonly #isDescribed: boolean;
  readonly #named: Record<string, unknown> = {};

  /** `isDescribed`: with what is said of types and fields. */
  constructor(form: OpenApiForm, isDescribed: boolean) {
    this.#form = form;
    this.#isDescribed = isDescribed;
  }

  /** By name. */
  get named(): Readonly<Record<string, unknown>> {
    return this.#named;
  }

  /** Adds what the operations of a type refer to, and says by which names. */
  add(type: ServedType): SchemaNames {
    const { group, version, kind, listKind } = type;
    const builtin = type.custom ? undefined : nameOfBuiltinSchema(type.schema);
    const object = builtin ?? [...group.split(".").toReversed(), version, kind].join(".");
    const list = `${object.slice(0, -kind.length)}${listKind}`;
    const { "x-kubernetes-embedded-resource": _, ...schema } = typedSchemaOf(type).schema;
    this.#named[object] = {
      ...this.#inline(schema, { isCustom: type.custom, said: this.#saidOf(object) }),
      "x-kubernetes-group-version-kind": [{ group, version, kind }],
    };
    if (type.review !== true) this.#named[list] = this.#listOf(type, object, list);
    return {
      object,
      list,
      scale: this.#addStruct("io.k8s.api.autoscaling.v1.Scale"),
      status: this.#addStruct(`${meta}.Status`),
      deleteOptions: this.#addStruct(`${meta}.DeleteOptions`),
      patch: this.#addPlain(plain(`${meta}.Patch`, { type: "object" })),
    };
  }

  #listOf(type: ServedType, object: string, list: string): Fields {
    const { group, version, kind, plural, listKind } = type;
    const said = this.#saidOf(list);
    const metadata = this.#addStruct(`${meta}.ListMeta`);
    const describe = (field: string, otherwise: string): Fields =>
      this.#isDescribed ? { description: said?.fields[field] ?? otherwise } : {};
    const objects = this.#saidOf(`${meta}.APIResourceList`);
    return {
      ...(this.#isDescribed ? { description: said?.type ?? `${listKind} is a list of ${kind}` } : {}),
      type: "object",
      required: ["items"],
      properties: {
        apiVersion: { ...describe("apiVersion", objects?.fields["apiVersion"] ?? ""), type: "string" },
        items: {
          ...describe("items", `List of ${plural}. More info: ${conventions}`),
          type: "array",
          items: type.custom ? referenceTo(object, this.#form) : this.#referTo(object, { isStruct: true }),
        },
        kind: { ...describe("kind", objects?.fields["kind"] ?? ""), type: "string" },
        metadata: {
          ...describe("metadata", `Standard list metadata. More info: ${conventions}#types-kinds`),
          ...this.#referTo(metadata, { isStruct: !type.custom }),
        },
      },
      "x-kubernetes-group-version-kind": [{ group, version, kind: listKind }],
    };
  }

  #addStruct(name: string): string {
    return this.#refer(builtinSchema(name), name);
  }

  #addPlain({ name, schema }: NamedSchema): string {
    this.#named[name] ??= schema[this.#form];
    return name;
  }

  #refer(schema: StructuralSchema, name: string): string {
    if (!(name in this.#named)) {
      this.#named[name] = {};
      this.#named[name] = this.#inline(schema, { isCustom: false, said: this.#saidOf(name) });
    }
    return name;
  }

  #saidOf(name: string): TypeDescription | undefined {
    return this.#isDescribed ? describeType(name) : undefined;
  }

  /** References stand alone in OpenAPI 3.0, so the real server puts them into a list of one; what stands beside one is kept. */
  #referTo(name: string, { isStruct }: { readonly isStruct: boolean }): Fields {
    const reference = referenceTo(name, this.#form);
    if (this.#form === "v2") return { ...reference };
    return { ...(isStruct ? { default: {} } : {}), allOf: [reference] };
  }

  #inline(
    schema: StructuralSchema,
    { isCustom, said }: { readonly isCustom: boolean; readonly said?: TypeDescription | undefined },
  ): Fields {
    const copy: Fields = {
      ...(said === undefined || said.type === "" ? {} : { description: said.type }),
      ...schema,
    };
    if (schema.properties !== undefined) {
      const describing = isCustom ? this.#saidOf("io.k8s.api.core.v1.Pod") : said;
      copy["properties"] = Object.fromEntries(
        Object.entries(schema.properties).map(([name, each]) => {
          const isOfObject = objectFields.includes(name) && isObject(schema);
          const words = isCustom && !isOfObject ? {} : described(describing, name);
          return [name, { ...words, ...this.#property(schema, name, each, isCustom) }];
        }),
      );
    }
    if (schema.items !== undefined) copy["items"] = this.#property(schema, "", schema.items, isCustom);
    if (typeof schema.additionalProperties === "object") {
      copy["additionalProperties"] = this.#property(schema, "", schema.additionalProperties, isCustom);
    }
    return this.#form === "v2" ? inV2(copy, isCustom) : copy;
  }

  /** Nothing is known of what a field says that is a struct: then what the struct says. */
  #saidOfStruct(owner: StructuralSchema, field: string, name: string): Fields {
    const { type = "" } = this.#saidOf(name) ?? {};
    if (type === "") return {};
    const isMetadata = field === "metadata" && isObject(owner);
    return {
      description: isMetadata ? `Standard object's metadata. More info: ${conventions}#metadata` : type,
    };
  }

  #property(owner: StructuralSchema, field: string, schema: StructuralSchema, isCustom: boolean): Fields {
    const open = isCustom
      ? undefined
      : plainSchemas.get(schema.format ?? (preservesUnknown(schema) ? field : ""));
    if (open !== undefined) return this.#referTo(this.#addPlain(open), { isStruct: false });
    if (!isCustom && field === "openAPIV3Schema") {
      return {
        ...this.#saidOfStruct(owner, field, schemaOfSchemas),
        ...this.#referTo(this.#addStruct(schemaOfSchemas), { isStruct: false }),
      };
    }
    const name = nameOfBuiltinSchema(schema);
    if (name === undefined) return this.#inline(schema, { isCustom });
    const isStruct = field === "" ? !isCustom : presenceOf(owner, field) === "always";
    const referred = this.#referTo(this.#refer(schema, name), { isStruct });
    return {
      ...(field === "" ? {} : this.#saidOfStruct(owner, field, name)),
      ...referred,
      ...patchRules(schema),
    };
  }
}

/** What is said of a field, if anything is. */
function described(said: TypeDescription | undefined, field: string): Fields {
  const description =
    said === undefined || !Object.hasOwn(said.fields, field) ? undefined : said.fields[field];
  return description === undefined ? {} : { description };
}

function isObject({ properties = {} }: StructuralSchema): boolean {
  return objectFields.every((name) => Object.hasOwn(properties, name));
}

/** What a strategic merge patch and server-side apply need to know of a field, whatever it refers to. */
function patchRules(schema: StructuralSchema): Fields {
  const names = ["x-kubernetes-patch-strategy", "x-kubernetes-patch-merge-key"] as const;
  return Object.fromEntries(
    names.flatMap((name) => (schema[name] === undefined ? [] : [[name, schema[name]]])),
  );
}

/** What has no place in version 2: of what may be null, a number or a text, or anything else, it says nothing. */
function inV2(
  { default: _default, nullable, anyOf: _any, oneOf: _one, allOf: _all, not: _not, ...rest }: Fields,
  isCustom: boolean,
): Fields {
  if (nullable === true) return extensionsOf(rest);
  if (!isCustom) return rest;
  const isOpen =
    rest["x-kubernetes-preserve-unknown-fields"] === true || rest["x-kubernetes-int-or-string"] === true;
  if (!isOpen) return rest;
  const { description } = rest;
  return { ...(description === undefined ? {} : { description }), ...extensionsOf(rest) };
}

function extensionsOf(schema: Fields): Fields {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => name.startsWith("x-")));
}
