// The client of a cluster's built-in controllers: without sockets, as they are in the server's process, until something is to go
// wrong between them and the server; from then on over HTTP, as everybody else's. What another API server serves is always asked for so.
import { layered, sendTo, type ClientCall } from "../client/client-layers.ts";
import type { KubeClient } from "../client/kube-client.ts";
import { limitedSignal } from "../ports/deadline.ts";
import type { Clock } from "../ports/clock.ts";
import { OperatorError } from "../ports/operator-error.ts";
import type { ResourceType } from "../meta/resource-type.ts";
import type { ApiCore } from "./api/api-core.ts";
import { findExtension } from "./api/discovery/api-services.ts";
import { createCoreClient } from "./api/in-process/core-client.ts";
import { parseResourcePath } from "./api/requests/request-path.ts";
import { readRequestUrl } from "./api/requests/request-url.ts";
import { controllersUser } from "./api/requests/users.ts";
import { eventLoopTurns } from "./event-loop-turns.ts";

/** Names the writes of the controllers, whichever way they take. */
export const controllersAgent = "kube-controller-manager/embedded";

/** What {@link createControllersClient} needs. */
export interface ControllersClientOptions {
  readonly core: ApiCore;
  readonly clock: Clock;
  /** Aborted when the controllers are to meet what other clients meet; their watches are cut then. */
  readonly detour: AbortSignal;
  /** Makes a client over HTTP; called once, when it is needed. */
  readonly overHttp: () => Promise<KubeClient>;
}

/** A client that takes the short way for as long as it may. */
export function createControllersClient({
  core,
  clock,
  detour,
  overHttp,
}: ControllersClientOptions): KubeClient {
  const direct = createCoreClient({
    core,
    userAgent: controllersAgent,
    user: controllersUser,
    turn: eventLoopTurns(),
  });
  let made: Promise<KubeClient> | undefined;
  const other = (): Promise<KubeClient> => (made ??= overHttp());
  return layered(direct, {
    place: "way",
    request: async (call, send) =>
      detour.aborted || isForAnother(core, subjectOf(call)) ? sendTo(await other(), call) : send(call),
    async watch(follow, type, options, receive) {
      if (detour.aborted || isForAnother(core, type)) return (await other()).follow(type, options, receive);
      const limits = limitedSignal({ clock, signals: [options.signal] });
      const cut = (): void => limits.end(cutOff());
      detour.addEventListener("abort", cut, { once: true });
      try {
        await follow(type, { ...options, signal: limits.signal }, receive);
      } finally {
        detour.removeEventListener("abort", cut);
        limits.release();
      }
    },
    close: async () => {
      await (await made)?.close();
    },
  });
}

/** The group and version that a call is about. */
function subjectOf(call: ClientCall): Pick<ResourceType, "group" | "version"> | undefined {
  if (call.verb === "request") return parseResourcePath(readRequestUrl(call.options.path).path);
  if (call.verb === "exec") return undefined;
  return call.type;
}

/** Whether another API server is to be asked, to which only the HTTP side leads. */
function isForAnother(
  { store }: ApiCore,
  subject: Pick<ResourceType, "group" | "version"> | undefined,
): boolean {
  return subject !== undefined && findExtension(store, subject.group, subject.version) !== undefined;
}

function cutOff(): OperatorError {
  return new OperatorError("CONNECTION_FAILED", "the connection of a built-in controller was cut", {
    remedy: "Nothing to do: the watch goes on over another one.",
  });
}
