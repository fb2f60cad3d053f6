// Paths that name no resource: discovery, OpenAPI, version and health.
import type { ApiCore } from "../api-core.ts";
import {
  aggregated,
  coreVersions,
  etagOf,
  group,
  groupList,
  resourceList,
} from "../discovery/group-discovery.ts";
import { openApiV2 } from "../discovery/open-api-v2.ts";
import { openApiDocument, openApiIndex } from "../discovery/open-api.ts";
import { issuerDocument } from "../discovery/issuer-documents.ts";
import { metricsType, serverMetrics } from "../discovery/server-metrics.ts";
import { serverVersion } from "../discovery/server-version.ts";
import { methodNotAllowed } from "../status-error.ts";
import { plainText, sendAnswer } from "./answer.ts";
import type { Exchange } from "../requests/exchange.ts";
import { parseAccept } from "../requests/media-type.ts";
import { segmentsOf } from "../requests/request-path.ts";

const aggregatedType = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/** Answers a path that names no resource; false when it is none of those. Errors: StatusError. */
export function handlePlainPath(core: ApiCore, address: string, exchange: Exchange): boolean {
  const { request, response } = exchange;
  const found = findDocument(core, address, exchange);
  if (found === undefined) return false;
  if (exchange.method !== "GET" && !takesAnyMethod(exchange.path)) throw methodNotAllowed();
  if ("text" in found) {
    const { text: body, contentType = plainText, headers = {} } = found;
    sendAnswer(request, response, { status: 200, body, contentType, isText: true, headers });
    return true;
  }
  if (found.location !== undefined) {
    const headers = { Location: found.location };
    sendAnswer(request, response, {
      status: 301,
      body: "",
      contentType: plainText,
      isText: true,
      headers,
    });
    return true;
  }
  const etag = `"${etagOf(found.body)}"`;
  const headers = { ...found.headers, ETag: etag, Vary: "Accept" };
  if (request.headers["if-none-match"] === etag) {
    response.writeHead(304, headers);
    response.end();
    return true;
  }
  const contentType = found.contentType ?? "application/json";
  sendAnswer(request, response, { status: 200, body: found.body, contentType, headers });
  return true;
}

type Found =
  | {
      readonly text: string | Buffer;
      readonly contentType?: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | {
      readonly body: unknown;
      readonly contentType?: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly location?: string;
    };

function findDocument(core: ApiCore, address: string, exchange: Exchange): Found | undefined {
  const { registry } = core;
  if (isBare(exchange.path) && exchange.path.endsWith("/")) return undefined;
  const segments = segmentsOf(exchange.path);
  const [first, second, third] = segments;
  switch (first) {
    case "healthz":
    case "livez":
    case "readyz":
      if (segments.length > 1 && !["ping", "etcd", "log"].includes(segments.slice(1).join("/")))
        return undefined;
      return {
        text: exchange.query.has("verbose") ? `[+]ping ok\n[+]storage ok\n${first} check passed\n` : "ok",
      };
    case "metrics":
      return segments.length === 1 ? { text: serverMetrics(core), contentType: metricsType } : undefined;
    case "version":
      return segments.length === 1
        ? { text: JSON.stringify(serverVersion, undefined, 2), contentType: "application/json" }
        : undefined;
    case ".well-known":
    case "openid":
      return issuerDocument(core.accountTokens.key, address, exchange.path);
    case "openapi":
      if (second === "v2" && segments.length === 2) {
        const { accept = "" } = exchange.request.headers;
        return openApiV2(registry, accept, [...core.extensions.openApiV2.values()]);
      }
      return second === "v3" ? findOpenApi(core, exchange, segments.slice(2).join("/")) : undefined;
    case "api":
      if (segments.length === 1) {
        return wantsAggregated(exchange)
          ? { body: aggregated(core, true), contentType: aggregatedType }
          : { body: coreVersions(address) };
      }
      return segments.length === 2 ? document(resourceList(registry, "", second ?? "")) : undefined;
    case "apis":
      if (segments.length === 1) {
        return wantsAggregated(exchange)
          ? { body: aggregated(core, false), contentType: aggregatedType }
          : { body: groupList(core) };
      }
      if (segments.length === 2) return document(group(core, second ?? ""));
      return segments.length === 3 ? document(resourceList(registry, second ?? "", third ?? "")) : undefined;
    case undefined:
      if (exchange.path !== "/") return undefined;
      return {
        body: {
          paths: [
            "/.well-known/openid-configuration",
            "/api",
            "/apis",
            "/healthz",
            "/livez",
            "/metrics",
            "/openapi/v2",
            "/openapi/v3",
            "/openid/v1/jwks",
            "/readyz",
            "/version",
          ],
        },
      };
    default:
      return undefined;
  }
}

/** Paths that the real server answers in the same way whatever the method. */
function takesAnyMethod(path: string): boolean {
  return isBare(path) || /^\/(?:apis(?:\/[^/]+)?\/?|openapi\/.+)?$/.test(path);
}

/** Paths that it serves as they are written. */
function isBare(path: string): boolean {
  return /^\/(?:healthz|livez|readyz|metrics)(?:\/|$)/.test(path);
}

function document(body: unknown): Found | undefined {
  return body === undefined ? undefined : { body };
}

function findOpenApi(core: ApiCore, exchange: Exchange, path: string): Found | undefined {
  if (path === "") return { body: openApiIndex(core.registry, core.extensions.openApiV3.values()) };
  const found = openApiDocument(core.registry, path);
  if (found === undefined) return undefined;
  const hash = exchange.query.get("hash");
  if (hash !== null && hash !== found.hash) return { body: undefined, location: found.url };
  const headers: Record<string, string> =
    hash === null ? {} : { "Cache-Control": "public, immutable", Expires: "Thu, 31 Dec 2099 23:59:59 GMT" };
  return { body: found.body, headers };
}

function wantsAggregated(exchange: Exchange): boolean {
  return parseAccept(exchange.request.headers.accept).some(
    ({ parameters }) =>
      parameters["as"] === "APIGroupDiscoveryList" &&
      parameters["g"] === "apidiscovery.k8s.io" &&
      parameters["v"] === "v2",
  );
}
