// Answers that are complete but not sent yet, so that something may still come between a write and its answer.
import type { ApiCore } from "../api-core.ts";
import type { ApiObject } from "../api-object.ts";
import type { ObjectRequest } from "../verbs/object-request.ts";
import { sendAnswer } from "./answer.ts";
import type { Exchange } from "../requests/exchange.ts";
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

/** An answer with JSON that has no other forms, like a Status or a Scale. */
export function answerJson(
  exchange: Exchange,
  request: ObjectRequest,
  status: number,
  body: unknown,
): ReadyAnswer {
  return answerBody(exchange, request, status, { body, yaml: false });
}
