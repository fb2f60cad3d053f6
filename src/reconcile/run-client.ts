// The client that the hooks of one run are given: it works as long as the run lasts, and what is written through it is
// seen by the next read. A hook that was cut off, or forgot to await, cannot write behind the back of a later run.
import type { DeleteOptions, KubeClient, RequestOptions, WriteOptions } from "../client/kube-client.ts";
import type { KubeObject, Manifest } from "../meta/object.ts";
import { createGenerated, type GeneratedCreation } from "./resources/generated-names.ts";
import type { ObjectKey } from "../meta/object-key.ts";
import type { ResourceType } from "../meta/resource-type.ts";

/** Options of {@link withinRun}. */
export interface RunClientOptions {
  readonly client: KubeClient;
  /** The run's signal: requests after it are refused with its reason, those under way are aborted. */
  readonly signal: AbortSignal;
  /** Told of each object that was read; default nobody. */
  readonly onRead?: (object: KubeObject) => void;
  /** Told of each object as a write left it; not of dry runs. */
  readonly onWritten: (type: ResourceType, object: KubeObject) => void;
  /** What creations by `generateName` go by; default the server chooses each name. */
  readonly generated?: Pick<GeneratedCreation<KubeObject>, "owner" | "names" | "random" | "isKnown">;
  /** Told of each object that a delete removed at once. */
  readonly onDeleted: (type: ResourceType, key: ObjectKey) => void;
}

/**
 * A client bound to one run.
 *
 * **Caveats**: closing it does nothing, as the client behind it is shared.
 * **Errors**: besides the client's, the signal's reason (`RECONCILE_TIMEOUT`, `RECONCILE_ABORTED`) once the run is over
 * or cut off.
 */
export function withinRun(options: RunClientOptions): KubeClient {
  const { client, signal, onRead, onWritten, onDeleted, generated } = options;

  function bounded<T extends { readonly signal?: AbortSignal }>(options: T): T & { signal: AbortSignal } {
    signal.throwIfAborted();
    const own = options.signal;
    return { ...options, signal: own === undefined ? signal : AbortSignal.any([signal, own]) };
  }

  async function write<T extends KubeObject, O extends WriteOptions>(
    type: ResourceType<T>,
    options: O,
    send: (options: O & { signal: AbortSignal }) => Promise<T>,
  ): Promise<T> {
    const written = await send(bounded(options));
    // The answer to a write of the scale is a Scale, and that of a dry run is nothing that is stored.
    if (options.dryRun !== true && options.subresource !== "scale") onWritten(type, written);
    return written;
  }

  return {
    server: client.server,
    async get(type, key, options: RequestOptions = {}) {
      const object = await client.get(type, key, bounded(options));
      onRead?.(object);
      return object;
    },
    async list(type, options = {}) {
      const list = await client.list(type, bounded(options));
      for (const object of list.items) onRead?.(object);
      return list;
    },
    watch: (type, options) => client.watch(type, bounded(options)),
    async create(type, manifest, options: WriteOptions = {}) {
      const create = (named: Manifest) =>
        write(type, options, (within) => client.create(type, named, within));
      const prefix = prefixOf(manifest);
      if (prefix === undefined || generated === undefined || options.dryRun === true) return create(manifest);
      const created = await createGenerated({ ...generated, client, type, manifest, prefix, signal, create });
      onWritten(type, created);
      return created;
    },
    update: (type, manifest, options: WriteOptions = {}) =>
      write(type, options, (within) => client.update(type, manifest, within)),
    patch: (type, key, patch, options: WriteOptions = {}) =>
      write(type, options, (within) => client.patch(type, key, patch, within)),
    apply: (type, manifest, options) =>
      write(type, options, (within) => client.apply(type, manifest, within)),
    async delete(type, key, options: DeleteOptions = {}) {
      const left = await client.delete(type, key, bounded(options));
      if (options.dryRun === true) return left;
      if (left === undefined) onDeleted(type, key);
      else onWritten(type, left);
      return left;
    },
    request: async (request) => client.request(bounded(request)),
    close: () => Promise.resolve(),
  };
}

/** What the name of a manifest begins with that has none yet. */
function prefixOf({ metadata }: Manifest): string | undefined {
  const { name, generateName } = metadata as { readonly name?: unknown; readonly generateName?: unknown };
  return (name === undefined || name === "") && typeof generateName === "string" ? generateName : undefined;
}
