// `namespaceObject` in the expressions of admission: the namespace of what is written, of which Kubernetes declares some fields.
import { declareType } from "../../../schema/cel/cel-type.ts";
import type { CelEnvironment } from "../../../schema/cel/compile-expression.ts";
import type { StructuralSchema } from "../../../schema/structural-schema.ts";
import { isFields, listOf, type ApiObject } from "../api-object.ts";

const text: StructuralSchema = { type: "string" };
const time: StructuralSchema = { type: "string", format: "date-time" };
const integer: StructuralSchema = { type: "integer" };
const texts: StructuralSchema = { type: "array", items: text };
const labels: StructuralSchema = { type: "object", additionalProperties: text };
const record = (properties: Record<string, StructuralSchema>): StructuralSchema => ({
  type: "object",
  properties,
});

const typeName = "kubernetes.Namespace";
const schema = record({
  metadata: record({
    name: text,
    generateName: text,
    namespace: text,
    labels,
    annotations: labels,
    // Declared in capitals, and never there.
    UID: text,
    creationTimestamp: time,
    deletionGracePeriodSeconds: integer,
    deletionTimestamp: time,
    generation: integer,
    resourceVersion: text,
    finalizers: texts,
  }),
  spec: record({ finalizers: texts }),
  status: record({
    conditions: {
      type: "array",
      items: record({ status: text, type: text, lastTransitionTime: time, message: text, reason: text }),
    },
    phase: text,
  }),
});

/** Declares `namespaceObject`; what is returned makes its value of a namespace, null where there is none. */
export function declareNamespace(environment: CelEnvironment): (namespace: ApiObject | undefined) => unknown {
  const type = declareType(environment, schema, typeName, (field) => [field]);
  environment.registerVariable("namespaceObject", typeName);
  return (namespace) => {
    const value = type?.toCel(namespace) ?? null;
    leaveTimes(namespace, value);
    return value;
  };
}

/** Kubernetes declares times and gives texts: whatever reads one as a time fails. */
function leaveTimes(given: unknown, value: unknown): void {
  if (!isFields(given) || !isFields(value)) return;
  for (const [name, field] of Object.entries(value)) {
    const [from, to] = [listOf(given[name]), listOf(field)];
    if (/Time(stamp)?$/.test(name)) value[name] = given[name];
    else if (isFields(field)) leaveTimes(given[name], field);
    else to.forEach((each, index) => leaveTimes(from[index], each));
  }
}
