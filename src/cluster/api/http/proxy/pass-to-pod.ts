// Passes a request on to a pod, and its answer back, piece by piece as it comes; only pages are read to their end, for the links in them.
// https://github.com/kubernetes/kubernetes/blob/v1.36.1/staging/src/k8s.io/apimachinery/pkg/util/proxy/upgradeaware.go
import {
  request as begin,
  type ClientRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from "node:http";
import { pipeline, type Duplex } from "node:stream";
import { buffer } from "node:stream/consumers";
import { connect as connectTls } from "node:tls";
import { deflateSync, gunzipSync, gzipSync, inflateSync } from "node:zlib";
import { isIP } from "node:net";
import { connectionFailure } from "../../connection-failure.ts";
import type { Exchange } from "../../requests/exchange.ts";
import { protocolHeader } from "../../requests/web-socket-request.ts";
import { StatusError } from "../../status-error.ts";
import { commonHeaders } from "../answer.ts";
import { endToEnd, forwardedFor, joinUpgraded, ofBrowsers } from "../passed-headers.ts";
import type { ProxiedPath } from "./proxied-path.ts";
import type { ProxyTarget } from "./proxy-target.ts";
import { unavailable } from "./proxy-target.ts";
import { rewriteHtml, rewriteLink, type LinkPlace } from "./rewritten-links.ts";

/** Passes a request on and resolves when it has been answered. Errors: 503, or 500 for another protocol, when the pod is not reached. */
export async function passToPod(exchange: Exchange, target: ProxyTarget, path: ProxiedPath): Promise<void> {
  const isUpgrade = exchange.upgradeHead !== undefined;
  const failed = (error: unknown): StatusError => {
    const why = connectionFailure(error, {
      host: target.host,
      port: Number(target.port),
      serverName: target.host,
    });
    return isUpgrade
      ? new StatusError(500, undefined, `error dialing backend: ${why}`)
      : unavailable(`error trying to reach service: ${why}`);
  };
  const opened = await open(target).catch((error: unknown) => {
    throw failed(error);
  });
  exchange.response.once("close", () => opened.destroy());
  const sent = begin({
    createConnection: () => opened,
    method: exchange.method,
    path: path.target,
    headers: headersFor(exchange, path),
    setHost: false,
  });
  if (isUpgrade) await answerUpgrade(exchange, sent, failed);
  else await answerRequest(exchange, sent, failed, { hosts: hostsOf(exchange, target), root: path.root });
}

type Failure = (error: unknown) => StatusError;

async function open(target: ProxyTarget): Promise<Duplex> {
  const socket = await target.connect();
  if (!target.isTls) return socket;
  // As the real server does: whoever answers at a pod's address is the pod.
  const secured = connectTls({
    socket,
    rejectUnauthorized: false,
    ...(isIP(target.host) === 0 ? { servername: target.host } : {}),
  });
  return new Promise((resolve, reject) => {
    secured.once("secureConnect", () => resolve(secured));
    secured.once("error", (error) => reject(tlsFailure(error)));
  });
}

/** What Go says of a server that does not speak TLS where nothing is said of HTTP. */
function tlsFailure(error: NodeJS.ErrnoException): Error {
  const isPlain = error.code === "ERR_SSL_WRONG_VERSION_NUMBER" || error.code === "EPROTO";
  return isPlain ? new Error("tls: first record does not look like a TLS handshake") : error;
}

function answerRequest(
  { request, response }: Exchange,
  sent: ClientRequest,
  failureOf: Failure,
  place: LinkPlace,
): Promise<void> {
  return new Promise((resolve, reject) => {
    sent.on("error", (error) => {
      if (!response.headersSent) return reject(failureOf(error));
      response.destroy();
      return resolve();
    });
    sent.on("response", (answer) => {
      const headers = headersBack(answer);
      const { location } = headers;
      if (typeof location === "string") headers["location"] = rewriteLink(location, place);
      const [type = ""] = (answer.headers["content-type"] ?? "").split(";");
      if (type.trim() === "text/html" && location === undefined && request.method !== "HEAD") {
        void sendPage(answer, response, headers, place).then(resolve, (error: unknown) =>
          reject(failureOf(error)),
        );
        return;
      }
      response.writeHead(answer.statusCode ?? 502, headers);
      response.flushHeaders();
      pipeline(answer, response, () => resolve());
    });
    response.once("close", resolve);
    request.pipe(sent);
  });
}

async function sendPage(
  answer: IncomingMessage,
  response: ServerResponse,
  headers: OutgoingHttpHeaders,
  place: LinkPlace,
): Promise<void> {
  const page = await answerPage(answer, place);
  response.writeHead(answer.statusCode ?? 502, { ...headers, "content-length": page.length });
  response.end(page);
}

/** A page with its links rewritten, in the coding that it came in; as it came where that is another one. */
async function answerPage(answer: IncomingMessage, place: LinkPlace): Promise<Buffer> {
  const bytes = await buffer(answer);
  const rewritten = (page: Buffer): string => rewriteHtml(page.toString("utf8"), place);
  switch (answer.headers["content-encoding"] ?? "") {
    case "":
      return Buffer.from(rewritten(bytes));
    case "gzip":
      return gzipSync(rewritten(gunzipSync(bytes)));
    case "deflate":
      return deflateSync(rewritten(inflateSync(bytes)));
    default:
      return bytes;
  }
}

/** Joins the connections of client and pod, once the pod has changed the protocol. */
function answerUpgrade(
  { request, response, upgradeHead: head }: Exchange,
  sent: ClientRequest,
  failureOf: Failure,
): Promise<void> {
  return new Promise((resolve, reject) => {
    sent.on("error", (error) => {
      if (!response.headersSent) return reject(failureOf(error));
      return resolve();
    });
    sent.on("response", (answer) => {
      response.writeHead(
        answer.statusCode ?? 502,
        endToEnd(answer, () => false),
      );
      pipeline(answer, response, () => resolve());
    });
    sent.on("upgrade", (answer, far, farHead) => {
      joinUpgraded(request.socket, { response, head: head ?? Buffer.alloc(0), answer, far, farHead });
      far.on("close", () => resolve());
    });
    request.socket.once("close", () => sent.destroy());
    sent.end();
  });
}

function headersBack(answer: IncomingMessage): OutgoingHttpHeaders {
  const headers = endToEnd(answer, (name) => ofBrowsers.test(name));
  const own = Object.entries(commonHeaders()).filter(([name]) => !(name.toLowerCase() in headers));
  return { ...headers, ...Object.fromEntries(own) };
}

function headersFor({ request, upgradeHead }: Exchange, { forwarded }: ProxiedPath): OutgoingHttpHeaders {
  const { [protocolHeader]: protocols, upgrade = "", host = "" } = request.headers;
  const isOurs = (name: string): boolean => name === "authorization" || name.startsWith("impersonate-");
  return {
    ...endToEnd(request, (name) => name === "host" || isOurs(name)),
    ...(request.headers["transfer-encoding"] === undefined ? {} : { "Transfer-Encoding": "chunked" }),
    // A token among them was taken out when it was read.
    ...(protocols === undefined ? {} : { [protocolHeader]: protocols }),
    Host: host,
    "X-Forwarded-For": forwardedFor(request),
    ...(upgradeHead === undefined
      ? { "X-Forwarded-Uri": forwarded }
      : { Connection: "Upgrade", Upgrade: upgrade }),
  };
}

function hostsOf({ request }: Exchange, { host, port }: ProxyTarget): readonly string[] {
  return [`${host.includes(":") ? `[${host}]` : host}:${port}`, request.headers.host ?? ""];
}
