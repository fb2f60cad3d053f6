// The client that the hooks of one run are given: it works as long as the run lasts. A hook that was aborted, or forgot to
// await, cannot write behind the back of a later run. And what goes before the writes of a run in which the application moves on.
import { isWrite, layered, withOptions, type ClientCall, type ClientLayer } from "../client/client-layers.ts";
import type { KubeClient, ObjectList } from "../client/kube-client.ts";
import type { KubeObject, Manifest } from "../meta/object.ts";
import { OperatorError } from "../ports/operator-error.ts";
import { createGenerated, type GeneratedCreation } from "./resources/generated-names.ts";
import type { SeenWrites } from "./seen-writes.ts";
import type { StatusDraft } from "./status/status-draft.ts";

/** Options of {@link withinRun}. */
export interface RunClientOptions {
  readonly client: KubeClient;
  /** The run's signal: requests after it are refused with its reason, those under way are aborted. */
  readonly signal: AbortSignal;
  /** Called with each object that was read; default nobody. */
  readonly onRead?: (object: KubeObject) => void;
  /** Takes note of the types that are read; default nothing is noted. */
  readonly seen?: Pick<SeenWrites, "noteRead" | "noteAnyRead">;
  /** What creations by `generateName` go by; default the server chooses each name. */
  readonly generated?: GeneratedNames;
}

/** What creations by `generateName` go by. */
export type GeneratedNames = Pick<GeneratedCreation<KubeObject>, "owner" | "names" | "random" | "isKnown">;

/**
 * A client bound to one run.
 *
 * **Caveats**: closing it does nothing, as the client behind it is shared.
 * **Errors**: besides the client's, the signal's reason (`RECONCILE_TIMEOUT`, `RECONCILE_ABORTED`) once the run is over
 * or cut off.
 */
export function withinRun({ client, signal, onRead, seen, generated }: RunClientOptions): KubeClient {
  function within(own: AbortSignal | undefined): AbortSignal {
    signal.throwIfAborted();
    return own === undefined || own === signal ? signal : AbortSignal.any([signal, own]);
  }
  const run: ClientLayer = {
    place: "run",
    request: async (call, send) => {
      if (call.verb === "get" || call.verb === "list") seen?.noteRead(call.type);
      else if (!isWrite(call)) seen?.noteAnyRead();
      // Only kept: it is made into text when the request fails.
      const caller: { readonly stack?: string } = {};
      Error.captureStackTrace(caller);
      let answer: unknown;
      try {
        answer = await send(withOptions(call, { signal: within(call.options.signal) }));
      } catch (error) {
        throw calledFrom(error === signal.reason ? copyOf(error) : error, caller.stack);
      }
      if (onRead !== undefined) for (const object of readBy(call, answer)) onRead(object);
      return answer;
    },
    watch: (follow, type, options, receive) => {
      seen?.noteRead(type);
      return follow(type, { ...options, signal: within(options.signal) }, receive);
    },
    close: () => Promise.resolve(),
  };
  return generated === undefined
    ? layered(client, run)
    : layered(client, run, namesChosenHere(generated, signal));
}

/**
 * Stores what the application has decided before anything else is written: that may depend on the state which was entered.
 * `status` itself is written by another client.
 */
export function decidedFirst(status: () => Pick<StatusDraft, "flush" | "isDue">): ClientLayer {
  let storing: Promise<void> | undefined;
  return {
    place: "decisions",
    request: async (call, send) => {
      const writes = isWrite(call) || (call.verb === "request" && call.options.method !== "GET");
      if (writes && status().isDue) {
        storing ??= status()
          .flush()
          .finally(() => (storing = undefined));
        await storing;
      }
      return send(call);
    },
  };
}

/** Chooses the names of what is created by `generateName`. */
function namesChosenHere(generated: GeneratedNames, signal: AbortSignal): ClientLayer {
  return {
    place: "generatedNames",
    request: async (call, send) => {
      const prefix = call.verb === "create" ? prefixOf(call.manifest) : undefined;
      if (call.verb !== "create" || prefix === undefined || call.options.dryRun === true) return send(call);
      const { type, manifest } = call;
      return createGenerated({
        ...generated,
        type,
        manifest,
        prefix,
        read: (key) => send({ verb: "get", type, key, options: { signal } }) as Promise<KubeObject>,
        create: (named) => send({ ...call, manifest: named }) as Promise<KubeObject>,
      });
    },
  };
}

/** The error of one request: every request after the run's end has the same reason, but its own caller. */
function copyOf(reason: unknown): unknown {
  if (!(reason instanceof OperatorError) || reason.constructor !== OperatorError) return reason;
  const { code, message, remedy, fields } = reason;
  return new OperatorError(code, message, { cause: reason, remedy, fields });
}

/**
 * The error, with the places that have sent the request at the end of its stack: an engine knows those who await an answer, and
 * where somebody forgot to, nobody.
 */
function calledFrom(error: unknown, caller = ""): unknown {
  if (!(error instanceof Error)) return error;
  const { stack = String(error) } = error;
  const missing = caller.split("\n").filter((line) => {
    const row = /([^\s()]+:\d+):\d+\)?$/.exec(line)?.[1];
    return row !== undefined && !stack.includes(`${row}:`);
  });
  if (missing.length > 0) error.stack = [stack, ...missing].join("\n");
  return error;
}

function readBy({ verb }: ClientCall, answer: unknown): readonly KubeObject[] {
  if (verb === "get") return [answer as KubeObject];
  return verb === "list" ? (answer as ObjectList<KubeObject>).items : [];
}

/** What the name of a manifest begins with that has none yet. */
function prefixOf({ metadata }: Manifest): string | undefined {
  const { name, generateName } = metadata as { readonly name?: unknown; readonly generateName?: unknown };
  return (name === undefined || name === "") && typeof generateName === "string" ? generateName : undefined;
}
