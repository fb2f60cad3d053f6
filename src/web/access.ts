// Who may use a local web server: those who have its token, in the address, or the cookie that the address has left, and who
// mean this machine. Pages from other sites, and host names that resolve to this machine (DNS rebinding), are refused.
import { createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { namesThisMachine } from "../ports/loopback.ts";

/** What a request is allowed. */
export type Access =
  { readonly allowed: true; readonly byAddress: boolean } | { readonly allowed: false; readonly why: string };

/** Judges a request. The token is in the query (`token`), or what is made of it in the cookie of this port. */
export function judge(request: IncomingMessage, query: URLSearchParams, token: string): Access {
  const { host = "", origin } = request.headers;
  if (!namesThisMachine(host)) {
    return {
      allowed: false,
      why: `this server accepts requests for 127.0.0.1 and localhost only, not for "${host}"`,
    };
  }
  const changes = request.method !== "GET" && request.method !== "HEAD";
  const connects = request.headers.upgrade !== undefined;
  if ((changes || connects) && origin !== undefined && origin !== `http://${host}`) {
    return { allowed: false, why: `pages from ${origin} are not allowed to use this server` };
  }
  const given = query.get("token");
  if (given !== null) {
    return same(given, token)
      ? { allowed: true, byAddress: true }
      : { allowed: false, why: "the token in the address is not the one printed at startup" };
  }
  const cookie = cookieOf(request, cookieName(request));
  if (cookie !== undefined && same(cookie, passFor(token))) return { allowed: true, byAddress: false };
  return { allowed: false, why: "open the address printed at startup: it contains the token" };
}

/** The header that leaves a pass with a browser, for this port alone. */
export function cookieFor(request: IncomingMessage, token: string): string {
  return `${cookieName(request)}=${passFor(token)}; HttpOnly; SameSite=Lax; Path=/`;
}

/** Proves that its holder had the token, which nobody learns from it; the same for the next process with that token. */
function passFor(token: string): string {
  return createHmac("sha256", token).update("cookie").digest("hex");
}

/**
 * Where a browser goes on that has opened the address with the token: the same page without it, so that it stays in no
 * history, bookmark or screenshot. Undefined for requests of another kind.
 */
export function addressWithoutToken(request: IncomingMessage, query: URLSearchParams): string | undefined {
  if (request.method !== "GET" || request.headers["sec-fetch-mode"] !== "navigate") return undefined;
  const rest = new URLSearchParams(query);
  rest.delete("token");
  const path = (request.url ?? "").split("?")[0] ?? "";
  return `/${path.replace(/^[/\\]+/, "")}${rest.size === 0 ? "" : `?${rest.toString()}`}`;
}

// Cookies know no ports: two servers of one machine would take each other's.
function cookieName({ socket }: IncomingMessage): string {
  return `xstate-operator-${socket.localPort ?? 0}`;
}

function cookieOf({ headers }: IncomingMessage, name: string): string | undefined {
  for (const part of (headers.cookie ?? "").split(";")) {
    const [key, value] = part.trim().split("=");
    if (key === name) return value;
  }
  return undefined;
}

function same(given: string, token: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(token)];
  return left.length === right.length && timingSafeEqual(left, right);
}
