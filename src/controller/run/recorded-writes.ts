// Notes what a run writes, for a recording: which object and which fields of it, never the values.
import type { KubeClient, Patch } from "../../client/kube-client.ts";
import { changedPaths } from "../../meta/changed-paths.ts";
import type { AnyManifest, KubeObject } from "../../meta/object.ts";
import { formatKey, keyOf, type ObjectKey } from "../../meta/object-key.ts";
import { apiVersionOf, type ResourceType } from "../../meta/resource-type.ts";
import type { Clock } from "../../ports/clock.ts";
import { messageOf } from "../../ports/operator-error.ts";
import type { RecordedWrite } from "../../recording/run-recorder.ts";

/** Options of {@link noteWrites}. */
export interface NoteWritesOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  /** The object as it is cached; undefined when it is not there, or not cached. */
  readonly cached: (type: ResourceType, key: ObjectKey) => KubeObject | undefined;
  readonly onWrite: (write: RecordedWrite) => void;
  /** Told of each object as a write left it. */
  readonly onWritten: (type: ResourceType, object: KubeObject) => void;
}

/** A client that does what the other one does, and notes it. */
export function noteWrites(options: NoteWritesOptions): KubeClient {
  const { client, clock, cached, onWrite, onWritten } = options;

  async function note<T extends KubeObject | undefined>(
    write: Omit<RecordedWrite, "at" | "paths">,
    paths: (written: T | undefined) => readonly string[],
    send: () => Promise<T>,
  ): Promise<T> {
    const at = clock.now();
    let written: T;
    try {
      written = await send();
    } catch (error) {
      onWrite({ ...write, at, paths: paths(undefined), error: messageOf(error) });
      throw error;
    }
    onWrite({ ...write, at, paths: paths(written) });
    return written;
  }

  /** A write of an object, which answers with what it is then. */
  function writeOf<T extends KubeObject>(
    verb: RecordedWrite["verb"],
    type: ResourceType<T>,
    key: ObjectKey,
    { subresource, dryRun }: { readonly subresource?: string; readonly dryRun?: boolean },
    sent: object,
    send: () => Promise<T>,
  ): Promise<T> {
    const before = subresource === "scale" ? undefined : cached(type, key);
    const { apiVersion, kind } = { apiVersion: apiVersionOf(type), kind: type.kind };
    const write = {
      verb,
      type: `${apiVersion} ${kind}`,
      key: formatKey(key),
      ...(subresource === undefined ? {} : { subresource }),
    };
    return note(
      write,
      (written: T | undefined) =>
        before === undefined || written === undefined
          ? changedPaths({}, sent)
          : changedPaths(before, written),
      async () => {
        const written = await send();
        if (dryRun !== true && subresource !== "scale") onWritten(type, written);
        return written;
      },
    );
  }

  return {
    server: client.server,
    get: (type, key, more) => client.get(type, key, more),
    list: (type, more) => client.list(type, more),
    watch: (type, more) => client.watch(type, more),
    create: (type, manifest, more = {}) =>
      writeOf("create", type, nameOf(manifest), more, manifest, () => client.create(type, manifest, more)),
    update: (type, manifest, more = {}) =>
      writeOf("update", type, nameOf(manifest), more, manifest, () => client.update(type, manifest, more)),
    patch: (type, key, patch, more = {}) =>
      writeOf("patch", type, key, more, sentBy(patch), () => client.patch(type, key, patch, more)),
    apply: (type, manifest, more) =>
      writeOf("apply", type, nameOf(manifest), more, manifest, () => client.apply(type, manifest, more)),
    delete: (type, key, more) =>
      note(
        { verb: "delete", type: `${apiVersionOf(type)} ${type.kind}`, key: formatKey(key) },
        () => [],
        () => client.delete(type, key, more),
      ),
    request: async (request) => {
      if (request.method === "GET") return client.request(request);
      const write = {
        verb: "request" as const,
        type: request.method,
        key: request.path,
        at: clock.now(),
        paths: [],
      };
      try {
        const answer = await client.request(request);
        onWrite(write);
        return answer;
      } catch (error) {
        onWrite({ ...write, error: messageOf(error) });
        throw error;
      }
    },
    close: () => client.close(),
  };
}

/** A manifest may have no name yet; the server then makes one. */
function nameOf(manifest: AnyManifest): ObjectKey {
  const { generateName } = manifest.metadata as { readonly generateName?: unknown };
  const key = keyOf(manifest);
  return typeof generateName === "string" && (key.name as unknown) === undefined
    ? { ...key, name: `${generateName}*` }
    : key;
}

/** The fields that a patch names. */
function sentBy(patch: Patch): object {
  if (patch.type !== "json") return typeof patch.body === "object" && patch.body !== null ? patch.body : {};
  const fields: Record<string, unknown> = {};
  for (const { op, path } of patch.body) {
    if (op !== "test") fields[path.split("/").filter(Boolean).join(".")] = op;
  }
  return fields;
}
