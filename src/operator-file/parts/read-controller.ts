// What belongs to a kind in a file besides itself, as the controller that it becomes.
import type { ControllerOptions, StatusInput } from "../../controller/declaration/controller-options.ts";
import {
  defineController,
  type ControllerDefinition,
} from "../../controller/declaration/define-controller.ts";
import { isMadeByTask } from "../../controller/tasks/made-by-task.ts";
import type { Kind } from "../../kinds/define-kind.ts";
import type { KubeObject } from "../../meta/object.ts";
import type { Permission } from "../../meta/permission.ts";
import { typeKeyOf, type ResourceType } from "../../meta/resource-type.ts";
import { meantBy } from "../../ports/misspelling.ts";
import type { StepContext } from "../../reconcile/engines/step-context.ts";
import type { HookContext } from "../../reconcile/hook-context.ts";
import type { BindableResource } from "../../reconcile/resources/resource.ts";
import type { KindForm } from "../form/file-form.ts";
import type { FileReader, Path } from "../file/file-reader.ts";
import { checkDurations } from "../checks/check-durations.ts";
import { checkTwice } from "../checks/check-places.ts";
import { distinctTypes, type KnownTypes } from "./known-types.ts";
import { compileAction } from "./read-actions.ts";
import { readChild } from "./read-children.ts";
import { readObserver } from "./read-observation.ts";
import { readTask } from "./read-tasks.ts";
import { compileReads } from "./read-values.ts";
import { readWatch } from "./read-watches.ts";
import { valuesOf, type Scopes, type WrittenResource } from "../written/scopes.ts";
import { compileTemplate, type TemplatePlace, type Values } from "../expressions/template.ts";
import type { WrittenChild } from "../written/written-children.ts";
import { placed, type WrittenKind } from "../written/written-kind.ts";

/** The parts of a controller that are written. */
export type WrittenForm = Pick<
  KindForm,
  "read" | "watches" | "children" | "observe" | "statusFields" | "tasks" | "effects"
>;

/** Where parts are written, and what they belong to. */
export interface PartsPlace {
  readonly reader: FileReader;
  readonly path: Path;
  readonly kind: Kind<KubeObject>;
  readonly scopes: Scopes;
  readonly types: KnownTypes;
  readonly operator: string;
}

/** The controller of a kind; undefined when something is wrong with it, which is reported. */
export function readController(
  { reader, path, form }: WrittenKind,
  { kind, scopes }: { readonly kind: Kind<KubeObject>; readonly scopes: Scopes },
  types: KnownTypes,
  operator: string,
): ControllerDefinition | undefined {
  const before = reader.problems.length;
  refuseWithoutLifecycle(form, reader, path);
  refuseUnknownFields(form, reader, path);
  checkDurations(form, reader, path);
  const parts = compileParts(form, { reader, path, kind, scopes, types, operator });
  if (parts === undefined || reader.problems.slice(before).some(({ severity }) => severity === "error")) {
    return undefined;
  }
  const { workers, timeout, maxCreations } = form;
  const given = Object.entries({ workers, timeout, maxCreations }).filter(([, value]) => value !== undefined);
  const options = { ...Object.fromEntries(given), ...parts };
  return placed(reader, path, () => defineController(kind as unknown as Kind, options as never));
}

/** The options of a controller that follow from what is written; undefined when something is wrong, which is reported. */
export function compileParts(
  form: WrittenForm,
  { reader, path, kind, scopes, types, operator }: PartsPlace,
): ControllerOptions<KubeObject> | undefined {
  const before = reader.problems.length;
  const at = (scope: TemplatePlace["scope"], ...names: readonly string[]): TemplatePlace => ({
    reader,
    path: [...path, ...names],
    scope,
    owner: kind,
  });
  const reads = compileReads(form.read ?? {}, at(scopes.resource, "read"), types);
  refuseCalls(form, reader, path);
  const resourceValues = ({ cr }: HookContext<KubeObject>): Values =>
    valuesOf(cr, kind.lifecycle?.initialContext);
  /** `now`: what has changed since the custom resource was stored. */
  const valuesIn = (context: HookContext<KubeObject>, now: Values = {}): Values =>
    reads.read(context, { ...resourceValues(context), ...now }) as Values;
  const watches = (form.watches ?? []).flatMap(
    (watch, index) => readWatch(watch, at(scopes.resource, "watches", String(index)), types) ?? [],
  );
  const children = (form.children ?? []).flatMap(
    (child, index) =>
      readChild(child, at(reads.scope, "children", String(index)), types, kind.lifecycle?.states) ?? [],
  );
  checkTwice(children, kind);
  const tasks = Object.entries(form.tasks ?? {}).flatMap(([name, task]) => {
    const read = readTask(task, at(scopes.task, "tasks", name), types, operator);
    return read === undefined ? [] : [[name, read] as const];
  });
  const effects = Object.entries(form.effects ?? {}).flatMap(([name, effect]) => {
    const action = compileAction(effect, at(scopes.resource, "effects", name), types, operator);
    return action === undefined ? [] : [[name, action] as const];
  });
  const observer = readObserver(form.observe ?? {}, at(reads.scope, "observe"), types, kind, valuesIn);
  // What the observer has found is known by then, and may be of calls.
  const seen = kind.lifecycle === undefined ? reads.scope : reads.scope.with({ facts: scopes.facts });
  const status = compileTemplate(form.statusFields ?? {}, at(seen, "statusFields"));
  if (reader.problems.slice(before).some(({ severity }) => severity === "error")) return undefined;
  const owns = distinctTypes([
    ...children.flatMap((child) => child.types),
    ...tasks.flatMap(([, task]) => task.owns),
  ]);
  const varying = distinctTypes(children.flatMap((child) => (child.varies ? child.types : [])));
  const known = new Set([...owns, ...watches.map(({ type }) => type)]);
  const cached = distinctTypes([
    ...reads.types,
    ...observer.reads,
    ...tasks.flatMap(([, task]) => task.reads),
  ]).filter((type) => !known.has(type));
  const { poll, timeout: observeTimeout } = form.observe ?? {};
  return {
    owns,
    reads: cached,
    watches,
    permissions: [
      ...permissionsToWrite(children, owns),
      ...observer.permissions,
      ...effects.flatMap(([, { permissions }]) => permissions),
    ],
    steps: {
      ObjectsGetter: (context) => registerInTurn(children, 0, valuesIn, context),
      ...(varying.length === 0
        ? {}
        : {
            Updater: async ({ registry }: StepContext<KubeObject>) => {
              const { delayed, failures } = await registry.createOrUpdateAll();
              // What takes its place is there first.
              if (delayed.length + failures.length > 0) return;
              await registry.pruneOthers(varying, { except: isMadeByTask });
            },
          }),
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
                  return run(context, resourceValues(context), `${name}.${moveInto(context.cr)}`);
                },
              ]),
            ),
            ...(form.statusFields === undefined
              ? {}
              : {
                  statusOf: (input: StatusInput<KubeObject>) => {
                    const { state, context, facts } = input;
                    return status({ ...valuesIn(input), state, context, facts }) as object;
                  },
                }),
            ...(poll === undefined ? {} : { poll }),
            ...(observeTimeout === undefined ? {} : { observeTimeout }),
          },
        }),
  } as ControllerOptions<KubeObject>;
}

type ValuesIn = (context: HookContext<KubeObject>, now?: Values) => Values;

/** Registers children in their order; a promise from the first one on that belongs to states, or that a tool makes. */
function registerInTurn(
  children: readonly WrittenChild[],
  first: number,
  valuesIn: ValuesIn,
  context: StepContext<KubeObject>,
): Promise<void> | void {
  const { registry } = context;
  let values: Values | undefined;
  for (let at = first; at < children.length; at += 1) {
    const child = children[at];
    if (child === undefined) return undefined;
    values ??= valuesIn(context);
    const { states } = child;
    const resources =
      states === undefined ? child.resources(values, context) : ofStates(child, states, valuesIn, context);
    if (resources instanceof Promise) {
      return resources.then((rendered) => {
        registry.add(...rendered, ...(states === undefined ? [] : [{ in: states }]));
        return registerInTurn(children, at + 1, valuesIn, context);
      });
    }
    registry.add(...resources);
  }
}

/** The objects of a child that belongs to states: as the state and the context are after this run's move, and in its own states alone. */
async function ofStates(
  child: WrittenChild,
  states: readonly string[],
  valuesIn: ValuesIn,
  context: StepContext<KubeObject>,
): Promise<readonly BindableResource[]> {
  const isCalledFor = await context.registry.isIn(states);
  const { state, context: remembered } = context.application() ?? {};
  const now = state === undefined ? {} : { state, context: remembered };
  return child.resources(valuesIn(context, now), context, isCalledFor === true);
}

/** What effects need would stand in place of what the registry needs. */
function permissionsToWrite(
  children: readonly WrittenChild[],
  owns: readonly ResourceType[],
): readonly Permission[] {
  const deleted = new Set(
    children.flatMap(({ isDeleted, types }) => (isDeleted ? types.map(typeKeyOf) : [])),
  );
  return owns.map((type) => ({
    type,
    verbs: ["create", "patch", ...(deleted.has(typeKeyOf(type)) ? (["delete"] as const) : [])],
  }));
}

/** What tells the move that an effect belongs to from every other: where it led, and when. */
function moveInto({ metadata: { generation = 0 }, status }: WrittenResource): string {
  const { state = "", since = "" } = status?.lifecycle ?? {};
  return `${generation}.${Date.parse(since) || 0}.${state.replaceAll(/[^A-Za-z0-9]+/g, "-")}`;
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
function refuseCalls({ read = {} }: WrittenForm, reader: FileReader, path: Path): void {
  for (const [name, form] of Object.entries(read)) {
    const call = (["http", "exec"] as const).find((each) => form[each] !== undefined);
    if (call === undefined) continue;
    reader.report({
      code: "READ_INVALID",
      path: [...path, "read", name, call],
      message: `"${name}" is a call by ${call}, which only observers and tasks that wait may make`,
      remedy: "Move it to observe: { read }, and keep what it says in facts, which statusFields may use.",
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
