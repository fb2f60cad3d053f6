// Requests as bytes on the wire: status, headers and body, without anything that a client library adds or hides.
import { readFileSync } from "node:fs";
import { Agent, request } from "undici";
import { parse } from "yaml";
import type { ApiServerUnderTest } from "../../support/api-servers.ts";

/** JSON whose fields are read by name. */
export type Body = Record<string, unknown>;

/** An answer. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly bytes: Buffer;
  /** The parsed body; empty when it is not JSON. */
  readonly body: Body;
}

/** What is sent besides method, path and body. */
export interface RawOptions {
  readonly contentType?: string;
  readonly accept?: string;
  readonly userAgent?: string;
  /** Null: none. */
  readonly token?: string | null;
  readonly headers?: Readonly<Record<string, string | string[]>>;
}

/** Sends requests to one API server. */
export interface RawClient {
  send(method: string, path: string, body?: unknown, options?: RawOptions): Promise<RawAnswer>;
  /**
   * Collects the lines of a watch until there are `enough`, or one that is the last, the server ends it, or `milliseconds` have
   * passed.
   */
  watch(
    path: string,
    enough: number | ((line: WatchedLine) => boolean),
    milliseconds?: number,
    options?: RawOptions,
  ): Promise<WatchedLines>;
  close(): Promise<void>;
}

/** One line of a watch. */
export interface WatchedLine {
  readonly type: string;
  readonly object: Body;
}

/** The lines of a watch. */
export interface WatchedLines {
  readonly lines: readonly WatchedLine[];
  readonly ended: boolean;
}

interface KubeConfig {
  readonly clusters: readonly { readonly cluster: { readonly "certificate-authority-data": string } }[];
  readonly users: readonly { readonly user: { readonly token: string } }[];
}

/** The token of the administrator, whom a kubeconfig file names. */
export function adminTokenOf(kubeconfig: string): string {
  return readConfig(kubeconfig).users[0]?.user.token ?? "";
}

function readConfig(kubeconfig: string): KubeConfig {
  return parse(readFileSync(kubeconfig, "utf8")) as KubeConfig;
}

/** A client of the administrator. */
export function createRawClient({
  url,
  kubeconfig,
}: Pick<ApiServerUnderTest, "url" | "kubeconfig">): RawClient {
  const ca = Buffer.from(
    readConfig(kubeconfig).clusters[0]?.cluster["certificate-authority-data"] ?? "",
    "base64",
  );
  const adminToken = adminTokenOf(kubeconfig);
  // Over HTTP/2 the values of one header would be sent as one.
  const dispatcher = new Agent({ connect: { ca }, bodyTimeout: 0, allowH2: false });
  const headersOf = (options: RawOptions): Record<string, string | string[]> => ({
    "user-agent": options.userAgent ?? "contract/1.0",
    ...(options.token === null ? {} : { authorization: `Bearer ${options.token ?? adminToken}` }),
    ...(options.accept === undefined ? {} : { accept: options.accept }),
    ...options.headers,
  });
  return {
    async send(method, path, body, options = {}) {
      const contentType = options.contentType ?? "application/json";
      const answer = await request(url + path, {
        method: method as "GET",
        headers: { ...headersOf(options), ...(body === undefined ? {} : { "content-type": contentType }) },
        body:
          body === undefined
            ? null
            : typeof body === "string" || body instanceof Uint8Array
              ? body
              : JSON.stringify(body),
        dispatcher,
      });
      const bytes = Buffer.from(await answer.body.arrayBuffer());
      const text = bytes.toString();
      return { status: answer.statusCode, headers: answer.headers, text, bytes, body: parseJson(text) };
    },
    async watch(path, enough, milliseconds = 5_000, options = {}) {
      const lines: WatchedLine[] = [];
      const isLast = (line: WatchedLine): boolean =>
        typeof enough === "number" ? lines.length >= enough : enough(line);
      const signal = AbortSignal.timeout(milliseconds);
      try {
        const answer = await request(url + path, { headers: headersOf(options), dispatcher, signal });
        let rest = "";
        for await (const chunk of answer.body as AsyncIterable<Buffer>) {
          const parts = (rest + chunk.toString()).split("\n");
          rest = parts.pop() ?? "";
          let isEnough = false;
          for (const part of parts) {
            const line = JSON.parse(part) as WatchedLine;
            lines.push(line);
            isEnough ||= isLast(line);
          }
          if (isEnough) return { lines, ended: false };
        }
        return { lines, ended: true };
      } catch (error) {
        if (signal.aborted) return { lines, ended: false };
        throw error;
      }
    },
    close: () => dispatcher.destroy(),
  };
}

/** The fields of an object's metadata. */
export function metadataOf(object: Body): Body {
  return object["metadata"] as Body;
}

function parseJson(text: string): Body {
  try {
    return JSON.parse(text) as Body;
  } catch {
    return {};
  }
}
