// The form of a file that declares an operator: types of what is in it, and the schema that holds a file to them.
// What its expressions, names and manifests mean is read elsewhere in this folder.
import {
  anyObject,
  duration,
  either,
  flag,
  hinted,
  listOf,
  oneOf,
  optionsOf,
  recordOf,
  required,
  text,
  whole,
} from "../options/option-schemas.ts";
import { z } from "zod";
import type { LifecycleOptions } from "../lifecycle/graph/compile-lifecycle.ts";
import { taskPolicyShape, type TaskDefinition } from "../lifecycle/tasks/task-definition.ts";
import { kindNameShape } from "../kinds/check-kind-options.ts";
import type { KindNames } from "../kinds/kind-names.ts";
import type { ManifestResourceOptions } from "../reconcile/resources/kubernetes-resource.ts";
import type { Duration } from "../ports/duration.ts";
import type { Json } from "../meta/object.ts";
import type { PrinterColumn, ScaleSubresource } from "../kinds/builtin/apiextensions.ts";
import type { StructuralSchema } from "../kinds/builtin/json-of.ts";
import type { KindValidation } from "../kinds/kind-validation.ts";

/** A text, or one with `${ … }` in it. */
export type Template = Json;

/** A whole file. */
export interface OperatorForm {
  readonly operator: string;
  readonly formerNames?: readonly string[];
  /** Types that are neither Kubernetes' own nor of this file, where their plural is not the usual one or they have no namespace. */
  readonly types?: readonly TypeForm[];
  readonly kinds: readonly (string | KindForm)[];
}

/** An API type that manifests and reads name. */
export interface TypeForm {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural?: string;
  readonly namespaced?: boolean;
}

/** A kind with everything that belongs to it. */
export interface KindForm extends KindNames, Pick<LifecycleOptions, "defaultDesiredState" | "specEdits"> {
  readonly scope?: "Namespaced" | "Cluster";
  readonly description?: string;
  readonly spec?: StructuralSchema;
  readonly status?: StructuralSchema;
  readonly printerColumns?: readonly PrinterColumn[];
  readonly validations?: readonly KindValidation[];
  readonly scale?: ScaleSubresource;
  readonly finalize?: boolean;
  /** XState's configuration, or the path of a file with it. */
  readonly lifecycle?: string | object;
  readonly guards?: Readonly<Record<string, string>>;
  readonly delays?: Readonly<Record<string, string>>;
  /** What changes in the machine's context, by the names of actions. */
  readonly actions?: Readonly<Record<string, Readonly<Record<string, Template>>>>;
  /** What is done after a move, by the names of actions. */
  readonly effects?: Readonly<Record<string, EffectForm>>;
  /** Objects of the cluster by names, for children, the observer and the status. */
  readonly read?: Readonly<Record<string, ReadForm>>;
  /** Types of which a change reconciles the resource that an expression names. */
  readonly watches?: readonly WatchForm[];
  readonly children?: readonly ChildForm[];
  readonly observe?: ObserveForm;
  /** Fields of the status. */
  readonly statusFields?: Readonly<Record<string, Template>>;
  readonly tasks?: Readonly<Record<string, TaskForm>>;
  readonly workers?: number;
  readonly timeout?: Duration;
  readonly maxCreations?: number;
}

/** What the custom resource has below it. */
export interface ChildForm extends Pick<
  ManifestResourceOptions,
  "adopt" | "recreate" | "ownerReference" | "keep"
> {
  readonly in?: string | readonly string[];
  readonly when?: string;
  readonly each?: Readonly<Record<string, string>>;
  /** One object. */
  readonly manifest?: Template;
  /** The path of a file with one or more. */
  readonly file?: string;
}

/** One object that is read. */
export interface GetForm {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

/** The objects of a type. */
export interface ListForm {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

/** A call of a service. */
export interface HttpForm {
  readonly url: string;
  readonly method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Template;
  readonly timeout?: Duration;
}

/** A command in a container. */
export interface CommandForm {
  readonly pod: string;
  readonly namespace?: string;
  readonly container?: string;
  readonly command: readonly string[];
  readonly timeout?: Duration;
}

/** Where the value of a name comes from. */
export interface ReadForm {
  readonly get?: GetForm;
  readonly list?: ListForm;
  readonly http?: HttpForm;
  readonly exec?: CommandForm;
}

/** Objects whose changes concern a resource: `object` is the one that has changed. */
export interface WatchForm {
  readonly apiVersion: string;
  readonly kind: string;
  readonly when?: string;
  /** The resource's name. */
  readonly name: string;
  /** Default the object's own. */
  readonly namespace?: string;
}

/** How the application is observed. */
export interface ObserveForm {
  readonly poll?: Duration;
  readonly timeout?: Duration;
  readonly read?: Readonly<Record<string, ReadForm>>;
  /** The first one that applies is what is observed. */
  readonly states?: readonly { readonly state: string; readonly when?: string }[];
  readonly facts?: Readonly<Record<string, Template>>;
  readonly message?: string;
}

/** What is done at once. */
export interface EffectForm {
  readonly patch?: PatchForm;
  readonly delete?: GetForm;
  readonly event?: EventForm;
}

/** What takes its time; exactly one of the kinds of work. */
export interface TaskForm extends EffectForm, Pick<TaskDefinition<never>, "timeout" | "retry" | "poll"> {
  readonly job?: JobForm;
  readonly apply?: readonly Template[];
  readonly deleteOnCancel?: boolean;
  readonly wait?: WaitForm;
  readonly http?: HttpTaskForm;
  readonly exec?: ExecTaskForm;
  readonly compensate?: EffectForm;
}

/** A Job for each attempt. */
export interface JobForm {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec: Template;
}

/** Work of a service. What the answer to `status` says is its phase, or what `read` makes of it. */
export interface HttpTaskForm {
  readonly start: HttpForm;
  readonly status?: HttpForm;
  readonly cancel?: HttpForm;
  readonly read?: Template;
}

/** Work of commands in a container. */
export interface ExecTaskForm {
  readonly pod: string;
  readonly namespace?: string;
  readonly container?: string;
  readonly start: readonly string[];
  readonly status?: readonly string[];
  readonly cancel?: readonly string[];
  readonly read?: Template;
}

/** Something that is waited for. */
export interface WaitForm {
  readonly read?: Readonly<Record<string, ReadForm>>;
  readonly until: string;
  /** What makes it fail at once. */
  readonly failed?: string;
  readonly message?: string;
  /** What it hands to the machine. */
  readonly output?: Template;
}

/** A merge patch of one object. */
export interface PatchForm extends GetForm {
  readonly patch: Template;
}

/** An Event about the custom resource. */
export interface EventForm {
  readonly type?: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

/** A value that may have `${ … }` in it. */
const template = hinted(
  z.custom<Json>((value) => value !== undefined),
  { expected: "a value" },
);
const expression = hinted(z.string().min(1), {
  expected: "an expression in ${ … }",
  remedy: "Write it in quotes: '${ spec.replicas > 1 }'.",
});
/** What other checks look into. */
const map = anyObject("Write names and values.");

const getFields = {
  apiVersion: required(text, "Write the apiVersion, for instance apps/v1."),
  kind: required(text, "Write the kind, for instance Deployment."),
  name: required(text, "Write the name, for instance '${ metadata.name }'."),
  namespace: text.optional(),
};
const get = optionsOf<GetForm>()(getFields);
const list = optionsOf<ListForm>()({
  apiVersion: getFields.apiVersion,
  kind: getFields.kind,
  namespace: text.optional(),
  labels: recordOf(text).optional(),
});
const http = optionsOf<HttpForm>()({
  url: required(text, "Write the address: 'http://${ metadata.name }:8080/health'."),
  method: oneOf("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE").optional(),
  headers: recordOf(text).optional(),
  body: template.optional(),
  timeout: duration.optional(),
});
const containerFields = {
  pod: required(text, "Write the pod's name: '${ metadata.name }-0'."),
  namespace: text.optional(),
  container: text.optional(),
};
const command = optionsOf<CommandForm>()({
  ...containerFields,
  command: required(listOf(text), "Write the program and its arguments: [redis-cli, ping]."),
  timeout: duration.optional(),
});
const reads = recordOf(
  optionsOf<ReadForm>()({
    get: get.optional(),
    list: list.optional(),
    http: http.optional(),
    exec: command.optional(),
  }),
);

const patch = optionsOf<PatchForm>()({
  ...getFields,
  patch: required(template, "Write the fields that it changes: { spec: { replicas: 0 } }."),
});
const event = optionsOf<EventForm>()({
  type: oneOf("Normal", "Warning").optional(),
  reason: required(text, "Write a word in PascalCase, for instance BackupTaken."),
  message: required(text, "Write a sentence."),
});
const effectFields = { patch: patch.optional(), delete: get.optional(), event: event.optional() };
const effect = optionsOf<EffectForm>()(effectFields);

const task = optionsOf<TaskForm>()({
  ...taskPolicyShape,
  ...effectFields,
  job: optionsOf<JobForm>()({
    labels: recordOf(text).optional(),
    annotations: recordOf(text).optional(),
    spec: required(template, "Write the Job's spec: { template: { spec: … } }."),
  }).optional(),
  apply: listOf(template).optional(),
  deleteOnCancel: flag.optional(),
  wait: optionsOf<WaitForm>()({
    read: reads.optional(),
    until: required(expression, "Write what is waited for: '${ … }'."),
    failed: expression.optional(),
    message: text.optional(),
    output: template.optional(),
  }).optional(),
  http: optionsOf<HttpTaskForm>()({
    start: required(http, "Write the call that begins the work: { url: …, body: … }."),
    status: http.optional(),
    cancel: http.optional(),
    read: template.optional(),
  }).optional(),
  exec: optionsOf<ExecTaskForm>()({
    ...containerFields,
    start: required(listOf(text), "Write the command that begins the work: [backup, '${ key }']."),
    status: listOf(text).optional(),
    cancel: listOf(text).optional(),
    read: template.optional(),
  }).optional(),
  compensate: effect.optional(),
});

const child = optionsOf<ChildForm>()({
  in: either(text, listOf(text), {
    expected: "a state, or a list of states",
    remedy: "Write in: [Running, Servicing].",
  }).optional(),
  when: expression.optional(),
  each: recordOf(expression).optional(),
  adopt: flag.optional(),
  recreate: flag.optional(),
  ownerReference: flag.optional(),
  keep: listOf(text).optional(),
  manifest: template.optional(),
  file: text.optional(),
});

const observe = optionsOf<ObserveForm>()({
  poll: duration.optional(),
  timeout: duration.optional(),
  read: reads.optional(),
  states: listOf(
    optionsOf<Required<ObserveForm>["states"][number]>()({
      state: required(text, "Write the state that is observed."),
      when: expression.optional(),
    }),
  ).optional(),
  facts: recordOf(template).optional(),
  message: text.optional(),
});

/** The form of a kind. */
export const kindForm = optionsOf<KindForm>()({
  group: required(text, "Write the API group, for instance cache.example.com."),
  version: required(text, "Write the version, for instance v1alpha1."),
  kind: required(text, "Write the kind in PascalCase, for instance Redis."),
  ...kindNameShape,
  spec: map.optional(),
  status: map.optional(),
  printerColumns: listOf(map).optional(),
  validations: listOf(map).optional(),
  scale: map.optional(),
  finalize: flag.optional(),
  lifecycle: either(text, map, {
    expected: "a machine, or the path of a file with one",
    remedy: "Write { initial: …, states: … }.",
  }).optional(),
  defaultDesiredState: text.optional(),
  specEdits: oneOf("queue", "coalesce", "restart").optional(),
  guards: recordOf(expression).optional(),
  delays: recordOf(text).optional(),
  actions: recordOf(recordOf(template)).optional(),
  effects: recordOf(effect).optional(),
  read: reads.optional(),
  watches: listOf(
    optionsOf<WatchForm>()({
      apiVersion: getFields.apiVersion,
      kind: getFields.kind,
      when: expression.optional(),
      name: required(text, "Write whose object it is: \"${ object.metadata.labels['app'] }\"."),
      namespace: text.optional(),
    }),
  ).optional(),
  children: listOf(child).optional(),
  observe: observe.optional(),
  statusFields: recordOf(template).optional(),
  tasks: recordOf(task).optional(),
  workers: whole(1).optional(),
  timeout: duration.optional(),
  maxCreations: whole(1).optional(),
});

/** The form of a file. */
export const operatorForm = optionsOf<OperatorForm>()({
  operator: required(text, "Write the operator's name, for instance redis-operator."),
  formerNames: listOf(text).optional(),
  types: listOf(
    optionsOf<TypeForm>()({
      apiVersion: getFields.apiVersion,
      kind: getFields.kind,
      plural: text.optional(),
      namespaced: flag.optional(),
    }),
  ).optional(),
  kinds: required(
    listOf(
      either(text, kindForm, {
        expected: "a kind, or the path of a file with one",
        remedy: "Write { group, version, kind, … }.",
      }),
    ),
    "Write a list of kinds: [{ group, version, kind, spec, lifecycle, … }].",
  ),
});
