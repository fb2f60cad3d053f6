// Serves the dashboard of a process on this machine. Started by the command line, fed by a board and a log of runs.
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import { messageOf } from "../ports/operator-error.ts";
import { BrowserFiles } from "../web/browser-files.ts";
import { drawingAnswer } from "../web/drawing-answer.ts";
import { openEventStream, type EventStream } from "../web/event-stream.ts";
import { createGraphDrawer } from "../web/graph-drawer.ts";
import { jsonAnswer, textAnswer, type WebAnswer } from "../web/web-answer.ts";
import { requirePagePackages } from "../web/import-map.ts";
import { startWebServer, type WebRequest } from "../web/web-server.ts";
import type { Board } from "./board.ts";
import { streamBoard } from "./board-stream.ts";
import { dashboardPage } from "./dashboard-page.ts";
import { streamDetail, type ResourceAddress } from "./detail-stream.ts";
import { streamHealth } from "./health-stream.ts";
import type { RecordedPast } from "./recorded-past.ts";
import { momentOf } from "./recording-span.ts";
import type { RunLog } from "./run-log.ts";
import type { ShownHealth } from "./shown-health.ts";

/** Options of {@link startDashboard}. */
export interface DashboardOptions {
  readonly board: Board;
  readonly runs: RunLog;
  /** How the operator is, undefined while there is none yet; absent: nothing is shown about it. */
  readonly health?: () => ShownHealth | undefined;
  /** What is shown is a recording, and what a page asks for is as it was at some moment. */
  readonly past?: RecordedPast;
  /** Of the page. */
  readonly title: string;
  /** 0: any free one. */
  readonly port: number;
  readonly clock: Clock;
  readonly log: Logger;
  /** Takes secrets out of whatever is sent. */
  readonly sanitize: (value: unknown) => unknown;
  /** Default a random one. */
  readonly token?: string;
}

/** A server that listens. */
export interface Dashboard {
  /** The page to open; it holds the token. */
  readonly url: string;
  /** Idempotent. */
  close(): Promise<void>;
}

/**
 * Listens on 127.0.0.1.
 *
 * **Guarantees**: what is sent has gone through `sanitize`; nothing is written to the cluster but human events, by
 * sources that allow them; a page loads nothing from elsewhere.
 * **Errors**: `BIND_FAILED`, `PACKAGE_MISSING`.
 */
export async function startDashboard(options: DashboardOptions): Promise<Dashboard> {
  requirePagePackages("the dashboard");
  const { board, clock, title, port, log, past, health, sanitize } = options;
  const files = new BrowserFiles("dashboard", ["explain/length", "ports/run-journal"]);
  const drawer = createGraphDrawer();

  function stream(request: WebRequest, begin: (stream: EventStream) => () => void): "streaming" {
    let end: (() => void) | undefined;
    const events = openEventStream(request.raw.response, () => end?.());
    end = begin(events);
    return "streaming";
  }

  async function draw(kind: string): Promise<WebAnswer | undefined> {
    const source = board.sources.find(({ type }) => type.kind === kind);
    if (source === undefined) return undefined;
    // Nothing to draw is no error of the page, whose console would say so.
    return source.graph === undefined ? textAnswer(200, "") : drawingAnswer(drawer, source.graph);
  }

  const server = await startWebServer({
    what: "the dashboard",
    port,
    log,
    ...(options.token === undefined ? {} : { token: options.token }),
    serve: async (request) => {
      const { path, method, query } = request;
      if (path === "/api/event") {
        return method === "POST" ? sendEvent(options, request) : textAnswer(405, "only POST");
      }
      if (method !== "GET" && method !== "HEAD") return textAnswer(405, "only GET");
      if (path === "/") return dashboardPage(title, files.module("dashboard"), past);
      const instant = past === undefined ? undefined : momentOf(past, query.get("at"));
      if (path === "/api/board" && past !== undefined && instant !== undefined) {
        const { board: then } = await past.at(instant);
        return stream(request, (events) => streamBoard(then, events, clock));
      }
      if (path === "/api/board") {
        return stream(request, (events) => {
          const ends = [
            streamBoard(board, events, clock),
            ...(health === undefined ? [] : [streamHealth({ health, clock, sanitize }, events)]),
          ];
          return () => ends.forEach((end) => end());
        });
      }
      if (path === "/api/resource") {
        const address = addressOf(Object.fromEntries(query));
        if (address === undefined) return textAnswer(400, "kind and name are needed");
        if (past === undefined || instant === undefined) {
          return stream(request, (events) => streamDetail(options, address, events));
        }
        const then = {
          ...options,
          ...(await past.at(instant, address)),
          clock: { ...clock, now: () => instant },
        };
        return stream(request, (events) => streamDetail(then, address, events));
      }
      if (path === "/api/graph") return draw(query.get("kind") ?? "");
      return files.answer(path);
    },
  });
  return {
    url: `${server.url}?token=${server.token}`,
    close: () => {
      drawer.close();
      return server.close();
    },
  };
}

async function sendEvent(
  { board, log, sanitize }: DashboardOptions,
  request: WebRequest,
): Promise<WebAnswer> {
  const asked = await readBody(request);
  const address = addressOf(asked);
  const { event } = asked;
  if (address === undefined || typeof event !== "string" || event === "") {
    return jsonAnswer({ error: "kind, name and event are needed" }, 400);
  }
  const found = board.find(address.kind, address.namespace, address.name);
  if (found === undefined) return jsonAnswer({ error: "the resource does not exist" }, 404);
  const { source, object } = found;
  if (source.sendEvent === undefined) {
    return jsonAnswer({ error: "events are not allowed: start the operator with --allow-events" }, 403);
  }
  try {
    await source.sendEvent(object, event);
    log.info({ kind: address.kind, object: address.name, event }, "an event was sent from the dashboard");
    return jsonAnswer({ sent: event });
  } catch (error) {
    return jsonAnswer({ error: sanitize(messageOf(error)) }, 409);
  }
}

async function readBody(request: WebRequest): Promise<Readonly<Record<string, unknown>>> {
  try {
    const value: unknown = JSON.parse(await request.body());
    return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  } catch {
    return {};
  }
}

function addressOf(fields: Readonly<Record<string, unknown>>): ResourceAddress | undefined {
  const { kind, name, namespace } = fields;
  if (typeof kind !== "string" || typeof name !== "string" || kind === "" || name === "") return undefined;
  return typeof namespace === "string" && namespace !== "" ? { kind, name, namespace } : { kind, name };
}
