// What a kubelet and a Prometheus ask an operator: /healthz, /readyz and /metrics over plain HTTP, the last also over TLS.
// Opened by run-operator.ts before anything else and closed after everything else, so that a start that hangs and a drain
// that lasts can be seen.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { bindFailed, formatBindAddress, parseBindAddress, type BindAddress } from "../ports/bind-address.ts";
import { sleep, type Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import { namesThisMachine } from "../ports/loopback.ts";
import { messageOf, OperatorError } from "../ports/operator-error.ts";
import { recentRunsPath, type RecentRun } from "../ports/recent-run.ts";
import type { Verdict } from "./metrics-access.ts";
import type { ServingCertificate } from "./serving-certificate.ts";
import type { PrometheusMetrics } from "./prometheus-metrics.ts";
import type { ReadinessCheck } from "./readiness.ts";

/** Options of {@link startHealthServer}. */
export interface HealthServerOptions {
  /** Where /healthz and /readyz are; `0` is off. */
  readonly healthProbeBindAddress: string;
  /** Where /metrics is; `0` is off. The same address as the probes' is served by one listener. */
  readonly metricsBindAddress: string;
  /** Needed when /metrics is on. */
  readonly metrics: PrometheusMetrics | undefined;
  readonly readiness: () => readonly ReadinessCheck[];
  /** Serves /metrics over TLS, to those that are judged so; default: plain, to everybody. */
  readonly secure?: SecureMetrics | undefined;
  /** The last runs of an object, by kind and `namespace/name`; served on loopback only. Default: not served. */
  readonly runs?: (kind: string, key: string) => readonly RecentRun[];
  readonly log: Logger;
}

/** How /metrics is guarded. */
export interface SecureMetrics {
  readonly access: (authorization: string | undefined, path: string) => Promise<Verdict>;
  /** Read again every minute, so that a rotated certificate is served. */
  readonly certificate: () => Promise<ServingCertificate>;
  readonly clock: Clock;
}

/** The open listeners. */
export interface HealthServer {
  /** Base URLs, with the ports that were chosen; undefined for what is off. */
  readonly probeUrl: string | undefined;
  readonly metricsUrl: string | undefined;
  /** Idempotent. */
  close(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** What answers at a path. */
type Routes = Readonly<Record<string, (query: URLSearchParams, caller: Caller) => Answer | Promise<Answer>>>;

/** Who asks. */
interface Caller {
  /** From this machine, or through `kubectl port-forward`. */
  readonly isLocal: boolean;
  readonly authorization: string | undefined;
}

const plainText = "text/plain; charset=utf-8";

/**
 * Opens the listeners that are not off.
 *
 * **Caveats**: neither authentication nor TLS unless `secure`, so nothing that is served names an object or quotes an error;
 * but for the last runs of an object, which are served on loopback only.
 * **Errors**: `BIND_ADDRESS_INVALID`; `CERTIFICATE_UNREADABLE`; `BIND_FAILED` when an address cannot be had, for instance because the port is taken.
 */
export async function startHealthServer(options: HealthServerOptions): Promise<HealthServer> {
  const { metrics, readiness, runs, secure, log } = options;
  const probes = parseBindAddress(options.healthProbeBindAddress);
  const scrapes = parseBindAddress(options.metricsBindAddress);
  const probeRoutes: Routes = {
    "/healthz": () => text(200, "ok\n"),
    "/readyz": (query) => readinessAnswer(readiness(), query.has("verbose")),
    ...(runs === undefined
      ? {}
      : { [recentRunsPath]: (query, { isLocal }) => runsAnswer(runs, query, isLocal) }),
  };
  const scrapeRoutes: Routes =
    metrics === undefined
      ? {}
      : {
          "/metrics": guarded(secure, async () => ({
            status: 200,
            contentType: metrics.contentType,
            body: await metrics.expose(),
          })),
        };
  const shared =
    probes !== undefined &&
    scrapes !== undefined &&
    probes.port !== 0 &&
    formatBindAddress(probes) === formatBindAddress(scrapes);
  if (shared && secure !== undefined) {
    throw new OperatorError(
      "BIND_ADDRESS_INVALID",
      "secure metrics cannot share the address of the health probes",
      {
        remedy: "Give /metrics a port of its own: a kubelet asks for probes without a token.",
      },
    );
  }
  const servers: Server[] = [];
  const closed = new AbortController();
  const close = async (): Promise<void> => {
    closed.abort();
    await Promise.all(servers.splice(0).map((server) => stop(server)));
  };
  const open = async (
    address: BindAddress | undefined,
    routes: Routes,
    { what, tls }: { readonly what: string; readonly tls?: SecureMetrics | undefined },
  ) => {
    if (address === undefined) return undefined;
    const server = tls === undefined ? createServer() : await createTlsServer(tls, closed.signal, log);
    await listen(server, { address, routes, what, log });
    servers.push(server);
    const { port } = server.address() as AddressInfo;
    const url = `${tls === undefined ? "http" : "https"}://${formatBindAddress({ ...address, port })}`;
    log.info({ url }, `${what} served`);
    return url;
  };
  try {
    const probeUrl = await open(probes, shared ? { ...probeRoutes, ...scrapeRoutes } : probeRoutes, {
      what: "health probes",
    });
    const metricsUrl = shared
      ? probeUrl
      : await open(scrapes, scrapeRoutes, { what: "metrics", tls: secure });
    // What is measured over time, such as how late timers are, is measured from now on, and not from the first scrape.
    if (metricsUrl !== undefined) void metrics?.expose().catch(() => undefined);
    return { probeUrl, metricsUrl, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The route, for those only who may use it. */
function guarded(secure: SecureMetrics | undefined, route: Routes[string]): Routes[string] {
  if (secure === undefined) return route;
  return async (query, caller) => {
    const verdict = await secure.access(caller.authorization, "/metrics");
    if (verdict === "allowed") return route(query, caller);
    if (verdict === "forbidden")
      return text(403, "forbidden: the token's user may not get the URL /metrics\n");
    if (verdict === "unknown") return text(503, "there is no connection to the API server yet\n");
    return text(401, "unauthorized: a bearer token that the API server knows is needed\n");
  };
}

/** Milliseconds after which the certificate is read again. */
const rereadAfter = 60_000;

async function createTlsServer(
  { certificate, clock }: SecureMetrics,
  closed: AbortSignal,
  log: Logger,
): Promise<Server> {
  let served = await certificate();
  const server = createHttpsServer({ ...served, minVersion: "TLSv1.2" });
  void (async () => {
    while (!closed.aborted) {
      await sleep(clock, rereadAfter, closed);
      if (closed.aborted) return;
      try {
        const read = await certificate();
        if (read.cert === served.cert && read.key === served.key) continue;
        server.setSecureContext(read);
        served = read;
        log.info({}, "the certificate of the metrics was read again");
      } catch (error) {
        log.warn(
          { error: messageOf(error) },
          "the certificate of the metrics cannot be read again; the last one stays",
        );
      }
    }
  })();
  return server;
}

interface Listening {
  readonly address: BindAddress;
  readonly routes: Routes;
  readonly what: string;
  readonly log: Logger;
}

function listen(server: Server, { address, routes, what, log }: Listening): Promise<Server> {
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    answer(request, routes).then(
      (found) => send(request, response, found),
      (error: unknown) => {
        log.error({ error: messageOf(error), path: request.url }, "a probe could not be answered");
        send(request, response, text(500, "the response could not be computed; see the log\n"));
      },
    );
  });
  return new Promise((resolve, reject) => {
    server.once("error", (cause) => reject(bindFailed(what, address, cause)));
    server.listen(address.port, address.host, () => resolve(server));
  });
}

async function answer(request: IncomingMessage, routes: Routes): Promise<Answer> {
  // Not parsed as a URL: a request target may be anything.
  const [target = "", query = ""] = (request.url ?? "").split("?");
  const path = target.replace(/(.)\/$/, "$1");
  const route = Object.hasOwn(routes, path) ? routes[path] : undefined;
  if (route === undefined) return text(404, `not found; paths: ${Object.keys(routes).join(", ")}\n`);
  if (request.method !== "GET" && request.method !== "HEAD") return text(405, "only GET\n");
  return route(new URLSearchParams(query), {
    isLocal: isLocal(request),
    authorization: request.headers.authorization,
  });
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  { status, contentType, body }: Answer,
): void {
  response.writeHead(status, { "content-type": contentType, "cache-control": "no-store" });
  response.end(request.method === "HEAD" ? undefined : body);
}

function runsAnswer(
  runs: NonNullable<HealthServerOptions["runs"]>,
  query: URLSearchParams,
  isLocal: boolean,
): Answer {
  if (!isLocal)
    return text(403, "available on loopback only: use kubectl port-forward, and ask for localhost\n");
  const [kind, key] = [query.get("kind"), query.get("object")];
  if (kind === null || key === null)
    return text(400, "missing parameters: ?kind=KIND&object=NAMESPACE/NAME\n");
  return { status: 200, contentType: "application/json", body: `${JSON.stringify(runs(kind, key))}\n` };
}

const loopbackAddresses = new Set<string | undefined>(["127.0.0.1", "::1", "::ffff:127.0.0.1"]);

/**
 * Whether somebody on this machine asks, and means it: not another address of 127.0.0.0/8, which others may have, not a proxy
 * on this machine for somebody else, and not a web page by a name that leads here (DNS rebinding).
 */
function isLocal({ socket, headers }: IncomingMessage): boolean {
  const isForwarded = headers.forwarded !== undefined || headers["x-forwarded-for"] !== undefined;
  const isOwnName = namesThisMachine(headers.host ?? "");
  return (
    loopbackAddresses.has(socket.remoteAddress) && isOwnName && !isForwarded && headers.origin === undefined
  );
}

function text(status: number, body: string): Answer {
  return { status, contentType: plainText, body };
}

/** As Kubernetes' own: `ok`, or every check with its mark when one fails or warns, or when asked to be verbose. */
function readinessAnswer(checks: readonly ReadinessCheck[], verbose: boolean): Answer {
  const ready = checks.every(({ problem }) => problem === undefined);
  const isWhole = ready && checks.every(({ warning }) => warning === undefined);
  if (isWhole && !verbose) return text(200, "ok\n");
  const lines = checks.map(({ name, problem, warning, detail }) => {
    if (problem !== undefined) return `[-] ${name}: ${problem}`;
    if (warning !== undefined) return `[!] ${name}: ${warning}`;
    return `[+] ${name}: ok${detail === undefined ? "" : ` (${detail})`}`;
  });
  return text(ready ? 200 : 503, [...lines, ready ? "ready" : "not ready", ""].join("\n"));
}

function stop(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}
