// HTTP to one API server: one shared agent of keep-alive connections, a deadline on every request, credentials that are
// refreshed once on 401, connections recreated when certificates change. Knows nothing of objects.
import { monotonicNow, type Clock } from "../ports/clock.ts";
import { silentLogger, type Logger } from "../ports/logger.ts";
import { silentMetrics, type Metrics } from "../ports/metrics.ts";
import { isOperatorError, OperatorError } from "../ports/operator-error.ts";
import { noSpan, noTracing, type Tracing } from "../ports/tracing.ts";
import type { Authentication, Connection } from "./connection.ts";
import { toConnectionError } from "./connection-error.ts";
import { createConnectionPool } from "./connection-pool.ts";
import { Silence, type Ends, type LimitedSignal } from "../ports/deadline.ts";
import { createDeadline } from "./deadline.ts";
import { exchange, type Answer, type TakeBody } from "./exchange.ts";
import { createRequestCounter } from "./request-metrics.ts";
import { nameOf, pathOnWire } from "./request-path.ts";
import { beginRequest, failRequest } from "./request-trace.ts";
import { withoutSecretData } from "./secret-masking.ts";
import { toApiError } from "./status-body.ts";

/** One request. */
export interface TransportRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path and query, below the server's base URL. */
  readonly path: string;
  /** The body as it goes out. */
  readonly body?: string | undefined;
  readonly contentType?: string | undefined;
  readonly accept?: string | undefined;
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  readonly until?: Ends | undefined;
  /** Asked when the request is about to go out on its connection: what it throws refuses it. */
  readonly beforeSend?: (() => void) | undefined;
  /** Milliseconds until the answer must be complete (or, of a stream, until it must begin). */
  readonly timeout: number;
}

/** A request whose answer goes on for long. */
export interface StreamRequest extends TransportRequest {
  /** Called when a 2xx answer has begun. */
  readonly onOpen?: (() => void) | undefined;
  /** Milliseconds without a byte after which `WATCH_IDLE` ends it; undefined: never. */
  readonly idleTimeout?: number | undefined;
}

/** A complete 2xx answer. */
export interface TransportAnswer {
  readonly text: string;
  readonly contentType: string;
}

/** What {@link createHttpTransport} needs. */
export interface TransportOptions {
  readonly connection: Connection;
  readonly userAgent: string;
  readonly clock: Clock;
  readonly log?: Logger;
  readonly metrics?: Metrics;
  readonly tracing?: Tracing;
}

/** See {@link createHttpTransport}. */
export interface HttpTransport {
  send(request: TransportRequest): Promise<TransportAnswer>;
  /** Resolves when the server has ended the answer; what the receiver of its body throws ends it before. */
  stream(request: StreamRequest, receiver: { readonly take: TakeBody }): Promise<void>;
  close(): Promise<void>;
}

type Head = Pick<Answer, "statusCode" | "headers">;

type RequestHeaders = Record<string, string | string[]>;

/** Warnings remembered so that each is logged once. */
const maxWarnings = 200;

/**
 * A transport over one agent.
 *
 * **Errors**: `ApiError` for an answer that is not 2xx, `CONNECTION_FAILED`, `REQUEST_TIMEOUT`, `CLIENT_CLOSED`;
 * the reason of the caller's signal when that is aborted.
 */
export function createHttpTransport(options: TransportOptions): HttpTransport {
  const { connection, clock, userAgent, tracing = noTracing } = options;
  const serverUrl = new URL(connection.server);
  const basePath = serverUrl.pathname.replace(/\/$/, "");
  const log = options.log ?? silentLogger;
  const count = createRequestCounter(options.metrics ?? silentMetrics, connection.server);
  const warned = new Set<string>();
  const streams = new Set<LimitedSignal>();
  const pool = createConnectionPool(connection.proxy?.url);
  let closed = false;

  async function attempt(
    request: TransportRequest,
    deadline: LimitedSignal,
    authentication: Authentication,
    begin?: () => TakeBody,
  ): Promise<Answer> {
    if (deadline.over !== undefined) throw deadline.over.reason;
    if (closed) throw closedError();
    let answered = false;
    try {
      return await exchange(pool.dispatcherFor(authentication.tls), {
        origin: serverUrl.origin,
        path: pathOnWire(basePath, request.path),
        method: request.method,
        headers: headersOf(request, authentication),
        limit: deadline,
        beforeSend: request.beforeSend,
        onHead(head) {
          answered = true;
          count(request.method, head.statusCode);
          logWarnings(head);
          return isSuccess(head) ? begin?.() : undefined;
        },
        // Deadlines are ours, on the injected clock.
        headersTimeout: 0,
        bodyTimeout: 0,
        // Else undici closes the connection after every DELETE that has a body: a TLS handshake for each.
        reset: false,
        ...(request.body === undefined ? {} : { body: request.body }),
      });
    } catch (error) {
      if (!answered) count(request.method, "<error>");
      throw error;
    }
  }

  function headersOf(request: TransportRequest, { headers }: Authentication): RequestHeaders {
    const sent: RequestHeaders = {
      accept: request.accept ?? "application/json",
      "user-agent": userAgent,
    };
    if (request.body !== undefined) sent["content-type"] = request.contentType ?? "application/json";
    return Object.assign(sent, headers, request.headers);
  }

  /** A 2xx answer; refused credentials are refreshed once. */
  async function answerTo(
    request: TransportRequest,
    deadline: LimitedSignal,
    begin?: () => TakeBody,
  ): Promise<Answer> {
    const authentication = await connection.authenticate(monotonicNow(clock));
    let answer = await attempt(request, deadline, authentication, begin);
    if (answer.statusCode === 401) {
      const renewed = await connection.authenticate(monotonicNow(clock), authentication);
      if (renewed !== authentication) answer = await attempt(request, deadline, renewed, begin);
    }
    if (isSuccess(answer)) return answer;
    throw toApiError({
      status: answer.statusCode,
      body: answer.text,
      retryAfter: headerOf(answer, "retry-after"),
      request: nameOf(request),
      where: `${connection.server} (${connection.source})`,
      conceal: (text) => withoutSecretData(text, request),
    });
  }

  function logWarnings({ headers }: Head): void {
    const header = headers["warning"];
    if (header === undefined) return;
    for (const warning of typeof header === "string" ? [header] : header) {
      if (warned.has(warning) || warned.size >= maxWarnings) continue;
      warned.add(warning);
      log.warn({ warning }, "the API server warns");
    }
  }

  function deadlineFor(request: TransportRequest): LimitedSignal {
    if (closed) throw closedError();
    return createDeadline({
      clock,
      timeout: request.timeout,
      signal: request.signal,
      until: request.until,
      request,
      server: connection.server,
    });
  }

  /**
   * What to throw for a failure: the limit's own reason, our errors as they are, anything else as a failed connection.
   * After silence, no later request goes over a connection from before; `generation` is the pool's when the request began.
   */
  function explain(
    error: unknown,
    request: TransportRequest,
    { over }: LimitedSignal,
    generation: number,
  ): unknown {
    const explained: unknown = over === undefined ? error : over.reason;
    if (isOperatorError(explained, "REQUEST_TIMEOUT") || isOperatorError(explained, "WATCH_IDLE")) {
      pool.distrust(generation);
    }
    if (over !== undefined) return explained;
    if (closed) return closedError();
    return error instanceof OperatorError ? error : toConnectionError(error, connection, nameOf(request));
  }

  return {
    async send(request) {
      const deadline = deadlineFor(request);
      const { generation } = pool;
      const span = beginRequest(tracing, serverUrl, request);
      try {
        const sent = span === noSpan ? request : { ...request, headers: span.headers() };
        const answer = await answerTo(sent, deadline);
        span.set({ "http.response.status_code": answer.statusCode });
        return { text: answer.text, contentType: headerOf(answer, "content-type") ?? "" };
      } catch (error) {
        const explained = explain(error, request, deadline, generation);
        failRequest(span, explained);
        throw explained;
      } finally {
        span.end();
        deadline.release();
      }
    },
    async stream(request, receiver) {
      const { onOpen, idleTimeout } = request;
      const deadline = deadlineFor(request);
      const { generation } = pool;
      let silence: Silence | undefined;
      const begin = (): TakeBody => {
        deadline.lift();
        onOpen?.();
        if (idleTimeout !== undefined) {
          silence = new Silence(clock, idleTimeout, () => deadline.end(idleError(request, idleTimeout)));
        }
        return (chunk) => {
          try {
            const busy = receiver.take(chunk);
            if (busy === undefined) {
              silence?.heard();
              return undefined;
            }
            silence?.ignore();
            return busy.then(() => silence?.heard(), deadline.end);
          } catch (error) {
            deadline.end(error);
            return undefined;
          }
        };
      };
      streams.add(deadline);
      try {
        await answerTo(request, deadline, begin);
      } catch (error) {
        throw explain(error, request, deadline, generation);
      } finally {
        streams.delete(deadline);
        silence?.end();
        deadline.release();
      }
    },
    async close() {
      closed = true;
      for (const stream of streams) stream.end(closedError());
      await pool.close();
    },
  };
}

function isSuccess({ statusCode }: Head): boolean {
  return statusCode >= 200 && statusCode < 300;
}

function idleError(request: TransportRequest, idleTimeout: number): OperatorError {
  return new OperatorError("WATCH_IDLE", `${nameOf(request)}: no data for ${idleTimeout} ms`, {
    remedy: "Nothing to do: the watch reconnects. If it recurs, a proxy or firewall drops idle connections.",
  });
}

function headerOf(answer: Answer, name: string): string | undefined {
  const value = answer.headers[name];
  return typeof value === "string" ? value : value?.[0];
}

function closedError(): OperatorError {
  return new OperatorError("CLIENT_CLOSED", "a request was made after the client was closed", {
    remedy: "Close the client only after everything that uses it has stopped.",
  });
}
