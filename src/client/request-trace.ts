// What is traced of a request to the API server, by the conventions for HTTP clients. Only requests of a traced reconcile
// are: leases, lists and watches belong to no one object. Neither the query nor a body is traced.
import { isOperatorError } from "../ports/operator-error.ts";
import { noSpan, type Span, type Tracing } from "../ports/tracing.ts";
import { ApiError } from "./api-error.ts";

/** A request as it is traced. */
export interface TracedRequest {
  readonly method: string;
  /** Path and query, below the server's base URL. */
  readonly path: string;
}

/** Begins the span of a request. */
export function beginRequest(tracing: Tracing, server: URL, { method, path }: TracedRequest): Span {
  if (!tracing.inside) return noSpan;
  const [plain = ""] = path.split("?");
  const { template, namespace, name } = readPath(plain);
  return tracing.begin({
    name: `${method} ${template}`,
    kind: "client",
    attributes: {
      "http.request.method": method,
      "url.full": `${server.href.replace(/\/$/, "")}${plain}`,
      "url.template": template,
      "server.address": server.hostname,
      "server.port": Number(server.port === "" ? 443 : server.port),
      "k8s.namespace.name": namespace,
      "xstate_operator.object.name": name,
    },
  });
}

/** Tells what the request failed with: a status, or the code of what came in place of an answer. */
export function failRequest(span: Span, error: unknown): void {
  if (error instanceof ApiError) {
    span.set({ "http.response.status_code": error.status });
    span.fail(String(error.status));
  } else {
    span.fail(isOperatorError(error) ? error.code : "aborted");
  }
}

/** A path of the API with its variable parts named, and those parts. */
export interface ReadPath {
  readonly template: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** Reads a path below the server's base URL, without its query. */
export function readPath(path: string): ReadPath {
  const found =
    /^(\/api\/[^/]+|\/apis\/[^/]+\/[^/]+)(?:\/namespaces\/([^/]+)(?=\/))?\/([^/]+)(?:\/([^/]+)(\/.+)?)?$/.exec(
      path,
    );
  if (found === null) return { template: path };
  const [, root = "", namespace, plural = "", name, rest = ""] = found;
  const within = namespace === undefined ? "" : "/namespaces/{namespace}";
  const one = name === undefined ? "" : `/{name}${rest}`;
  return {
    template: `${root}${within}/${plural}${one}`,
    ...(namespace === undefined ? {} : { namespace: decodeURIComponent(namespace) }),
    ...(name === undefined ? {} : { name: decodeURIComponent(name) }),
  };
}
