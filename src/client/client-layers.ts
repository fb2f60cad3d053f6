// The one way to put something around a client: layers, each of which sees every request on its way out and its answer on
// the way back. Where a layer belongs is said here and nowhere else, so the order is the same whoever adds it and when.
import type { KubeObject, AnyManifest } from "../meta/object.ts";
import { formatKey, keyOf, type ObjectKey } from "../meta/object-key.ts";
import type { ResourceType } from "../meta/resource-type.ts";
import type {
  ApplyOptions,
  DeleteOptions,
  ExecOptions,
  KubeClient,
  ListOptions,
  Patch,
  RawRequest,
  RequestOptions,
  WatchOptions,
  WatchReceiver,
  WriteOptions,
} from "./kube-client.ts";
import { eventsOf } from "./watch-events.ts";

/**
 * Every layer there is, from what a caller meets first to what is nearest to the API server:
 *
 * - `run` outermost, so that a run that is over reaches nothing;
 * - `decisions` before any write: what a run has decided so far is persisted first;
 * - `ownWrites` around `generatedNames`, so that a child that was found again counts as written;
 * - `recording` where names are chosen already;
 * - `fence` after all that may wait, so that it is asked late (and once more when the request leaves);
 * - `secrets` sees what is really sent, and all that is answered;
 * - `life` is a simulated process: whatever it sends may be the last;
 * - `way` is by which way it is sent.
 */
const order = [
  "run",
  "decisions",
  "ownWrites",
  "generatedNames",
  "recording",
  "fence",
  "secrets",
  "life",
  "way",
] as const;

/** A write of one object that is sent whole. */
interface ManifestCall<TVerb extends string, TOptions extends RequestOptions> {
  readonly verb: TVerb;
  readonly type: ResourceType;
  readonly manifest: AnyManifest;
  readonly options: TOptions;
}

/** A write of one object. */
export type WriteCall =
  | ManifestCall<"create" | "update", WriteOptions>
  | ManifestCall<"apply", ApplyOptions>
  | {
      readonly verb: "patch";
      readonly type: ResourceType;
      readonly key: ObjectKey;
      readonly patch: Patch;
      readonly options: WriteOptions;
    }
  | {
      readonly verb: "delete";
      readonly type: ResourceType;
      readonly key: ObjectKey;
      readonly options: DeleteOptions;
    };

/** One request, as layers see it. */
export type ClientCall =
  | {
      readonly verb: "get";
      readonly type: ResourceType;
      readonly key: ObjectKey;
      readonly options: RequestOptions;
    }
  | { readonly verb: "list"; readonly type: ResourceType; readonly options: ListOptions }
  | WriteCall
  | { readonly verb: "request"; readonly options: RawRequest }
  | { readonly verb: "exec"; readonly key: ObjectKey; readonly options: ExecOptions };

/** Sends a call on; the answer is what the client's method of that verb returns. */
export type Send = (call: ClientCall) => Promise<unknown>;

/** Follows a watch. */
export type Follow = KubeClient["follow"];

/** What is put around a client. What a layer does not name passes it untouched. */
export interface ClientLayer {
  /** Where it belongs. */
  readonly place: (typeof order)[number];
  /** Around each request but watches: sends it on, changed or not, or refuses it, and returns the answer. */
  readonly request?: (call: ClientCall, send: Send) => Promise<unknown>;
  /** Around each watch. */
  readonly watch?: <T extends KubeObject>(
    follow: Follow,
    ...watch: [type: ResourceType<T>, options: WatchOptions, receive: WatchReceiver<T>]
  ) => Promise<void>;
  /** In place of closing the client. */
  readonly close?: () => Promise<void>;
}

interface Chain {
  readonly base: KubeClient;
  readonly layers: readonly ClientLayer[];
}

const chains = new WeakMap<KubeClient, Chain>();

/**
 * The client with layers around it, in the order above, together with those that it has already. Of two at the same place,
 * the one that is added later is outside.
 */
export function layered(client: KubeClient, ...added: readonly ClientLayer[]): KubeClient {
  const { base, layers: present } = chains.get(client) ?? { base: client, layers: [] };
  const layers = [...added, ...present].sort((a, b) => order.indexOf(a.place) - order.indexOf(b.place));
  const chain = layers.reduceRight<Send>(
    (send, { request }) => (request === undefined ? send : (call) => request(call, send)),
    (call) => sendTo(base, call),
  );
  const followed = layers.reduceRight<Follow>(
    (inner, { watch }) => (watch === undefined ? inner : (...each) => watch(inner, ...each)),
    (...each) => base.follow(...each),
  );
  const follow: Follow = async (...each) => followed(...each);
  const close = layers.find((layer) => layer.close !== undefined)?.close;
  // A layer that refuses at once rejects, as everything else that fails here.
  const send = async <T>(call: ClientCall): Promise<T> => (await chain(call)) as T;
  const whole: KubeClient = {
    server: base.server,
    get: (type, key, options = {}) => send({ verb: "get", type, key, options }),
    list: (type, options = {}) => send({ verb: "list", type, options }),
    watch: <T extends KubeObject>(type: ResourceType<T>, watch: WatchOptions) =>
      eventsOf<T>((options, receive) => follow(type, options, receive), watch),
    follow,
    create: (type, manifest, options = {}) => send({ verb: "create", type, manifest, options }),
    update: (type, manifest, options = {}) => send({ verb: "update", type, manifest, options }),
    patch: (type, key, patch, options = {}) => send({ verb: "patch", type, key, patch, options }),
    apply: (type, manifest, options) => send({ verb: "apply", type, manifest, options }),
    delete: (type, key, options = {}) => send({ verb: "delete", type, key, options }),
    request: (options) => send({ verb: "request", options }),
    exec: (key, options) => send({ verb: "exec", key, options }),
    close: () => (close ?? base.close.bind(base))(),
  };
  chains.set(whole, { base, layers });
  return whole;
}

/** A call with some of its options replaced. */
export function withOptions(call: ClientCall, options: RequestOptions): ClientCall {
  // Each kind of options extends those of every request, but the compiler loses which belongs to which verb.
  return { ...call, options: { ...call.options, ...options } } as ClientCall;
}

/** Whether a call writes an object. */
export function isWrite(call: ClientCall): call is WriteCall {
  return !["get", "list", "request", "exec"].includes(call.verb);
}

/** The object that a call is about. A manifest whose name the server makes has the name `prefix*`. */
export function keyOfWrite(call: WriteCall): ObjectKey {
  if ("key" in call) return call.key;
  const key = keyOf(call.manifest);
  const { generateName } = call.manifest.metadata as { readonly generateName?: unknown };
  const isNamed = (key.name as unknown) !== undefined || typeof generateName !== "string";
  return isNamed ? key : { ...key, name: `${generateName}*` };
}

/** `update ConfigMap default/a`, for messages. */
export function nameOfWrite(call: WriteCall): string {
  return `${call.verb} ${call.type.kind} ${formatKey(keyOfWrite(call))}`;
}

/** What a write has done. */
export type WriteOutcome =
  | {
      readonly kind: "stored";
      readonly object: KubeObject;
      /** The version of the state that the write was made on, where the write was guarded by it. */
      readonly base: string | undefined;
    }
  /** The object is gone: as it was seen last, if it was. */
  | { readonly kind: "removed"; readonly uid: string | undefined; readonly object: KubeObject | undefined };

/**
 * What a write has done, by its answer and by what was seen of the object when it was sent. Undefined when it has done
 * nothing to the object: a dry run, a write of the scale (which is answered with a Scale).
 */
export function outcomeOf(
  call: WriteCall,
  answer: unknown,
  seen: KubeObject | undefined,
): WriteOutcome | undefined {
  if (call.options.dryRun === true) return undefined;
  if (call.verb !== "delete" && call.options.subresource === "scale") return undefined;
  const object = answer as KubeObject | undefined;
  if (object !== undefined && !hasReleased(object, seen)) {
    return { kind: "stored", object, base: guardOf(call) };
  }
  const uid = call.verb === "delete" ? call.options.preconditions?.uid : object?.metadata.uid;
  // Another object of that name, which was deleted before: nothing is known of what this one has removed.
  if (uid !== undefined && seen !== undefined && seen.metadata.uid !== uid) {
    return { kind: "removed", uid, object };
  }
  return { kind: "removed", uid: uid ?? seen?.metadata.uid, object: seen ?? object };
}

/** Whether a write took the last finalizer from an object that was to be deleted: then the server has removed it. */
function hasReleased({ metadata }: KubeObject, seen: KubeObject | undefined): boolean {
  const { uid, deletionTimestamp, finalizers = [], deletionGracePeriodSeconds = 0 } = metadata;
  if (deletionTimestamp === undefined || finalizers.length > 0 || deletionGracePeriodSeconds > 0)
    return false;
  return seen?.metadata.uid === uid && (seen.metadata.finalizers ?? []).length > 0;
}

/** Whether a write is refused where an object of that name exists. */
export function isCreation(call: WriteCall): boolean {
  return call.verb === "create" || (call.verb === "apply" && call.options.onlyIfAbsent === true);
}

/** The version that the server has compared with what it had before it wrote. */
function guardOf(call: WriteCall): string | undefined {
  if (call.verb === "delete") return undefined;
  if (call.verb !== "patch") return call.manifest.metadata.resourceVersion;
  const { patch } = call;
  if (patch.type !== "json") {
    const { metadata } = (patch.body ?? {}) as { readonly metadata?: { readonly resourceVersion?: unknown } };
    return typeof metadata?.resourceVersion === "string" ? metadata.resourceVersion : undefined;
  }
  for (const operation of patch.body) {
    if (operation.op !== "test" || operation.path !== "/metadata/resourceVersion") continue;
    if (typeof operation.value === "string") return operation.value;
  }
  return undefined;
}

/** Sends a call by a client. */
export function sendTo(client: KubeClient, call: ClientCall): Promise<unknown> {
  switch (call.verb) {
    case "get":
      return client.get(call.type, call.key, call.options);
    case "list":
      return client.list(call.type, call.options);
    case "create":
      return client.create(call.type, call.manifest, call.options);
    case "update":
      return client.update(call.type, call.manifest, call.options);
    case "patch":
      return client.patch(call.type, call.key, call.patch, call.options);
    case "apply":
      return client.apply(call.type, call.manifest, call.options);
    case "delete":
      return client.delete(call.type, call.key, call.options);
    case "request":
      return client.request(call.options);
    case "exec":
      return client.exec(call.key, call.options);
    default:
      return call satisfies never;
  }
}
