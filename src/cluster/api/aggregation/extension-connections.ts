// Connections to other API servers, as the front proxy that they trust: with its certificate, and with the headers that say on whose
// behalf a request is made. Connections are kept for some time.
import { isIP } from "node:net";
import { request } from "node:https";
import type { ClientRequest, OutgoingHttpHeaders } from "node:http";
import type { SignedCertificate } from "../http/tls.ts";
import { VerifyingAgent } from "../verifying-agent.ts";
import type { Endpoint } from "../service-endpoint.ts";

/** Whom to talk to; `any`: whoever answers there. */
export type Trust = "any" | { readonly authority: string | undefined; readonly serverName: string };

/** What is sent, besides a body. */
export interface ExtensionRequest {
  readonly endpoint: Endpoint;
  readonly trust: Trust;
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  readonly signal?: AbortSignal;
}

/** The front proxy's connections. */
export class ExtensionConnections {
  readonly #certificate: Pick<SignedCertificate, "key" | "certificate">;
  /** One agent for each authority. */
  readonly #agents = new Map<string, VerifyingAgent>();
  #isClosed = false;

  constructor(certificate: Pick<SignedCertificate, "key" | "certificate">) {
    this.#certificate = certificate;
  }

  /** Begins a request; its body, or its end, is the caller's to write. Errors: the connections are closed. */
  open({ endpoint, trust, method, path, headers, signal }: ExtensionRequest): ClientRequest {
    if (this.#isClosed) throw new Error("the API server is stopped");
    const serverName = trust === "any" ? endpoint.host : trust.serverName;
    return request({
      ...endpoint,
      method,
      path,
      headers: { Host: hostOf(endpoint), ...headers },
      agent: this.#agentFor(trust),
      ...(signal === undefined ? {} : { signal }),
      ...(isIP(serverName) === 0 ? { servername: serverName } : {}),
    });
  }

  /** Ends all connections, and whatever is asked on them. */
  close(): void {
    this.#isClosed = true;
    for (const agent of this.#agents.values()) agent.destroy();
    this.#agents.clear();
  }

  #agentFor(trust: Trust): VerifyingAgent {
    const authority = trust === "any" ? undefined : trust.authority;
    const key = trust === "any" ? "any" : `by ${authority ?? ""}`;
    let agent = this.#agents.get(key);
    if (agent === undefined) {
      const { key: privateKey, certificate } = this.#certificate;
      agent = new VerifyingAgent({
        keepAlive: true,
        scheduling: "lifo",
        timeout: 90_000,
        key: privateKey,
        cert: certificate,
        rejectUnauthorized: trust !== "any",
        ...(authority === undefined ? {} : { ca: authority }),
      });
      this.#agents.set(key, agent);
    }
    return agent;
  }
}

/** `host:port`, as a URL has it. */
export function hostOf({ host, port }: Endpoint): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}
