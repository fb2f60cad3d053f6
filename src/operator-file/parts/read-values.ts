// Values that expressions use by a name: an object of the cluster, the objects of a type, what a service answers, what a command prints.
import { isNotFound } from "../../client/api-error.ts";
import type { KubeObject } from "../../meta/object.ts";
import type { ObjectKey } from "../../meta/object-key.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import type { Permission } from "../../meta/permission.ts";
import type { HookContext } from "../../reconcile/hook-context.ts";
import type { CelScope } from "../../schema/cel/cel-scope.ts";
import { execPermissions, execRead, httpRead } from "./read-calls.ts";
import { checkLabels, checkNamespace, checkObjectName, checkVariable } from "../checks/check-names.ts";
import { checkNamespaced } from "../checks/check-places.ts";
import type { GetForm, ReadForm } from "../form/file-form.ts";
import type { KnownTypes } from "./known-types.ts";
import {
  compileName,
  inside,
  type Render,
  type TemplatePlace,
  type Values,
} from "../expressions/template.ts";

/** What is read before expressions are evaluated. */
export interface WrittenReads {
  /** The types that the cache must have. */
  readonly types: readonly ResourceType[];
  /** What is needed besides. */
  readonly permissions: readonly Permission[];
  /** The variables that an expression may use: those of the place, and what is read. */
  readonly scope: CelScope;
  /** The variables with what is read; a promise where something is not in the cache. An object that is not there is `{}`: `has(it.metadata)` says whether it is. */
  readonly read: (context: HookContext<KubeObject>, values: Values) => Promise<Values> | Values;
}

const absent = Object.freeze({});

/** Compiles what is read. What is wrong is reported. */
export function compileReads(
  reads: Readonly<Record<string, ReadForm>>,
  place: TemplatePlace,
  types: KnownTypes,
): WrittenReads {
  // One that is wrong is known all the same: it is reported once.
  const known = Object.keys(reads).filter((name) => checkVariable(name, inside(place, name), "READ_INVALID"));
  const compiled = known
    .map((name) => [name, reads[name] ?? {}] as const)
    .flatMap(([name, form]) => {
      const here = inside(place, name);
      const given = (["get", "list", "http", "exec"] as const).filter((each) => form[each] !== undefined);
      if (given.length !== 1) {
        place.reader.report({
          code: "READ_INVALID",
          path: here.path,
          message:
            given.length === 0
              ? `"${name}" does not say what is read`
              : `"${name}" is ${given.join(" and ")}, and one name stands for one thing`,
          remedy:
            "Write one of get: { apiVersion, kind, name }, list: { apiVersion, kind, labels }, http: { url }, exec: { pod, command }.",
        });
        return [];
      }
      const look = lookOf(form, here, types);
      return look === undefined ? [] : [{ name, ...look }];
    });
  const cached = compiled.filter((each) => each.type !== undefined);
  const asked = compiled.filter((each) => each.ask !== undefined);
  const lookAt = (context: HookContext<KubeObject>, values: Values): Values => ({
    ...values,
    ...Object.fromEntries(cached.map(({ name, look }) => [name, look?.(context, values)])),
  });
  return {
    types: cached.map(({ type }) => type as ResourceType),
    permissions: Object.values(reads).some(({ exec }) => exec !== undefined) ? execPermissions : [],
    scope: place.scope.with(Object.fromEntries(known.map((name) => [name, "any" as const]))),
    read: (context, values) => {
      const known = lookAt(context, values);
      if (asked.length === 0) return known;
      return Promise.all(
        asked.map(async ({ name, ask }) => [name, await ask?.(context, values)] as const),
      ).then((answers) => ({ ...known, ...Object.fromEntries(answers) }));
    },
  };
}

const unlisted = { apiVersion: "", kind: "" };

/** Something that is looked up in the cache, or asked for. */
interface Look {
  readonly type?: ResourceType;
  readonly look?: (context: HookContext<KubeObject>, values: Values) => unknown;
  readonly ask?: (context: HookContext<KubeObject>, values: Values) => Promise<unknown>;
}

function lookOf(form: ReadForm, place: TemplatePlace, types: KnownTypes): Look | undefined {
  if (form.get !== undefined) return getOf(form.get, place, types);
  if (form.http !== undefined) return { ask: httpRead(form.http, inside(place, "http")) };
  if (form.exec !== undefined) return { ask: execRead(form.exec, inside(place, "exec")) };
  return listOf(form.list ?? unlisted, place, types);
}

function getOf(form: GetForm, place: TemplatePlace, types: KnownTypes): Look | undefined {
  const key = compileKey(form, inside(place, "get"), types);
  if (key === undefined) return undefined;
  const { type, keyOf } = key;
  return { type, look: (context, values) => context.lookUp(type, keyOf(context, values)) ?? absent };
}

function listOf(form: Required<ReadForm>["list"], place: TemplatePlace, types: KnownTypes): Look | undefined {
  const here = inside(place, "list");
  const type = types.at(form.apiVersion, form.kind, here);
  if (type === undefined) return undefined;
  if (form.namespace !== undefined) checkNamespace(form.namespace, inside(here, "namespace"));
  checkLabels(form.labels, inside(here, "labels"));
  const namespace =
    form.namespace === undefined ? undefined : compileName(form.namespace, inside(here, "namespace"));
  const labels = Object.entries(form.labels ?? {}).map(
    ([name, value]) => [name, compileName(value, inside(here, "labels", name))] as const,
  );
  return {
    type,
    look: (context, values) =>
      context.list(type, {
        ...(namespace === undefined ? {} : { namespace: namespace(values) }),
        matchLabels: Object.fromEntries(labels.map(([name, render]) => [name, render(values)])),
      }),
  };
}

/** An object by its words. */
export interface WrittenKey {
  readonly type: ResourceType;
  /** Without a namespace of its own it is in the custom resource's. */
  readonly keyOf: (context: Pick<HookContext<KubeObject>, "cr">, values: Values) => ObjectKey;
}

/** Compiles the name of an object; undefined when something is wrong with its type, which is reported. */
export function compileKey(form: GetForm, place: TemplatePlace, types: KnownTypes): WrittenKey | undefined {
  const type = types.at(form.apiVersion, form.kind, place);
  if (type === undefined) return undefined;
  checkObjectName(form.name, type, inside(place, "name"));
  if (form.namespace !== undefined) checkNamespace(form.namespace, inside(place, "namespace"));
  checkNamespaced(type, form.namespace, place);
  const name: Render<string> = compileName(form.name, inside(place, "name"));
  const namespace =
    form.namespace === undefined ? undefined : compileName(form.namespace, inside(place, "namespace"));
  return {
    type,
    keyOf: ({ cr }, values) => {
      const where = namespace?.(values) ?? cr.metadata.namespace;
      return type.namespaced && where !== undefined
        ? { namespace: where, name: name(values) }
        : { name: name(values) };
    },
  };
}

/** The object on the server, as it is now; undefined when there is none. */
export async function readNow(
  { client, signal }: Pick<HookContext<KubeObject>, "client" | "signal">,
  type: ResourceType,
  key: ObjectKey,
): Promise<KubeObject | undefined> {
  try {
    return await client.get(type, key, { signal });
  } catch (error: unknown) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
