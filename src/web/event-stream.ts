// Server-sent events: a response that stays open. A reader that is too slow is disconnected and reconnects automatically.
import type { ServerResponse } from "node:http";
import { commonHeaders } from "./web-answer.ts";

/** An open stream. */
export interface EventStream {
  /** Sends a value as JSON; nothing once it is closed. */
  send(name: string, value: unknown): void;
  /** Idempotent. */
  close(): void;
}

/** Bytes that may wait for a reader. */
const backlogLimit = 16 * 1024 * 1024;

/** Begins the answer; `onClose` is called once, whichever side ends it. */
export function openEventStream(response: ServerResponse, onClose: () => void): EventStream {
  response.writeHead(200, {
    ...commonHeaders,
    "content-type": "text/event-stream; charset=utf-8",
    "x-accel-buffering": "no",
  });
  // The reader's pause before it comes again: milliseconds.
  response.write("retry: 1000\n\n");
  response.once("close", onClose);
  response.on("error", () => response.destroy());
  return {
    send(name, value) {
      if (response.destroyed || response.writableEnded) return;
      if (response.writableLength > backlogLimit) {
        response.destroy();
        return;
      }
      response.write(`event: ${name}\ndata: ${JSON.stringify(value)}\n\n`);
    },
    close: () => void response.end(),
  };
}
