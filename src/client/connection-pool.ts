// The kept connections of one client: an agent per set of TLS options, recreated when those change and when the connections
// are suspected of being dead. Fed by the transport, which tells what its requests met.
import { callbackify } from "node:util";
import { Agent, ProxyAgent, type buildConnector, type Dispatcher } from "undici";
import { limitedSignal } from "../ports/deadline.ts";
import { systemClock } from "../ports/system-clock.ts";
import type { TlsOptions } from "./connection.ts";
import { isSocks, openTunnel, trustOfProxy } from "./tunnel.ts";

/** Kept connections. */
export interface ConnectionPool {
  /** Through which requests with these options go. */
  dispatcherFor(tls: TlsOptions): Dispatcher;
  /** Which of its agents, one after the other, is in use; a request notes it when it begins. */
  readonly generation: number;
  /**
   * A request of this generation met silence. Whatever swallowed it may have swallowed every connection of that time, and
   * each would cost its next request the whole time limit: later requests open new ones. What is under way goes on.
   */
  distrust(generation: number): void;
  /** Closes connections once they are idle. */
  close(): Promise<void>;
}

/** How long an unused connection is kept: below the 90 s after which an API server closes it. */
const keepAlive = 60_000;
const connectTimeout = 10_000;

/** A pool without connections. `proxy`: URL of a proxy. */
export function createConnectionPool(proxy: string | undefined): ConnectionPool {
  let agent: { readonly tls: TlsOptions; readonly dispatcher: Dispatcher } | undefined;
  let generation = 0;

  function retire(): Promise<void> {
    generation += 1;
    const retired = agent;
    agent = undefined;
    // Requests and watches under way finish on the old connections.
    return retired?.dispatcher.close().catch(() => undefined) ?? Promise.resolve();
  }

  return {
    dispatcherFor(tls) {
      if (agent !== undefined && agent.tls !== tls) void retire();
      agent ??= { tls, dispatcher: createDispatcher(tls, proxy) };
      return agent.dispatcher;
    },
    get generation() {
      return generation;
    },
    distrust(suspected) {
      if (suspected === generation) void retire();
    },
    close: retire,
  };
}

function createDispatcher(tls: TlsOptions, proxy: string | undefined): Dispatcher {
  const connect = { ...tls, keepAlive: true, keepAliveInitialDelay: 30_000, timeout: connectTimeout };
  // HTTP/2 costs more CPU per small request and lets one stalled connection hold up every watch.
  const shared = {
    allowH2: false,
    keepAliveTimeout: keepAlive,
    keepAliveMaxTimeout: keepAlive,
    connect,
  } as const;
  if (proxy === undefined) return new Agent(shared);
  if (isSocks(proxy)) return new Agent({ ...shared, connect: connectThrough(proxy, tls) });
  return new ProxyAgent({
    ...shared,
    uri: proxy,
    requestTls: connect,
    proxyTls: { ...trustOfProxy(proxy, tls), timeout: connectTimeout },
  });
}

/** Opens connections through a SOCKS proxy. */
function connectThrough(proxy: string, tls: TlsOptions): buildConnector.connector {
  const late = (): Error =>
    Object.assign(new Error("no connection within its time"), { code: "UND_ERR_CONNECT_TIMEOUT" });
  return callbackify(async ({ protocol, host = "" }: buildConnector.Options) => {
    const limits = limitedSignal({ clock: systemClock, timeout: connectTimeout, late });
    try {
      return await openTunnel(proxy, new URL(`${protocol}//${host}`), tls, limits.signal);
    } finally {
      limits.release();
    }
  }) as unknown as buildConnector.connector;
}
