// What a node answers itself. There is no kubelet behind the nodes whose pods run here: that it is well, and which pods it has, is said in
// its place. Any other node is asked in vain.
import { fieldsList, fieldsOf, textOf, type ApiObject } from "../../api-object.ts";
import type { ApiCore } from "../../api-core.ts";
import type { Exchange } from "../../requests/exchange.ts";
import { notFound, StatusError } from "../../status-error.ts";
import { runsPods } from "../../../node-runtime.ts";
import { plainText, sendAnswer } from "../answer.ts";
import { readProxiedName } from "./proxied-name.ts";
import { unavailable, type ProxyRequest } from "./proxy-target.ts";

const usualPort = 10_250;

/** Answers a request for a node. Errors: 400 for a malformed name, 404, 500 for a node without an address, 503 for one that nobody runs. */
export function answerAsNode(
  { store }: Pick<ApiCore, "store">,
  { request, response }: Exchange,
  { type, name }: ProxyRequest,
  path: string,
): void {
  const asked = readProxiedName(name, "node");
  const node = store.get("nodes", "", asked.name);
  if (node === undefined) throw notFound(type, asked.name);
  const host = addressOf(node);
  if (host === undefined) {
    throw new StatusError(500, undefined, "no preferred addresses found; known addresses: []");
  }
  if (!runsPods(node) || !isReady(node)) {
    const port = asked.port === "" ? usualPort : asked.port;
    throw unavailable(`error trying to reach service: dial tcp ${host}:${port}: connect: connection refused`);
  }
  const body = answerTo(path, () =>
    store.list("pods").filter(({ spec }) => fieldsOf(spec)["nodeName"] === asked.name),
  );
  sendAnswer(
    request,
    response,
    body ?? {
      status: 404,
      body: "404 page not found\n",
      isText: true,
      contentType: plainText,
    },
  );
}

function answerTo(
  path: string,
  pods: () => readonly ApiObject[],
):
  | { readonly status: number; readonly body: unknown; readonly isText?: true; readonly contentType?: string }
  | undefined {
  if (/^healthz(?:\/(?:ping|log|syncloop))?\/?$/.test(path)) {
    return { status: 200, body: "ok", isText: true, contentType: plainText };
  }
  if (/^(?:running)?pods\/?$/.test(path)) {
    return { status: 200, body: { kind: "PodList", apiVersion: "v1", metadata: {}, items: pods() } };
  }
  return undefined;
}

/** The address that kube-apiserver prefers. */
function addressOf(node: ApiObject): string | undefined {
  const addresses = fieldsList(fieldsOf(node["status"])["addresses"]);
  const preferred = ["Hostname", "InternalDNS", "InternalIP", "ExternalDNS", "ExternalIP"];
  const [first] = preferred.flatMap((type) => addresses.filter((each) => each["type"] === type));
  return first === undefined ? undefined : textOf(first["address"]);
}

function isReady(node: ApiObject): boolean {
  return fieldsList(fieldsOf(node["status"])["conditions"]).some(
    ({ type, status }) => type === "Ready" && status === "True",
  );
}
