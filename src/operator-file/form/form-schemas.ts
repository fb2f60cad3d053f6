// The schemas that hold a file to its form.
import { z } from "zod";
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
} from "../../options/option-schemas.ts";
import { columnForm, kindNameShape, scaleForm, validationForm } from "../../kinds/check-kind-options.ts";
import { taskPolicyShape } from "../../lifecycle/tasks/task-definition.ts";
import type { Json } from "../../meta/object.ts";
import type {
  ChartForm,
  ChildForm,
  CommandForm,
  ConvertedForm,
  EffectForm,
  EventForm,
  ExecTaskForm,
  GetForm,
  HttpForm,
  HttpTaskForm,
  JobForm,
  KindForm,
  KustomizationForm,
  ListForm,
  ObserveForm,
  OperatorForm,
  PatchForm,
  ReadForm,
  RenderedForm,
  TaskForm,
  TypeForm,
  VersionForm,
  WaitForm,
  WatchForm,
} from "./file-form.ts";

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
const actionFields = { patch: patch.optional(), delete: get.optional(), event: event.optional() };
const effect = optionsOf<EffectForm>()({ ...actionFields, http: http.optional() });

const task = optionsOf<TaskForm>()({
  ...taskPolicyShape,
  ...actionFields,
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

const renderedFields = {
  path: required(text, "Write the path of its folder, relative to this file."),
  types: required(
    listOf(
      optionsOf<RenderedForm["types"][number]>()({
        apiVersion: getFields.apiVersion,
        kind: getFields.kind,
      }),
    ),
    "Write what its objects are: [{ apiVersion: apps/v1, kind: Deployment }].",
  ),
  namespace: text.optional(),
  program: text.optional(),
  timeout: duration.optional(),
};

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
  chart: optionsOf<ChartForm>()({
    ...renderedFields,
    release: text.optional(),
    values: template.optional(),
    hooks: oneOf("refuse", "ignore").optional(),
    kubeVersion: text.optional(),
    apiVersions: listOf(text).optional(),
  }).optional(),
  kustomization: optionsOf<KustomizationForm>()({
    ...renderedFields,
    overlay: template.optional(),
  }).optional(),
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

const converted = optionsOf<ConvertedForm>()({
  spec: required(template, "Write the spec in the other version: { size: '${ spec.count }' }."),
  status: template.optional(),
});
const version = optionsOf<VersionForm>()({
  spec: required(map, "Write what users of this version write: spec: { properties: … }."),
  status: map.optional(),
  printerColumns: listOf(columnForm).optional(),
  validations: listOf(validationForm).optional(),
  scale: scaleForm.optional(),
  served: flag.optional(),
  deprecated: either(flag, text, {
    expected: "true, or the text of the warning",
    remedy: 'Write deprecated: true, or deprecated: "use v1 instead".',
  }).optional(),
  convert: optionsOf<Required<VersionForm>["convert"]>()({
    up: required(converted, "Write up: { spec: … }: an object of the kind's own version."),
    down: required(converted, "Write down: { spec: … }: an object of this version."),
  }).optional(),
});

const types = listOf(
  optionsOf<TypeForm>()({
    apiVersion: getFields.apiVersion,
    kind: getFields.kind,
    plural: text.optional(),
    namespaced: flag.optional(),
  }),
);

const partFields = {
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
  effects: recordOf(effect).optional(),
};

/** The form of the parts of a controller in TypeScript. */
export const partsForm = optionsOf<
  Pick<OperatorForm, "operator" | "types"> &
    Pick<KindForm, "read" | "watches" | "children" | "observe" | "statusFields" | "tasks" | "effects">
>()({
  operator: required(text, "Write the operator's name, for instance redis-operator."),
  types: types.optional(),
  ...partFields,
});

/** The form of a kind. */
export const kindForm = optionsOf<KindForm>()({
  group: required(text, "Write the API group, for instance cache.example.com."),
  version: required(text, "Write the version, for instance v1alpha1."),
  kind: required(text, "Write the kind in PascalCase, for instance Redis."),
  ...kindNameShape,
  spec: map.optional(),
  status: map.optional(),
  printerColumns: listOf(columnForm).optional(),
  validations: listOf(validationForm).optional(),
  scale: scaleForm.optional(),
  finalize: flag.optional(),
  versions: recordOf(version).optional(),
  storage: text.optional(),
  lifecycle: either(text, map, {
    expected: "a machine, or the path of a file with one",
    remedy: "Write { initial: …, states: … }.",
  }).optional(),
  defaultDesiredState: text.optional(),
  specEdits: oneOf("queue", "coalesce", "restart").optional(),
  guards: recordOf(expression).optional(),
  delays: recordOf(text).optional(),
  actions: recordOf(recordOf(template)).optional(),
  ...partFields,
  workers: whole(1).optional(),
  timeout: duration.optional(),
  maxCreations: whole(1).optional(),
});

/** The form of a file. */
export const operatorForm = optionsOf<OperatorForm>()({
  operator: required(text, "Write the operator's name, for instance redis-operator."),
  formerNames: listOf(text).optional(),
  types: types.optional(),
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
