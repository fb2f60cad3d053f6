// The tasks of a kind in a file, each of one kind of work: a Job, objects that are applied, something that is waited for, or something
// that is done at once.
import { jobTask, type JobManifest } from "../../controller/jobs/job-task.ts";
import { applyTask } from "../../controller/tasks/apply-task.ts";
import { execTask } from "../../controller/tasks/exec-task.ts";
import { httpTask } from "../../controller/tasks/http-task.ts";
import { reportedPhase } from "../../controller/tasks/reported-phase.ts";
import { Job } from "../../kinds/builtin/batch.ts";
import type { TaskCall, TaskDefinition, TaskObservation } from "../../lifecycle/tasks/task-definition.ts";
import type { AnyManifest, Json, KubeObject } from "../../meta/object.ts";
import type { Permission } from "../../meta/permission.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import type { HookContext } from "../../reconcile/hook-context.ts";
import { actionNames, compileAction, type WrittenAction } from "./read-actions.ts";
import type { TaskForm } from "../form/file-form.ts";
import { checkAnnotations, checkLabels } from "../checks/check-names.ts";
import { checkOwnable } from "../checks/check-places.ts";
import type { KnownTypes } from "./known-types.ts";
import { compileCommand, compileHttp, compileWords } from "./read-calls.ts";
import { readManifest } from "./read-children.ts";
import { compileKey, compileReads, readNow } from "./read-values.ts";
import { valuesOf } from "../written/scopes.ts";
import {
  compileCondition,
  compileName,
  compileTemplate,
  inside,
  type TemplatePlace,
  type Values,
} from "../expressions/template.ts";

type Call = HookContext<KubeObject> & TaskCall;
type Definition = TaskDefinition<HookContext<KubeObject>>;

/** A task, ready to be run. */
export interface WrittenTask {
  readonly definition: Definition;
  /** Types of objects that it makes; watched. */
  readonly owns: readonly ResourceType[];
  /** Types of objects that it reads from the cache. */
  readonly reads: readonly ResourceType[];
}

/** The kinds of work. */
const works = ["job", "apply", "wait", "http", "exec", ...actionNames] as const;

/** Reads a task; undefined when something is wrong with it, which is reported. */
export function readTask(
  form: TaskForm,
  place: TemplatePlace,
  types: KnownTypes,
  operator: string,
): WrittenTask | undefined {
  const { reader, path } = place;
  const given = works.filter((name) => form[name] !== undefined);
  if (given.length !== 1) {
    reader.report({
      code: "TASK_INVALID",
      path,
      message:
        given.length === 0
          ? `the task "${path.at(-1) ?? ""}" does no work`
          : `the task "${path.at(-1) ?? ""}" does ${given.join(" and ")}, and one task does one kind of work`,
      remedy: `Write one of ${works.join(", ")}.`,
    });
    return undefined;
  }
  const before = reader.problems.length;
  const compensation =
    form.compensate === undefined
      ? undefined
      : compileAction(form.compensate, inside(place, "compensate"), types, operator);
  const work = workOf(form, place, types, operator);
  if (work === undefined || reader.problems.length > before) return undefined;
  const { timeout, poll, retry } = form;
  const permissions = [...(work.definition.permissions ?? []), ...(compensation?.permissions ?? [])];
  const compensate =
    compensation === undefined
      ? {}
      : { compensate: (call: Call) => compensation.run(call, callValues(call), `${call.key}.undone`) };
  return {
    ...work,
    definition: {
      ...Object.fromEntries(
        Object.entries({ timeout, poll, retry }).filter(([, value]) => value !== undefined),
      ),
      ...work.definition,
      ...compensate,
      ...(permissions.length === 0 ? {} : { permissions }),
    },
  };
}

function callValues(call: Call): Values {
  const { cr, input, key, attempt, context } = call;
  return { ...valuesOf(cr), input: input ?? null, key, attempt, context };
}

function workOf(
  form: TaskForm,
  place: TemplatePlace,
  types: KnownTypes,
  operator: string,
): WrittenTask | undefined {
  if (form.job !== undefined) {
    const here = inside(place, "job");
    checkLabels(form.job.labels, inside(here, "labels"));
    checkAnnotations(form.job.annotations, inside(here, "annotations"));
    const { spec: written } = form.job;
    place.reader.objects.push({
      type: Job,
      value: { apiVersion: "batch/v1", kind: "Job", metadata: { name: "job" }, spec: written },
      reader: place.reader,
      path: here.path,
    });
    const job = compileTemplate(form.job, here);
    const jobOf = (call: Call): JobManifest => {
      const { labels, annotations, spec } = job(callValues(call)) as Required<TaskForm>["job"];
      return {
        metadata: {
          ...(labels === undefined ? {} : { labels }),
          ...(annotations === undefined ? {} : { annotations }),
        },
        spec: spec as unknown as JobManifest["spec"],
      };
    };
    return { definition: jobTask<KubeObject>({ job: jobOf }), owns: [Job], reads: [] };
  }
  if (form.apply !== undefined) return applied(form, place, types);
  if (form.wait !== undefined) return waited(form.wait, inside(place, "wait"), types);
  if (form.http !== undefined) {
    return { definition: calledTask(form.http, inside(place, "http")), owns: [], reads: [] };
  }
  if (form.exec !== undefined) {
    return { definition: commandTask(form.exec, inside(place, "exec")), owns: [], reads: [] };
  }
  const action = compileAction(
    Object.fromEntries(actionNames.map((name) => [name, form[name]])),
    place,
    types,
    operator,
  );
  if (action === undefined) return undefined;
  return { definition: actionTask(form, action, place, types), owns: [], reads: [] };
}

function applied(form: TaskForm, place: TemplatePlace, types: KnownTypes): WrittenTask | undefined {
  const manifests = (form.apply ?? []).map((manifest, index) =>
    readManifest(manifest, inside(place, "apply", String(index)), types),
  );
  const objects = manifests.filter((each) => each !== undefined);
  for (const object of objects) checkOwnable(object, "always");
  if (objects.length < manifests.length) return undefined;
  const definition = applyTask<KubeObject>({
    objects: (call) => {
      const values = callValues(call);
      return objects.map(({ render }): AnyManifest => render(values));
    },
    ...(form.deleteOnCancel === undefined ? {} : { deleteOnCancel: form.deleteOnCancel }),
  });
  const permissions = objects.map(({ type }): Permission => ({ type, verbs: ["delete"] }));
  return {
    definition: form.deleteOnCancel === true ? { ...definition, permissions } : definition,
    owns: objects.map(({ type }) => type),
    reads: [],
  };
}

function waited(form: Required<TaskForm>["wait"], place: TemplatePlace, types: KnownTypes): WrittenTask {
  const reads = compileReads(form.read ?? {}, inside(place, "read"), types);
  const here: TemplatePlace = { ...place, scope: reads.scope };
  const until = compileCondition(form.until, inside(here, "until"));
  const failed =
    form.failed === undefined ? undefined : compileCondition(form.failed, inside(here, "failed"));
  const message = form.message === undefined ? undefined : compileName(form.message, inside(here, "message"));
  const output = form.output === undefined ? undefined : compileTemplate(form.output, inside(here, "output"));
  return {
    definition: {
      start: () => undefined,
      ...(reads.permissions.length === 0 ? {} : { permissions: reads.permissions }),
      observe: async (call): Promise<TaskObservation> => {
        if (!call.started) return { phase: "NotFound" };
        const values = await reads.read(call, callValues(call));
        const said = message?.(values);
        if (failed?.(values) === true)
          return { phase: "Failed", message: said ?? "what must not happen has happened" };
        if (until?.(values) !== true)
          return { phase: "Running", ...(said === undefined ? {} : { message: said }) };
        const handed = output?.(values);
        return { phase: "Succeeded", ...(handed === undefined ? {} : { output: handed as Json }) };
      },
    },
    owns: [],
    reads: reads.types,
  };
}

/** What a task says of itself: `{ phase, message, progress, output }`. */
function readOf(
  read: unknown,
  place: TemplatePlace,
): ((answer: unknown, call: Call) => TaskObservation) | undefined {
  if (read === undefined) return undefined;
  const scope = place.scope.with({ answer: "any" });
  const render = compileTemplate(read, { ...inside(place, "read"), scope });
  return (answer, call) => reportedPhase(render({ ...callValues(call), answer }), "read");
}

/** A task that a service does. */
function calledTask(form: Required<TaskForm>["http"], place: TemplatePlace): Definition {
  const withHandle = { ...place, scope: place.scope.with({ handle: "any" }) };
  const start = compileHttp(form.start, inside(place, "start"));
  const status =
    form.status === undefined ? undefined : compileHttp(form.status, inside(withHandle, "status"));
  const cancel =
    form.cancel === undefined ? undefined : compileHttp(form.cancel, inside(withHandle, "cancel"));
  const valuesWithHandle = (call: Call): Values => ({ ...callValues(call), handle: call.handle ?? null });
  const read = readOf(form.read, place);
  return httpTask<KubeObject>({
    start: (call) => start(callValues(call)),
    ...(status === undefined ? {} : { status: (call: Call) => status(valuesWithHandle(call)) }),
    ...(cancel === undefined ? {} : { cancel: (call: Call) => cancel(valuesWithHandle(call)) }),
    ...(read === undefined
      ? {}
      : { read: ({ status: code, body }, call) => read({ status: code, body: body ?? null }, call) }),
  });
}

/** A task that commands in a container do. */
function commandTask(form: Required<TaskForm>["exec"], place: TemplatePlace): Definition {
  const { pod } = compileCommand({ ...form, command: [] }, place);
  const wordsOf = (name: string, written: readonly string[]): ((call: Call) => readonly string[]) => {
    const render = compileWords(written, inside(place, name));
    return (call) => render(callValues(call));
  };
  const read = readOf(form.read, place);
  const status = form.status === undefined ? undefined : wordsOf("status", form.status);
  const cancel = form.cancel === undefined ? undefined : wordsOf("cancel", form.cancel);
  return execTask<KubeObject>({
    pod: (call) => pod(call, callValues(call)),
    start: wordsOf("start", form.start),
    ...(status === undefined ? {} : { status }),
    ...(cancel === undefined ? {} : { cancel }),
    ...(read === undefined
      ? {}
      : {
          read: ({ exitCode, stdout, stderr }, call) =>
            read(
              { exitCode, stdout: stdout.toString().trimEnd(), stderr: stderr.toString().trimEnd() },
              call,
            ),
        }),
  });
}

/** A task that is done when its action is; a deletion when the object is gone. */
function actionTask(
  form: TaskForm,
  action: WrittenAction,
  place: TemplatePlace,
  types: KnownTypes,
): Definition {
  const run = (call: Call): Promise<void> => action.run(call, callValues(call), call.key);
  if (form.delete === undefined) return { permissions: action.permissions, start: run };
  const key = compileKey(form.delete, inside(place, "delete"), types);
  if (key === undefined) return { start: run };
  const { type, keyOf } = key;
  return {
    permissions: [...action.permissions, { type, verbs: ["get"] }],
    start: run,
    observe: async (call) => {
      if (!call.started) return { phase: "NotFound" };
      const found = await readNow(call, type, keyOf(call, callValues(call)));
      return found === undefined
        ? { phase: "Succeeded" }
        : { phase: "Running", message: `${found.kind}/${found.metadata.name} is being deleted` };
    },
  };
}
