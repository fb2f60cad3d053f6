// Calls of a service over HTTP, for observers and tasks: JSON in and out, a deadline, a status that is checked, and another try
// only where it can do no harm. Connections, credentials in files and proxies are those of the client of the API server.
import { readFile } from "node:fs/promises";
import { createConnectionPool, type ConnectionPool } from "../client/connection-pool.ts";
import { createCredentials } from "../client/credentials.ts";
import { exchange, type TakeBody } from "../client/exchange.ts";
import type { Authentication } from "../client/connection.ts";
import { proxyFor } from "../client/proxy.ts";
import { refuseWrongOptions } from "../options/option-problems.ts";
import { clock as clockOption, duration, optionsOf, text, whole } from "../options/option-schemas.ts";
import { backoffDelay, upperHalf } from "../ports/backoff.ts";
import { monotonicNow, sleep, type Clock } from "../ports/clock.ts";
import { limitedSignal, type LimitedSignal } from "../ports/deadline.ts";
import { toMilliseconds, type Duration } from "../ports/duration.ts";
import { OperatorError } from "../ports/operator-error.ts";
import { systemRandom } from "../ports/random.ts";
import { systemClock } from "../ports/system-clock.ts";
import { z } from "zod";
import { HttpError, isHttpError, unreachable } from "./http-error.ts";

/** Options of {@link createHttpClient}. */
export interface HttpClientOptions {
  /** What paths are relative to, for instance `https://billing.shop:8443/api`; default none: each call names its whole address. */
  readonly baseUrl?: string;
  /** Sent with every call; default none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A file with a bearer token, read again every minute and when it was refused; default none. */
  readonly tokenFile?: string;
  /** A file with the authorities that servers' certificates are checked against; default Node's own. */
  readonly caFile?: string;
  /** A file with our certificate, where the service wants one; default none. Read again as the token is. */
  readonly certFile?: string;
  /** The key of the certificate; default none. */
  readonly keyFile?: string;
  /** The name in the server's certificate, where it is not that of the address; default the address's. */
  readonly serverName?: string;
  /** How long a call may take with all its tries; default 10 s. */
  readonly timeout?: Duration;
  /** How often a call is tried that can do no harm twice; default 3. */
  readonly attempts?: number;
  /** Bytes of an answer that are read; default 4 MiB. */
  readonly maxAnswer?: number;
  /** Where `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` are looked up; default the process's environment. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Default the system's. */
  readonly clock?: Clock;
}

/** One call. */
export interface HttpCall {
  /** A whole address, or a path below the client's `baseUrl`. */
  readonly url: string;
  /** Default `GET`, or `POST` with a body. */
  readonly method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Sent as JSON; default nothing. */
  readonly body?: unknown;
  /** Besides those of the client; default none. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Sent as `Idempotency-Key`: the service does the same thing once, however often it is asked with it, so that a `POST` or `PATCH`
   * is tried again as well. Default none.
   */
  readonly idempotencyKey?: string;
  /** Ends the call; default nothing does. */
  readonly signal?: AbortSignal;
  /** Default the client's. */
  readonly timeout?: Duration;
}

/** An answer with a status of success. */
export interface HttpAnswer {
  /** 200 to 299. */
  readonly status: number;
  /** By their names in lower case; of several with one name, the values in one text. */
  readonly headers: Readonly<Record<string, string>>;
  /** Decoded JSON, the text where it is none, undefined where there is nothing. */
  readonly body: unknown;
}

/** Calls services; made by {@link createHttpClient}. */
export interface HttpClient {
  /** Sends a call, and resolves with the answer of a call that succeeded. */
  send(call: HttpCall): Promise<HttpAnswer>;
  /**
   * Sends a call whose answer goes on for long, and hands it over as it comes; resolves when the service ends it. Its time limit ends
   * with the answer's first part, and it is not tried again.
   */
  stream(call: HttpCall, receive: (text: string) => void): Promise<void>;
  /** Closes idle connections; later calls open new ones. */
  close(): Promise<void>;
}

const httpClientOptions = optionsOf<HttpClientOptions>()({
  baseUrl: text.optional(),
  headers: z.record(z.string(), z.string()).optional(),
  tokenFile: text.optional(),
  caFile: text.optional(),
  certFile: text.optional(),
  keyFile: text.optional(),
  serverName: text.optional(),
  timeout: duration.optional(),
  attempts: whole(1).optional(),
  maxAnswer: whole(1, Number.MAX_SAFE_INTEGER, "bytes").optional(),
  env: z.record(z.string(), z.string().optional()).optional(),
  clock: clockOption.optional(),
});

/** Between two tries: 100 ms, doubling, half of it by chance. */
const backoff = { first: 100, longest: 2_000, jitter: upperHalf } as const;
const safeMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "PUT", "DELETE"]);
/** What a service answers that may do better soon. */
const passing: ReadonlySet<number> = new Set([408, 429, 502, 503, 504]);
/** Characters of a refusal that its error quotes. */
const longestQuote = 300;

/**
 * A client for services over HTTP. It keeps connections open between calls.
 *
 * **Guarantees**: only a call that can do no harm twice is tried again: `GET`, `HEAD`, `PUT`, `DELETE`, or one with an
 * `idempotencyKey`. Redirects are not followed, so that credentials go nowhere else.
 * **Errors**: `HttpError` (`HTTP_STATUS`) for an answer without success, `HTTP_UNREACHABLE` without an answer, `HTTP_TIMEOUT`,
 * `HTTP_ANSWER_TOO_LARGE`, `HTTP_URL_INVALID`; the reason of the caller's signal; `HTTP_OPTIONS_INVALID` for wrong options.
 *
 * @example
 * const http = createHttpClient({ baseUrl: "http://queue.shop:8080", tokenFile: "/var/run/secrets/queue/token" });
 * const { body } = await http.send({ url: "/depth", signal });
 */
export function createHttpClient(options: HttpClientOptions = {}): HttpClient {
  refuseWrongOptions(httpClientOptions, options, "createHttpClient", "HTTP_OPTIONS_INVALID");
  const { clock = systemClock, attempts = 3, maxAnswer = 4_194_304 } = options;
  // oxlint-disable-next-line no-restricted-properties -- an edge: proxies are named by the environment
  const { env = process.env } = options;
  const credentials = credentialsOf(options);
  const pools = new Map<string, ConnectionPool>();

  function poolFor(url: URL): ConnectionPool {
    const proxy = proxyFor(url.origin, env)?.url;
    const known = pools.get(proxy ?? "") ?? createConnectionPool(proxy);
    pools.set(proxy ?? "", known);
    return known;
  }

  async function once(
    { url, request, call }: Addressed,
    limit: LimitedSignal,
    authentication: Authentication,
    receive?: TakeBody,
  ): Promise<HttpAnswer> {
    const { method = call.body === undefined ? "GET" : "POST", body, idempotencyKey } = call;
    const chunks: Buffer[] = [];
    let bytes = 0;
    const take: TakeBody = (chunk) => {
      bytes += chunk.length;
      if (bytes > maxAnswer) throw tooLarge(request, maxAnswer);
      chunks.push(chunk);
      return undefined;
    };
    const answer = await exchange(poolFor(url).dispatcherFor(authentication.tls), {
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method,
      limit,
      headersTimeout: 0,
      bodyTimeout: 0,
      reset: false,
      headers: {
        accept: "application/json",
        "user-agent": "xstate-operator",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
        ...(authentication.headers as Record<string, string>),
        ...options.headers,
        ...call.headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      onHead: ({ statusCode }) => (statusCode >= 200 && statusCode < 300 ? (receive ?? take) : take),
    });
    const headers = Object.fromEntries(
      Object.entries(answer.headers).map(([name, value]) => [name, String(value)]),
    );
    const read = decoded(Buffer.concat(chunks).toString("utf8"));
    if (answer.statusCode >= 200 && answer.statusCode < 300) {
      return { status: answer.statusCode, headers, body: read };
    }
    throw refusal(request, answer.statusCode, headers["retry-after"], read);
  }

  /** Sends a call once; refused credentials are read again, once. */
  async function attempt(
    addressed: Addressed,
    limit: LimitedSignal,
    receive?: TakeBody,
  ): Promise<HttpAnswer> {
    const authentication = await credentials(monotonicNow(clock));
    try {
      return await once(addressed, limit, authentication, receive);
    } catch (error) {
      if (!isHttpError(error, 401)) throw error;
      const renewed = await credentials(monotonicNow(clock), authentication);
      if (renewed === authentication) throw error;
      return await once(addressed, limit, renewed, receive);
    }
  }

  return {
    async send(call) {
      const addressed = addressedTo(options.baseUrl, call);
      const { request, method } = addressed;
      const timeout = toMilliseconds(call.timeout ?? options.timeout ?? "10s");
      const late = (): OperatorError => tookTooLong(request, timeout);
      const limits = limitedSignal({ clock, signals: [call.signal], timeout, late });
      const tries = safeMethods.has(method) || call.idempotencyKey !== undefined ? attempts : 1;
      try {
        for (let failures = 1; ; failures += 1) {
          try {
            return await attempt(addressed, limits);
          } catch (error) {
            limits.signal.throwIfAborted();
            const failure = error instanceof OperatorError ? error : unreachable(request, error);
            if (failures >= tries || !isPassing(failure)) throw failure;
            const asked = failure instanceof HttpError ? (failure.retryAfter ?? 0) : 0;
            await sleep(clock, Math.max(asked, backoffDelay(backoff, failures, systemRandom)), limits.signal);
            limits.signal.throwIfAborted();
          }
        }
      } finally {
        limits.release();
      }
    },
    async stream(call, receive) {
      const addressed = addressedTo(options.baseUrl, call);
      const { request } = addressed;
      const timeout = toMilliseconds(call.timeout ?? options.timeout ?? "10s");
      const late = (): OperatorError => tookTooLong(request, timeout);
      const limits = limitedSignal({ clock, signals: [call.signal], timeout, late });
      const decoder = new TextDecoder();
      try {
        await attempt(addressed, limits, (chunk) => {
          limits.lift();
          receive(decoder.decode(chunk, { stream: true }));
          return undefined;
        });
      } catch (error) {
        limits.signal.throwIfAborted();
        throw error instanceof OperatorError ? error : unreachable(request, error);
      } finally {
        limits.release();
      }
    },
    async close() {
      await Promise.all([...pools.values()].map((pool) => pool.close()));
      pools.clear();
    },
  };
}

/** A call and where it goes. */
interface Addressed {
  readonly url: URL;
  readonly method: string;
  /** `verb address`, without the query, which may hold what is nobody's business. */
  readonly request: string;
  readonly call: HttpCall;
}

function addressedTo(baseUrl: string | undefined, call: HttpCall): Addressed {
  const { method = call.body === undefined ? "GET" : "POST" } = call;
  const whole = /^https?:\/\//.test(call.url)
    ? call.url
    : `${baseUrl?.replace(/\/+$/, "") ?? ""}/${call.url.replace(/^\/+/, "")}`;
  const url = URL.canParse(whole) ? new URL(whole) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new OperatorError("HTTP_URL_INVALID", `${method} ${call.url}: this is no address of a service`, {
      remedy: "Write a whole address, http://… or https://…, or give the client a baseUrl.",
    });
  }
  return { url, method, call, request: `${method} ${url.origin}${url.pathname}` };
}

function credentialsOf({ tokenFile, caFile, certFile, keyFile, serverName }: HttpClientOptions) {
  const read = async (path: string): Promise<string> => {
    try {
      return await readFile(path, "utf8");
    } catch (cause) {
      throw new OperatorError("HTTP_CREDENTIALS_UNREADABLE", `${path} cannot be read`, {
        cause,
        fields: { file: path },
        remedy: "Mount the file, or correct its path.",
      });
    }
  };
  const isConstant = [tokenFile, caFile, certFile, keyFile].every((file) => file === undefined);
  return createCredentials(
    async () => ({
      headers: tokenFile === undefined ? {} : { authorization: `Bearer ${(await read(tokenFile)).trim()}` },
      tls: {
        ...(caFile === undefined ? {} : { ca: await read(caFile) }),
        ...(certFile === undefined ? {} : { cert: await read(certFile) }),
        ...(keyFile === undefined ? {} : { key: await read(keyFile) }),
        ...(serverName === undefined ? {} : { servername: serverName }),
      },
    }),
    { constant: isConstant },
  );
}

function isPassing(error: OperatorError): boolean {
  return error instanceof HttpError ? passing.has(error.status) : error.code === "HTTP_UNREACHABLE";
}

function decoded(text: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // Not JSON: the text itself.
    return text;
  }
}

function refusal(request: string, status: number, retryAfter: string | undefined, body: unknown): HttpError {
  const said = typeof body === "string" ? body : messageIn(body);
  const quoted = said === "" ? "" : `: ${said.slice(0, longestQuote)}`;
  const seconds = Number(retryAfter);
  return new HttpError(`${request}: the service answered ${status}${quoted}`, {
    status,
    body,
    retryAfter: retryAfter !== undefined && seconds >= 0 ? seconds * 1_000 : undefined,
  });
}

/** What services of all kinds call their text. */
function messageIn(body: unknown): string {
  const fields = typeof body === "object" && body !== null ? (body as Readonly<Record<string, unknown>>) : {};
  const found = [fields["message"], fields["detail"], fields["error"], fields["title"]];
  return found.find((each): each is string => typeof each === "string") ?? "";
}

function tooLarge(request: string, limit: number): OperatorError {
  return new OperatorError("HTTP_ANSWER_TOO_LARGE", `${request}: the answer has more than ${limit} bytes`, {
    remedy: "Ask for less, or increase maxAnswer.",
  });
}

function tookTooLong(request: string, timeout: number): OperatorError {
  return new OperatorError("HTTP_TIMEOUT", `${request}: no complete answer within ${timeout} ms`, {
    fields: { request, timeout },
    remedy: "Check that the service answers; increase timeout if it needs longer.",
  });
}
