// What a request for the WebSocket protocol asks for: its subprotocols, and the token that a browser, which cannot set
// headers, sends as one of them.
import type { IncomingMessage } from "node:http";
import { StatusError } from "../status-error.ts";

/** The header of the subprotocols that the client offers. */
export const protocolHeader = "sec-websocket-protocol";
const bearerPrefix = "base64url.bearer.authorization.k8s.io.";

/** Whether a request asks for the WebSocket protocol. */
export function isWebSocketRequest({ headers }: IncomingMessage): boolean {
  return (
    headers.upgrade?.toLowerCase() === "websocket" &&
    (headers.connection ?? "").toLowerCase().includes("upgrade")
  );
}

/**
 * The token among the subprotocols of a WebSocket request, which is taken out of them.
 * Errors: 401 for more than one, for one that is not base64url, and for one without another subprotocol to speak.
 */
export function takeTokenProtocol(request: IncomingMessage): string | undefined {
  if (!isWebSocketRequest(request)) return undefined;
  const offered = protocolsOf(request);
  const tokens = offered.filter((each) => each.startsWith(bearerPrefix));
  if (tokens.length === 0) return undefined;
  const others = offered.filter((each) => !each.startsWith(bearerPrefix));
  const encoded = (tokens[0] ?? "").slice(bearerPrefix.length);
  if (tokens.length > 1 || others.length === 0 || !/^[\w-]+$/.test(encoded)) {
    throw new StatusError(401, "Unauthorized", "Unauthorized");
  }
  request.headers[protocolHeader] = others.join(", ");
  return Buffer.from(encoded, "base64url").toString("utf8");
}

/** The subprotocols that the client offers. */
export function protocolsOf({ headers }: IncomingMessage): string[] {
  return (headers[protocolHeader] ?? "")
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "");
}
