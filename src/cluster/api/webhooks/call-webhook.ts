// One call of a webhook: a POST with JSON over HTTPS, and what follows where the webhook has moved, and why it failed in the words of kube-apiserver, whose client is Go's.
import { request as httpsRequest } from "node:https";
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { OperatorError } from "../../../ports/operator-error.ts";
import { connectionFailure } from "../connection-failure.ts";
import { noObjectFault } from "../stated-kind.ts";
import { VerifyingAgent } from "../verifying-agent.ts";

/** Where a call goes. */
export interface WebhookAddress {
  /** As messages name it, without the query. */
  readonly url: string;
  readonly host: string;
  readonly port: number;
  /** Whom the certificate must be for. */
  readonly serverName: string;
  /** PEM text; absent: what the process trusts. */
  readonly authority: string | undefined;
}

/** A call that came to nothing; `message` is what Kubernetes says of it. */
export class WebhookCallError extends OperatorError {
  constructor(message: string) {
    super("CLUSTER_WEBHOOK_FAILED", message, { remedy: "Look at the webhook's own log." });
  }
}

/** What is called, and for how long an answer is awaited. */
export interface WebhookCall {
  readonly address: WebhookAddress;
  readonly body: unknown;
  /** Absent: thirty seconds. */
  readonly timeoutSeconds?: number | undefined;
  readonly userAgent: string;
}

/** The real server reads an answer as YAML, in which any words are a text. */
const unreadable = noObjectFault("");
const longestAnswer = 3_145_728;
const agents = new Map<string, VerifyingAgent>();

/** One agent for each authority: connections are kept for some time. */
function agentFor(authority: string | undefined): VerifyingAgent {
  const key = authority ?? "";
  let agent = agents.get(key);
  if (agent === undefined) {
    agent = new VerifyingAgent({
      keepAlive: true,
      scheduling: "lifo",
      timeout: 90_000,
      ...(authority === undefined ? {} : { ca: authority }),
    });
    agents.set(key, agent);
  }
  return agent;
}

/** The query by which a webhook learns how long its answer is awaited. */
export function timeoutQuery(timeoutSeconds: number | undefined): string {
  return timeoutSeconds === undefined ? "" : `?timeout=${timeoutSeconds}s`;
}

/** What a webhook answered. */
interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly location: string;
  readonly text: string;
}

const mostRequests = 10;
const moved = new Set([301, 302, 303, 307, 308]);
const movedAsItIs = new Set([307, 308]);

/** The JSON that a webhook answers. Errors: {@link WebhookCallError}. */
export async function callWebhook(call: WebhookCall): Promise<unknown> {
  const { address, timeoutSeconds } = call;
  const signal = AbortSignal.timeout((timeoutSeconds ?? 30) * 1_000);
  let url = `${address.url}${timeoutQuery(timeoutSeconds)}`;
  let place = address;
  let body: Buffer | undefined = Buffer.from(JSON.stringify(call.body));
  try {
    for (let requests = 1; ; requests++) {
      const answer = await send({ url, place, body, signal, userAgent: call.userAgent });
      if (!moved.has(answer.status) || answer.location === "") return parseAnswer(answer);
      const next = new URL(answer.location, url);
      url = requests === mostRequests ? answer.location : next.href;
      if (requests === mostRequests) throw new Error(`stopped after ${mostRequests} redirects`);
      place = placeOf(next, address);
      if (!movedAsItIs.has(answer.status)) body = undefined;
    }
  } catch (error) {
    if (error instanceof WebhookCallError) throw error;
    const why = signal.aborted ? "context deadline exceeded" : connectionFailure(error, place);
    throw new WebhookCallError(`Post ${JSON.stringify(url)}: ${why}`);
  }
}

/** Where a URL is that an answer names: with the webhook itself, or elsewhere. */
function placeOf(url: URL, address: WebhookAddress): WebhookAddress {
  if (url.host === new URL(address.url).host) return address;
  const host = url.hostname.replaceAll(/[[\]]/g, "");
  return { ...address, url: url.href, host, port: Number(url.port || 443), serverName: host };
}

/** One request: a POST, or a GET where nothing is sent. */
async function send({
  url,
  place,
  body,
  signal,
  userAgent,
}: {
  readonly url: string;
  readonly place: WebhookAddress;
  readonly body: Buffer | undefined;
  readonly signal: AbortSignal;
  readonly userAgent: string;
}): Promise<Answer> {
  const { host, pathname, search } = new URL(url);
  return new Promise((resolve, reject) => {
    const request = httpsRequest(
      {
        method: body === undefined ? "GET" : "POST",
        host: place.host,
        port: place.port,
        path: `${pathname}${search}`,
        agent: agentFor(place.authority),
        signal,
        ...(isIP(place.serverName) === 0 ? { servername: place.serverName } : {}),
        headers: {
          Host: host,
          "User-Agent": userAgent,
          Accept: "application/json, */*",
          ...(body === undefined
            ? {}
            : { "Content-Type": "application/json", "Content-Length": body.length }),
        },
      },
      (response) => {
        readText(response).then(
          (text) =>
            resolve({
              status: response.statusCode ?? 0,
              contentType: response.headers["content-type"] ?? "",
              location: response.headers.location ?? "",
              text,
            }),
          reject,
        );
      },
    );
    request.on("error", reject);
    request.end(body);
  });
}

async function readText(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > longestAnswer) throw new Error(`the answer is longer than ${longestAnswer} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function parseAnswer(answer: Answer): unknown {
  const { status, contentType, text } = answer;
  if (status < 200 || status > 206) throw new WebhookCallError(refusalText(answer));
  if (text === "") {
    throw new WebhookCallError(
      `0-length response with status code: ${status} and content type: ${contentType}`,
    );
  }
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new WebhookCallError(unreadable);
  }
}

const ofStatus: Readonly<Record<number, string>> = {
  400: "the server rejected our request for an unknown reason",
  401: "the server has asked for the client to provide credentials",
  404: "the server could not find the requested resource",
  405: "the server does not allow this method on the requested resource",
  409: "the server reported a conflict",
  422: "the server rejected our request due to an error in our request",
  429: "the server has received too many requests and has asked us to try again later",
  503: "the server is currently unable to handle the request",
  504: "the server was unable to return a response in the time allotted, but may still be processing the request",
};

/** What is said of an answer with another code: its own message if it is a Status, else a sentence for the code. */
function refusalText(answer: Answer): string {
  const { status, contentType, text } = answer;
  try {
    const { kind, message } = JSON.parse(text) as { readonly kind?: unknown; readonly message?: unknown };
    if (kind === "Status" && typeof message === "string") return message;
  } catch {
    // It is no JSON.
  }
  const message = contentType.startsWith("text/") ? text.trim() : "unknown";
  if (status === 403) return message;
  const known = ofStatus[status];
  if (known !== undefined) return known;
  if (status >= 500) {
    return `an error on the server (${JSON.stringify(message)}) has prevented the request from succeeding`;
  }
  return `the server responded with the status code ${status} but did not return more information`;
}
