// The embedded API server: HTTPS on loopback, authentication, routing, and the answer to every error.
import { setMaxListeners } from "node:events";
import { createServer, type Server } from "node:https";
import type { Socket } from "node:net";
import { ServerResponse, type IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { messageOf } from "../../ports/operator-error.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Logger } from "../../ports/logger.ts";
import type { Random } from "../../ports/random.ts";
import type { ClusterFaults } from "../cluster-faults.ts";
import type { WriteInterceptor } from "../cluster.ts";
import { assertAllowed, accessOf, everythingAllowed } from "./access/authorize.ts";
import { createDefaultRoles } from "./access/default-roles.ts";
import { Impersonation } from "./access/impersonation.ts";
import { RbacAuthorizer } from "./access/rbac-authorizer.ts";
import { startAggregation, type Aggregation } from "./aggregation/start-aggregation.ts";
import type { ApiCore } from "./api-core.ts";
import { createApiCore } from "./create-core.ts";
import { answerMetrics, serveMetrics } from "./metrics/metrics-api.ts";
import { createKubernetesService } from "./initial-objects.ts";
import { registerDefinitions } from "./custom/crd-registrar.ts";
import { expireEvents } from "./storage/event-expiry.ts";
import { createServerFaults, toClusterFaults } from "./faults/server-faults.ts";
import { plainText, sendAnswer } from "./http/answer.ts";
import type { Exchange } from "./requests/exchange.ts";
import { handlePlainPath } from "./http/plain-paths.ts";
import { parseResourcePath } from "./requests/request-path.ts";
import { isYamlAsked } from "./requests/media-type.ts";
import { MalformedUrl, readRequestUrl } from "./requests/request-url.ts";
import { isProxyRequest } from "./http/proxy/serve-proxy.ts";
import { handleResource } from "./http/resource-handler.ts";
import { PathNotServed, type ResourceServices } from "./http/resource-services.ts";
import type { SignedCertificate } from "./http/tls.ts";
import { UserDirectory, type ApiUser } from "./requests/users.ts";
import { isWebSocketRequest } from "./requests/web-socket-request.ts";
import { isSpdyRequest } from "./http/spdy/spdy-upgrade.ts";
import { methodNotAllowed, StatusError } from "./status-error.ts";
import type { StoreJournal } from "./storage/object-store.ts";

/** The longest head of a request, in bytes: what Go's servers read of one. */
const longestHead = 1_048_576 + 4_096;

/** Options of {@link startApiServer}. */
export interface ApiServerOptions {
  readonly port: number;
  /** Takes a free one when that is in use; default false. */
  readonly orAnyPort?: boolean;
  readonly certificate: SignedCertificate;
  /** How this server shows other API servers who it is. */
  readonly frontProxy: SignedCertificate;
  /** What the tokens of service accounts are signed with; default a new key. */
  readonly accountKey?: Buffer;
  /** Keeps what is stored; default nothing outlasts the process. */
  readonly journal?: StoreJournal | undefined;
  /** Whether roles decide what users may do. */
  readonly rbac: boolean;
  /** Whether the APIs of metrics are served; default false. */
  readonly metrics?: boolean;
  /** Milliseconds for which Events are kept after their last write; default an hour. */
  readonly eventTtl?: number;
  /** Token to user. */
  readonly users: ReadonlyMap<string, ApiUser>;
  readonly interceptWrites: WriteInterceptor | undefined;
  /** How many past changes of each type watches can resume from. */
  readonly historyLimit?: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Asked for logs and for commands; undefined while there is no pod runtime. */
  podRuntime: ResourceServices["podRuntime"];
}

/** A running API server. */
export interface ApiServer {
  readonly url: string;
  /** What is behind its HTTP side. */
  readonly core: ApiCore;
  readonly faults: ClusterFaults;
  /** Aborted when the built-in controllers are to meet what happens to other clients. */
  readonly detour: AbortSignal;
  /** Ends all connections and the server. Idempotent. */
  stop(): Promise<void>;
}

/** Starts the API server on 127.0.0.1. Errors: those of listening. */
export async function startApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const { certificate, frontProxy, log } = options;
  const core = createApiCore(options);
  createDefaultRoles(core);
  if (options.metrics === true) serveMetrics(core);
  const stopRegistrar = registerDefinitions(core);
  const stopExpiry = expireEvents(core, options.eventTtl);
  const aggregation = startAggregation(core, { frontProxy, authority: certificate.authority });
  const services: ResourceServices = {
    core,
    users: new UserDirectory(options.users, core.accountTokens),
    authorizer: options.rbac ? new RbacAuthorizer(core.store) : everythingAllowed,
    writes: { interceptor: options.interceptWrites },
    faults: createServerFaults(core.store, core.clock),
    podRuntime: () => options.podRuntime(),
  };
  const impersonation = new Impersonation(services.authorizer);
  let address = "";
  const answer = (request: IncomingMessage, response: ServerResponse, upgradeHead?: Buffer): void => {
    answerRequest(
      { services, impersonation, aggregation, address },
      { request, response, upgradeHead },
    ).catch((error: unknown) => {
      log.error({ error: messageOf(error), path: request.url ?? "" }, "request failed");
      response.destroy();
    });
  };
  const server = createServer(
    {
      key: certificate.key,
      cert: certificate.certificate,
      keepAliveTimeout: 60_000,
      maxHeaderSize: longestHead,
      shouldUpgradeCallback: (request) =>
        isWebSocketRequest(request) ||
        isForPodStreams(request) ||
        isProxyRequest(request.url ?? "/") ||
        isForAnother(aggregation, request),
    },
    (request, response) => answer(request, response),
  );
  server.on("upgrade", (request, socket, head) => answer(request, responseOn(socket, request), head));
  server.on("clientError", refuseUnreadable);
  // Node passes over those beyond a number.
  server.maxHeadersCount = 0;
  // Watches last longer than any of Node's own deadlines.
  server.requestTimeout = 0;
  server.timeout = 0;
  const connections = connectionsOf(server);
  await listen(server, options.port).catch(async (error: unknown) => {
    const isTaken = (error as NodeJS.ErrnoException).code === "EADDRINUSE";
    if (options.orAnyPort === true && isTaken) return listen(server, 0);
    stopExpiry();
    await aggregation.stop();
    throw error;
  });
  const bound = server.address();
  address = typeof bound === "object" && bound !== null ? `127.0.0.1:${bound.port}` : "";
  const port = typeof bound === "object" && bound !== null ? bound.port : options.port;
  createKubernetesService(core, port);
  let stopped: Promise<void> | undefined;
  const detour = new AbortController();
  setMaxListeners(0, detour.signal);
  const pause = (): Promise<void> => (server.listening ? close(server, connections) : Promise.resolve());
  return {
    url: `https://${address}`,
    core,
    faults: toClusterFaults({
      faults: services.faults,
      store: core.store,
      pause,
      resume: async () => {
        if (!server.listening && stopped === undefined) await listen(server, port);
      },
      onControllersStruck: () => detour.abort(),
    }),
    detour: detour.signal,
    stop: () => {
      stopRegistrar();
      stopExpiry();
      stopped ??= Promise.all([aggregation.stop(), pause()]).then(() => undefined);
      return stopped;
    },
  };
}

/** What answers requests. */
interface Answering {
  readonly services: ResourceServices;
  readonly impersonation: Impersonation;
  readonly aggregation: Aggregation;
  /** Where this server listens. */
  readonly address: string;
}

async function answerRequest(
  { services, impersonation, aggregation, address }: Answering,
  raw: Pick<Exchange, "request" | "response" | "upgradeHead">,
): Promise<void> {
  const { request, response } = raw;
  try {
    const { path: givenPath, query } = readRequestUrl(request.url ?? "/");
    const sender = services.users.authenticate(request);
    const { authorizer } = services;
    const method = request.method ?? "GET";
    const path = parseResourcePath(givenPath);
    const access = accessOf(services.core.registry, { method, path: givenPath, query }, path);
    const user = impersonation.actingUser(sender, request, access);
    const exchange = {
      ...raw,
      method,
      path: givenPath,
      query,
      user,
      userAgent: request.headers["user-agent"] ?? "",
    };
    assertAllowed(authorizer, user, access);
    if (path?.plural !== undefined && (await services.faults.requests.admit(exchange)) !== "proceed") return;
    const extension = aggregation.serverOf(givenPath);
    if (extension !== undefined) await aggregation.passOn(exchange, extension);
    else if (path?.plural !== undefined) {
      const measured = answerMetrics(services.core, method, path, query);
      if (measured === undefined) await handleResource(services, exchange, path);
      else sendAnswer(request, raw.response, { status: 200, body: measured });
    } else if (!handlePlainPath(services.core, address, exchange)) throw new PathNotServed();
  } catch (error) {
    answerError(services.core, request, response, error);
  }
}

function answerError(
  core: ApiCore,
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown,
): void {
  if (response.headersSent) {
    core.log.error({ error: messageOf(error), path: request.url ?? "" }, "request failed");
    response.destroy();
    return;
  }
  if (error instanceof PathNotServed) {
    const body = "404 page not found\n";
    sendAnswer(request, response, { status: 404, body, contentType: plainText, isText: true });
    return;
  }
  if (error instanceof MalformedUrl) {
    sendAnswer(request, response, {
      status: 400,
      body: "400 Bad Request",
      contentType: plainText,
      isText: true,
    });
    return;
  }
  if (error instanceof StatusError) {
    const { retryAfterSeconds } = error.status.details ?? {};
    const headers = retryAfterSeconds === undefined ? {} : { "Retry-After": String(retryAfterSeconds) };
    const { status, warnings } = error;
    const yaml = isYamlAsked(request.headers.accept);
    sendAnswer(request, response, { status: status.code, body: status, headers, warnings, yaml });
    return;
  }
  core.log.error({ error: messageOf(error), path: request.url ?? "" }, "request failed");
  const { status } = new StatusError(500, "InternalError", `Internal error occurred: ${messageOf(error)}`);
  sendAnswer(request, response, { status: 500, body: status });
}

/** Only streams of pods are served over SPDY; whoever asks for it elsewhere is answered as if it had not. */
function isForPodStreams(request: IncomingMessage): boolean {
  return (
    isSpdyRequest(request) && /\/pods\/[^/]+\/(?:exec|attach|portforward)\/?(?:\?|$)/.test(request.url ?? "")
  );
}

/** Whatever protocol another server speaks, this one does not have to know it. */
function isForAnother(aggregation: Aggregation, { url = "/" }: IncomingMessage): boolean {
  try {
    return aggregation.serverOf(readRequestUrl(url).path) !== undefined;
  } catch {
    return false;
  }
}

/** Node hands over the connection of a request to change the protocol, and expects the answer to be written by hand. */
function responseOn(socket: Duplex, request: IncomingMessage): ServerResponse {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket as Socket);
  response.on("finish", () => socket.end());
  socket.on("error", () => socket.destroy());
  return response;
}

/** Answers what Node cannot read as a request: among these are methods that it does not know. */
function refuseUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code?.startsWith("HPE_") !== true) {
    socket.destroy();
    return;
  }
  const isMethod = error.code === "HPE_INVALID_METHOD";
  const body = isMethod ? `${JSON.stringify(methodNotAllowed().status)}\n` : "";
  const line = isMethod
    ? "405 Method Not Allowed"
    : error.code === "HPE_HEADER_OVERFLOW"
      ? "431 Request Header Fields Too Large"
      : "400 Bad Request";
  const headers = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close`;
  socket.end(`HTTP/1.1 ${line}\r\n${headers}\r\n\r\n${body}`);
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => {
      server.off("error", reject);
      resolve();
    });
  });
}

/** The connections that are open, also those on which no TLS session stands yet: Node's server counts none of these. */
function connectionsOf(server: Server): ReadonlySet<Socket> {
  const open = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });
  return open;
}

function close(server: Server, connections: ReadonlySet<Socket>): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
    for (const socket of connections) socket.destroy();
  });
}
