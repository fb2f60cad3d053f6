// An API server of the test's own, as stands behind an APIService: it serves one group and version, records what it is asked, by whom and
// with which certificate, and answers otherwise where it is told to.
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { TLSSocket } from "node:tls";
import { WebSocketServer } from "ws";
import { createServerCertificate } from "../../src/cluster/api/http/tls.ts";

/** One request that the server received. */
export interface AskedExtension {
  readonly method: string;
  /** With the query. */
  readonly url: string;
  readonly headers: Readonly<Record<string, readonly string[] | undefined>>;
  readonly body: string;
  /** Of the client's certificate: its name, and its authority in PEM; undefined: it has shown none. */
  readonly client: { readonly name: string; readonly issuer: string } | undefined;
}

/** An answer in place of the usual one. */
export type ExtensionAnswering = (asked: AskedExtension, response: ServerResponse) => "answered" | "as usual";

/** A running extension server. */
export interface ExtensionServer {
  readonly port: number;
  /** What `caBundle` is to hold. */
  readonly caBundle: string;
  /** What was asked since the last time that this was read, but for what the API server asks by itself. */
  take(): readonly AskedExtension[];
  answer: ExtensionAnswering;
  /** Serves no aggregated discovery, as servers before Kubernetes 1.26. */
  isOld: boolean;
  stop(): Promise<void>;
}

/** The group and version that it serves. */
export const extensionGroup = "wardle.example.com";
const groupVersion = `${extensionGroup}/v1alpha1`;
/** Where it is served. */
export const extensionPath = `/apis/${groupVersion}`;
const verbs = ["create", "delete", "get", "list", "watch"];
const aggregatedType = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

const resource = {
  resource: "flunders",
  responseKind: { group: extensionGroup, version: "v1alpha1", kind: "Flunder" },
  scope: "Namespaced",
  singularResource: "flunder",
  verbs,
  shortNames: ["fl"],
  subresources: [
    {
      subresource: "status",
      responseKind: { group: extensionGroup, version: "v1alpha1", kind: "Flunder" },
      verbs: ["get"],
    },
  ],
};
const listed = {
  kind: "APIResourceList",
  apiVersion: "v1",
  groupVersion,
  resources: [
    {
      name: "flunders",
      singularName: "flunder",
      namespaced: true,
      kind: "Flunder",
      verbs,
      shortNames: ["fl"],
    },
    { name: "flunders/status", singularName: "", namespaced: true, kind: "Flunder", verbs: ["get"] },
  ],
};
const schema = { type: "object", description: "A flunder", properties: { kind: { type: "string" } } };
const v2 = {
  swagger: "2.0",
  info: { title: "wardle", version: "v0" },
  paths: {
    [`${extensionPath}/flunders`]: {
      get: {
        responses: { "200": { description: "OK", schema: { $ref: "#/definitions/com.example.Flunder" } } },
      },
    },
    "/version/": {
      get: {
        responses: { "200": { description: "OK", schema: { $ref: "#/definitions/com.example.Version" } } },
      },
    },
  },
  definitions: {
    "com.example.Flunder": {
      ...schema,
      properties: { spec: { $ref: "#/definitions/com.example.FlunderSpec" } },
    },
    "com.example.FlunderSpec": schema,
    "com.example.Unused": schema,
    "com.example.Version": schema,
  },
};
const v3Path = `apis/${groupVersion}`;
const documents: Readonly<Record<string, unknown>> = {
  [extensionPath]: listed,
  "/openapi/v2": v2,
  "/openapi/v3": { paths: { [v3Path]: { serverRelativeURL: `/openapi/v3/${v3Path}?hash=1` } } },
  [`/openapi/v3/${v3Path}`]: {
    openapi: "3.0.0",
    info: { title: "wardle", version: "v0" },
    paths: {},
    components: { schemas: { "com.example.Flunder": schema } },
  },
};

/** Starts one; its certificate is for `SERVICE.NAMESPACE.svc`, or for localhost. */
export async function startExtensionServer(names: readonly string[]): Promise<ExtensionServer> {
  const { key, certificate, authority } = await createServerCertificate(Date.now(), names);
  let asked: AskedExtension[] = [];
  const server = createServer(
    { key, cert: certificate, requestCert: true, rejectUnauthorized: false },
    (request, response) => void respond(request, response),
  );
  const record = (request: IncomingMessage, body: string): AskedExtension => {
    const one = askedBy(request, body);
    const [user = ""] = one.headers["x-remote-user"] ?? [];
    if (!["system:kube-aggregator", "system:aggregator"].includes(user)) asked.push(one);
    return one;
  };
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const one = record(request, Buffer.concat(chunks).toString());
    if (running.answer(one, response) === "answered") return;
    answerAsUsual(one, response, running.isOld);
  };
  const sockets = new WebSocketServer({ noServer: true });
  server.on("upgrade", (request, socket, head) => {
    record(request, "");
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      webSocket.send(`hello ${String(request.headers["x-remote-user"])}`);
      webSocket.on("message", (data: Buffer) => webSocket.send(`you said ${data.toString()}`));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const running: ExtensionServer = {
    port: (server.address() as AddressInfo).port,
    caBundle: Buffer.from(authority).toString("base64"),
    take() {
      const taken = asked;
      asked = [];
      return taken;
    },
    answer: () => "as usual",
    isOld: false,
    stop: () =>
      new Promise((resolve) => {
        for (const client of sockets.clients) client.terminate();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return running;
}

function askedBy(
  { method = "", url = "", headersDistinct, socket }: IncomingMessage,
  body: string,
): AskedExtension {
  const certificate = (socket as TLSSocket).getPeerX509Certificate();
  return {
    method,
    url,
    headers: headersDistinct,
    body,
    client: certificate === undefined ? undefined : { name: certificate.subject, issuer: certificate.issuer },
  };
}

function answerAsUsual(
  { url, headers, method, body }: AskedExtension,
  response: ServerResponse,
  isOld: boolean,
): void {
  const send = (status: number, document: unknown, contentType = "application/json"): void => {
    response.writeHead(status, { "Content-Type": contentType }).end(JSON.stringify(document));
  };
  const { pathname, searchParams } = new URL(url, "https://extension");
  const [accept = ""] = headers["accept"] ?? [];
  if (pathname === "/apis" && !isOld && accept.includes("APIGroupDiscoveryList")) {
    const versions = [{ version: "v1alpha1", resources: [resource], freshness: "Current" }];
    const items = [{ metadata: { name: extensionGroup, creationTimestamp: null }, versions }];
    const list = { kind: "APIGroupDiscoveryList", apiVersion: "apidiscovery.k8s.io/v2", metadata: {}, items };
    send(200, list, aggregatedType);
  } else if (documents[pathname] !== undefined) {
    // A document of v3 is asked for by its hash, too.
    send(200, documents[pathname]);
  } else if (/^\/apis\/[^/]+\/[^/]+$/.test(pathname)) {
    send(200, { ...listed, groupVersion: pathname.slice("/apis/".length) });
  } else if (pathname.startsWith(extensionPath) && searchParams.get("watch") === "true") {
    response.writeHead(200, { "Content-Type": "application/json" });
    response.write(`${JSON.stringify({ type: "ADDED", object: flunder("one") })}\n`);
    // The rest comes when it is asked for; whoever leaves ends it.
  } else if (method === "POST") send(201, JSON.parse(body));
  else if (pathname.startsWith(extensionPath)) {
    send(200, { kind: "FlunderList", apiVersion: groupVersion, metadata: {}, items: [flunder("one")] });
  } else send(404, { kind: "Status", apiVersion: "v1", status: "Failure", code: 404 });
}

function flunder(name: string): object {
  return { kind: "Flunder", apiVersion: groupVersion, metadata: { name, namespace: "default" } };
}
