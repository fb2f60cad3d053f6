// Changes a connection to SPDY 3.1, with the handshake of a kubelet: the protocols of the streams are offered and chosen in headers
// of their own. https://github.com/kubernetes/kubernetes/blob/v1.36.1/staging/src/k8s.io/streaming/pkg/httpstream/httpstream.go
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { sendAnswer } from "../answer.ts";

const protocolHeader = "x-stream-protocol-version";

/** Whether a request asks for SPDY. */
export function isSpdyRequest({ headers }: IncomingMessage): boolean {
  return (
    headers.upgrade?.toLowerCase() === "spdy/3.1" &&
    (headers.connection ?? "").toLowerCase().includes("upgrade")
  );
}

/** Changes the connection to SPDY; undefined when it speaks none of the protocols, which is then answered. */
export function acceptSpdy(
  request: IncomingMessage,
  response: ServerResponse,
  head: Buffer,
  protocols: readonly string[],
): Duplex | undefined {
  const offered = String(request.headers[protocolHeader] ?? "")
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "");
  const spoken = offered.find((each) => protocols.includes(each));
  if (spoken === undefined) {
    const body = `unable to upgrade: unable to negotiate protocol: client supports [${offered.join(" ")}], server accepts [${protocols.join(" ")}]\n`;
    sendAnswer(request, response, { status: 403, body, contentType: "text/plain", isText: true });
    return undefined;
  }
  const { socket } = request;
  response.detachSocket(socket);
  socket.write(
    [
      "HTTP/1.1 101 Switching Protocols",
      "Connection: Upgrade",
      "Upgrade: SPDY/3.1",
      `X-Stream-Protocol-Version: ${spoken}`,
      "\r\n",
    ].join("\r\n"),
  );
  if (head.length > 0) socket.unshift(head);
  return socket;
}
