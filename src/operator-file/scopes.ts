// Which variables the expressions of a file have at each place, and what they stand for in a run.
import type { StructuralSchema } from "../kinds/builtin/json-of.ts";
import { lifecycleStatusSchema } from "../kinds/lifecycle-schemas.ts";
import { conditionsSchema, observedGenerationSchema } from "../kinds/status-conditions.ts";
import type { KubeObject } from "../meta/object.ts";
import { CelScope } from "../schema/cel/cel-scope.ts";
import type { Values } from "./template.ts";
import { asTexts } from "./written-schema.ts";

const texts: StructuralSchema = { type: "object", additionalProperties: { type: "string" } };

const metadata: StructuralSchema = {
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
}

/** The scopes of a kind with these schemas. */
export function scopesOf(spec: StructuralSchema, status: StructuralSchema, hasLifecycle: boolean): Scopes {
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
    metadata,
    spec: own,
    status: reported,
    ...(hasLifecycle ? { state: { type: "string" } as const, context: "any" as const } : {}),
  });
  return {
    machine: new CelScope({ spec: own, facts: "any", context: "any", event: "any" }),
    resource,
    task: resource.with({
      input: "any",
      key: { type: "string" },
      attempt: { type: "integer" },
    }),
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
