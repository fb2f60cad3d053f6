// The log of a pod's container, as the pod runtime has it.
import { fieldsOf, type ApiObject } from "../api-object.ts";
import { badRequest, StatusError } from "../status-error.ts";
import { parseLogQuery } from "../options/log-options.ts";
import { messageOf } from "../../../ports/operator-error.ts";
import type { PodLogRequest } from "../../pods/pod-runtime.ts";
import { commonHeaders } from "./answer.ts";
import type { Exchange } from "../requests/exchange.ts";
import { chosenContainer } from "./pod-container.ts";

/** Where logs come from. */
export interface PodLogSource {
  logs(request: PodLogRequest): AsyncIterable<string>;
}

/** Streams the log of one container. Errors: 400 for an unknown container; 422 for wrong options; 500 when there is no runtime. */
export async function sendPodLog(
  source: PodLogSource | undefined,
  { query, response }: Exchange,
  pod: ApiObject,
): Promise<void> {
  if (source === undefined) {
    throw new StatusError(500, "InternalError", "this cluster runs without pods, so there are no logs");
  }
  const { name, namespace = "" } = pod.metadata;
  const asked = parseLogQuery(query, name);
  const container = chosenContainer(pod, query);
  if (fieldsOf(pod["spec"])["nodeName"] === undefined) {
    // Nobody has a log of it yet, which is no failure.
    response.writeHead(204, commonHeaders());
    response.end();
    return;
  }
  const closed = new AbortController();
  response.on("close", () => closed.abort());
  // The headers wait for the first chunk, so that a refusal can still be determined.
  let iterator: AsyncIterator<string>;
  let next: IteratorResult<string>;
  try {
    const lines = source.logs({ namespace, name, container, ...asked, signal: closed.signal });
    iterator = lines[Symbol.asyncIterator]();
    next = await iterator.next();
  } catch (error) {
    throw badRequest(messageOf(error));
  }
  response.writeHead(200, { ...commonHeaders(), "Content-Type": "text/plain" });
  response.flushHeaders();
  while (next.done !== true && !response.destroyed) {
    response.write(next.value);
    next = await iterator.next();
  }
  response.end();
}
