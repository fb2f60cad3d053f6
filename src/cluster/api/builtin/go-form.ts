// A value as the real server shows its own struct of it: with the names of Go, in their order, and with all that nobody has set.
import type { StructuralSchema } from "../../../schema/structural-schema.ts";
import { isFields, listOf, type Fields } from "../api-object.ts";
import { isSentEmpty } from "../sent-empty.ts";
import { builtinSchema, fieldRanksOf, nameOfBuiltinSchema, presenceOf } from "./builtin-schemas.ts";

/** What Go does not write as it is in JSON, but for the first letter. */
const goWords: readonly (readonly [RegExp, string])[] = [
  [/^(?:api|aws|cel|csi|fc|gce|ip|iqn|iscsi|nfs|rbd|ssl|uid)(?=[A-Z]|$)/, "$&"],
  [/^ips$/, "IPs"],
  [/^wwids$/, "WWIDs"],
  [/^pdName$/, "PDName"],
  [/^diskURI$/, "DataDiskURI"],
  [/^fsType$/, "FSType"],
  [/^targetWWNs$/, "TargetWWNs"],
  [/^cephfs$/, "CephFS"],
  [/^storageos$/, "StorageOS"],
];

/** What it calls otherwise. */
const otherNames: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  GlusterfsPersistentVolumeSource: { endpoints: "EndpointsName" },
  RBDPersistentVolumeSource: {
    monitors: "CephMonitors",
    image: "RBDImage",
    pool: "RBDPool",
    user: "RadosUser",
  },
};

function goName(name: string): string {
  const word = goWords.find(([pattern]) => pattern.test(name));
  if (word === undefined) return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  const [pattern, shown] = word;
  return shown === "$&" ? name.replace(pattern, (each) => each.toUpperCase()) : shown;
}

/** What stands behind another field than in the published struct. */
const elsewhere = [
  ["quobyte", "rbd"],
  ["flexVolume", "iscsi"],
] as const;

function moveBehind(names: string[], name: string, before: string): void {
  if (!names.includes(name) || !names.includes(before)) return;
  names.splice(names.indexOf(name), 1);
  names.splice(names.indexOf(before) + 1, 0, name);
}

/** The struct of a type by its full name, as the messages of the real server show it. */
export function goForm(typeName: string, value: unknown): Fields {
  return structOf(builtinSchema(typeName), isFields(value) ? value : {});
}

function structOf(schema: StructuralSchema, value: Fields): Fields {
  const ranks = fieldRanksOf(schema);
  const names = Object.keys(schema.properties ?? {}).toSorted(
    (a, b) => (ranks?.get(a) ?? 0) - (ranks?.get(b) ?? 0),
  );
  for (const [name, before] of elsewhere) moveBehind(names, name, before);
  const isMeta = isOfMeta(schema);
  const others = otherNames[nameOfBuiltinSchema(schema)?.split(".").at(-1) ?? ""];
  const struct: Record<string, unknown> = {};
  for (const name of names) {
    const property = schema.properties?.[name] ?? {};
    const given = value[name] ?? undefined;
    // The structs of metav1 are shown as they are sent.
    if (isMeta && given === undefined) continue;
    if (name === "metadata" && !isMeta) {
      if (isFields(given)) Object.assign(struct, structOf(property, given));
      continue;
    }
    struct[isMeta ? name : (others?.[name] ?? goName(name))] =
      given === undefined ? unset(schema, name, value) : formOf(property, given);
  }
  return struct;
}

function isOfMeta(schema: StructuralSchema): boolean {
  return nameOfBuiltinSchema(schema)?.startsWith("io.k8s.apimachinery.") === true;
}

function formOf(schema: StructuralSchema, value: unknown): unknown {
  if (schema["x-kubernetes-preserve-unknown-fields"] === true) return value;
  if (Array.isArray(value)) return listOf(value).map((item) => formOf(schema.items ?? {}, item));
  if (!isFields(value)) return value;
  if (schema.properties !== undefined) return structOf(schema, value);
  const item = typeof schema.additionalProperties === "object" ? schema.additionalProperties : {};
  return Object.fromEntries(
    Object.keys(value)
      .toSorted()
      .map((key) => [key, formOf(item, value[key])]),
  );
}

/** What Go has where nothing is set. */
function unset(schema: StructuralSchema, name: string, value: Fields): unknown {
  const { type, format, properties } = schema.properties?.[name] ?? {};
  if (type === "array") return isSentEmpty(value, name) ? [] : null;
  if (properties !== undefined) {
    return presenceOf(schema, name) === undefined ? null : structOf(schema.properties?.[name] ?? {}, {});
  }
  if (type === "object") return isSentEmpty(value, name) ? {} : null;
  if (presenceOf(schema, name) === "set" || presenceOf(schema, name) === "null") return null;
  if (type === "string") return format === undefined ? "" : format === "quantity" ? "0" : null;
  return type === "boolean" ? false : type === "integer" || type === "number" ? 0 : null;
}
