// Calls a webhook as an API server does: over TLS, trusting only what its configuration says, on a connection of its own or on one
// that is kept.
import { Agent, request } from "node:https";

/** A call. */
export interface Call {
  readonly path: string;
  readonly body?: unknown;
  /** Sent as it is, in place of the body. */
  readonly text?: string;
  readonly method?: string;
  readonly contentType?: string;
  /** The name that the certificate must have; default the address. */
  readonly servername?: string;
  /** Default a connection of its own. */
  readonly agent?: Agent;
}

/** What came back. */
export interface Answer {
  readonly status: number | undefined;
  readonly text: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** Calls it; rejects when the certificate is not trusted, or the connection ends without an answer. */
export function callWebhook(port: number, authorities: string, call: Call): Promise<Answer> {
  const { path, body, text = JSON.stringify(body), method = "POST", contentType = "application/json" } = call;
  return new Promise((resolve, reject) => {
    const asking = request(
      {
        host: "127.0.0.1",
        port,
        path,
        method,
        ca: authorities,
        agent: call.agent ?? false,
        ...(call.servername === undefined ? {} : { servername: call.servername }),
        headers: { "content-type": contentType },
      },
      (response) => {
        const chunks: string[] = [];
        response.setEncoding("utf8").on("data", (chunk: string) => chunks.push(chunk));
        response.once("error", reject);
        response.once("end", () =>
          resolve({ status: response.statusCode, text: chunks.join(""), headers: response.headers }),
        );
      },
    );
    asking.once("error", reject);
    asking.end(method === "GET" ? undefined : text);
  });
}

/** A connection that is kept between calls, as an API server keeps its own. */
export function keptConnection(): Agent {
  return new Agent({ keepAlive: true, maxSockets: 1 });
}
