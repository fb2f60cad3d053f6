// The WebSocket of a command in a container: made for client-node's exec, which brings neither a time limit, nor proxies, nor
// what the server says when it refuses.
import { connect as connectTls } from "node:tls";
import { isIP, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { Client } from "undici";
import { WebSocket, type ClientOptions, type RawData } from "ws";
import { untilAborted } from "../ports/deadline.ts";
import type { Authentication, Connection } from "./connection.ts";
import { toConnectionError } from "./connection-error.ts";
import { toApiError } from "./status-body.ts";

/** What {@link openExecSocket} needs. */
export interface ExecSocketOptions {
  readonly connection: Connection;
  readonly authentication: Authentication;
  readonly userAgent: string;
  /** Where it leads, and what is spoken: as client-node's exec wants it. */
  readonly url: string;
  readonly protocols: readonly string[];
  /** A connection through the proxy, if there is one. */
  readonly tunnel: Duplex | undefined;
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
    ...(tunnel === undefined ? {} : { createConnection: () => tunnel as Socket }),
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
export async function openTunnel(
  connection: Connection,
  { tls }: Authentication,
  signal: AbortSignal,
): Promise<Duplex | undefined> {
  const { proxy } = connection;
  if (proxy === undefined) return undefined;
  const { hostname, port, protocol } = new URL(connection.server);
  const isTls = protocol === "https:";
  const { origin, username, password } = new URL(proxy.url);
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const client = new Client(origin);
  try {
    const { socket, statusCode } = await client.connect({
      path: `${hostname}:${port === "" ? (isTls ? "443" : "80") : port}`,
      signal,
      ...(username === ""
        ? {}
        : { headers: { "proxy-authorization": `Basic ${Buffer.from(credentials).toString("base64")}` } }),
    });
    if (statusCode !== 200) throw new Error(`Proxy response (${statusCode}) !== 200 when HTTP Tunneling`);
    // It is not the client's any more: the client ends with it.
    socket.once("close", () => void client.destroy().catch(() => undefined));
    if (!isTls) return socket;
    const secured = connectTls({
      socket,
      host: hostname,
      ...(isIP(hostname) === 0 ? { servername: hostname } : {}),
      ...tls,
    });
    await untilAborted(
      new Promise<void>((resolve, reject) => {
        secured.once("secureConnect", resolve);
        secured.once("error", reject);
      }),
      signal,
    );
    return secured;
  } catch (error) {
    void client.destroy().catch(() => undefined);
    signal.throwIfAborted();
    throw toConnectionError(error, connection, "CONNECT");
  }
}
