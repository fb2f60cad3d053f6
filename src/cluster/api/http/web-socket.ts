// Changes a connection to the WebSocket protocol, with the handshake of kube-apiserver. Watches and commands are served over it.
import type { IncomingMessage, ServerResponse } from "node:http";
import { WebSocketServer, type WebSocket } from "ws";
import { protocolHeader, protocolsOf } from "../requests/web-socket-request.ts";
import { sendAnswer } from "./answer.ts";

const acceptor = new WebSocketServer({ noServer: true, clientTracking: false });
/** The subprotocol of a handshake under way whose name has characters that no token has, and which is not read therefore. */
const chosen = new WeakMap<IncomingMessage, string>();
acceptor.on("headers", (headers, request) => {
  const protocol = chosen.get(request);
  if (protocol !== undefined) headers.push(`Sec-WebSocket-Protocol: ${protocol}`);
});

/**
 * Changes the connection to WebSocket; undefined when the handshake is refused, which is then answered. Like the real server it
 * speaks, of the subprotocols that the client offers, the first that is among `protocols`. Where there are none to choose from, it
 * insists on an Origin, speaks any one subprotocol, and does not choose among several.
 */
export function acceptWebSocket(
  request: IncomingMessage,
  response: ServerResponse,
  head: Buffer,
  protocols?: readonly string[],
): WebSocket | undefined {
  const spoken = protocols && protocolsOf(request).find((each) => protocols.includes(each));
  const fault = handshakeFault(request, protocols === undefined || { spoken });
  if (fault !== undefined) {
    sendAnswer(request, response, { ...fault, contentType: "text/plain", isText: true });
    return undefined;
  }
  if (spoken?.includes("/") === true) {
    delete request.headers[protocolHeader];
    chosen.set(request, spoken);
  } else if (spoken !== undefined) request.headers[protocolHeader] = spoken;
  const { socket } = request;
  response.detachSocket(socket);
  let accepted: WebSocket | undefined;
  // The callback comes before the return, or not at all when the key is malformed; that is then answered there.
  acceptor.handleUpgrade(request, socket, head, (webSocket) => (accepted = webSocket));
  return accepted;
}

function handshakeFault(
  request: IncomingMessage,
  choice: true | { readonly spoken: string | undefined },
): { readonly status: number; readonly body: string } | undefined {
  const { headers } = request;
  if (headers["sec-websocket-key"] === undefined) return { status: 400, body: "mismatch challenge/response" };
  if (headers["sec-websocket-version"] !== "13") {
    return { status: 400, body: "missing or bad WebSocket Version" };
  }
  if (choice !== true) return choice.spoken === undefined ? { status: 403, body: "" } : undefined;
  const { origin } = headers;
  if (origin === undefined || !(origin.startsWith("/") || URL.canParse(origin))) {
    return { status: 403, body: "" };
  }
  return protocolsOf(request).length > 1 ? { status: 400, body: "" } : undefined;
}
