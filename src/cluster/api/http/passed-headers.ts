// What travels through this server on the way to another one and back: which headers go on, and how two connections are joined once
// they speak another protocol.
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";

/** Of one connection, and not of the request or the answer on it. */
const ofConnection = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** What a browser is allowed is this server's to say. */
export const ofBrowsers = /^access-control-allow-(?:credentials|headers|methods|origin)$/;

/** The headers that are not of the connection, each with all its values. */
export function endToEnd(
  { headersDistinct, headers }: IncomingMessage,
  isLeft: (name: string) => boolean,
): OutgoingHttpHeaders {
  const named = new Set((headers.connection ?? "").split(",").map((name) => name.trim().toLowerCase()));
  const kept: OutgoingHttpHeaders = {};
  for (const [name, values = []] of Object.entries(headersDistinct)) {
    if (ofConnection.has(name) || named.has(name) || isLeft(name)) continue;
    kept[name] = values.length === 1 ? values[0] : values;
  }
  return kept;
}

/** Where a request came from, beside what it says of that itself. */
export function forwardedFor({ headers, socket }: IncomingMessage): string {
  const { "x-forwarded-for": before } = headers;
  const { remoteAddress = "" } = socket;
  return before === undefined ? remoteAddress : `${String(before)}, ${remoteAddress}`;
}

/** What two sides of a request that changes its protocol have sent beyond its head and that of the answer. */
export interface UpgradedSides {
  readonly response: ServerResponse;
  readonly head: Buffer;
  /** The answer that changes the protocol. */
  readonly answer: IncomingMessage;
  readonly far: Duplex;
  readonly farHead: Buffer;
}

/** Hands the answer on that changes the protocol, and joins the two connections from then on. */
export function joinUpgraded(near: Socket, { response, head, answer, far, farHead }: UpgradedSides): void {
  response.detachSocket(near);
  near.write(changedProtocol(answer));
  if (farHead.length > 0) near.write(farHead);
  if (head.length > 0) far.write(head);
  joinConnections(near, far);
}

/** The head of the answer that changes the protocol, as it came. */
function changedProtocol({ rawHeaders, statusMessage = "" }: IncomingMessage): string {
  const lines = [`HTTP/1.1 101 ${statusMessage}`];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    lines.push(`${rawHeaders[index]}: ${rawHeaders[index + 1]}`);
  }
  return `${lines.join("\r\n")}\r\n\r\n`;
}

/** Passes bytes both ways; either connection ends with the other one. */
function joinConnections(near: Duplex, far: Duplex): void {
  for (const [from, to] of [
    [near, far],
    [far, near],
  ] as const) {
    from.on("error", () => to.destroy());
    from.on("close", () => to.end());
    from.pipe(to);
  }
}
