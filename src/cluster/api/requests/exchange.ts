// One HTTP exchange: the request taken apart, and the response it will get.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { ApiUser } from "./users.ts";

/** A request after authentication. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** What came after the headers of a request for another protocol, WebSocket or SPDY; undefined: it is none. */
  readonly upgradeHead: Buffer | undefined;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly user: ApiUser;
  readonly userAgent: string;
}
