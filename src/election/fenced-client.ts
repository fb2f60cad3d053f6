// A client that reads always and writes only while this process leads: what stands between a leader that does not know
// yet that it is none, and the cluster.
import type { KubeClient, RequestOptions } from "../client/kube-client.ts";
import { formatKey, keyOf, type ObjectKey } from "../meta/object-key.ts";
import type { ResourceType } from "../meta/resource-type.ts";
import type { WriteBounds } from "./leadership-term.ts";

/** What lets writes pass: a leadership term, or a run's part in a shard. */
export interface WriteFence {
  /** Sends a write, named for messages, when that is allowed, within the bounds it gives. */
  write<T>(
    what: string,
    outer: AbortSignal | undefined,
    send: (bounds: WriteBounds) => Promise<T>,
  ): Promise<T>;
}

/**
 * The client, with every write bound to a fence.
 *
 * **Guarantees**: a write is sent only while the term lasts by the local clocks at that instant (asked when it is called,
 * and again when it goes out on its connection), and is aborted when the term ends under it. Reads and watches pass; closing it closes the client.
 * **Caveats**: see `LeadershipTerm`: it bounds what this process sends, not what the network delivers late.
 * **Errors**: those of the fence: `LEADERSHIP_MISSING` before a term, `LEADERSHIP_LOST` after it.
 */
export function createFencedClient(client: KubeClient, term: WriteFence): KubeClient {
  const fenced = <O extends RequestOptions, T>(
    what: string,
    options: O,
    send: (options: O) => Promise<T>,
  ): Promise<T> =>
    term.write(what, options.signal, ({ signal, beforeSend }) => {
      const ask = (): void => {
        options.beforeSend?.();
        beforeSend();
      };
      return send({ ...options, signal, beforeSend: ask });
    });
  return {
    server: client.server,
    get: (type, key, options) => client.get(type, key, options),
    list: (type, options) => client.list(type, options),
    watch: (type, options) => client.watch(type, options),
    create: (type, manifest, options = {}) =>
      fenced(nameOf("create", type, keyOf(manifest)), options, (bound) =>
        client.create(type, manifest, bound),
      ),
    update: (type, manifest, options = {}) =>
      fenced(nameOf("update", type, keyOf(manifest)), options, (bound) =>
        client.update(type, manifest, bound),
      ),
    patch: (type, key, patch, options = {}) =>
      fenced(nameOf("patch", type, key), options, (bound) => client.patch(type, key, patch, bound)),
    apply: (type, manifest, options) =>
      fenced(nameOf("apply", type, keyOf(manifest)), options, (bound) => client.apply(type, manifest, bound)),
    delete: (type, key, options = {}) =>
      fenced(nameOf("delete", type, key), options, (bound) => client.delete(type, key, bound)),
    request: (request) =>
      request.method === "GET"
        ? client.request(request)
        : fenced(`${request.method} ${request.path}`, request, (bound) => client.request(bound)),
    close: () => client.close(),
  };
}

function nameOf(verb: string, type: ResourceType, key: ObjectKey): string {
  return `${verb} ${type.kind} ${formatKey(key)}`;
}
