// An HTTP server on loopback that answers as a test says and remembers what it was asked.
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { Authentication, Connection } from "../../src/client/connection.ts";

export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export interface LocalServer {
  readonly url: string;
  readonly received: Received[];
  /** Connections accepted so far. */
  readonly connections: number;
  /** Responses that are open now. */
  readonly open: Set<ServerResponse>;
}

export type Answer = (response: ServerResponse, request: Received) => void;

/** Answers with JSON. */
export const json = (
  response: ServerResponse,
  body: unknown,
  status = 200,
  headers: Record<string, string> = {},
): void => {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
};

/** Starts a server that is closed when the test is over. */
export async function startLocalServer(
  answer: Answer,
  tls?: { readonly key: string; readonly cert: string },
): Promise<LocalServer> {
  const received: Received[] = [];
  const open = new Set<ServerResponse>();
  let connections = 0;
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    let body = "";
    open.add(response);
    response.on("close", () => open.delete(response));
    request.setEncoding("utf8");
    request.on("data", (chunk: string) => (body += chunk));
    request.on("end", () => {
      const complete = {
        method: request.method ?? "",
        url: request.url ?? "",
        headers: request.headers,
        body,
      };
      received.push(complete);
      answer(response, complete);
    });
  };
  const server = tls === undefined ? createHttpServer(onRequest) : createHttpsServer(tls, onRequest);
  server.on("connection", () => (connections += 1));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `${tls === undefined ? "http" : "https"}://127.0.0.1:${port}`,
    received,
    open,
    get connections() {
      return connections;
    },
  };
}

/** A connection to a server, by a token. */
export function connectionTo(server: string, authenticate?: Connection["authenticate"]): Connection {
  const authentication: Authentication = { headers: { authorization: "Bearer secret" }, tls: {} };
  return {
    server,
    namespace: "default",
    source: 'context "test" of /kube/config',
    trust: 'certificate-authority-data of cluster "test" in /kube/config',
    proxy: undefined,
    authenticate: authenticate ?? (() => Promise.resolve(authentication)),
  };
}
