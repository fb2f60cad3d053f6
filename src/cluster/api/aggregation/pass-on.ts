// Passes a request on to the server behind an APIService, and its answer back, piece by piece as it comes: on behalf of the user whom this
// server has found, and with his own credentials left out.
// https://github.com/kubernetes/kubernetes/blob/v1.36.1/staging/src/k8s.io/kube-aggregator/pkg/apiserver/handler_proxy.go
import { randomUUID } from "node:crypto";
import type { IncomingMessage, OutgoingHttpHeaders } from "node:http";
import { pipeline } from "node:stream";
import { connectionFailure } from "../connection-failure.ts";
import type { ExtensionService } from "../discovery/api-services.ts";
import { plainText, sendAnswer } from "../http/answer.ts";
import { endToEnd, forwardedFor, joinUpgraded, ofBrowsers } from "../http/passed-headers.ts";
import type { Exchange } from "../requests/exchange.ts";
import { segmentsOf } from "../requests/request-path.ts";
import { protocolHeader } from "../requests/web-socket-request.ts";
import { serviceEndpoint, type Endpoint } from "../service-endpoint.ts";
import { StatusError } from "../status-error.ts";
import { trustOf, type ExtensionSource } from "./ask-extension.ts";
import { hostOf, type ExtensionRequest } from "./extension-connections.ts";
import { headersOfUser, saysWhoAUserIs } from "./remote-user.ts";

/** Milliseconds within which it is to be answered what a server serves, and within which any request that does not last. */
const discoveryTimeout = 5_000;
const requestTimeout = 60_000;
/** Subresources whose requests last as long as somebody wants them to. */
const lasting = new Set(["attach", "exec", "log", "portforward", "proxy"]);
/** Answers a request by asking the server of an APIService. Errors: 504 for one that takes too long. */
export async function passOn(
  source: ExtensionSource,
  exchange: Exchange,
  service: ExtensionService,
): Promise<void> {
  const found = service.isAvailable ? serviceEndpoint(source.core, service.service) : { fault: "" };
  if ("fault" in found) {
    refuse(exchange, "service unavailable");
    return;
  }
  const { method } = exchange;
  const trust = trustOf(service);
  const outgoing: ExtensionRequest = {
    endpoint: found,
    trust,
    method,
    path: targetOf(exchange),
    headers: headersFor(exchange, found),
  };
  const failed = (error: unknown): string => {
    const serverName = trust === "any" ? found.host : trust.serverName;
    return connectionFailure(error, { ...found, serverName });
  };
  const { upgradeHead } = exchange;
  if (upgradeHead === undefined) await passRequest(source, exchange, outgoing, failed);
  else await passUpgrade(source, exchange, { ...outgoing, head: upgradeHead }, failed);
}

type Failure = (error: unknown) => string;

function passRequest(
  { connections }: ExtensionSource,
  exchange: Exchange,
  outgoing: ExtensionRequest,
  failureOf: Failure,
): Promise<void> {
  const { request, response } = exchange;
  const limit = timeLimitOf(exchange);
  const signal = limit === undefined ? undefined : AbortSignal.timeout(limit);
  return new Promise((resolve, reject) => {
    const sent = connections.open(outgoing);
    const late = (): void => {
      if (!response.headersSent) sent.destroy(new Error("context deadline exceeded"));
    };
    signal?.addEventListener("abort", late, { once: true });
    sent.on("error", (error) => {
      if (!response.headersSent && signal?.aborted === true && limit === requestTimeout) {
        reject(tooLate());
        return;
      }
      if (response.headersSent) response.destroy();
      else refuse(exchange, `error trying to reach service: ${failureOf(error)}`);
      resolve();
    });
    sent.on("response", (answer) => {
      signal?.removeEventListener("abort", late);
      beginAnswer(exchange, answer);
      pipeline(answer, response, () => resolve());
    });
    response.once("close", () => {
      sent.destroy();
      resolve();
    });
    // A client that goes away ends the request by closing the response.
    request.pipe(sent);
  });
}

function beginAnswer({ response }: Exchange, answer: IncomingMessage): void {
  const headers = endToEnd(answer, (name) => ofBrowsers.test(name));
  if (!("audit-id" in headers)) headers["Audit-Id"] = randomUUID();
  response.writeHead(answer.statusCode ?? 502, headers);
  response.flushHeaders();
}

/** Joins the connections of client and server, once the server has changed the protocol. */
function passUpgrade(
  { connections }: ExtensionSource,
  exchange: Exchange,
  { head, ...outgoing }: ExtensionRequest & { readonly head: Buffer },
  failureOf: Failure,
): Promise<void> {
  const { request, response } = exchange;
  const { upgrade = "" } = request.headers;
  const headers = { ...outgoing.headers, Connection: "Upgrade", Upgrade: upgrade };
  return new Promise((resolve) => {
    const sent = connections.open({ ...outgoing, headers });
    sent.on("error", (error) => {
      if (!response.headersSent) refuse(exchange, `error dialing backend: ${failureOf(error)}`);
      resolve();
    });
    sent.on("response", (answer) => {
      const status = answer.statusCode ?? 0;
      if (status < 400) {
        answer.destroy();
        refuse(exchange, `invalid upgrade response: status code ${status}`);
        resolve();
        return;
      }
      beginAnswer(exchange, answer);
      pipeline(answer, response, () => resolve());
    });
    sent.on("upgrade", (answer, far, farHead) => {
      joinUpgraded(request.socket, { response, head, answer, far, farHead });
      far.on("close", () => resolve());
    });
    request.socket.once("close", () => sent.destroy());
    sent.end();
  });
}

/** Path and query, as the real server writes them again. */
function targetOf({ path, query }: Exchange): string {
  const sorted = new URLSearchParams(query);
  sorted.sort();
  const text = sorted.toString();
  const encoded = encodeURI(path).replaceAll("?", "%3F").replaceAll("#", "%23");
  return text === "" ? encoded : `${encoded}?${text}`;
}

function headersFor({ request, path, user }: Exchange, endpoint: Endpoint): OutgoingHttpHeaders {
  const { [protocolHeader]: protocols } = request.headers;
  return {
    ...endToEnd(request, (name) => name === "host" || saysWhoAUserIs(name)),
    ...(request.headers["transfer-encoding"] === undefined ? {} : { "Transfer-Encoding": "chunked" }),
    // A token among them was taken out when it was read.
    ...(protocols === undefined ? {} : { [protocolHeader]: protocols }),
    Host: hostOf(endpoint),
    "Audit-Id": randomUUID(),
    "X-Forwarded-For": forwardedFor(request),
    "X-Forwarded-Uri": encodeURI(path),
    "X-Forwarded-Host": hostOf(endpoint),
    "X-Forwarded-Proto": "https",
    ...headersOfUser(user),
  };
}

/** Undefined for watches, and for what is asked of a running thing. */
function timeLimitOf({ path, query }: Exchange): number | undefined {
  const segments = segmentsOf(path);
  if (segments.length <= 3) return discoveryTimeout;
  const isWatch = segments[3] === "watch" || /^(?:1|t|true)$/i.test(query.get("watch") ?? "");
  return isWatch || segments.some((segment) => lasting.has(segment)) ? undefined : requestTimeout;
}

/** Go's plain answer for an error. */
function refuse({ request, response }: Exchange, message: string): void {
  sendAnswer(request, response, {
    status: 503,
    body: `${message}\n`,
    isText: true,
    contentType: plainText,
    headers: { "X-Content-Type-Options": "nosniff" },
  });
}

function tooLate(): StatusError {
  const message = "Timeout: request did not complete within requested timeout - context deadline exceeded";
  return new StatusError(504, "Timeout", message, {});
}
