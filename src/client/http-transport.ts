// HTTP to one API server: one shared agent of keep-alive connections, a deadline on every request, credentials that are
// refreshed once on 401, connections recreated when certificates change. Knows nothing of objects.
import type { Dispatcher } from "undici";
import { monotonicNow, type Clock } from "../ports/clock.ts";
import { silentLogger, type Logger } from "../ports/logger.ts";
import { silentMetrics, type Metrics } from "../ports/metrics.ts";
import { isOperatorError, OperatorError } from "../ports/operator-error.ts";
import { noSpan, noTracing, type Tracing } from "../ports/tracing.ts";
import type { Authentication, Connection } from "./connection.ts";
import { toConnectionError } from "./connection-error.ts";
import { createConnectionPool } from "./connection-pool.ts";
import type { LimitedSignal } from "../ports/deadline.ts";
import { createDeadline } from "./deadline.ts";
import { createRequestCounter } from "./request-metrics.ts";
import { beginRequest, failRequest } from "./request-trace.ts";
import { withoutSecretData } from "./secret-masking.ts";
import { toApiError } from "./status-body.ts";
import { exchangeWhole, type Answer, type WholeRequest } from "./whole-answer.ts";

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
  /** Asked when the request is about to go out on its connection: what it throws refuses it. Not asked for a stream. */
  readonly beforeSend?: (() => void) | undefined;
  /** Milliseconds until the answer must be complete (or, of a stream, until it must begin). */
  readonly timeout: number;
}

/** A complete 2xx answer. */
export interface TransportAnswer {
  readonly text: string;
  readonly contentType: string;
}

/** The body of a 2xx answer that goes on for long. */
export interface TransportStream {
  readonly body: Dispatcher.ResponseData["body"];
  /** Aborted when the caller's signal is, with the same reason. */
  readonly signal: AbortSignal;
  /** The pool's, when the request began. */
  readonly generation: number;
  /** Ends the connection; must be called. */
  close(): void;
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
  open(request: TransportRequest): Promise<TransportStream>;
  /**
   * What to throw for a failure: the abort's own reason, our errors as they are, anything else as a failed connection.
   * After silence (`REQUEST_TIMEOUT`, `WATCH_IDLE`), no later request goes over a connection from before.
   */
  explain(
    error: unknown,
    request: Pick<TransportRequest, "method" | "path">,
    under: Pick<TransportStream, "signal" | "generation">,
  ): unknown;
  close(): Promise<void>;
}

type Exchange<T extends Answer> = (dispatcher: Dispatcher, request: WholeRequest) => Promise<T>;

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
  const log = options.log ?? silentLogger;
  const count = createRequestCounter(options.metrics ?? silentMetrics, connection.server);
  const warned = new Set<string>();
  const streams = new Set<() => void>();
  const pool = createConnectionPool(connection.proxy?.url);
  let closed = false;

  async function attempt<T extends Answer>(
    request: TransportRequest,
    deadline: LimitedSignal,
    authentication: Authentication,
    exchange: Exchange<T>,
  ): Promise<T> {
    deadline.signal.throwIfAborted();
    if (closed) throw closedError();
    try {
      const url = new URL(`${connection.server}${request.path}`);
      const answer = await exchange(pool.dispatcherFor(authentication.tls), {
        origin: url.origin,
        path: `${url.pathname}${url.search}`,
        method: request.method,
        headers: headersOf(request, authentication),
        signal: deadline.signal,
        beforeSend: request.beforeSend,
        // Deadlines are ours, on the injected clock.
        headersTimeout: 0,
        bodyTimeout: 0,
        // Else undici closes the connection after every DELETE that has a body: a TLS handshake for each.
        reset: false,
        ...(request.body === undefined ? {} : { body: request.body }),
      });
      count(request.method, answer.statusCode);
      return answer;
    } catch (error) {
      count(request.method, "<error>");
      throw error;
    }
  }

  function headersOf(
    request: TransportRequest,
    { headers }: Authentication,
  ): Record<string, string | string[]> {
    return {
      accept: request.accept ?? "application/json",
      "user-agent": userAgent,
      ...(request.body === undefined ? {} : { "content-type": request.contentType ?? "application/json" }),
      ...(headers as Record<string, string | string[]>),
      ...request.headers,
    };
  }

  /** The head of a 2xx answer; refused credentials are refreshed once. */
  async function begin<T extends Answer>(
    request: TransportRequest,
    deadline: LimitedSignal,
    exchange: Exchange<T>,
  ): Promise<T> {
    const authentication = await connection.authenticate(monotonicNow(clock));
    let answer = await attempt(request, deadline, authentication, exchange);
    if (answer.statusCode === 401) {
      const renewed = await connection.authenticate(monotonicNow(clock), authentication);
      if (renewed !== authentication) {
        await answer.body.dump();
        answer = await attempt(request, deadline, renewed, exchange);
      }
    }
    logWarnings(answer);
    if (answer.statusCode >= 200 && answer.statusCode < 300) return answer;
    throw toApiError({
      status: answer.statusCode,
      body: await answer.body.text(),
      retryAfter: headerOf(answer, "retry-after"),
      request: nameOf(request),
      where: `${connection.server} (${connection.source})`,
      conceal: (text) => withoutSecretData(text, request),
    });
  }

  function logWarnings(answer: Answer): void {
    const header = answer.headers["warning"];
    if (header === undefined) return;
    for (const warning of typeof header === "string" ? [header] : header) {
      if (warned.has(warning) || warned.size >= maxWarnings) continue;
      warned.add(warning);
      log.warn({ warning }, "the API server warns");
    }
  }

  function deadlineFor(request: TransportRequest): LimitedSignal & { readonly generation: number } {
    if (closed) throw closedError();
    const deadline = createDeadline({
      clock,
      timeout: request.timeout,
      signal: request.signal,
      request: nameOf(request),
      server: connection.server,
    });
    return { ...deadline, generation: pool.generation };
  }

  const explain: HttpTransport["explain"] = (error, request, { signal, generation }) => {
    const explained: unknown = signal.aborted ? signal.reason : error;
    if (isOperatorError(explained, "REQUEST_TIMEOUT") || isOperatorError(explained, "WATCH_IDLE")) {
      pool.distrust(generation);
    }
    if (signal.aborted) return explained;
    if (closed) return closedError();
    return error instanceof OperatorError ? error : toConnectionError(error, connection, nameOf(request));
  };

  return {
    explain,
    async send(request) {
      const deadline = deadlineFor(request);
      const span = beginRequest(tracing, serverUrl, request);
      try {
        const sent = span === noSpan ? request : { ...request, headers: span.headers() };
        const answer = await begin(sent, deadline, exchangeWhole);
        span.set({ "http.response.status_code": answer.statusCode });
        return { text: await answer.body.text(), contentType: headerOf(answer, "content-type") ?? "" };
      } catch (error) {
        const explained = explain(error, request, deadline);
        failRequest(span, explained);
        throw explained;
      } finally {
        span.end();
        deadline.release();
      }
    },
    async open(request) {
      const deadline = deadlineFor(request);
      try {
        const { body } = await begin(request, deadline, beginStream);
        deadline.lift();
        // A destroyed body reports an error even when nobody reads it any more.
        body.on("error", () => undefined);
        const close = (): void => {
          streams.delete(close);
          deadline.release();
          body.destroy();
        };
        streams.add(close);
        return { body, signal: deadline.signal, generation: deadline.generation, close };
      } catch (error) {
        deadline.release();
        throw explain(error, request, deadline);
      }
    },
    async close() {
      closed = true;
      for (const close of streams) close();
      await pool.close();
    },
  };
}

/** `verb path`, without the query, which may be long. */
export function nameOf(request: Pick<TransportRequest, "method" | "path">): string {
  return `${request.method} ${request.path.split("?")[0]}`;
}

/** Sends, and resolves with the head of the answer and what reads its body. */
function beginStream(dispatcher: Dispatcher, request: WholeRequest): Promise<Dispatcher.ResponseData> {
  const { beforeSend: _, ...options } = request;
  return dispatcher.request({ ...options, origin: options.origin ?? "" });
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
