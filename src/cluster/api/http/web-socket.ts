// Changes a connection to the WebSocket protocol, with the handshake of kube-apiserver. Watches are served over it.
import type { IncomingMessage, ServerResponse } from "node:http";
import { WebSocketServer, type WebSocket } from "ws";
import { protocolsOf } from "../requests/web-socket-request.ts";
import { sendAnswer } from "./answer.ts";

const acceptor = new WebSocketServer({ noServer: true, clientTracking: false });

/**
 * Changes the connection to WebSocket; undefined when the handshake is refused, which is then answered.
 * Like the real server it insists on an Origin, speaks any one subprotocol, and does not choose among several.
 */
export function acceptWebSocket(
  request: IncomingMessage,
  response: ServerResponse,
  head: Buffer,
): WebSocket | undefined {
  const fault = handshakeFault(request);
  if (fault !== undefined) {
    sendAnswer(request, response, { ...fault, contentType: "text/plain", isText: true });
    return undefined;
  }
  const { socket } = request;
  response.detachSocket(socket);
  let accepted: WebSocket | undefined;
  // The callback comes before the return, or not at all when the key is malformed; that is then answered there.
  acceptor.handleUpgrade(request, socket, head, (webSocket) => (accepted = webSocket));
  return accepted;
}

function handshakeFault(
  request: IncomingMessage,
): { readonly status: number; readonly body: string } | undefined {
  const { headers } = request;
  if (headers["sec-websocket-key"] === undefined) return { status: 400, body: "mismatch challenge/response" };
  if (headers["sec-websocket-version"] !== "13") {
    return { status: 400, body: "missing or bad WebSocket Version" };
  }
  const { origin } = headers;
  if (origin === undefined || !(origin.startsWith("/") || URL.canParse(origin))) {
    return { status: 403, body: "" };
  }
  return protocolsOf(request).length > 1 ? { status: 400, body: "" } : undefined;
}
