// What an API server would refuse of an object that is created, said without creating it: for who has an object, or what is to become
// one, before there is a cluster. Read by `xstate-operator check`.
import type { CrdManifest } from "../../kinds/crd.ts";
import { parseApiVersion } from "../../meta/resource-type.ts";
import { silentLogger } from "../../ports/logger.ts";
import { systemRandom } from "../../ports/random.ts";
import { systemClock } from "../../ports/system-clock.ts";
import { propertySchema, type StructuralSchema } from "../../schema/structural-schema.ts";
import { timestampOf, type ApiCore } from "./api-core.ts";
import { isFields, type ApiObject, type Fields } from "./api-object.ts";
import { shapeObject } from "./builtin/shape-object.ts";
import { createApiCore } from "./create-core.ts";
import { readDefinition } from "./custom/crd-definition.ts";
import { createCustomTypes } from "./custom/custom-type.ts";
import { adminUser } from "./requests/users.ts";
import type { ServedType } from "./served-type.ts";
import { StatusError } from "./status-error.ts";
import { validateMetadata } from "./metadata-rules.ts";

/** Something that is wrong with an object. */
export interface ObjectFault {
  /** `unknown`: the type has no such field; `type`: a value of the wrong type; `missing`, `reference` and `value`: what the server says of a value. */
  readonly kind: "unknown" | "type" | "missing" | "reference" | "value";
  /** Such as `spec.ports[0].port`; empty for the whole object. */
  readonly field: string;
  /** In the server's words. */
  readonly message: string;
  /** Names that are known where the field stands; only of an unknown one. */
  readonly known?: readonly string[];
}

/** What an API server knows of objects. */
export interface ObjectChecks {
  /** What is wrong with an object; nothing for one of an unknown type. */
  readonly check: (object: Fields) => readonly ObjectFault[];
  /** The schema of an object's type; undefined for an unknown one. */
  readonly schemaOf: (object: Fields) => StructuralSchema | undefined;
}

/** Checks of objects of Kubernetes' own types, and of those that these definitions define. */
export function objectChecks(definitions: readonly CrdManifest[]): ObjectChecks {
  const core = createApiCore({ clock: systemClock, random: systemRandom, log: silentLogger });
  for (const definition of definitions) {
    const types = createCustomTypes(readDefinition(definition as unknown as ApiObject), core);
    for (const type of types) core.registry.add(type);
  }
  const types = new Map(
    core.registry.all().map((type) => [`${type.group}/${type.version}/${type.kind}`, type] as const),
  );
  const typeOf = ({ apiVersion, kind }: Fields): ServedType | undefined => {
    const { group, version } = parseApiVersion(String(apiVersion));
    return types.get(`${group}/${version}/${String(kind)}`);
  };
  return {
    check: (object) => {
      const type = typeOf(object);
      return type === undefined ? [] : check(core, type, structuredClone(object));
    },
    schemaOf: (object) => typeOf(object)?.schema,
  };
}

function check(core: ApiCore, type: ServedType, object: Fields): readonly ObjectFault[] {
  const { metadata, apiVersion: _version, kind: _kind, ...content } = object;
  const given = { metadata: isFields(metadata) ? metadata : {}, ...content };
  const shape = type.shape(object);
  const typeFaults = type.custom ? [] : shapeObject(type.schema, given).typeFaults;
  const found: ObjectFault[] = [
    ...shape.unknownFields.map((field) => unknown(type, field)),
    ...typeFaults.map(({ path, text }) => ({ kind: "type", field: path, message: text }) as const),
  ];
  return [...found, ...settled(core, type, shape.object)];
}

/** What the server finds once the object is complete. */
function settled(
  core: ApiCore,
  { behaviour, hasStatus, custom }: ServedType,
  object: ApiObject,
): readonly ObjectFault[] {
  if (hasStatus && custom) delete object["status"];
  else if (hasStatus) object["status"] = {};
  try {
    behaviour.setDefaults?.(object);
    const write = {
      user: adminUser,
      subresource: undefined,
      now: timestampOf(core),
      newUid: () => core.newUid(),
    };
    behaviour.prepare?.(object, undefined, write);
    if (hasStatus) behaviour.setDefaults?.(object);
    const causes = [
      ...validateMetadata(object.metadata, () => []),
      ...(behaviour.validate?.(object, undefined, undefined) ?? []),
    ];
    return causes.map(({ reason, field, message }) => ({ kind: kindOf(reason), field, message }));
  } catch (error: unknown) {
    // What only a running server can settle.
    if (error instanceof StatusError) return [];
    throw error;
  }
}

function kindOf(reason: string): ObjectFault["kind"] {
  if (reason === "FieldValueRequired") return "missing";
  return reason === "FieldValueNotFound" ? "reference" : "value";
}

function unknown(type: ServedType, field: string): ObjectFault {
  const steps = field.replaceAll(/\[\d+\]/g, "[]").split(/\.|(?=\[\])/);
  let node: StructuralSchema | undefined = type.schema;
  for (const step of steps.slice(0, -1)) {
    if (node === undefined) break;
    node = step === "[]" ? node.items : propertySchema(node, step);
  }
  const known = Object.keys(node?.properties ?? {});
  return { kind: "unknown", field, message: `${type.kind} has no such field`, known };
}
