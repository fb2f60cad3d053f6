// The types that a policy is for, by what the server publishes of them: discovery and OpenAPI documents.
import type { KubeClient } from "../../../client/kube-client.ts";
import { isNotFound } from "../../../client/api-error.ts";
import { parseApiVersion } from "../../../meta/resource-type.ts";
import type { StructuralSchema } from "../../../schema/structural-schema.ts";
import type { CheckedType } from "../../api/admission/expression-warnings.ts";
import { fieldsList, fieldsOf, isFields, listOf, textOf, type Fields } from "../../api/api-object.ts";

/** Reads types, each document once. */
export class PublishedTypes {
  readonly #client: Pick<KubeClient, "request">;
  readonly #read = new Map<string, Promise<Fields>>();

  constructor(client: Pick<KubeClient, "request">) {
    this.#client = client;
  }

  /** The types that the rules of a policy name, each once, in the order of their names. Whatever is named by `*` is left out, as subresources are. */
  async ofRules(rules: unknown): Promise<readonly CheckedType[]> {
    const found = new Map<string, CheckedType>();
    for (const { apiGroups, apiVersions, resources } of fieldsList(rules)) {
      for (const group of named(apiGroups)) {
        for (const version of named(apiVersions)) {
          for (const kind of await this.#kinds(group, version, named(resources))) {
            const type = await this.ofKind(group, version, kind);
            if (type !== undefined) found.set(`${group}/${version}/${kind}`, type);
          }
        }
      }
    }
    return [...found].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, type]) => type);
  }

  /** The type of a kind; undefined where the server publishes none. */
  async ofKind(group: string, version: string, kind: string): Promise<CheckedType | undefined> {
    const document = await this.#document(`/openapi/v3/${pathOf(group, version)}`);
    const schemas = fieldsOf(fieldsOf(document["components"])["schemas"]);
    const schema = Object.values(schemas).find((each) =>
      fieldsList(fieldsOf(each)["x-kubernetes-group-version-kind"]).some(
        (own) => own["group"] === group && own["version"] === version && own["kind"] === kind,
      ),
    );
    if (schema === undefined) return undefined;
    return { group, version, kind, schema: resolved(schema, schemas, []) };
  }

  /** The type of a `paramKind`. */
  async ofParams(paramKind: unknown): Promise<CheckedType | undefined> {
    const { apiVersion, kind } = fieldsOf(paramKind);
    if (textOf(kind) === "") return undefined;
    const { group, version } = parseApiVersion(textOf(apiVersion));
    return this.ofKind(group, version, textOf(kind));
  }

  async #kinds(group: string, version: string, plurals: readonly string[]): Promise<readonly string[]> {
    const { resources } = await this.#document(`/${pathOf(group, version)}`);
    return fieldsList(resources).flatMap(({ name, kind }) =>
      plurals.includes(textOf(name)) ? [textOf(kind)] : [],
    );
  }

  #document(path: string): Promise<Fields> {
    const known = this.#read.get(path) ?? this.#ask(path);
    this.#read.set(path, known);
    return known;
  }

  async #ask(path: string): Promise<Fields> {
    try {
      return fieldsOf(await this.#client.request({ method: "GET", path }));
    } catch (error) {
      if (isNotFound(error)) return {};
      throw error;
    }
  }
}

function named(value: unknown): readonly string[] {
  return listOf(value)
    .map(String)
    .filter((each) => each !== "*" && !each.includes("/"));
}

function pathOf(group: string, version: string): string {
  return group === "" ? `api/${version}` : `apis/${group}/${version}`;
}

/** A schema with what it refers to in place of the references; nothing is known of what is inside of itself. */
function resolved(value: unknown, schemas: Fields, around: readonly string[]): StructuralSchema {
  const { allOf, properties, items, additionalProperties, format, $ref, ...rest } = fieldsOf(value);
  const reference = textOf($ref ?? fieldsList(allOf)[0]?.["$ref"]);
  if (reference !== "") {
    const name = reference.slice(reference.lastIndexOf("/") + 1);
    return around.includes(name) ? {} : resolved(schemas[name], schemas, [...around, name]);
  }
  const inside = (each: unknown): StructuralSchema => resolved(each, schemas, around);
  return {
    ...rest,
    ...(format === "int-or-string" ? { "x-kubernetes-int-or-string": true } : { format: textOf(format) }),
    ...(isFields(properties)
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, each]) => [name, inside(each)]),
          ),
        }
      : {}),
    ...(items === undefined ? {} : { items: inside(items) }),
    ...(isFields(additionalProperties) ? { additionalProperties: inside(additionalProperties) } : {}),
  };
}
