// Serves the inspection of a process on this machine: a web socket that speaks Stately's protocol, a page that passes it on
// to a viewer, and a viewer of our own. Started by the command line, fed by an inspection bridge.
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer, type WebSocket } from "ws";
import type { Logger } from "../ports/logger.ts";
import { parseGraph } from "../statechart/parse-graph.ts";
import { BrowserFiles } from "../web/browser-files.ts";
import { drawingAnswer } from "../web/drawing-answer.ts";
import { createGraphDrawer, type GraphDrawer } from "../web/graph-drawer.ts";
import { textAnswer, type WebAnswer } from "../web/web-answer.ts";
import { requirePagePackages } from "../web/import-map.ts";
import { startWebServer, type WebRequest } from "../web/web-server.ts";
import type { InspectionBridge, InspectionChoice } from "./inspection-bridge.ts";
import type { InspectionMessage } from "./inspection-message.ts";
import { hostPage, viewerPage, type ViewerChoice } from "./inspection-pages.ts";

/** Options of {@link startInspectionServer}. */
export interface InspectionServerOptions {
  readonly bridge: InspectionBridge;
  /** 0: any free one. */
  readonly port: number;
  readonly viewer: ViewerChoice;
  readonly log: Logger;
  /** Default a random one. */
  readonly token?: string;
}

/** A server that listens. */
export interface InspectionServer {
  /** The page to open; it holds the token. `&kind=`, `&namespace=` and `&name=` choose what is shown. */
  readonly url: string;
  /** Where receivers of the protocol connect; it holds the token. */
  readonly socketUrl: string;
  /** Idempotent. */
  close(): Promise<void>;
}

/** Bytes that may wait for a viewer before messages to it are dropped until it has caught up. */
const backlogLimit = 8 * 1024 * 1024;

/**
 * Listens on 127.0.0.1.
 *
 * **Guarantees**: a viewer that is too slow misses messages and then receives all live actors again; it never makes
 * the operator wait or grow. What a viewer sends is ignored.
 * **Errors**: `BIND_FAILED`, `PACKAGE_MISSING`.
 */
export async function startInspectionServer(options: InspectionServerOptions): Promise<InspectionServer> {
  requirePagePackages("the inspector");
  const { bridge, port, viewer, log } = options;
  const files = new BrowserFiles("inspect");
  const drawer = createGraphDrawer();
  const sockets = new WebSocketServer({ noServer: true, maxPayload: 1024, perMessageDeflate: false });
  const server = await startWebServer({
    what: "the inspector",
    port,
    log,
    ...(options.token === undefined ? {} : { token: options.token }),
    serve: async (request) => {
      const { path } = request;
      if (path === "/drawing") return drawAsked(drawer, request);
      if (path === "/") return hostPage(viewer, files.module("host"));
      if (path === "/viewer") return viewerPage(files.module("viewer"));
      return files.answer(path);
    },
    upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer, query: URLSearchParams) => {
      sockets.handleUpgrade(request, socket, head, (client) =>
        serveViewer(bridge, client, choiceOf(query), log),
      );
    },
  });
  const query = `?token=${server.token}`;
  return {
    url: `${server.url}${query}`,
    socketUrl: `${server.url.replace(/^http/, "ws")}inspect${query}`,
    close: async () => {
      for (const client of sockets.clients) client.close(1001, "the operator is stopping");
      await server.close();
      drawer.close();
      sockets.close();
    },
  };
}

/** Draws a graph that a page has read from a definition: it may be anything. */
async function drawAsked(drawer: GraphDrawer, { method, body }: WebRequest): Promise<WebAnswer> {
  if (method !== "POST") return textAnswer(405, "only POST");
  const text = await body().catch(() => undefined);
  const graph = text === undefined ? undefined : parseGraph(text);
  return graph === undefined ? textAnswer(422, "this graph cannot be drawn") : drawingAnswer(drawer, graph);
}

function serveViewer(
  bridge: InspectionBridge,
  client: WebSocket,
  choice: InspectionChoice,
  log: Logger,
): void {
  let missed = 0;
  const sent = (): void => {
    if (missed === 0 || client.bufferedAmount > 0 || client.readyState !== client.OPEN) return;
    log.info({ missed }, "a viewer was too slow: messages were dropped, and it is being resynchronized");
    missed = 0;
    attachment.refresh();
  };
  const send = (message: InspectionMessage): boolean => {
    if (client.readyState !== client.OPEN) return false;
    if (missed > 0 || client.bufferedAmount > backlogLimit) {
      missed += 1;
      return false;
    }
    client.send(JSON.stringify(message), sent);
    return true;
  };
  client.on("error", () => client.terminate());
  const attachment = bridge.attach({ choice, send });
  client.once("close", () => attachment.detach());
}

function choiceOf(query: URLSearchParams): InspectionChoice {
  const [kind, namespace, name] = ["kind", "namespace", "name"].map((field) => query.get(field));
  return {
    ...(kind ? { kind } : {}),
    ...(namespace === null || namespace === undefined ? {} : { namespace }),
    ...(name ? { name } : {}),
  };
}
