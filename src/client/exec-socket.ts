// The WebSocket of a command in a container: made for client-node's exec, which brings neither a time limit, nor proxies, nor
// what the server says when it refuses.
import type { Socket } from "node:net";
import { WebSocket, type ClientOptions, type RawData } from "ws";
import type { Authentication, Connection } from "./connection.ts";
import { toConnectionError } from "./connection-error.ts";
import { toApiError } from "./status-body.ts";
import { openTunnel } from "./tunnel.ts";

/** What {@link openExecSocket} needs. */
export interface ExecSocketOptions {
  readonly connection: Connection;
  readonly authentication: Authentication;
  readonly userAgent: string;
  /** Where it leads, and what is spoken: as client-node's exec wants it. */
  readonly url: string;
  readonly protocols: readonly string[];
  /** A connection through the proxy, if there is one. */
  readonly tunnel: Socket | undefined;
  /** `verb path`, for messages. */
  readonly request: string;
}

/** The last one that a server sends: the status of the command. */
const lastChannel = 3;

/** Bytes of a refusal that are read. */
const longestRefusal = 64 * 1_024;

/** The WebSocket; an answer that is another one comes as its `error`, an ApiError. */
export function openExecSocket(options: ExecSocketOptions): WebSocket {
  const { connection, authentication, userAgent, url, protocols, tunnel, request } = options;
  const { headers, tls } = authentication;
  const settings: ClientOptions = {
    ...tls,
    headers: { "user-agent": userAgent, ...(headers as Record<string, string | string[]>) },
    perMessageDeflate: false,
    followRedirects: false,
    ...(tunnel === undefined ? {} : { createConnection: () => tunnel }),
  };
  const socket = new WebSocket(url, [...protocols], settings);
  socket.on("unexpected-response", (sent, response) => {
    let body = "";
    response.setEncoding("utf8");
    response.on("data", (chunk: string) => {
      if (body.length < longestRefusal) body += chunk;
    });
    response.once("close", () => {
      const error = toApiError({
        status: response.statusCode ?? 500,
        body,
        retryAfter: response.headers["retry-after"],
        request,
        where: `${connection.server} (${connection.source})`,
      });
      socket.emit("error", error);
      sent.destroy();
    });
  });
  // What client-node throws on a message that it does not expect would be nobody's.
  Object.defineProperty(socket, "onmessage", {
    set: (receive: (message: { readonly data: RawData }) => void) => {
      socket.on("message", (data: Buffer) => {
        if ((data[0] ?? 255) > lastChannel) return;
        try {
          receive({ data });
        } catch (error) {
          socket.emit("error", error);
          socket.terminate();
        }
      });
    },
  });
  return socket;
}

/** A connection to the server through its proxy; undefined where there is none. Errors: `CONNECTION_FAILED`. */
export async function connectThroughProxy(
  connection: Connection,
  { tls }: Authentication,
  signal: AbortSignal,
): Promise<Socket | undefined> {
  const { proxy, server } = connection;
  if (proxy === undefined) return undefined;
  try {
    return await openTunnel(proxy.url, new URL(server), tls, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw toConnectionError(error, connection, "CONNECT");
  }
}
