// A port of a simulated pod that speaks HTTP: each request is answered as a script says. No port of this machine is used.
import { createServer } from "node:http";
import { duplexPair, type Duplex } from "node:stream";
import type { ScriptedResponse } from "./pod-script.ts";
import { isLike } from "./text-pattern.ts";

/** Opens a connection to such a port; the first response that fits a request answers it, and none is a 404. */
export function openScriptedHttp(responses: readonly ScriptedResponse[]): Duplex {
  const server = createServer((request, response) => {
    const [path = "/"] = (request.url ?? "/").split("?");
    const found = responses.find(
      ({ path: wanted, method }) =>
        (wanted === undefined || isLike(wanted, path)) &&
        (method === undefined || method.toUpperCase() === request.method),
    );
    request.resume();
    // The pod's time may be another one than this machine's.
    response.sendDate = false;
    response.statusCode = found === undefined ? 404 : (found.status ?? 200);
    for (const [name, value] of Object.entries(found?.headers ?? {})) response.setHeader(name, value);
    response.end(found === undefined ? `no answer for ${request.method ?? ""} ${path}\n` : found.body);
  });
  const [near, far] = duplexPair();
  server.emit("connection", far);
  return near;
}
