// One request and its answer. undici's own `request` makes a stream of every answer, and takes half as much CPU again.
// Called by the transport.
import type { Dispatcher } from "undici";
import type { LimitedSignal } from "../ports/deadline.ts";

/** A complete answer. */
export interface Answer {
  readonly statusCode: number;
  readonly headers: Dispatcher.ResponseData["headers"];
  /** Empty when somebody took the body as it came. */
  readonly text: string;
}

/** Takes a body as it comes. What it throws ends the exchange; until what it returns has settled, nothing more is read. */
export type TakeBody = (chunk: Buffer) => Promise<unknown> | undefined;

/** What is sent. */
export type ExchangeOptions = Dispatcher.DispatchOptions & {
  /** What ends it before it is complete. */
  readonly limit: Pick<LimitedSignal, "over" | "whenOver">;
  /** Asked when it is about to go out on its connection. */
  readonly beforeSend?: (() => void) | undefined;
  /** Asked when the answer has begun: who takes its body as it comes, if anybody does. */
  readonly onHead: (head: Pick<Answer, "statusCode" | "headers">) => TakeBody | undefined;
};

/**
 * Sends the request and resolves with its complete answer, whatever its status.
 *
 * **Errors**: rejects at once with the limit's reason when that is over, with what `beforeSend`, `onHead` or who takes
 * the body throws, else with what undici meets.
 */
export function exchange(dispatcher: Dispatcher, request: ExchangeOptions): Promise<Answer> {
  const { limit, beforeSend, onHead, ...options } = request;
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let underWay: Dispatcher.DispatchController | undefined;
    let head: Pick<Answer, "statusCode" | "headers"> = { statusCode: 0, headers: {} };
    let take: TakeBody = (chunk) => void chunks.push(chunk);
    limit.whenOver((reason) => {
      reject(errorOf(reason));
      underWay?.abort(errorOf(reason));
    });
    if (limit.over !== undefined) return;
    dispatcher.dispatch(options, {
      onRequestStart(controller) {
        underWay = controller;
        // It may have waited for a connection until long after it was given up.
        if (limit.over !== undefined) controller.abort(errorOf(limit.over.reason));
        else refuseUnless(beforeSend, controller);
      },
      onResponseStart(_controller, statusCode, headers) {
        // A server may say more than once that it goes on.
        if (statusCode < 200) return;
        head = { statusCode, headers };
        take = onHead(head) ?? take;
      },
      onResponseData(controller, chunk) {
        const busy = take(chunk);
        if (busy === undefined) return;
        controller.pause();
        const resume = (): void => controller.resume();
        busy.then(resume, resume);
      },
      onResponseEnd() {
        limit.whenOver(undefined);
        const [first = Buffer.alloc(0)] = chunks;
        const text = (chunks.length > 1 ? Buffer.concat(chunks) : first).toString("utf8");
        resolve({ statusCode: head.statusCode, headers: head.headers, text });
      },
      onResponseError(_controller, error) {
        limit.whenOver(undefined);
        reject(error);
      },
    });
  });
}

function refuseUnless(beforeSend: (() => void) | undefined, controller: Dispatcher.DispatchController): void {
  try {
    beforeSend?.();
  } catch (error) {
    controller.abort(error instanceof Error ? error : new Error("the request was refused", { cause: error }));
  }
}

function errorOf(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error("the request was aborted", { cause: reason });
}
