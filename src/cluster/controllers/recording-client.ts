// A client whose writes show in the cache at once, so that a controller never acts twice on what it has just done.
import type { SharedCache } from "../../cache/informer.ts";
import type { KubeClient } from "../../client/kube-client.ts";
import type { KubeObject } from "../../meta/object.ts";
import type { ResourceType } from "../../meta/resource-type.ts";

/** The client, with the result of each write recorded in the informer of its type, if the cache has one. */
export function recordingClient(client: KubeClient, cache: SharedCache): KubeClient {
  const record = <T extends KubeObject>(type: ResourceType<T>, object: T, dryRun: boolean | undefined): T => {
    // The scale subresource answers with another kind.
    if (dryRun !== true && object.kind === type.kind) cache.existing(type)?.recordWrite(object);
    return object;
  };
  return {
    server: client.server,
    get: (type, key, options) => client.get(type, key, options),
    list: (type, options) => client.list(type, options),
    watch: (type, options) => client.watch(type, options),
    request: (request) => client.request(request),
    close: () => client.close(),
    create: async (type, manifest, options) =>
      record(type, await client.create(type, manifest, options), options?.dryRun),
    update: async (type, manifest, options) =>
      record(type, await client.update(type, manifest, options), options?.dryRun),
    patch: async (type, key, patch, options) =>
      record(type, await client.patch(type, key, patch, options), options?.dryRun),
    apply: async (type, manifest, options) =>
      record(type, await client.apply(type, manifest, options), options.dryRun),
    async delete(type, key, options) {
      const informer = cache.existing(type);
      const before = informer?.lister.get(key);
      const left = await client.delete(type, key, options);
      if (options?.dryRun === true) return left;
      if (left !== undefined) return record(type, left, false);
      const uid = options?.preconditions?.uid;
      if (before !== undefined && (uid === undefined || uid === before.metadata.uid)) {
        informer?.recordDelete(before);
      }
      return undefined;
    },
  };
}
