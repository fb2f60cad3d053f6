// What can be asked of a type, as OpenAPI documents tell it: paths, the operations on each, their parameters, and the schemas that they take
// and answer with. In no form yet: open-api.ts and open-api-v2.ts write it down.
import type { ServedType } from "../served-type.ts";
import { verbsOf } from "./group-discovery.ts";

/** A parameter of a request. */
export interface ApiParameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly type: "boolean" | "integer" | "string";
}

/** One operation. */
export interface ApiOperation {
  readonly method: "delete" | "get" | "patch" | "post" | "put";
  /** Unique among all documents. */
  readonly id: string;
  readonly action: string;
  readonly parameters: readonly ApiParameter[];
  /** Name of the schema of its body; absent where it has none, or one that is described nowhere. */
  readonly body?: string;
  /** Forms in which the body is taken, as media types; absent: any. */
  readonly takes?: readonly string[];
  /** Name of the schema of its answer; absent where that is described nowhere. */
  readonly answer?: string;
  /** What it answers with when it has done what it was asked to. */
  readonly codes: readonly number[];
}

/** One path. */
export interface ApiPath {
  readonly path: string;
  /** What all of its operations take. */
  readonly parameters: readonly ApiParameter[];
  readonly operations: readonly ApiOperation[];
}

/** The names of the schemas that operations refer to. */
export interface SchemaNames {
  readonly object: string;
  readonly list: string;
  readonly scale: string;
  readonly status: string;
  readonly patch: string;
  readonly deleteOptions: string;
}

const query = (type: ApiParameter["type"], ...names: readonly string[]): readonly ApiParameter[] =>
  names.map((name) => ({ name, in: "query", type }));
const inPath = (name: string): ApiParameter => ({ name, in: "path", type: "string" });

const pretty = query("string", "pretty");
const listing = [
  ...query("boolean", "allowWatchBookmarks"),
  ...query("string", "continue", "fieldSelector", "labelSelector"),
  ...query("integer", "limit"),
  ...query("string", "resourceVersion", "resourceVersionMatch"),
  ...query("boolean", "sendInitialEvents"),
  ...query("integer", "timeoutSeconds"),
  ...query("boolean", "watch"),
];
const writing = query("string", "dryRun", "fieldManager", "fieldValidation");
const patching = [...writing, ...query("boolean", "force")];
const deleting = [
  ...query("string", "dryRun"),
  ...query("integer", "gracePeriodSeconds"),
  ...query("boolean", "orphanDependents"),
  ...query("string", "propagationPolicy"),
];
const notForDeleting: ReadonlySet<string> = new Set(["allowWatchBookmarks", "watch"]);
const deletingMany = [...listing.filter(({ name }) => !notForDeleting.has(name)), ...deleting];

/** In what forms a patch of a type is taken; kubectl sends the last to every type that has it. */
function patchesOf({ custom }: ServedType): readonly string[] {
  const forms = [
    "application/apply-patch+yaml",
    "application/json-patch+json",
    "application/merge-patch+json",
  ];
  return custom ? forms : [...forms, "application/strategic-merge-patch+json"];
}

/** The first part of every path of a type: `api/v1`, `apis/apps/v1`. */
export function rootPathOf({ group, version }: Pick<ServedType, "group" | "version">): string {
  return group === "" ? `api/${version}` : `apis/${group}/${version}`;
}

/** The paths of a type. */
export function pathsOf(type: ServedType, names: SchemaNames): readonly ApiPath[] {
  const { plural, namespaced, kind } = type;
  const root = `/${rootPathOf(type)}`;
  const scope = namespaced ? [inPath("namespace")] : [];
  const many = `${root}${namespaced ? "/namespaces/{namespace}" : ""}/${plural}`;
  const one = `${many}/{name}`;
  const scoped = `${namespaced ? "Namespaced" : ""}${kind}`;
  const id = (verb: string, what = scoped): string => `${verb}${idOf(type)}${what}`;
  const can = new Set(verbsOf(type));
  const { object, list } = names;
  const operations = (...each: readonly (ApiOperation | false)[]): readonly ApiOperation[] =>
    each.filter((operation) => operation !== false);
  const written = { body: object, answer: object };
  const ofMany = operations(
    can.has("list") && {
      method: "get",
      id: id("list"),
      action: "list",
      parameters: listing,
      answer: list,
      codes: [200],
    },
    can.has("create") && {
      method: "post",
      id: id("create"),
      action: "post",
      parameters: writing,
      ...written,
      codes: [200, 201, 202],
    },
    can.has("deletecollection") && {
      method: "delete",
      id: id("delete", `Collection${scoped}`),
      action: "deletecollection",
      parameters: deletingMany,
      body: names.deleteOptions,
      answer: names.status,
      codes: [200],
    },
  );
  const ofOne = operations(
    can.has("get") && {
      method: "get",
      id: id("read"),
      action: "get",
      parameters: [],
      answer: object,
      codes: [200],
    },
    can.has("update") && {
      method: "put",
      id: id("replace"),
      action: "put",
      parameters: writing,
      ...written,
      codes: [200, 201],
    },
    can.has("delete") && {
      method: "delete",
      id: id("delete"),
      action: "delete",
      parameters: deleting,
      body: names.deleteOptions,
      answer: names.status,
      codes: [200, 202],
    },
    can.has("patch") && {
      method: "patch",
      id: id("patch"),
      action: "patch",
      parameters: patching,
      body: names.patch,
      takes: patchesOf(type),
      answer: object,
      codes: [200, 201],
    },
  );
  const subresources = [
    ...(type.hasStatus ? [{ name: "status", schema: object, verbs: ["get", "update", "patch"] }] : []),
    ...(type.scale === undefined
      ? []
      : [{ name: "scale", schema: names.scale, verbs: ["get", "update", "patch"] }]),
    ...(type.otherSubresources ?? []).map(({ name, kind: of, verbs }) => ({
      name,
      verbs,
      schema: of === kind ? object : undefined,
    })),
  ];
  const at = [...scope, ...pretty];
  const isWatched = !type.custom && can.has("watch");
  const watched = (path: string, what: string, ...more: readonly ApiParameter[]): ApiPath => ({
    path: path.replace(root, `${root}/watch`),
    parameters: [...listing, ...more, ...pretty],
    operations: [
      {
        method: "get",
        id: id("watch", what),
        action: path.endsWith("{name}") ? "watch" : "watchlist",
        parameters: [],
        codes: [200],
      },
    ],
  });
  return [
    ...(namespaced && can.has("list")
      ? [
          {
            path: `${root}/${plural}`,
            parameters: [...listing, ...pretty],
            operations: [
              {
                method: "get" as const,
                id: id("list", `${kind}ForAllNamespaces`),
                action: "list",
                parameters: [],
                answer: list,
                codes: [200],
              },
            ],
          },
        ]
      : []),
    { path: many, parameters: at, operations: ofMany },
    { path: one, parameters: [inPath("name"), ...at], operations: ofOne },
    ...subresources.map(({ name, schema, verbs }) => ({
      path: `${one}/${name}`,
      parameters: [inPath("name"), ...at],
      operations: connected.has(name)
        ? connecting((method) => id("connect", `${capital(method)}${scoped}${capital(name)}`))
        : ofSubresource(verbs, schema, { ...names, patches: patchesOf(type) }, (verb) =>
            id(verb, `${scoped}${capital(name)}`),
          ),
    })),
    ...(isWatched
      ? [
          ...(namespaced ? [watched(`${root}/${plural}`, `${kind}ListForAllNamespaces`)] : []),
          watched(many, `${scoped}List`, ...scope),
          watched(one, scoped, inPath("name"), ...scope),
        ]
      : []),
  ].filter((each) => each.operations.length > 0);
}

/** What a client is connected to. */
const connected: ReadonlySet<string> = new Set(["attach", "exec", "portforward"]);

function connecting(id: (method: string) => string): readonly ApiOperation[] {
  const methods = ["get", "post"] as const;
  return methods.map((method) => ({
    method,
    id: id(method),
    action: "connect",
    parameters: [],
    codes: [200],
  }));
}

function ofSubresource(
  verbs: readonly string[],
  schema: string | undefined,
  { patch, patches }: Pick<SchemaNames, "patch"> & { readonly patches: readonly string[] },
  id: (verb: string) => string,
): readonly ApiOperation[] {
  const answer = schema === undefined ? {} : { answer: schema };
  const written = schema === undefined ? {} : { body: schema, answer: schema };
  return verbs.flatMap((verb): ApiOperation[] => {
    switch (verb) {
      case "get":
        return [{ method: "get", id: id("read"), action: "get", parameters: [], ...answer, codes: [200] }];
      case "create":
        return [
          {
            method: "post",
            id: id("create"),
            action: "post",
            parameters: writing,
            ...written,
            codes: [200, 201, 202],
          },
        ];
      case "update":
        return [
          {
            method: "put",
            id: id("replace"),
            action: "put",
            parameters: writing,
            ...written,
            codes: [200, 201],
          },
        ];
      case "patch":
        return [
          {
            method: "patch",
            id: id("patch"),
            action: "patch",
            parameters: patching,
            body: patch,
            takes: patches,
            ...answer,
            codes: [200, 201],
          },
        ];
      default:
        return [];
    }
  });
}

/** A group and version within the name of an operation: `AppsV1`, `ExampleComV1alpha1`. */
function idOf({ group, version }: ServedType): string {
  const words = group === "" ? ["core"] : group.replace(/\.k8s\.io$/, "").split(/[.-]/);
  return [...words, version].map(capital).join("");
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
