// Requests that are passed on to a pod, by its name or through a Service, and to a node: `kubectl get --raw …/proxy/`, `kubectl proxy`, and
// clients that ask an application for something from outside of the cluster.
import { admitConnection } from "../../verbs/connect.ts";
import { textOf } from "../../api-object.ts";
import type { ApiCore } from "../../api-core.ts";
import type { Exchange } from "../../requests/exchange.ts";
import { methodNotAllowed } from "../../status-error.ts";
import type { ObjectRequest } from "../../verbs/object-request.ts";
import { commonHeaders } from "../answer.ts";
import type { PodStreamSource } from "../pod-streams.ts";
import { answerAsNode } from "./node-answers.ts";
import { passToPod } from "./pass-to-pod.ts";
import { proxiedPath, upgradedPath } from "./proxied-path.ts";
import { podTarget, serviceTarget } from "./proxy-target.ts";

const methods = new Set(["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"]);
const optionsOf: Readonly<Record<string, string>> = {
  nodes: "NodeProxyOptions",
  pods: "PodProxyOptions",
  services: "ServiceProxyOptions",
};

/** What a subresource begins with that is passed on. */
export const proxySubresource = "proxy";

/** Whether a request is for a proxy, and so for whatever protocol the pod may speak. */
export function isProxyRequest(url: string): boolean {
  return /^\/api\/v1\/(?:nodes|namespaces\/[^/]+\/(?:pods|services))\/[^/]+\/proxy(?:[/?]|$)/.test(url);
}

/** Passes a request on. Errors: 400, 404, 405, those of admission; 503 where nobody can be asked. */
export async function serveProxy(
  core: ApiCore,
  runtime: Pick<PodStreamSource, "connect"> | undefined,
  exchange: Exchange,
  request: ObjectRequest,
): Promise<void> {
  const { request: incoming, response, path } = exchange;
  const { type, namespace, name, subresource = "" } = request;
  if (!methods.has(exchange.method)) throw methodNotAllowed();
  const rest = subresource.slice(proxySubresource.length + 1);
  const options = {
    kind: optionsOf[type.plural],
    apiVersion: "v1",
    ...(rest === "" ? {} : { path: rest }),
  };
  const admitted = await admitConnection(core, { ...request, subresource: proxySubresource }, options);
  const source = { core, runtime };
  const asked = { type, namespace, name };
  if (type.plural === "nodes") return answerAsNode(core, exchange, asked, rest);
  const target = type.plural === "pods" ? podTarget(source, asked) : serviceTarget(source, asked);
  const wanted = textOf(admitted["path"]);
  const isUpgrade = exchange.upgradeHead !== undefined;
  const places = isUpgrade ? upgradedPath(path, wanted) : proxiedPath(path, incoming.url ?? path, wanted);
  if (places !== undefined) return passToPod(exchange, target, places);
  const [, query] = /(\?.*)?$/s.exec(incoming.url ?? "") ?? [];
  response.writeHead(301, { ...commonHeaders(), Location: `${path}/${query ?? ""}`, "Content-Length": "0" });
  response.end();
}
