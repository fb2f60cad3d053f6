// A client of an API server without its HTTP side: the same verbs on the same storage, in the same process, on any clock.
// For simulations, where whatever waits waits for a promise and never for a socket; and for the built-in controllers of a cluster.
import { bodyOfApply } from "../../../client/apply-body.ts";
import { isKept } from "../../../client/deleted-object.ts";
import type {
  KubeClient,
  ListScope,
  Patch,
  RequestOptions,
  WatchOptions,
  WatchReceiver,
  WriteOptions,
} from "../../../client/kube-client.ts";
import { collectionPath, namespaceFor, objectPath } from "../../../client/request-path.ts";
import { statusToApiError, toApiError } from "../../../client/status-body.ts";
import { eventsOf } from "../../../client/watch-events.ts";
import { represented } from "../../../meta/metadata-only.ts";
import type { KubeObject, Manifest } from "../../../meta/object.ts";
import { formatKey, keyOf, type ObjectKey } from "../../../meta/object-key.ts";
import type { ResourceType } from "../../../meta/resource-type.ts";
import { untilAborted } from "../../../ports/deadline.ts";
import { OperatorError } from "../../../ports/operator-error.ts";
import { copyOf } from "../../../schema/json-value.ts";
import type { ApiCore } from "../api-core.ts";
import { repeatedFields } from "../requests/repeated-fields.ts";
import { parseDeleteQuery } from "../options/delete-options.ts";
import { parseListQuery } from "../options/list-options.ts";
import { parseWriteQuery, type WriteKind } from "../options/write-options.ts";
import { adminUser, type ApiUser } from "../requests/users.ts";
import type { ServedType } from "../served-type.ts";
import { StatusError } from "../status-error.ts";
import { carryOut, readOut } from "../verbs/carry-out.ts";
import { createObject } from "../verbs/create.ts";
import { deleteObject } from "../verbs/delete.ts";
import { toIncomingObject } from "../verbs/incoming-object.ts";
import { listObjects, type ObjectPage } from "../verbs/list.ts";
import type { ObjectRequest, WriteObjectRequest } from "../verbs/object-request.ts";
import { patchObject, type PatchType } from "../verbs/patch.ts";
import { currentObject, updateObject } from "../verbs/update.ts";
import { followCore } from "./core-watch.ts";
import { answerPath } from "./path-requests.ts";

/** Options of {@link createCoreClient}. */
export interface CoreClientOptions {
  readonly core: ApiCore;
  /** As in HTTP: its part before the first slash is the field manager of writes that name none. */
  readonly userAgent: string;
  /** Default the administrator. */
  readonly user?: ApiUser;
  /** Waits until a request, or what a watch has to tell, may have its turn; default the next microtask. */
  readonly turn?: () => Promise<void>;
}

/**
 * A client of the core.
 *
 * **Guarantees**: objects are copies, as if they had been sent; refusals are those of the HTTP side (`ApiError`), and webhooks are asked.
 * **Caveats**: deadlines are not there, the scale is read and replaced by its path only, and `request` answers only what the built-in controllers ask for:
 * discovery, metrics, scales, the binding of pods, the deletion of collections and the end of namespaces; a watch never idles.
 */
export function createCoreClient({
  core,
  userAgent,
  user = adminUser,
  turn = () => Promise.resolve(),
}: CoreClientOptions): KubeClient {
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

  /** What a request comes to, when it is its turn; a refusal becomes the error that the HTTP side would be. */
  async function answered<T>(
    name: string,
    { signal, beforeSend }: RequestOptions,
    call: () => T | Promise<T>,
  ): Promise<T> {
    await turn();
    signal?.throwIfAborted();
    beforeSend?.();
    try {
      const answer = call();
      if (!(answer instanceof Promise)) return answer;
      return await (signal === undefined ? answer : untilAborted(answer, signal));
    } catch (error) {
      if (error instanceof StatusError) throw statusToApiError(error.status, { request: name });
      throw error;
    }
  }

  const patch = async <T extends KubeObject>(
    type: ResourceType<T>,
    key: ObjectKey,
    patchType: PatchType,
    body: unknown,
    options: WriteOptions & { readonly force?: boolean },
  ): Promise<T> =>
    copyOf(
      await answered(`PATCH ${objectPath(type, key, options.subresource)}`, options, () => {
        const settings = { ...options, apply: patchType === "apply" };
        const write = writeOf(type, key, "PatchOptions", "PATCH", settings);
        const sent = asSent(body);
        return carryOut(
          core,
          write,
          (run) =>
            patchObject(run, write, patchType, () => ({ value: sent, textFaults: repeatedFields([]) }))
              .object,
        );
      }),
    ) as T;

  const follow = <T extends KubeObject>(
    type: ResourceType<T>,
    options: WatchOptions,
    receive: WatchReceiver<T>,
  ): Promise<void> => {
    const { namespace, signal, idleTimeout: _idle, onOpen: _onOpen, ...others } = options;
    const { omitManagedFields = false, sendInitialEvents, ...query } = others;
    const name = `GET ${collectionPath(type, namespace)}`;
    const initial =
      sendInitialEvents === true ? { sendInitialEvents, resourceVersionMatch: "NotOlderThan" } : {};
    return answered(name, { signal }, () =>
      followCore<T>(
        core,
        requestOf(type, { name: "", namespace }, "GET"),
        parseListQuery(toParameters({ ...query, ...initial, watch: true }), true),
        { name, signal, omitManagedFields, turn },
        (event) =>
          receive(event.type === "BOOKMARK" ? event : { ...event, object: represented(type, event.object) }),
      ),
    );
  };

  return {
    server: "in-process:",
    async get<T extends KubeObject>(type: ResourceType<T>, key: ObjectKey, options: RequestOptions = {}) {
      const found = await answered(`GET ${objectPath(type, key)}`, options, () => {
        const request = requestOf(type, { name: key.name, namespace: namespaceFor(type, key) }, "GET");
        return readOut(request, () => currentObject(core, request));
      });
      return represented(type, copyOf(found) as T);
    },
    async list<T extends KubeObject>(type: ResourceType<T>, options: Parameters<KubeClient["list"]>[1] = {}) {
      const { namespace, signal: _signal, timeout: _timeout, beforeSend: _before, ...query } = options;
      const page = await answered<ObjectPage>(`GET ${collectionPath(type, namespace)}`, options, () => {
        const request = requestOf(type, { name: "", namespace }, "GET");
        return readOut(request, () => listObjects(core, request, parseListQuery(toParameters(query), false)));
      });
      const { items, ...metadata } = page;
      return { items: items.map((item) => represented(type, copyOf(item) as T)), metadata };
    },
    watch: <T extends KubeObject>(type: ResourceType<T>, watch: WatchOptions) =>
      eventsOf<T>((options, receive) => follow(type, options, receive), watch),
    follow,
    create: async <T extends KubeObject>(
      type: ResourceType<T>,
      manifest: Manifest,
      options: WriteOptions = {},
    ) =>
      copyOf(
        await answered(`POST ${collectionPath(type, manifest.metadata.namespace)}`, options, () => {
          const write = writeOf(type, keyOf(manifest), "CreateOptions", "POST", options);
          // A create names its object in the body only.
          const request = { ...write, name: "" };
          const incoming = toIncomingObject(request, asSent(manifest) as never);
          return carryOut(core, request, (run) => createObject(run, request, incoming));
        }),
      ) as T,
    update: async <T extends KubeObject>(
      type: ResourceType<T>,
      manifest: Manifest,
      options: WriteOptions = {},
    ) =>
      copyOf(
        await answered(`PUT ${objectPath(type, keyOf(manifest))}`, options, () => {
          const write = writeOf(type, keyOf(manifest), "UpdateOptions", "PUT", options);
          const incoming = toIncomingObject(write, asSent(manifest) as never);
          return carryOut(core, write, (run) => updateObject(run, write, incoming));
        }),
      ) as T,
    patch: <T extends KubeObject>(
      type: ResourceType<T>,
      key: ObjectKey,
      { type: patchType, body }: Patch,
      options: WriteOptions = {},
    ) => patch(type, key, patchType, body, options),
    apply: <T extends KubeObject>(
      type: ResourceType<T>,
      manifest: Manifest,
      options: Parameters<KubeClient["apply"]>[2],
    ) => patch(type, keyOf(manifest), "apply", bodyOfApply(manifest, options), options),
    async delete<T extends KubeObject>(
      type: ResourceType<T>,
      key: ObjectKey,
      options: Parameters<KubeClient["delete"]>[2] = {},
    ) {
      const { dryRun, propagationPolicy, gracePeriodSeconds, preconditions } = options;
      const given = { propagationPolicy, gracePeriodSeconds, preconditions };
      const body = dryRun === true ? { ...given, dryRun: ["All"] } : given;
      const left = await answered(`DELETE ${objectPath(type, key)}`, options, () => {
        const target = { name: key.name, namespace: namespaceFor(type, key) };
        const request = requestOf(type, target, "DELETE");
        const query = parseDeleteQuery(new URLSearchParams(), asSent(body));
        return carryOut(core, request, (run) => deleteObject(run, request, query));
      });
      return isKept(left.metadata as Partial<KubeObject["metadata"]>) ? (copyOf(left) as T) : undefined;
    },
    request: async (raw) =>
      copyOf(
        await answered(`${raw.method} ${raw.path}`, raw, () =>
          answerPath(core, { ...raw, body: asSent(raw.body), user, userAgent }),
        ),
      ),
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

function servedType(core: ApiCore, type: ResourceType, request: string): ServedType {
  const served = core.registry.find(type.group, type.version, type.plural);
  if (served === undefined) throw toApiError({ status: 404, body: "404 page not found", request });
  return served;
}

function toParameters(query: ListScope & Readonly<Record<string, unknown>>): URLSearchParams {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return new URLSearchParams(given.map(([name, value]) => [name, String(value)] as [string, string]));
}

/** What the server would read of what is sent. */
function asSent(value: unknown): unknown {
  return value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as unknown);
}
