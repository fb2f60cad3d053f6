// What this server itself asks other API servers: whether they are there, and what they serve. Failures are in the words of
// kube-apiserver, whose client is Go's.
import type { IncomingMessage } from "node:http";
import type { ApiCore } from "../api-core.ts";
import { connectionFailure } from "../connection-failure.ts";
import type { ExtensionService } from "../discovery/api-services.ts";
import type { ApiUser } from "../requests/users.ts";
import { serviceEndpoint, type Endpoint } from "../service-endpoint.ts";
import { hostOf, type ExtensionConnections, type Trust } from "./extension-connections.ts";
import { headersOfUser } from "./remote-user.ts";

/** What asks. */
export interface ExtensionSource {
  readonly core: ApiCore;
  readonly connections: ExtensionConnections;
}

/** A question. */
export interface Question {
  readonly path: string;
  readonly user: ApiUser;
  /** Default JSON. */
  readonly accept?: string;
  /** Milliseconds. */
  readonly timeout: number;
}

/** What it was answered with. */
export interface ExtensionAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

/** Thrown where an API server did not answer; the message is what Kubernetes says of it. */
export class ExtensionUnreachable extends Error {}

/** Asks the server of an APIService. Errors: {@link ExtensionUnreachable}. */
export async function askExtension(
  { core, connections }: ExtensionSource,
  service: ExtensionService,
  question: Question,
): Promise<ExtensionAnswer> {
  const endpoint = serviceEndpoint(core, service.service);
  if ("fault" in endpoint) throw new ExtensionUnreachable(endpoint.fault);
  return askEndpoint(connections, endpoint, trustOf(service), question);
}

/** Whom the certificate of an APIService's server must be for, and who must have signed it. */
export function trustOf({ service, authority, skipsVerification }: ExtensionService): Trust {
  return skipsVerification ? "any" : { authority, serverName: `${service.name}.${service.namespace}.svc` };
}

/** Asks whoever is at an address. Errors: {@link ExtensionUnreachable}. */
export async function askEndpoint(
  connections: ExtensionConnections,
  endpoint: Endpoint,
  trust: Trust,
  { path, user, accept = "application/json", timeout }: Question,
): Promise<ExtensionAnswer> {
  const signal = AbortSignal.timeout(timeout);
  const headers = { Accept: accept, "User-Agent": "Go-http-client/1.1", ...headersOfUser(user) };
  try {
    return await new Promise((resolve, reject) => {
      const sent = connections.open({ endpoint, trust, method: "GET", path, headers, signal });
      sent.on("error", reject);
      sent.on("response", (answer) => void readAnswer(answer).then(resolve, reject));
      sent.end();
    });
  } catch (error) {
    const serverName = trust === "any" ? endpoint.host : trust.serverName;
    const why = signal.aborted
      ? "context deadline exceeded (Client.Timeout exceeded while awaiting headers)"
      : connectionFailure(error, { ...endpoint, serverName });
    throw new ExtensionUnreachable(`Get ${JSON.stringify(urlOf(endpoint, path))}: ${why}`);
  }
}

/** A path at an address. */
export function urlOf(endpoint: Endpoint, path: string): string {
  return `https://${hostOf(endpoint)}${path}`;
}

async function readAnswer(answer: IncomingMessage): Promise<ExtensionAnswer> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer as AsyncIterable<Buffer>) chunks.push(chunk);
  return {
    status: answer.statusCode ?? 0,
    contentType: answer.headers["content-type"] ?? "",
    text: Buffer.concat(chunks).toString("utf8"),
  };
}
