// What can be asked of a type, as OpenAPI documents tell it: paths, the operations on each, their parameters, and the schemas that they take
// and answer with. In no form yet: open-api.ts and open-api-v2.ts write it down.
import type { Fields } from "../api-object.ts";
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
  readonly method: "delete" | "get" | "head" | "options" | "patch" | "post" | "put";
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
function pathsOf(type: ServedType, names: SchemaNames): readonly ApiPath[] {
  const { plural, namespaced, kind } = type;
  const root = `/${rootPathOf(type)}`;
  const scope = namespaced ? [inPath("namespace")] : [];
  const many = `${root}${namespaced ? "/namespaces/{namespace}" : ""}/${plural}`;
  const one = `${many}/{name}`;
  const scoped = `${namespaced ? "Namespaced" : ""}${kind}`;
  const id = (verb: string, what = scoped): string => `${verb}${idOf(type)}${what}`;
  const can = new Set(verbsOf(type));
  const { object, list } = names;
  const patch = { body: names.patch, takes: patchesOf(type) };
  const ofMany: readonly (ApiOperation | false)[] = [
    can.has("list") && {
      method: "get",
      id: id("list"),
      action: "list",
      parameters: listing,
      answer: list,
      codes: [200],
    },
    ...ofObject(can.has("create") ? ["create"] : [], object, patch, (verb) => id(verb)),
    can.has("deletecollection") && {
      method: "delete",
      id: id("delete", `Collection${scoped}`),
      action: "deletecollection",
      parameters: deletingMany,
      body: names.deleteOptions,
      answer: names.status,
      codes: [200],
    },
  ];
  const ofOne: readonly (ApiOperation | false)[] = [
    ...ofObject(
      ["get", "update", "patch"].filter((verb) => can.has(verb)),
      object,
      patch,
      (verb) => id(verb),
    ),
    can.has("delete") && {
      method: "delete",
      id: id("delete"),
      action: "delete",
      parameters: deleting,
      body: names.deleteOptions,
      answer: names.status,
      codes: [200, 202],
    },
  ];
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
    { path: many, parameters: at, operations: ofMany.filter(isThere) },
    { path: one, parameters: [inPath("name"), ...at], operations: ofOne.filter(isThere) },
    ...subresources.flatMap(({ name, schema, verbs }) => {
      if (name === "proxy")
        return proxied(one, [inPath("name"), ...scope], (method) =>
          id("connect", `${capital(method)}${scoped}Proxy`),
        );
      return {
        path: `${one}/${name}`,
        parameters: [inPath("name"), ...at],
        operations: connected.has(name)
          ? connecting(["get", "post"], (method) =>
              id("connect", `${capital(method)}${scoped}${capital(name)}`),
            )
          : ofObject(verbs, schema, patch, (verb) => id(verb, `${scoped}${capital(name)}`)),
      };
    }),
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

/** What is passed on to a pod or a node: a path of its own, by any method. */
function proxied(
  one: string,
  parameters: readonly ApiParameter[],
  id: (method: string) => string,
): readonly ApiPath[] {
  const methods = ["delete", "get", "head", "options", "patch", "post", "put"] as const;
  const path = query("string", "path");
  return [
    { path: `${one}/proxy`, parameters: [...parameters, ...path], operations: connecting(methods, id) },
    {
      path: `${one}/proxy/{path}`,
      parameters: [...parameters, inPath("path"), ...path],
      operations: connecting(methods, (method) => `${id(method)}WithPath`),
    },
  ];
}

function connecting(
  methods: readonly ApiOperation["method"][],
  id: (method: string) => string,
): readonly ApiOperation[] {
  return methods.map((method) => ({
    method,
    id: id(method),
    action: "connect",
    parameters: [],
    codes: [200],
  }));
}

function isThere(operation: ApiOperation | false): operation is ApiOperation {
  return operation !== false;
}

/** What a verb asks for of one object, or of one of its subresources. */
const objectVerbs: Readonly<
  Record<string, Pick<ApiOperation, "method" | "action" | "parameters" | "codes"> & { readonly word: string }>
> = {
  get: { method: "get", word: "read", action: "get", parameters: [], codes: [200] },
  create: { method: "post", word: "create", action: "post", parameters: writing, codes: [200, 201, 202] },
  update: { method: "put", word: "replace", action: "put", parameters: writing, codes: [200, 201] },
  patch: { method: "patch", word: "patch", action: "patch", parameters: patching, codes: [200, 201] },
};

/** The operations for these verbs; `schema` is undefined where that of the object is described nowhere. */
function ofObject(
  verbs: readonly string[],
  schema: string | undefined,
  patch: Required<Pick<ApiOperation, "body" | "takes">>,
  id: (word: string) => string,
): readonly ApiOperation[] {
  return verbs.flatMap((verb): ApiOperation[] => {
    const asked = objectVerbs[verb];
    if (asked === undefined) return [];
    const { word, ...operation } = asked;
    const described = schema === undefined ? {} : { answer: schema };
    const sent = verb === "patch" ? patch : verb === "get" || schema === undefined ? {} : { body: schema };
    return [{ ...operation, id: id(word), ...sent, ...described }];
  });
}

/** How a version of OpenAPI writes parts of a path down. */
export interface PathForms {
  readonly operation: (operation: ApiOperation) => Fields;
  readonly parameter: (parameter: ApiParameter) => Fields;
}

/** The paths of types as a document has them, by their texts. */
export function writtenPaths(
  types: readonly ServedType[],
  namesOf: (type: ServedType) => SchemaNames,
  forms: PathForms,
): Fields {
  const written = types.flatMap((type) => {
    const { group, version, kind } = type;
    const ofKind = { "x-kubernetes-group-version-kind": { group, version, kind } };
    return pathsOf(type, namesOf(type)).map(({ path, parameters, operations }) => {
      const methods = operations.map((each) => [each.method, { ...forms.operation(each), ...ofKind }]);
      return [path, { ...Object.fromEntries(methods), parameters: parameters.map(forms.parameter) }] as const;
    });
  });
  return Object.fromEntries(written);
}

/** A group and version within the name of an operation: `AppsV1`, `ExampleComV1alpha1`. */
function idOf({ group, version }: ServedType): string {
  const words = group === "" ? ["core"] : group.replace(/\.k8s\.io$/, "").split(/[.-]/);
  return [...words, version].map(capital).join("");
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
