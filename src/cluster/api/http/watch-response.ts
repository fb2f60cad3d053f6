// A watch as a chunked answer of JSON lines.
import type { ApiCore } from "../api-core.ts";
import type { ApiObject } from "../api-object.ts";
import type { LineKind, WatchFaults } from "../faults/watch-faults.ts";
import type { ListQuery } from "../options/list-options.ts";
import { toPartial } from "../representation/partial-object.ts";
import { includeOf, toTable } from "../representation/table.ts";
import { watchObjects, type WatchLine, type WatchSink } from "../verbs/watch.ts";
import type { ObjectRequest } from "../verbs/object-request.ts";
import { commonHeaders, warningHeaders } from "./answer.ts";
import type { Exchange } from "../requests/exchange.ts";
import type { Representation } from "../requests/media-type.ts";

/** A client that does not read for this many bytes is cut off; it resumes from its last revision. */
const longestBacklog = 64 * 1_048_576;

/** Texts of stored objects: many watches send the same one. */
const encoded = new WeakMap<ApiObject, string>();

/** Answers with a watch; it ends when the client, the timeout or the server ends it. */
export function startWatch(
  { core, faults }: { readonly core: ApiCore; readonly faults: WatchFaults },
  exchange: Exchange,
  request: ObjectRequest,
  query: ListQuery,
  representation: Representation,
): void {
  const { response } = exchange;
  let hasTold = false;
  const output = faults.open(exchange, {
    write(text) {
      if (response.writableLength > longestBacklog) response.destroy();
      else if (!response.writableEnded) response.write(text);
    },
    end: () => response.end(),
    reset: () => response.destroy(),
  });
  const represent = (object: ApiObject): string => {
    if (representation.as === "object") return encode(object);
    if (representation.as === "partial") return JSON.stringify(toPartial(object));
    const { resourceVersion = "" } = object.metadata;
    const options = {
      metadata: { resourceVersion },
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
    line: (line) => output.line(kindOf(line), `${JSON.stringify(line)}\n`),
    end: () => output.end(),
  };
  const warnings = warningHeaders(request.warnings);
  response.writeHead(200, {
    ...commonHeaders(),
    "Content-Type": "application/json",
    ...(warnings.length > 0 ? { Warning: warnings } : {}),
  });
  response.flushHeaders();
  const stop = watchObjects(core, request, query, sink);
  response.on("close", () => {
    stop();
    output.close();
  });
}

/** Bookmarks with annotations are those that end a streaming list. */
function kindOf({ type, object }: WatchLine): LineKind {
  if (type !== "BOOKMARK") return type === "ERROR" ? "error" : "event";
  return (object as ApiObject).metadata.annotations === undefined ? "bookmark" : "initialEventsEnd";
}

function encode(object: ApiObject): string {
  let text = encoded.get(object);
  if (text === undefined) {
    text = JSON.stringify(object);
    encoded.set(object, text);
  }
  return text;
}
