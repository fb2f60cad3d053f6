// A web server for people at this machine: loopback only, with a token. What it serves is given as one function.
// Used by src/inspect and src/dashboard.
import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { Logger } from "../ports/logger.ts";
import { messageOf, OperatorError } from "../ports/operator-error.ts";
import { addressWithoutToken, cookieFor, judge } from "./access.ts";
import { commonHeaders, textAnswer, type WebAnswer } from "./web-answer.ts";

/** An allowed request. */
export interface WebRequest {
  readonly method: string;
  /** As sent, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** The whole body. Rejects when it is larger than 64 KiB. */
  readonly body: () => Promise<string>;
  /** For answers that go on. */
  readonly raw: { readonly request: IncomingMessage; readonly response: ServerResponse };
}

/** Options of {@link startWebServer}. */
export interface WebServerOptions {
  /** What is served, for messages. */
  readonly what: string;
  /** 0: any free one. */
  readonly port: number;
  /** Answers a request; `"streaming"` when it answers by itself, undefined when there is nothing at the path. */
  readonly serve: (request: WebRequest) => Promise<WebAnswer | "streaming" | undefined>;
  /** Takes over a connection; absent: none is upgraded. */
  readonly upgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer, query: URLSearchParams) => void;
  /** Default a random one. */
  readonly token?: string;
  readonly log: Logger;
}

/** A server that listens. */
export interface WebServer {
  /** Base address with a slash at its end; without the token. */
  readonly url: string;
  readonly token: string;
  /** Ends every connection. Idempotent. */
  close(): Promise<void>;
}

const largestBody = 65_536;

/**
 * Listens on 127.0.0.1.
 *
 * **Guarantees**: only requests with the token, meant for this machine and not made by a page of another origin get
 * beyond it; a fault in `serve` is answered with 500 and logged.
 * **Errors**: `BIND_FAILED`.
 */
export async function startWebServer(options: WebServerOptions): Promise<WebServer> {
  const { log, what, port } = options;
  const token = options.token ?? randomBytes(16).toString("hex");
  const server = createServer((request, response) => {
    answer(request, response, options, token)
      .catch((error: unknown) => {
        log.error({ error: messageOf(error), path: pathOf(request) }, `${what} could not answer`);
        return textAnswer(500, "the response could not be computed; see the log");
      })
      .then((found) => found === "streaming" || send(request, response, found))
      .catch(() => response.destroy());
  });
  const upgraded = new Set<Duplex>();
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on("error", () => socket.destroy());
    upgraded.add(socket);
    socket.once("close", () => upgraded.delete(socket));
    const query = queryOf(request);
    const access = judge(request, query, token);
    if (options.upgrade === undefined || !access.allowed) {
      socket.end(access.allowed ? "HTTP/1.1 404 Not Found\r\n\r\n" : "HTTP/1.1 403 Forbidden\r\n\r\n");
      return;
    }
    options.upgrade(request, socket, head, query);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => {
      const why = cause.code === "EADDRINUSE" ? "the port is in use" : messageOf(cause);
      reject(
        new OperatorError("BIND_FAILED", `cannot serve ${what} on 127.0.0.1:${port}: ${why}`, {
          cause,
          fields: { port },
          remedy: "Choose another port, or omit it to use a free one.",
        }),
      );
    });
    server.listen(port, "127.0.0.1", resolve);
  });
  const { port: opened } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${opened}/`,
    token,
    close: () => {
      server.closeAllConnections();
      for (const socket of upgraded) socket.destroy();
      return new Promise((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { serve }: WebServerOptions,
  token: string,
): Promise<WebAnswer | "streaming"> {
  const query = queryOf(request);
  const access = judge(request, query, token);
  if (!access.allowed) return textAnswer(403, access.why);
  if (access.byAddress) {
    response.setHeader("set-cookie", cookieFor(request, token));
    const location = addressWithoutToken(request, query);
    if (location !== undefined)
      return { ...textAnswer(303, "see the same page without the token"), headers: { location } };
  }
  const path = pathOf(request);
  const found = await serve({
    method: request.method ?? "GET",
    path,
    query,
    body: () => readBody(request),
    raw: { request, response },
  });
  return found ?? textAnswer(404, `${path} not found`);
}

function send(request: IncomingMessage, response: ServerResponse, found: WebAnswer): void {
  const { status, contentType, body, headers = {} } = found;
  response.writeHead(status, { ...commonHeaders, ...headers, "content-type": contentType });
  response.end(request.method === "HEAD" ? undefined : body);
}

// Not parsed as a URL: a request target may be anything.
function pathOf({ url = "" }: IncomingMessage): string {
  return url.split("?")[0] ?? "";
}

function queryOf({ url = "" }: IncomingMessage): URLSearchParams {
  return new URLSearchParams(url.split("?")[1] ?? "");
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request) {
    const bytes = part as Buffer;
    size += bytes.length;
    if (size > largestBody) throw new Error(`the request body is larger than ${largestBody} bytes`);
    parts.push(bytes);
  }
  return Buffer.concat(parts).toString("utf8");
}
