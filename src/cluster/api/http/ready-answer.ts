// Answers that are complete but not sent yet, so that something may still come between a write and its answer.
import type { ApiCore } from "../api-core.ts";
import type { ApiObject } from "../api-object.ts";
import type { ObjectRequest } from "../verbs/object-request.ts";
import { scaleColumns } from "../representation/columns/workload-columns.ts";
import { sendAnswer } from "./answer.ts";
import type { Exchange } from "../requests/exchange.ts";
import { isYamlAsked } from "../requests/media-type.ts";
import { representObject, type RepresentedBody } from "./represent.ts";

/** An answer that is ready to be sent. */
export interface ReadyAnswer {
  readonly status: number;
  send(): void;
}

/** An answer with a body in its final form. */
export function answerBody(
  { request, response }: Exchange,
  { warnings }: ObjectRequest,
  status: number,
  { body, yaml }: RepresentedBody,
): ReadyAnswer {
  return { status, send: () => sendAnswer(request, response, { status, body, yaml, warnings }) };
}

/** An answer with an object, in the form that the client asked for. Errors: 406. */
export function answerObject(
  core: ApiCore,
  exchange: Exchange,
  request: ObjectRequest,
  status: number,
  object: ApiObject,
): ReadyAnswer {
  return answerBody(
    exchange,
    request,
    status,
    representObject(exchange, request.type, object, core.clock.now()),
  );
}

/** An answer with what has no other forms, like a Status. */
export function answerPlain(
  exchange: Exchange,
  request: ObjectRequest,
  status: number,
  body: unknown,
): ReadyAnswer {
  const yaml = isYamlAsked(exchange.request.headers.accept);
  return answerBody(exchange, request, status, { body, yaml });
}

/** An answer with the Scale of an object, in the form that the client asked for. Errors: 406. */
export function answerScale(
  core: ApiCore,
  exchange: Exchange,
  request: ObjectRequest,
  scale: ApiObject,
): ReadyAnswer {
  const { custom } = request.type;
  const type = { ...request.type, ...scaleForm, columns: scaleColumns(custom) };
  return answerBody(exchange, request, 200, representObject(exchange, type, scale, core.clock.now()));
}

/** What of its type is another one's. */
const scaleForm = { group: "autoscaling", kind: "Scale", behaviour: {}, rowConditions: () => [] };
