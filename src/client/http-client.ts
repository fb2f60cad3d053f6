// The client: one method per verb over the transport, raw JSON in and out.
import { isMetadataOnly, represented } from "../meta/metadata-only.ts";
import type { KubeObject, Manifest } from "../meta/object.ts";
import { keyOf } from "../meta/object-key.ts";
import { apiVersionOf, resourceNameOf, type ResourceType } from "../meta/resource-type.ts";
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type { Metrics } from "../ports/metrics.ts";
import { OperatorError } from "../ports/operator-error.ts";
import { systemClock } from "../ports/system-clock.ts";
import type { Tracing } from "../ports/tracing.ts";
import { isForbidden } from "./api-error.ts";
import { bodyOfApply } from "./apply-body.ts";
import type { Connection } from "./connection.ts";
import { isKept } from "./deleted-object.ts";
import { createExec } from "./exec.ts";
import { createHttpTransport, type TransportRequest } from "./http-transport.ts";
import type {
  KubeClient,
  ObjectList,
  Patch,
  RequestOptions,
  WatchOptions,
  WatchReceiver,
  WriteOptions,
} from "./kube-client.ts";
import { collectionPath, nameOf, namespaceFor, objectPath, withQuery, type Query } from "./request-path.ts";
import { eventsOf } from "./watch-events.ts";
import { WatchDecoder } from "./watch-stream.ts";

/** Options of {@link createKubeClient}. */
export interface KubeClientOptions {
  /** `User-Agent`; its part before the first slash is the field manager of writes that name none. Default `xstate-operator`. */
  readonly userAgent?: string;
  /** Default the system's. */
  readonly clock?: Clock;
  /** Receives the server's warnings, once each; default nobody. */
  readonly log?: Logger;
  /** Where requests are counted; default nowhere. */
  readonly metrics?: Metrics;
  /**
   * Where the requests of a traced reconcile are traced; default nowhere.
   *
   * @internal
   */
  readonly tracing?: Tracing;
}

/** What is asked for of a type that is read as metadata only; servers that do not know it send whole objects. */
const partialObject = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";
const partialList = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";

const requestTimeout = 30_000;
const listTimeout = 60_000;

const patchTypes: Readonly<Record<Patch["type"] | "apply", string>> = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  // JSON is YAML; servers take it under this name in every version.
  apply: "application/apply-patch+yaml",
};

/** A client for one connection. It opens sockets on the first request and keeps them until {@link KubeClient.close}. */
export function createKubeClient(connection: Connection, options: KubeClientOptions = {}): KubeClient {
  const clock = options.clock ?? systemClock;
  const { userAgent = "xstate-operator" } = options;
  const transport = createHttpTransport({
    connection,
    clock,
    userAgent,
    ...(options.log === undefined ? {} : { log: options.log }),
    ...(options.metrics === undefined ? {} : { metrics: options.metrics }),
    ...(options.tracing === undefined ? {} : { tracing: options.tracing }),
  });

  /** What this client may patch and not replace. */
  const onlyPatched = new Set<string>();

  /** Sends, and parses the answer as a JSON object. */
  async function call<T>(
    request: Omit<TransportRequest, "timeout" | "signal" | "until" | "beforeSend">,
    { signal, until, timeout = requestTimeout, beforeSend }: RequestOptions = {},
  ): Promise<T> {
    const complete = { ...request, timeout, signal, until, beforeSend };
    const { text } = await transport.send(complete);
    const parsed = parseJson(text, complete);
    if (typeof parsed !== "object" || parsed === null) throw malformed(complete, "is not a JSON object");
    return parsed as T;
  }

  function sendPatch<T>(
    path: string,
    type: keyof typeof patchTypes,
    body: unknown,
    request: RequestOptions,
  ): Promise<T> {
    return call<T>(
      { method: "PATCH", path, body: JSON.stringify(body), contentType: patchTypes[type] },
      request,
    );
  }

  return {
    server: connection.server,

    get: async <T extends KubeObject>(
      type: ResourceType<T>,
      key: Parameters<KubeClient["get"]>[1],
      request?: RequestOptions,
    ) => {
      const accept = isMetadataOnly(type) ? partialObject : undefined;
      return represented(
        type,
        await call<T>({ method: "GET", path: objectPath(type, key), accept }, request),
      );
    },

    async list<T extends KubeObject>(type: ResourceType<T>, list: Parameters<KubeClient["list"]>[1] = {}) {
      const { namespace, timeout = listTimeout, signal: _, until: __, beforeSend: ___, ...query } = list;
      const request = {
        method: "GET",
        path: withQuery(collectionPath(type, namespace), query satisfies Query),
        accept: isMetadataOnly(type) ? partialList : undefined,
      } as const;
      const answer = await call<{ metadata?: ObjectList<T>["metadata"]; items?: T[] | null }>(request, {
        ...list,
        timeout,
      });
      if (typeof answer.metadata?.resourceVersion !== "string") throw malformed(request, "is not a list");
      const whole = answer.items ?? [];
      const items = isMetadataOnly(type) ? whole.map((item) => represented(type, item)) : whole;
      const typeMeta = { apiVersion: apiVersionOf(type), kind: type.kind };
      // Items of built-in types come without: https://github.com/kubernetes/kubernetes/issues/3030
      for (const item of items) if (item.kind === undefined) Object.assign(item, typeMeta);
      return { metadata: readListMeta(answer.metadata), items };
    },

    watch: <T extends KubeObject>(type: ResourceType<T>, watch: WatchOptions) =>
      eventsOf<T>((options, receive) => follow(type, options, receive), watch),

    follow,

    create: async <T extends KubeObject>(
      type: ResourceType<T>,
      manifest: Manifest,
      write: WriteOptions = {},
    ) =>
      call<T>(
        {
          method: "POST",
          path: withQuery(collectionPath(type, namespaceFor(type, keyOf(manifest))), writeQuery(write)),
          body: JSON.stringify(manifest),
        },
        write,
      ),

    update: async <T extends KubeObject>(
      type: ResourceType<T>,
      manifest: Manifest,
      write: WriteOptions = {},
    ) =>
      call<T>(
        {
          method: "PUT",
          path: withQuery(objectPath(type, keyOf(manifest), write.subresource), writeQuery(write)),
          body: JSON.stringify(manifest),
        },
        write,
      ),

    async patch<T extends KubeObject>(
      type: ResourceType<T>,
      key: Parameters<KubeClient["patch"]>[1],
      patch: Patch,
      write: WriteOptions = {},
    ) {
      const { whole, subresource } = write;
      const path = withQuery(objectPath(type, key, subresource), writeQuery(write));
      const kind = `${resourceNameOf(type)}/${subresource ?? ""}`;
      const isTried = whole !== undefined && !onlyPatched.has(kind);
      if (isTried) {
        try {
          return await call<T>({ method: "PUT", path, body: JSON.stringify(whole) }, write);
        } catch (error) {
          if (!isForbidden(error)) throw error;
        }
      }
      const patched = await sendPatch<T>(path, patch.type, patch.body, write);
      // What is allowed as a patch alone is not tried in another way again.
      if (isTried) onlyPatched.add(kind);
      return patched;
    },

    apply: async <T extends KubeObject>(
      type: ResourceType<T>,
      manifest: Manifest,
      apply: Parameters<KubeClient["apply"]>[2],
    ) => {
      const path = objectPath(type, keyOf(manifest), apply.subresource);
      const query = { ...writeQuery(apply), force: apply.force === true ? true : undefined };
      return sendPatch<T>(withQuery(path, query), "apply", bodyOfApply(manifest, apply), apply);
    },

    async delete<T extends KubeObject>(
      type: ResourceType<T>,
      key: Parameters<KubeClient["delete"]>[1],
      options: Parameters<KubeClient["delete"]>[2] = {},
    ) {
      const { dryRun, propagationPolicy, gracePeriodSeconds, preconditions } = options;
      const answer = await call<Partial<T>>(
        {
          method: "DELETE",
          path: objectPath(type, key),
          body: JSON.stringify({
            kind: "DeleteOptions",
            apiVersion: "v1",
            propagationPolicy,
            gracePeriodSeconds,
            preconditions,
            ...(dryRun === true ? { dryRun: ["All"] } : {}),
          }),
        },
        options,
      );
      return isKept(answer.metadata) ? (answer as T) : undefined;
    },

    async request({ method, path, body, contentType, accept, timeout = requestTimeout, ...others }) {
      const { signal, until, beforeSend } = others;
      const request = {
        method,
        path,
        timeout,
        signal,
        until,
        beforeSend,
        accept,
        contentType,
        body: body === undefined || typeof body === "string" ? body : JSON.stringify(body),
      };
      const answer = await transport.send(request);
      return /\bjson\b/.test(answer.contentType) ? parseJson(answer.text, request) : answer.text;
    },

    exec: createExec({ connection, userAgent, clock }),

    close: () => transport.close(),
  };

  async function follow<T extends KubeObject>(
    type: ResourceType<T>,
    watch: WatchOptions,
    receive: WatchReceiver<T>,
  ): Promise<void> {
    const {
      namespace,
      signal,
      idleTimeout,
      onOpen,
      omitManagedFields = false,
      sendInitialEvents,
      ...query
    } = watch;
    const request = {
      method: "GET",
      path: withQuery(collectionPath(type, namespace), {
        ...query,
        watch: true,
        ...(sendInitialEvents === true ? { sendInitialEvents, resourceVersionMatch: "NotOlderThan" } : {}),
      }),
      accept: isMetadataOnly(type) ? partialObject : undefined,
      timeout: requestTimeout,
      signal,
      idleTimeout,
      onOpen,
    } as const;
    const asRead: WatchReceiver<T> = (event) =>
      receive(event.type === "BOOKMARK" ? event : { ...event, object: represented(type, event.object) });
    const decoder = new WatchDecoder<T>({
      request: nameOf(request),
      receive: isMetadataOnly(type) ? asRead : receive,
      omitManagedFields,
    });
    await transport.stream(request, decoder);
    decoder.end();
  }
}

function writeQuery({ fieldManager, fieldValidation, dryRun }: WriteOptions): Query {
  return { fieldManager, fieldValidation, dryRun: dryRun === true ? "All" : undefined };
}

/** Without the empty `continue` that some answers carry on their last page. */
function readListMeta(metadata: ObjectList<KubeObject>["metadata"]): ObjectList<KubeObject>["metadata"] {
  const { resourceVersion, remainingItemCount } = metadata;
  return {
    resourceVersion,
    ...(metadata.continue === undefined || metadata.continue === "" ? {} : { continue: metadata.continue }),
    ...(remainingItemCount === undefined ? {} : { remainingItemCount }),
  };
}

function parseJson(text: string, request: Pick<TransportRequest, "method" | "path">): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw malformed(request, "is not JSON", error);
  }
}

function malformed(
  request: Pick<TransportRequest, "method" | "path">,
  what: string,
  cause?: unknown,
): OperatorError {
  return new OperatorError("RESPONSE_MALFORMED", `${nameOf(request)}: the server's answer ${what}`, {
    cause,
    remedy:
      "Check that the address in the kubeconfig is that of a Kubernetes API server, and not of a proxy or login page.",
  });
}
