// One request whose answer is read as a whole: the hot path. undici's own `request` makes a stream of every answer, and takes
// half as much CPU again. Called by the transport; long answers (watches) go another way.
import type { Dispatcher } from "undici";

/** An answer, complete or not. */
export interface Answer {
  readonly statusCode: number;
  readonly headers: Dispatcher.ResponseData["headers"];
  readonly body: { text(): Promise<string>; dump(): Promise<void> };
}

/** What is sent. */
export type WholeRequest = Dispatcher.DispatchOptions & {
  readonly signal: AbortSignal;
  /** Asked when it is about to go out on its connection. */
  readonly beforeSend?: (() => void) | undefined;
};

/**
 * Sends the request and resolves with its complete answer, whatever its status.
 *
 * **Errors**: rejects at once with the signal's reason when that is aborted, with what `beforeSend` throws, else with what
 * undici meets.
 */
export function exchangeWhole(dispatcher: Dispatcher, request: WholeRequest): Promise<Answer> {
  const { signal, beforeSend, ...options } = request;
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let exchange: Dispatcher.DispatchController | undefined;
    let head: Pick<Answer, "statusCode" | "headers"> = { statusCode: 0, headers: {} };
    const abort = (): void => {
      reject(reasonOf(signal));
      exchange?.abort(reasonOf(signal));
    };
    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort, { once: true });
    dispatcher.dispatch(options, {
      onRequestStart(controller) {
        exchange = controller;
        // It may have waited for a connection until long after it was given up.
        if (signal.aborted) controller.abort(reasonOf(signal));
        else refuseUnless(beforeSend, controller);
      },
      onResponseStart(_controller, statusCode, headers) {
        head = { statusCode, headers };
        // A server may tell more than once that it goes on (1xx).
        chunks.length = 0;
      },
      onResponseData(_controller, chunk) {
        chunks.push(chunk);
      },
      onResponseEnd() {
        signal.removeEventListener("abort", abort);
        const [first = Buffer.alloc(0)] = chunks;
        const text = (chunks.length > 1 ? Buffer.concat(chunks) : first).toString("utf8");
        resolve({ ...head, body: { text: () => Promise.resolve(text), dump: () => Promise.resolve() } });
      },
      onResponseError(_controller, error) {
        signal.removeEventListener("abort", abort);
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

function reasonOf({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new Error("the request was aborted", { cause: reason });
}
