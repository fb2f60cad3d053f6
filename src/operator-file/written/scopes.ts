// Which variables the expressions of a file have at each place, and what they stand for in a run.
import type { StructuralSchema } from "../../kinds/builtin/json-of.ts";
import { lifecycleStatusSchema } from "../../kinds/lifecycle-schemas.ts";
import { conditionsSchema, observedGenerationSchema } from "../../kinds/status-conditions.ts";
import type { KubeObject } from "../../meta/object.ts";
import { CelScope, type VariableType } from "../../schema/cel/cel-scope.ts";
import type { Values } from "../expressions/template.ts";
import { asTexts } from "./written-schema.ts";

const texts: StructuralSchema = { type: "object", additionalProperties: { type: "string" } };

/** What expressions and paths may name of an object's metadata. */
export const metadataSchema: StructuralSchema = {
  type: "object",
  properties: {
    name: { type: "string" },
    namespace: { type: "string" },
    uid: { type: "string" },
    generation: { type: "integer" },
    resourceVersion: { type: "string" },
    creationTimestamp: { type: "string" },
    deletionTimestamp: { type: "string" },
    labels: texts,
    annotations: texts,
  },
};

/** The variables at the places of a kind. */
export interface Scopes {
  /** Of guards, delays, changes of the context, and inputs of tasks: pure functions of the machine. */
  readonly machine: CelScope;
  /** Of children and of observing. */
  readonly resource: CelScope;
  /** Of tasks and effects. */
  readonly task: CelScope;
  /** What the observer has found, for the status. */
  readonly facts: VariableType;
}

/** Names that are known where everything is written in one file. */
export interface KnownFields {
  /** The observer's facts; undefined for any. */
  readonly facts?: readonly string[];
  /** What the machine remembers; undefined for any. */
  readonly context?: readonly string[];
}

/** A variable of which no more is known than the names of its fields. */
function withFields(names: readonly string[] | undefined): VariableType {
  return names === undefined
    ? "any"
    : { fields: Object.fromEntries(names.map((name) => [name, "any" as const])) };
}

/** The scopes of a kind with these schemas. */
export function scopesOf(
  spec: StructuralSchema,
  status: StructuralSchema,
  hasLifecycle: boolean,
  known: KnownFields = {},
): Scopes {
  const facts = withFields(known.facts);
  const context = withFields(known.context);
  const lifecycle: StructuralSchema = {
    type: "object",
    properties: { desiredState: { type: "string" }, request: { type: "string" } },
  };
  const own = asTexts({
    ...spec,
    properties: { ...spec.properties, ...(hasLifecycle ? { lifecycle } : {}) },
  });
  const reported = asTexts({
    ...status,
    properties: {
      ...status.properties,
      observedGeneration: observedGenerationSchema,
      conditions: conditionsSchema,
      ...(hasLifecycle ? { lifecycle: lifecycleStatusSchema() } : {}),
    },
  });
  const resource = new CelScope({
    metadata: metadataSchema,
    spec: own,
    status: reported,
    ...(hasLifecycle ? { state: { type: "string" } as const, context } : {}),
  });
  return {
    machine: new CelScope({ spec: own, facts, context, event: eventType(own, facts) }),
    resource,
    facts,
    task: resource.with({
      input: "any",
      key: { type: "string" },
      attempt: { type: "integer" },
    }),
  };
}

/** What a machine is sent. */
function eventType(spec: StructuralSchema, facts: VariableType): VariableType {
  return {
    fields: { type: { type: "string" }, spec, facts, output: "any", error: "any", changed: "any" },
  };
}

interface LifecycleOfResource {
  readonly state?: string;
  readonly since?: string;
  readonly snapshot?: { readonly context?: Readonly<Record<string, unknown>> };
}

/** A custom resource of a kind of the file. */
export type WrittenResource = KubeObject & {
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>> & { readonly lifecycle?: LifecycleOfResource };
};

const none = Object.freeze({});

/** What the variables of `resource` stand for; `declared` is the machine's context, which a life begins with. */
export function valuesOf(cr: WrittenResource, declared: Values = none): Values {
  const { metadata: own, spec = none, status = none } = cr;
  const { state = "", snapshot } = cr.status?.lifecycle ?? {};
  return { metadata: own, spec, status, state, context: { ...declared, ...snapshot?.context } };
}
