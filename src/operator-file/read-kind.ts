// A kind in a file with everything that belongs to it, as the controller that it becomes.
import { dirname, resolve } from "node:path";
import type { z } from "zod";
import type { LifecycleMachine } from "../../machines/lifecycle-machine.ts";
import type { ControllerOptions } from "../controller/declaration/controller-options.ts";
import { defineController, type ControllerDefinition } from "../controller/declaration/define-controller.ts";
import { defineKind, type Kind } from "../kinds/define-kind.ts";
import type { KindOptions } from "../kinds/kind-options.ts";
import type { KubeObject } from "../meta/object.ts";
import { problemsByPath } from "../options/option-problems.ts";
import { meantBy } from "../ports/misspelling.ts";
import { isOperatorError } from "../ports/operator-error.ts";
import type { Problem } from "../ports/problem.ts";
import type { HookContext } from "../reconcile/hook-context.ts";
import { compileAction } from "./read-actions.ts";
import { kindForm, type KindForm } from "./file-form.ts";
import { FileReader, readNamedFile, type Path } from "./file-reader.ts";
import { distinctTypes, type KnownTypes } from "./known-types.ts";
import { readChild } from "./read-children.ts";
import { readLifecycle } from "./read-lifecycle.ts";
import { readObserver } from "./read-observation.ts";
import { compileReads } from "./read-values.ts";
import { readWatch } from "./read-watches.ts";
import { readTask } from "./read-tasks.ts";
import { scopesOf, valuesOf, type Scopes } from "./scopes.ts";
import { compileTemplate, type TemplatePlace, type Values } from "./template.ts";
import { readSchema, zodOf } from "./written-schema.ts";

/** A kind of which the form is right, and where it is written. */
export interface WrittenKind {
  readonly reader: FileReader;
  readonly path: Path;
  readonly form: KindForm;
}

/** The form of an entry of `kinds`: inline, or in the file that it names; undefined when it cannot be read. */
export function findKind(reader: FileReader, path: Path, entry: string | KindForm): WrittenKind | undefined {
  if (typeof entry !== "string") return { reader, path, form: entry };
  const file = resolve(dirname(reader.file), entry);
  const text = readNamedFile(reader, path, file);
  if (text === undefined) return undefined;
  const own = new FileReader(text, file, reader);
  if (own.value === undefined) return undefined;
  const found = problemsByPath(kindForm, own.value, "kind");
  for (const { path: where, problem } of found) own.report({ ...problem, path: where.map(String) });
  return found.length > 0 ? undefined : { reader: own, path: [], form: own.value as KindForm };
}

/** The kind itself; undefined when something is wrong with it, which is reported. */
export function readKind({
  reader,
  path,
  form,
}: WrittenKind): { readonly kind: Kind<KubeObject>; readonly scopes: Scopes } | undefined {
  const before = reader.problems.length;
  const spec = readSchema(reader, [...path, "spec"], "spec");
  const status = readSchema(reader, [...path, "status"], "status");
  if (spec === undefined || status === undefined) return undefined;
  const scopes = scopesOf(spec, status, form.lifecycle !== undefined);
  const lifecycle = readLifecycle(reader, path, form, scopes.machine);
  if (reader.problems.slice(before).some(({ severity }) => severity === "error")) return undefined;
  const { description, group, version, kind, plural, singular, shortNames, categories, scope, validations } =
    form;
  const { printerColumns, scale, finalize, defaultDesiredState, specEdits } = form;
  const given = {
    lifecycle: lifecycle?.machine,
    plural,
    singular,
    shortNames,
    categories,
    scope,
    description,
    validations,
    printerColumns,
    scale,
    finalize,
    defaultDesiredState,
    specEdits,
  };
  const options = {
    group,
    version,
    kind,
    spec: zodOf(spec),
    ...(form.status === undefined ? {} : { status: zodOf(status) }),
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
  } as KindOptions<z.ZodObject, z.ZodObject | undefined, LifecycleMachine | undefined>;
  const defined = placed(reader, path, () => defineKind(options) as unknown as Kind<KubeObject>);
  if (defined === undefined) return undefined;
  for (const warning of defined.lifecycle?.warnings ?? []) {
    reader.problems.push(lifecycle?.placed(warning) ?? warning);
  }
  return { kind: defined, scopes };
}

/** The controller of a kind; undefined when something is wrong with it, which is reported. */
export function readController(
  { reader, path, form }: WrittenKind,
  { kind, scopes }: { readonly kind: Kind<KubeObject>; readonly scopes: Scopes },
  types: KnownTypes,
  operator: string,
): ControllerDefinition | undefined {
  const before = reader.problems.length;
  const at = (scope: TemplatePlace["scope"], ...names: readonly string[]): TemplatePlace => ({
    reader,
    path: [...path, ...names],
    scope,
  });
  refuseWithoutLifecycle(form, reader, path);
  refuseUnknownFields(form, reader, path);
  const reads = compileReads(form.read ?? {}, at(scopes.resource, "read"), types);
  refuseCalls(form, reader, path);
  const valuesIn = (context: HookContext<KubeObject>): Values =>
    reads.read(context, valuesOf(context.cr)) as Values;
  const watches = (form.watches ?? []).map((watch, index) =>
    readWatch(watch, at(scopes.resource, "watches", String(index)), types),
  );
  const children = (form.children ?? []).flatMap(
    (child, index) =>
      readChild(child, at(reads.scope, "children", String(index)), types, kind.lifecycle?.states) ?? [],
  );
  const tasks = Object.entries(form.tasks ?? {}).flatMap(([name, task]) => {
    const read = readTask(task, at(scopes.task, "tasks", name), types, operator);
    return read === undefined ? [] : [[name, read] as const];
  });
  const effects = Object.entries(form.effects ?? {}).flatMap(([name, effect]) => {
    const action = compileAction(effect, at(scopes.resource, "effects", name), types, operator);
    return action === undefined ? [] : [[name, action] as const];
  });
  const observer = readObserver(form.observe ?? {}, at(reads.scope, "observe"), types, kind, valuesIn);
  const status = compileTemplate(form.statusFields ?? {}, at(reads.scope, "statusFields"));
  if (reader.problems.slice(before).some(({ severity }) => severity === "error")) return undefined;
  const owns = distinctTypes([
    ...children.flatMap((child) => child.types),
    ...tasks.flatMap(([, task]) => task.owns),
  ]);
  const known = new Set([...owns, ...watches.map(({ type }) => type)]);
  const cached = distinctTypes([
    ...reads.types,
    ...observer.reads,
    ...tasks.flatMap(([, task]) => task.reads),
  ]).filter((type) => !known.has(type));
  const { poll, timeout: observeTimeout } = form.observe ?? {};
  const { workers, timeout, maxCreations } = form;
  const given = { workers, timeout, maxCreations };
  const options = {
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
    owns,
    reads: cached,
    watches,
    permissions: [...observer.permissions, ...effects.flatMap(([, { permissions }]) => permissions)],
    steps: {
      ObjectsGetter: (context) => {
        const { registry } = context;
        const values = valuesIn(context);
        for (const { resources, states } of children) {
          registry.add(...resources(values), ...(states === undefined ? [] : [{ in: states }]));
        }
      },
      ...(form.statusFields === undefined || kind.lifecycle !== undefined
        ? {}
        : { SuccessManager: (context) => status(valuesIn(context)) as object }),
    },
    ...(kind.lifecycle === undefined
      ? {}
      : {
          application: {
            observe: observer.observe,
            tasks: Object.fromEntries(tasks.map(([name, { definition }]) => [name, definition])),
            actions: Object.fromEntries(
              effects.map(([name, { run }]) => [
                name,
                (context: HookContext<KubeObject>): Promise<void> => {
                  const { generation = 0 } = context.cr.metadata;
                  return run(context, valuesOf(context.cr), `${name}.${generation}`);
                },
              ]),
            ),
            ...(form.statusFields === undefined
              ? {}
              : {
                  statusOf: (context: HookContext<KubeObject> & { readonly state: string }) =>
                    status({ ...valuesIn(context), state: context.state }) as object,
                }),
            ...(poll === undefined ? {} : { poll }),
            ...(observeTimeout === undefined ? {} : { observeTimeout }),
          },
        }),
  } as ControllerOptions<KubeObject>;
  return placed(reader, path, () => defineController(kind as unknown as Kind, options as never));
}

/** What has no meaning without a lifecycle. */
function refuseWithoutLifecycle(form: KindForm, reader: FileReader, path: Path): void {
  if (form.lifecycle !== undefined) return;
  const names = [
    "guards",
    "delays",
    "actions",
    "effects",
    "observe",
    "tasks",
    "defaultDesiredState",
  ] as const;
  for (const name of names.filter((each) => form[each] !== undefined)) {
    reader.report({
      code: "LIFECYCLE_MISSING",
      path: [...path, name],
      message: `${form.kind} has ${name}, but no lifecycle`,
      remedy: "Write lifecycle: { initial: …, states: … }, or leave it out.",
    });
  }
}

/** What the whole kind reads is in the cache: children and the status do not wait for anybody. */
function refuseCalls({ read = {} }: KindForm, reader: FileReader, path: Path): void {
  for (const [name, form] of Object.entries(read)) {
    const call = (["http", "exec"] as const).find((each) => form[each] !== undefined);
    if (call === undefined) continue;
    reader.report({
      code: "READ_INVALID",
      path: [...path, "read", name, call],
      message: `"${name}" is a call by ${call}, which only observers and tasks that wait may make`,
      remedy: "Move it to observe: { read }, and keep what it says in facts.",
    });
  }
}

/** What the status has no field for would be pruned by the API server. */
function refuseUnknownFields({ status, statusFields = {} }: KindForm, reader: FileReader, path: Path): void {
  const known = Object.keys(status?.properties ?? {});
  for (const name of Object.keys(statusFields).filter((each) => !known.includes(each))) {
    const meant = meantBy(name, known);
    reader.report({
      code: "STATUS_FIELD_UNKNOWN",
      path: [...path, "statusFields", name],
      message: `the status has no field "${name}"`,
      remedy:
        meant === undefined
          ? `Add it to status: { properties: { ${name}: … } }.`
          : `Did you mean "${meant}"?`,
    });
  }
}

/** What a definition refuses becomes findings with their places. */
function placed<T>(reader: FileReader, path: Path, define: () => T): T | undefined {
  try {
    return define();
  } catch (error: unknown) {
    if (!isOperatorError(error)) throw error;
    const { problems, option } = error.fields as {
      readonly problems?: readonly Problem[];
      readonly option?: string;
    };
    const { code, message, remedy = "Correct it." } = error;
    const itself: Problem = {
      code,
      severity: "error",
      message,
      remedy,
      ...(option === undefined ? {} : { option }),
    };
    for (const problem of problems ?? [itself]) {
      reader.report({ ...problem, path: [...path, ...pathOfOption(problem.option ?? "")] });
    }
    return undefined;
  }
}

/** `printerColumns[0].type`, or a field of a schema: `status.endpoint`. */
function pathOfOption(option: string): Path {
  const [first = "", ...rest] = option.split(/[.[\]]+/).filter((name) => name !== "");
  if (first === "") return [];
  const isField = rest.length > 0 && ["spec", "status"].includes(first);
  return isField ? [first, "properties", ...rest] : [first, ...rest];
}
