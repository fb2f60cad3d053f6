// The HTTP interface of a sidecar. What it does not know it refuses, with as little as can be said, and nobody gets more of it than
// its limits allow: callers are whoever reaches the pod.
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import { createServer as createHttpsServer, type Server as TlsServer } from "node:https";
import type { SecureContextOptions } from "node:tls";
import type { Json } from "../meta/object.ts";
import type { Logger } from "../ports/logger.ts";
import { messageOf } from "../ports/operator-error.ts";
import type { Access } from "./access.ts";
import { isTooDeep } from "./nesting.ts";
import type { SidecarTasks } from "./sidecar-tasks.ts";
import type { StateWatch } from "./state-watch.ts";
import { keyForm } from "./task-record.ts";

/** What a server answers about. */
export interface SidecarServices {
  readonly access: Access;
  readonly tasks: SidecarTasks;
  /** Undefined: the sidecar knows no state. */
  readonly state: StateWatch | undefined;
  readonly log: Logger;
}

/** A server that listens for nobody yet. */
export interface SidecarServer {
  readonly server: Server | TlsServer;
  /** Sends a sign of life to all who listen. */
  beat(): void;
  /** Sends an event to all who listen. */
  publish(event: "state" | "task", data: object): void;
  /** Ends all connections. */
  close(): Promise<void>;
}

const limits = {
  /** Bytes of a body. */
  body: 65_536,
  /** Connections, and streams of events among them. */
  connections: 128,
  streams: 16,
  /** Bytes that wait for a slow reader of events. */
  waiting: 65_536,
  /** Milliseconds for the headers, and for the whole request. */
  headers: 5_000,
  request: 10_000,
} as const;

type Answer = readonly [status: number, body: object, headers?: Readonly<Record<string, string>>];

const refusals = {
  unauthorized: [401, { message: "unauthorized" }, { "www-authenticate": "Bearer" }],
  unknown: [404, { message: "not found" }],
  badRequest: [400, { message: "bad request" }],
  notAllowed: [405, { message: "method not allowed" }],
  tooDeep: [400, { message: "the body is nested too deeply" }],
  tooLarge: [413, { message: "the body is too large" }],
  notJson: [415, { message: "the body must be application/json" }],
  full: [429, { message: "too many tasks run" }, { "retry-after": "5" }],
  crowded: [503, { message: "too many listeners" }, { "retry-after": "5" }],
  otherInput: [409, { message: "the key was used for another task or another input" }],
  noKey: [
    400,
    { message: "the header Idempotency-Key must be 1 to 128 letters, digits, dots, dashes or underscores" },
  ],
  notStored: [507, { message: "the task could not be recorded" }],
  failed: [500, { message: "internal error" }],
} as const satisfies Readonly<Record<string, Answer>>;

/** Makes the server; `certificates`: those of TLS, undefined for plain HTTP. */
export function createSidecarServer(
  services: SidecarServices,
  certificates: SecureContextOptions | undefined,
  { clientCertificates }: { readonly clientCertificates: boolean },
): SidecarServer {
  const listeners = new Set<ServerResponse>();
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      const answer = await answerTo(services, request, response, listeners);
      if (answer !== undefined) send(response, answer);
    } catch (error) {
      // A caller that has hung up in the middle of a body wants no answer.
      if (request.destroyed && !request.complete) return;
      services.log.error({ error: messageOf(error) }, "a request failed");
      if (response.headersSent) response.destroy();
      else send(response, refusals.failed);
    }
  };
  const onRequest = (request: IncomingMessage, response: ServerResponse): void =>
    void handle(request, response);
  const options = {
    headersTimeout: limits.headers,
    requestTimeout: limits.request,
    connectionsCheckingInterval: 1_000,
    keepAliveTimeout: 60_000,
    maxHeaderSize: 8_192,
  };
  const server =
    certificates === undefined
      ? createHttpServer(options, onRequest)
      : createHttpsServer(
          { ...options, ...certificates, handshakeTimeout: limits.headers, requestCert: clientCertificates },
          onRequest,
        );
  server.maxConnections = limits.connections;
  server.on("clientError", (_error, socket) => socket.destroy());
  return {
    server,
    beat: () => write(listeners, ": alive\n\n"),
    publish: (event, data) => write(listeners, eventOf(event, data)),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answerTo(
  services: SidecarServices,
  request: IncomingMessage,
  response: ServerResponse,
  listeners: Set<ServerResponse>,
): Promise<Answer | undefined> {
  const { method = "", url = "" } = request;
  if (url === "/healthz" && method === "GET") return [200, { ok: true }];
  if (!services.access.allows(request)) return refusals.unauthorized;
  const [, collection = "", name] = /^\/(state|events|tasks)(?:\/([^/?#%]+))?$/.exec(url) ?? [];
  if (collection === "tasks" && name !== undefined && keyForm.test(name)) {
    if (method === "POST") return begin(services, request, name);
    if (method !== "GET" && method !== "DELETE") return refusals.notAllowed;
    const record = method === "GET" ? services.tasks.get(name) : services.tasks.cancel(name);
    return record === undefined ? refusals.unknown : [method === "GET" ? 200 : 202, record];
  }
  const { state } = services;
  if (name !== undefined || (collection !== "events" && (collection !== "state" || state === undefined))) {
    return refusals.unknown;
  }
  if (method !== "GET") return refusals.notAllowed;
  if (collection === "events") return listen(services, response, listeners);
  await state?.ask();
  return [200, state?.report ?? {}];
}

async function begin({ tasks }: SidecarServices, request: IncomingMessage, task: string): Promise<Answer> {
  const key = request.headers["idempotency-key"];
  if (typeof key !== "string" || !keyForm.test(key)) return refusals.noKey;
  const body = await bodyOf(request);
  if ("refused" in body) return body.refused;
  const begun = await tasks.begin(task, key, body.input);
  switch (begun.kind) {
    case "begun":
    case "known":
      return [202, begun.record];
    case "unknownTask":
      return refusals.unknown;
    case "full":
    case "otherInput":
    case "notStored":
      return refusals[begun.kind];
    default:
      return begun satisfies never;
  }
}

function listen(
  { state }: SidecarServices,
  response: ServerResponse,
  listeners: Set<ServerResponse>,
): Answer | undefined {
  if (listeners.size >= limits.streams) return refusals.crowded;
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  response.once("close", () => listeners.delete(response));
  listeners.add(response);
  response.write(state?.report === undefined ? ": no state yet\n\n" : eventOf("state", state.report));
  return undefined;
}

/** The input of a task: `{}` or `{"input": …}`, and nothing else. */
async function bodyOf(
  request: IncomingMessage,
): Promise<{ readonly input: Json | undefined } | { readonly refused: Answer }> {
  const { headers } = request;
  if (Number(headers["content-length"] ?? 0) > limits.body) return { refused: refusals.tooLarge };
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > limits.body) return { refused: refusals.tooLarge };
    chunks.push(chunk);
  }
  if (bytes === 0) return { input: undefined };
  if (!/^application\/json\b/i.test(headers["content-type"] ?? "")) return { refused: refusals.notJson };
  try {
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    if (typeof body !== "object" || body === null || Array.isArray(body))
      return { refused: refusals.badRequest };
    if (isTooDeep(body)) return { refused: refusals.tooDeep };
    const { input, ...others } = body as { readonly input?: Json };
    return Object.keys(others).length === 0 ? { input } : { refused: refusals.badRequest };
  } catch {
    return { refused: refusals.badRequest };
  }
}

function send(response: ServerResponse, [status, body, headers = {}]: Answer): void {
  // What is left of a body that is refused is not read.
  const close = response.req.complete ? {} : { connection: "close" };
  response.writeHead(status, {
    "content-type": "application/json",
    "cache-control": "no-store",
    ...close,
    ...headers,
  });
  response.end(`${JSON.stringify(body)}\n`, () => {
    if (!response.req.complete) response.req.destroy();
  });
}

function write(listeners: ReadonlySet<ServerResponse>, text: string): void {
  for (const response of listeners) {
    // Who does not read is not waited for: they connect again, and receive the state as it is then.
    if (response.writableLength > limits.waiting) response.destroy();
    else response.write(text);
  }
}

function eventOf(event: string, data: object): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
