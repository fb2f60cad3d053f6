// Notes what a run writes, for a recording: which object and which fields of it, never the values.
import { isWrite, keyOfWrite, layered, outcomeOf, type WriteCall } from "../../client/client-layers.ts";
import type { KubeClient, Patch } from "../../client/kube-client.ts";
import { changedPaths } from "../../meta/changed-paths.ts";
import type { KubeObject } from "../../meta/object.ts";
import { formatKey, type ObjectKey } from "../../meta/object-key.ts";
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

  async function note(write: Write, send: () => Promise<unknown>): Promise<unknown> {
    const { paths, ...named } = write;
    const at = clock.now();
    try {
      const answer = await send();
      onWrite({ ...named, at, paths: paths(answer) });
      return answer;
    } catch (error) {
      onWrite({ ...named, at, paths: paths(undefined), error: messageOf(error) });
      throw error;
    }
  }

  return layered(client, {
    place: "recording",
    request: async (call, send) => {
      if (call.verb === "request") {
        const { method, path } = call.options;
        if (method === "GET") return send(call);
        return note({ verb: "request", type: method, key: path, paths: () => [] }, () => send(call));
      }
      if (!isWrite(call)) return send(call);
      const seen = cached(call.type, keyOfWrite(call));
      const answer = await note(writeOf(call, seen), () => send(call));
      const outcome = call.verb === "delete" ? undefined : outcomeOf(call, answer, seen);
      if (outcome?.object !== undefined) onWritten(call.type, outcome.object);
      return answer;
    },
  });
}

/** A write, and the fields that it has changed by what was answered. */
type Write = Omit<RecordedWrite, "at" | "paths"> & { readonly paths: (answer: unknown) => readonly string[] };

function writeOf(call: WriteCall, seen: KubeObject | undefined): Write {
  const { verb, type, options } = call;
  const named = {
    verb,
    type: `${apiVersionOf(type)} ${type.kind}`,
    key: formatKey(keyOfWrite(call)),
  };
  if (verb === "delete") return { ...named, paths: () => [] };
  const { subresource } = options;
  const before = subresource === "scale" ? undefined : seen;
  const sent = "patch" in call ? sentBy(call.patch) : call.manifest;
  return {
    ...named,
    ...(subresource === undefined ? {} : { subresource }),
    paths: (answer) =>
      before === undefined || answer === undefined
        ? changedPaths({}, sent)
        : changedPaths(before, answer as KubeObject),
  };
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
