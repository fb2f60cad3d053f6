// A watch as the client asked for it: JSON lines in a chunked body, or messages of a WebSocket.
import type { ServerResponse } from "node:http";
import type { WebSocket } from "ws";
import type { ApiCore } from "../api-core.ts";
import type { ApiObject } from "../api-object.ts";
import type { ByteSink, LineKind, WatchFaults } from "../faults/watch-faults.ts";
import type { ListQuery } from "../options/list-options.ts";
import { toPartial } from "../representation/partial-object.ts";
import { includeOf, toTable } from "../representation/table.ts";
import { assertWatchable, watchObjects, type WatchLine, type WatchSink } from "../verbs/watch.ts";
import type { ObjectRequest } from "../verbs/object-request.ts";
import { commonHeaders, warningHeaders } from "./answer.ts";
import type { Exchange } from "../requests/exchange.ts";
import type { Representation } from "../requests/media-type.ts";
import { keptTextOf } from "./object-text.ts";
import { acceptWebSocket } from "./web-socket.ts";

/** A client that does not read for this many bytes is cut off; it resumes from its last revision. */
const longestBacklog = 64 * 1_048_576;

/** Answers with a watch; it ends when the client, the timeout or the server ends it. Errors: as {@link assertWatchable}. */
export function startWatch(
  { core, faults }: { readonly core: ApiCore; readonly faults: WatchFaults },
  exchange: Exchange,
  request: ObjectRequest,
  query: ListQuery,
  representation: Representation,
): void {
  // Once the stream is open, a refusal can no longer be answered.
  assertWatchable(request, query);
  let hasTold = false;
  const stream = openStream(exchange, request.warnings);
  if (stream === undefined) return;
  const output = faults.open(exchange, stream);
  const represent = (object: ApiObject): string => {
    if (representation.as === "object") return keptTextOf(object);
    const { as, version } = representation;
    if (as !== "table") return JSON.stringify(toPartial(request.type, object, version));
    const { resourceVersion = "" } = object.metadata;
    const options = {
      metadata: { resourceVersion },
      version,
      include: includeOf(exchange.query),
      now: core.clock.now(),
      withDefinitions: !hasTold,
    };
    return JSON.stringify(toTable(request.type, [object], options));
  };
  const sink: WatchSink = {
    object(type, object) {
      output.line("event", `{"type":"${type}","object":${represent(object)}}\n`);
      hasTold = true;
    },
    line(line) {
      // A bookmark is an object of the type, in the form that was asked for; a client that decodes nothing else would end the watch.
      const text =
        line.type === "BOOKMARK" ? represent(line.object as ApiObject) : JSON.stringify(line.object);
      output.line(kindOf(line), `{"type":"${line.type}","object":${text}}\n`);
      if (line.type === "BOOKMARK") hasTold = true;
    },
    end: () => output.end(),
  };
  const stop = watchObjects(core, request, query, sink);
  stream.onClose(() => {
    stop();
    output.close();
  });
}

/** How the lines of a watch reach the client. */
interface WatchStream extends ByteSink {
  onClose(listener: () => void): void;
}

/** The stream that a client asked for; undefined when it cannot be opened, which is then answered. */
function openStream(exchange: Exchange, warnings: readonly string[]): WatchStream | undefined {
  const { request, response, upgradeHead } = exchange;
  if (upgradeHead === undefined) return openChunkedStream(response, warningHeaders(warnings));
  const webSocket = acceptWebSocket(request, response, upgradeHead);
  return webSocket === undefined ? undefined : openMessageStream(webSocket);
}

/** One JSON text a line in a chunked body. */
function openChunkedStream(response: ServerResponse, warnings: string[]): WatchStream {
  response.writeHead(200, {
    ...commonHeaders(),
    "Content-Type": "application/json",
    ...(warnings.length > 0 ? { Warning: warnings } : {}),
  });
  response.flushHeaders();
  return {
    write(text) {
      if (response.writableLength > longestBacklog) response.destroy();
      else if (!response.writableEnded) response.write(text);
    },
    end: () => response.end(),
    reset: () => response.destroy(),
    onClose: (listener) => response.on("close", listener),
  };
}

/** One line a text message; what the client sends is not looked at. */
function openMessageStream(webSocket: WebSocket): WatchStream {
  let rest = "";
  // What the other side does wrong ends the connection; there is nobody else to report it to.
  webSocket.on("error", () => webSocket.terminate());
  return {
    write(text) {
      if (webSocket.bufferedAmount > longestBacklog) webSocket.terminate();
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) if (webSocket.readyState === webSocket.OPEN) webSocket.send(`${line}\n`);
    },
    end() {
      if (rest !== "") webSocket.send(rest);
      webSocket.close(1000);
    },
    reset: () => webSocket.terminate(),
    onClose: (listener) => webSocket.on("close", listener),
  };
}

/** Bookmarks with annotations are those that end a streaming list. */
function kindOf({ type, object }: WatchLine): LineKind {
  if (type !== "BOOKMARK") return type === "ERROR" ? "error" : "event";
  return (object as ApiObject).metadata.annotations === undefined ? "bookmark" : "initialEventsEnd";
}
