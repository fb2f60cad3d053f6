// The faults that can be injected into an embedded cluster, as tests and authors see them. None by default.
// Made by api/faults/; the API server's own controllers are spared unless a match names their user.

/** What a request asks for, as RBAC names it; `apply` is a patch by server-side apply. */
export type RequestVerb =
  "get" | "list" | "watch" | "create" | "update" | "patch" | "apply" | "delete" | "deletecollection";

/** Which requests a fault strikes: those that agree with every field given; all of them for an empty match. */
export interface RequestMatch {
  /** Default each verb. */
  readonly verb?: RequestVerb | readonly RequestVerb[];
  /** API group; empty for core. */
  readonly group?: string;
  /** Resource name, for instance `configmaps`. */
  readonly plural?: string;
  /** Empty: requests for all namespaces, and for cluster-scoped types. */
  readonly namespace?: string;
  /** The object's name. */
  readonly name?: string;
  /** Empty: the object itself, not one of its subresources. */
  readonly subresource?: string;
  /** The part of `User-Agent` before the first slash. */
  readonly userAgent?: string;
  /** Default: everybody but the built-in controllers. */
  readonly user?: string;
}

/** How a request is refused. */
export interface Refusal {
  /** HTTP status, for instance 409, 429, 500, 503 or 504. */
  readonly status: number;
  /** Reason of the Status; default the usual one of that status. */
  readonly reason?: string;
  /** What the Status says; default the usual sentence. */
  readonly message?: string;
  /** Seconds in the `Retry-After` header. */
  readonly retryAfter?: number;
}

/** How often a fault strikes. */
export interface FaultLimit {
  /** Default: until it is ended. */
  readonly times?: number;
}

/** A fault that is there until it has struck often enough, or is ended. */
export interface Fault {
  /** Requests, streams or lines it has struck so far. */
  readonly strikes: number;
  /** Ends it; what it held back goes on. Idempotent. */
  end(): void;
}

/** See the head of this file. A fault that is added first strikes first. */
export interface ClusterFaults {
  /** Answers with an error instead of doing what is asked. */
  refuse(match: RequestMatch, refusal: Refusal, limit?: FaultLimit): Fault;
  /** Closes the connection without having done anything. */
  reset(match: RequestMatch, limit?: FaultLimit): Fault;
  /** Does what is asked, then closes the connection instead of answering. Reads are merely not answered. */
  loseAnswers(match: RequestMatch, limit?: FaultLimit): Fault;
  /** Holds requests back for some milliseconds before they are looked at; `Infinity`: until the fault is ended. */
  delay(match: RequestMatch, milliseconds: number, limit?: FaultLimit): Fault;
  /** Answers gets and lists with what was stored when the fault began, as a server that lags behind would. */
  staleReads(match?: RequestMatch): Fault;
  /** Forgets the history: watches and continue tokens from before answer 410. */
  compactHistory(): void;
  /** Ends open watches, cleanly or by resetting their connections; tells how many. */
  dropWatches(match?: RequestMatch, how?: "end" | "reset"): number;
  /** Makes open and new watches half-open: their sockets stay, but never again is a byte sent on them. */
  silenceWatches(match?: RequestMatch, limit?: FaultLimit): Fault;
  /** Sends the lines of watches late, in order; `Infinity`: when the fault is ended. */
  delayWatches(match: RequestMatch, milliseconds: number): Fault;
  /** Sends at most so many bytes a second on each watch. */
  slowWatches(match: RequestMatch, bytesPerSecond: number): Fault;
  /** Sends no bookmarks; `initialEventsEnd`: only the one that ends a streaming list is left out. */
  withholdBookmarks(match?: RequestMatch, which?: "all" | "initialEventsEnd"): Fault;
  /** Spoils the next lines of watches: `malformed` is not JSON, `truncated` ends the stream within the line. */
  spoilLines(match: RequestMatch, how: "malformed" | "truncated", limit?: FaultLimit): Fault;
  /** Sends each line twice. */
  repeatLines(match?: RequestMatch): Fault;
  /** Ends every connection and refuses new ones; what is stored stays. Idempotent. */
  stopServer(): Promise<void>;
  /** Listens again on the same port. Idempotent. */
  startServer(): Promise<void>;
  /** Ends all faults. */
  clear(): void;
}
