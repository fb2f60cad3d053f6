// A client of an API server without its HTTP side: the same verbs on the same storage, in the same process, on any clock.
// For simulations: whatever waits here waits for a promise, never for a socket.
import { bodyOfApply } from "../../../client/apply-body.ts";
import { statusToApiError, toApiError } from "../../../client/status-body.ts";
import type {
  KubeClient,
  ListScope,
  Patch,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from "../../../client/kube-client.ts";
import { collectionPath, namespaceFor, objectPath } from "../../../client/request-path.ts";
import type { KubeObject, Manifest } from "../../../meta/object.ts";
import { formatKey, keyOf, type ObjectKey } from "../../../meta/object-key.ts";
import type { ResourceType } from "../../../meta/resource-type.ts";
import { OperatorError } from "../../../ports/operator-error.ts";
import type { ApiCore } from "../api-core.ts";
import type { ApiObject } from "../api-object.ts";
import { adminUser, type ApiUser } from "../requests/users.ts";
import { parseDeleteQuery } from "../options/delete-options.ts";
import { parseListQuery } from "../options/list-options.ts";
import { parseWriteQuery, type WriteKind } from "../options/write-options.ts";
import type { ServedType } from "../served-type.ts";
import { StatusError } from "../status-error.ts";
import { createObject } from "../verbs/create.ts";
import { deleteObject } from "../verbs/delete.ts";
import { toIncomingObject } from "../verbs/incoming-object.ts";
import { listObjects } from "../verbs/list.ts";
import type { ObjectRequest, WriteObjectRequest } from "../verbs/object-request.ts";
import { patchObject, type PatchType } from "../verbs/patch.ts";
import { currentObject, updateObject } from "../verbs/update.ts";
import { bindPod } from "../verbs/bind-pod.ts";
import { groupList, resourceList } from "../discovery/group-discovery.ts";
import { Pod } from "../../../kinds/builtin/core.ts";
import { parseResourcePath } from "../requests/request-path.ts";
import { fieldsOf } from "../api-object.ts";
import { streamWatch } from "./core-watch.ts";

/** Options of {@link createCoreClient}. */
export interface CoreClientOptions {
  readonly core: ApiCore;
  /** As in HTTP: its part before the first slash is the field manager of writes that name none. */
  readonly userAgent: string;
  /** Default the administrator. */
  readonly user?: ApiUser;
}

/**
 * A client of the core.
 *
 * **Guarantees**: objects are copies, as if they had been sent; refusals are those of the HTTP side (`ApiError`).
 * **Caveats**: the scale subresource and deadlines are not there, and `request` answers discovery and the binding of pods only,
 * which is what the built-in controllers ask for; a watch never idles.
 */
export function createCoreClient({ core, userAgent, user = adminUser }: CoreClientOptions): KubeClient {
  const requestOf = (
    type: ResourceType,
    { name, namespace }: { readonly name: string; readonly namespace?: string | undefined },
    verb: string,
    subresource?: string,
  ): ObjectRequest => ({
    type: servedType(core, type, `${verb} ${collectionPath(type, namespace)}`),
    namespace: type.namespaced ? (namespace ?? "") : "",
    name,
    subresource,
    user,
    warnings: [],
  });
  const writeOf = (
    type: ResourceType,
    key: ObjectKey,
    kind: WriteKind,
    verb: string,
    options: WriteOptions & { readonly force?: boolean; readonly apply?: boolean },
  ): WriteObjectRequest => {
    const { fieldManager, fieldValidation, dryRun, subresource, force, apply = false } = options;
    const query = new URLSearchParams({
      ...(fieldManager === undefined ? {} : { fieldManager }),
      ...(fieldValidation === undefined ? {} : { fieldValidation }),
      ...(dryRun === true ? { dryRun: "All" } : {}),
      ...(force === true ? { force: "true" } : {}),
    });
    const target = { name: key.name, namespace: namespaceFor(type, key) };
    return {
      ...requestOf(type, target, verb, subresource),
      query: parseWriteQuery(query, kind, { userAgent, apply }),
    };
  };
  const patch = (
    type: ResourceType,
    key: ObjectKey,
    patchType: PatchType,
    body: unknown,
    options: WriteOptions & { readonly force?: boolean },
  ): ApiObject => {
    const write = writeOf(type, key, "PatchOptions", "PATCH", { ...options, apply: patchType === "apply" });
    return patchObject(core, write, patchType, copy(body)).object;
  };

  const untyped = (method: string, path: string, body: unknown): unknown => {
    const named = parseResourcePath(path);
    if (method === "POST" && named?.plural === "pods" && named.subresource === "binding") {
      const key = { name: named.name ?? "", namespace: named.namespace };
      const write = { ...writeOf(Pod, key, "CreateOptions", "POST", {}), subresource: "binding" };
      return bindPod(core, write, fieldsOf(copy(body)));
    }
    if (method === "GET" && path === "/apis") return groupList(core.registry);
    if (method === "GET" && named !== undefined && named.plural === undefined) {
      return resourceList(core.registry, named.group, named.version);
    }
    throw notServed(`${method} ${path}`);
  };

  return {
    server: "in-process:",
    get: <T extends KubeObject>(type: ResourceType<T>, key: ObjectKey) =>
      answer<T>(`GET ${objectPath(type, key)}`, () =>
        currentObject(core, requestOf(type, { name: key.name, namespace: namespaceFor(type, key) }, "GET")),
      ),
    async list<T extends KubeObject>(type: ResourceType<T>, options: Parameters<KubeClient["list"]>[1] = {}) {
      const { namespace, signal: _signal, timeout: _timeout, ...query } = options;
      const name = `GET ${collectionPath(type, namespace)}`;
      const page = await answer<{ readonly items: readonly T[] }>(name, () =>
        listObjects(
          core,
          requestOf(type, { name: "", namespace }, "GET"),
          parseListQuery(toParameters(query), false),
        ),
      );
      const { items, ...metadata } = page as unknown as {
        readonly items: readonly T[];
        readonly resourceVersion: string;
      };
      return { items, metadata };
    },
    watch: <T extends KubeObject>(type: ResourceType<T>, options: WatchOptions) =>
      watch<T>(core, requestOf, type, options),
    async follow(type, options, receive) {
      for await (const event of watch(core, requestOf, type, options)) await receive(event);
    },
    create: <T extends KubeObject>(type: ResourceType<T>, manifest: Manifest, options: WriteOptions = {}) =>
      answer<T>(`POST ${collectionPath(type, manifest.metadata.namespace)}`, () => {
        const write = writeOf(type, keyOf(manifest), "CreateOptions", "POST", options);
        // A create names its object in the body only.
        const request = { ...write, name: "" };
        return createObject(core, request, toIncomingObject(request, copy(manifest) as never));
      }),
    update: <T extends KubeObject>(type: ResourceType<T>, manifest: Manifest, options: WriteOptions = {}) =>
      answer<T>(`PUT ${objectPath(type, keyOf(manifest))}`, () => {
        const write = writeOf(type, keyOf(manifest), "UpdateOptions", "PUT", options);
        return updateObject(core, write, toIncomingObject(write, copy(manifest) as never));
      }),
    patch: <T extends KubeObject>(
      type: ResourceType<T>,
      key: ObjectKey,
      { type: patchType, body }: Patch,
      options: WriteOptions = {},
    ) =>
      answer<T>(`PATCH ${objectPath(type, key, options.subresource)}`, () =>
        patch(type, key, patchType, body, options),
      ),
    apply: <T extends KubeObject>(
      type: ResourceType<T>,
      manifest: Manifest,
      options: Parameters<KubeClient["apply"]>[2],
    ) =>
      answer<T>(`PATCH ${objectPath(type, keyOf(manifest), options.subresource)}`, () =>
        patch(type, keyOf(manifest), "apply", bodyOfApply(manifest, options), options),
      ),
    async delete<T extends KubeObject>(
      type: ResourceType<T>,
      key: ObjectKey,
      options: Parameters<KubeClient["delete"]>[2] = {},
    ) {
      const { signal: _signal, timeout: _timeout, dryRun, ...body } = options;
      const target = { name: key.name, namespace: namespaceFor(type, key) };
      const left = await answer<T>(`DELETE ${objectPath(type, key)}`, () =>
        deleteObject(
          core,
          requestOf(type, target, "DELETE"),
          parseDeleteQuery(new URLSearchParams(), {
            ...body,
            ...(dryRun === true ? { dryRun: ["All"] } : {}),
          }),
        ),
      );
      return left.metadata?.deletionTimestamp === undefined ? undefined : left;
    },
    request: ({ method, path, body }) => answer(`${method} ${path}`, () => untyped(method, path, body)),
    exec: (pod) => {
      const error = new OperatorError(
        "EXEC_UNSUPPORTED",
        `exec in pod ${formatKey(pod)}: this server has no pods`,
        {
          remedy: 'Start a cluster with pods: "process".',
        },
      );
      return Promise.reject(error);
    },
    close: () => Promise.resolve(),
  };
}

async function* watch<T extends KubeObject>(
  core: ApiCore,
  requestOf: (
    type: ResourceType,
    scope: { name: string; namespace?: string | undefined },
    verb: string,
  ) => ObjectRequest,
  type: ResourceType<T>,
  options: WatchOptions,
): AsyncGenerator<WatchEvent<T>, void, undefined> {
  const { namespace, signal, idleTimeout: _idle, sendInitialEvents, ...query } = options;
  const name = `GET ${collectionPath(type, namespace)}`;
  const initial =
    sendInitialEvents === true ? { sendInitialEvents, resourceVersionMatch: "NotOlderThan" } : {};
  const lines = await answered(name, () =>
    streamWatch(
      core,
      requestOf(type, { name: "", namespace }, "GET"),
      parseListQuery(toParameters({ ...query, ...initial, watch: true }), true),
      signal,
    ),
  );
  for await (const { type: kind, object } of lines) {
    const sent = copy(object) as T;
    if (kind === "ERROR") throw statusToApiError(sent, { request: name });
    if (kind !== "BOOKMARK") {
      yield { type: kind, object: sent };
      continue;
    }
    const { resourceVersion, annotations } = sent.metadata;
    const initialEventsEnd = annotations?.["k8s.io/initial-events-end"] === "true";
    yield { type: "BOOKMARK", resourceVersion, initialEventsEnd };
  }
}

function servedType(core: ApiCore, type: ResourceType, request: string): ServedType {
  const served = core.registry.find(type.group, type.version, type.plural);
  if (served === undefined) throw notServed(request);
  return served;
}

function notServed(request: string): Error {
  return toApiError({ status: 404, body: "404 page not found", request });
}

function toParameters(query: ListScope & Readonly<Record<string, unknown>>): URLSearchParams {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return new URLSearchParams(given.map(([name, value]) => [name, String(value)] as [string, string]));
}

/** What the call returns, as a copy, in a later microtask; a refusal becomes the error that the HTTP side would be. */
async function answer<T>(request: string, call: () => unknown): Promise<T> {
  return copy(await answered(request, call)) as T;
}

async function answered<T>(request: string, call: () => T): Promise<T> {
  await Promise.resolve();
  try {
    return call();
  } catch (error) {
    if (error instanceof StatusError) throw statusToApiError(error.status, { request });
    throw error;
  }
}

function copy(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
