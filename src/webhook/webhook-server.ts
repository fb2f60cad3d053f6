// The server that the API server calls: TLS, one path for each webhook, JSON in and out. What the paths answer is given to it, so
// that admission and conversion share one port and one certificate. Opened and closed by src/manager/webhooks.ts.
import { createServer, type Server } from "node:https";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { bindFailed, type BindAddress } from "../ports/bind-address.ts";
import { monotonicNow, sleep, type Clock } from "../ports/clock.ts";
import { limitedSignal, untilAborted } from "../ports/deadline.ts";
import { durationOf } from "../ports/duration.ts";
import type { Logger } from "../ports/logger.ts";
import { messageOf } from "../ports/operator-error.ts";
import type { KeyPair } from "./certificates.ts";
import type { WebhookMetrics } from "./webhook-metrics.ts";
import { MalformedReview, type WebhookRoute } from "./webhook-route.ts";

/** Options of {@link startWebhookServer}. */
export interface WebhookServerOptions {
  readonly address: BindAddress;
  readonly routes: readonly WebhookRoute[];
  readonly certificate: KeyPair;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: WebhookMetrics;
  /** Leaves secrets out of a text. */
  readonly mask: (text: string) => string;
}

/** The open server. */
export interface WebhookServer {
  readonly port: number;
  /** Serves new connections with this certificate; those that are open stay. */
  setCertificate(certificate: KeyPair): void;
  /** Goes on answering, each caller for the last time on its connection: its next one is to another replica, if there is one. */
  leave(): void;
  /** Accepts nothing more, and resolves when what is under way is answered, or is cut off after so many milliseconds. Idempotent. */
  close(grace: number): Promise<void>;
}

/** Bytes of a body: a review of a conversion carries whole lists, one of an admission two objects. */
const mostBytes = 32 * 1024 * 1024;

/** Milliseconds that the API server waits when it does not say so, and at most. */
const usualTimeout = 10_000;
const longestTimeout = 30_000;

/** Milliseconds from the order to stop until Kubernetes sends nobody to a pod any more: its server is open for at least so long. */
export const webhookWithdrawal = 5_000;

/** Milliseconds that reviews under way get at the end. */
export const webhookGrace = 10_000;

/**
 * Milliseconds after which an idle connection is ended: longer than the API server keeps one (90 s), so that it is the one to end it.
 * A server that ends it may meet a request on it, which fails.
 */
const keepAliveTimeout = 120_000;

/** An answer that is no review. */
interface Refusal {
  readonly status: number;
  readonly text: string;
  /** Nothing more is read from the connection. */
  readonly ends?: true;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Opens the server.
 *
 * **Guarantees**: answers every request that it has accepted, also while it closes; a review sees its signal aborted shortly
 * before the API server gives up.
 * **Errors**: `BIND_FAILED`.
 */
export async function startWebhookServer(options: WebhookServerOptions): Promise<WebhookServer> {
  const { address, routes, certificate, clock, log } = options;
  const byPath = new Map(routes.map((route) => [route.path, route]));
  const server = createServer({
    ...certificate,
    minVersion: "TLSv1.2",
    requestTimeout: longestTimeout,
    headersTimeout: usualTimeout,
    keepAliveTimeout,
  });
  const underWay = new Set<ServerResponse>();
  let isLeaving = false;
  const isLast = (response: ServerResponse): void => {
    if (!response.headersSent) response.setHeader("connection", "close");
  };
  const leave = (): void => {
    isLeaving = true;
    // Connections that are idle stay: a request may be on its way on one, and a POST is not repeated by its sender.
    for (const response of underWay) isLast(response);
  };
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    underWay.add(response);
    response.once("close", () => underWay.delete(response));
    if (isLeaving) isLast(response);
    // Who asks whether anybody is here may take this server's place.
    if (isLeaving && request.method === "GET")
      refuse(response, { status: 503, text: "the operator is stopping" });
    else void answer(request, response, { ...options, byPath });
  });
  // A handshake that fails is the caller's: an authority that is not known there yet, or a scan.
  server.on("tlsClientError", (error: Error) =>
    log.debug({ error: messageOf(error) }, "a TLS handshake failed"),
  );
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause) => reject(bindFailed("webhooks", address, cause)));
    server.listen(address.port, address.host, () => resolve());
  });
  let closed: Promise<void> | undefined;
  return {
    port: (server.address() as AddressInfo).port,
    setCertificate: (next) => server.setSecureContext({ ...next, minVersion: "TLSv1.2" }),
    leave,
    close: (grace) => {
      leave();
      return (closed ??= end(server, grace, clock));
    },
  };
}

async function end(server: Server, grace: number, clock: Clock): Promise<void> {
  const ended = new AbortController();
  const closed = new Promise<void>((resolve) => {
    server.close(() => {
      ended.abort();
      resolve();
    });
  });
  await sleep(clock, grace, ended.signal);
  server.closeAllConnections();
  return closed;
}

interface Serving extends WebhookServerOptions {
  readonly byPath: ReadonlyMap<string, WebhookRoute>;
}

async function answer(request: IncomingMessage, response: ServerResponse, serving: Serving): Promise<void> {
  const [path = ""] = (request.url ?? "").split("?");
  const route = serving.byPath.get(path);
  if (route === undefined) return refuse(response, { status: 404, text: "there is no webhook at this path" });
  const { clock, log } = serving;
  const measured = serving.metrics.begin(path);
  const started = monotonicNow(clock);
  const { result, status } = await review(request, response, { ...serving, route }).catch(
    (error: unknown): Outcome => {
      log.error({ webhook: path, error: serving.mask(messageOf(error)) }, "a review could not be answered");
      refuse(response, { status: 500, text: "the review could not be answered; see the operator's log" });
      return { result: "failed", status: 500 };
    },
  );
  const took = monotonicNow(clock) - started;
  measured.ended({ status, result, took });
  log.debug({ webhook: path, result, status, took }, "webhook called");
}

/** What became of one request. */
interface Outcome {
  readonly status: number;
  readonly result: "allowed" | "refused" | "failed" | "malformed";
}

async function review(
  request: IncomingMessage,
  response: ServerResponse,
  { route, clock, log, mask }: Serving & { readonly route: WebhookRoute },
): Promise<Outcome> {
  const refused = (refusal: Refusal, result: Outcome["result"] = "malformed"): Outcome => {
    refuse(response, refusal);
    return { result, status: refusal.status };
  };
  const wrong = wrongRequest(request);
  if (wrong !== undefined) return refused(wrong);
  const limit = timeLimitOf(request.url ?? "");
  const gone = new AbortController();
  const leave = (): void => gone.abort(new Error("the API server has closed the connection"));
  response.once("close", leave);
  const limited = limitedSignal({
    clock,
    signals: [gone.signal],
    timeout: limit,
    late: () => new LateReview(),
  });
  try {
    const read = await untilAborted(bodyOf(request), limited.signal);
    if ("status" in read) return refused(read);
    const { body, result } = await untilAborted(route.review(read.body, limited), limited.signal);
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(body));
    return { result, status: 200 };
  } catch (error) {
    if (error instanceof MalformedReview) return refused({ status: 400, text: error.message });
    // An answer that is no review is for the API server a call that failed, on which its failure policy decides.
    if (error instanceof LateReview) {
      log.warn({ webhook: route.path, limit }, "a webhook did not answer in time");
      return refused({ status: 504, text: `the webhook did not answer within ${limit / 1_000} s` }, "failed");
    }
    if (gone.signal.aborted) return { result: "failed", status: 499 };
    throw new Error(mask(messageOf(error)), { cause: error });
  } finally {
    response.off("close", leave);
    limited.release();
  }
}

/** The time is over. */
class LateReview extends Error {}

function wrongRequest({ method, headers }: IncomingMessage): Refusal | undefined {
  if (method !== "POST") {
    return { status: 405, text: "reviews are sent by POST", headers: { allow: "POST" } };
  }
  const [type = ""] = (headers["content-type"] ?? "").split(";");
  if (type.trim().toLowerCase() !== "application/json") return { status: 415, text: "reviews are JSON" };
  return Number(headers["content-length"] ?? 0) > mostBytes ? tooLarge : undefined;
}

const tooLarge: Refusal = {
  status: 413,
  text: `the review is larger than ${mostBytes / 1024 / 1024} MiB`,
  ends: true,
};

/** A tenth of the time is left for the answer. */
function timeLimitOf(url: string): number {
  const [, query = ""] = url.split("?");
  const asked = durationOf(new URLSearchParams(query).get("timeout") ?? undefined) ?? usualTimeout;
  return Math.round(Math.min(asked, longestTimeout) * 0.9);
}

async function bodyOf(request: IncomingMessage): Promise<{ readonly body: object } | Refusal> {
  const chunks: Buffer[] = [];
  let size = 0;
  // What is left is not destroyed, as the answer goes out on the same connection.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > mostBytes) return tooLarge;
    chunks.push(chunk);
  }
  let body: unknown;
  try {
    body = JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    // What the parser says quotes the body.
    return { status: 400, text: "the body is not JSON" };
  }
  if (typeof body === "object" && body !== null && !Array.isArray(body)) return { body };
  return { status: 400, text: "the body is not a review" };
}

function refuse(response: ServerResponse, { status, text, ends, headers = {} }: Refusal): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, {
    "content-type": "text/plain; charset=utf-8",
    ...(ends === true ? { connection: "close" } : {}),
    ...headers,
  });
  response.end(`${text}\n`);
}
