// The life of the list-watch of one kind: list once, then watch; what leads where when the stream ends, drops or expires.
// src/cache/reflector.ts gives each state its worker; what the worker met is the event that leads on.
import { assign, setup } from "xstate";

/** What a worker of the list-watch may meet. */
export type WatchEvent =
  /** The streaming list is complete; its stream goes on as the watch. */
  | { type: "watch.synced" }
  /** The paged list is complete. */
  | { type: "watch.listed" }
  /** The server refuses streaming lists. */
  | { type: "watch.unsupported" }
  /** The server began a streaming list but never said that it is complete. */
  | { type: "watch.unfinished" }
  /** The server ended the stream before its list was complete, as when it shuts down: that says nothing about the next one. */
  | { type: "watch.interrupted" }
  /** A list failed. */
  | { type: "watch.failed"; retryAfter?: number }
  /** The server ended the watch, as it does every few minutes. `healthy`: after it had lasted a while. */
  | { type: "watch.ended"; healthy: boolean }
  /** The watch broke: refused, reset, silent or unreadable. */
  | { type: "watch.dropped"; healthy: boolean; retryAfter?: number }
  /** The server has forgotten the resourceVersion to resume from (410). */
  | { type: "watch.expired"; healthy: boolean }
  /** Nothing ever came on the watch, or the server is at a version before what was seen: the cache may be wrong. */
  | { type: "watch.doubted"; healthy: boolean }
  /** The type is not served any more, or not to this account. */
  | { type: "watch.refused"; healthy: boolean }
  /** The wait is over. */
  | { type: "watch.retry" }
  | { type: "watch.stop" };

/** What the list-watch remembers from state to state. */
export interface WatchContext {
  /** False once the server turned out not to finish streaming lists. */
  streaming: boolean;
  /** True while there is a resourceVersion from which a watch can resume. */
  resumable: boolean;
  /** Failures in a row; a stream that lasted a while ends the row. */
  failures: number;
  /** Milliseconds that the server asked to be left alone; 0 for none. */
  retryAfter: number;
}

/**
 * The list-watch of one kind. It goes round for ever: only `watch.stop` leads to the end, and no failure does.
 *
 * A dropped stream resumes from the last resourceVersion; one that is expired (410) or on which nothing ever came, or whose
 * server was set back to an earlier state, lists again.
 */
export const watchMachine = setup({
  types: {
    context: {} as WatchContext,
    events: {} as WatchEvent,
    input: {} as { streaming: boolean },
  },
  guards: {
    isHealthy: ({ event }) => "healthy" in event && event.healthy,
    canResume: ({ context }) => context.resumable,
    canStream: ({ context }) => context.streaming,
  },
  actions: {
    countFailure: assign({
      failures: ({ context, event }) => ("healthy" in event && event.healthy ? 1 : context.failures + 1),
      retryAfter: ({ event }) => ("retryAfter" in event ? (event.retryAfter ?? 0) : 0),
    }),
    forgetFailures: assign({ failures: 0, retryAfter: 0 }),
    canResumeFromHere: assign({ resumable: true }),
    mustListAgain: assign({ resumable: false }),
    stopStreaming: assign({ streaming: false }),
  },
}).createMachine({
  id: "watch",
  description: "The list-watch of one kind.",
  context: ({ input }) => ({
    streaming: input.streaming,
    resumable: false,
    failures: 0,
    retryAfter: 0,
  }),
  initial: "choosing",
  options: { maxIterations: 100 },
  states: {
    choosing: {
      description:
        "Decides how to continue: resume the watch, or list again, streaming if the server supports it.",
      always: [
        { guard: "canResume", target: "watching", description: "From the last resourceVersion." },
        { guard: "canStream", target: "streamingList", description: "List and watch in one request." },
        { target: "listing", description: "Page by page." },
      ],
    },
    streamingList: {
      description:
        "One request: the server sends the existing objects, marks the end of the list, and continues with changes.",
      on: {
        "watch.synced": {
          target: "watching",
          actions: "canResumeFromHere",
          description: "The list is complete; the same stream continues.",
        },
        "watch.unsupported": {
          target: "listing",
          actions: "stopStreaming",
          description: "The server does not support it.",
        },
        "watch.unfinished": {
          target: "listing",
          actions: "stopStreaming",
          description: "The bookmark that ends the list did not arrive.",
        },
        "watch.interrupted": {
          target: "listing",
          description: "The server ended the stream before its list was complete: page by page this time.",
        },
        "watch.failed": { target: "backingOff", actions: "countFailure", description: "Retry later." },
        "watch.stop": { target: "stopped", description: "Stopped while listing: no watch is opened." },
      },
    },
    listing: {
      description: "Lists the existing objects, page by page.",
      on: {
        "watch.listed": {
          target: "watching",
          actions: "canResumeFromHere",
          description: "The watch starts at the list's resourceVersion.",
        },
        "watch.failed": { target: "backingOff", actions: "countFailure", description: "Retry later." },
        "watch.stop": { target: "stopped", description: "Stopped while listing: no watch is opened." },
      },
    },
    watching: {
      description: "Receives changes as they happen.",
      on: {
        "watch.ended": [
          {
            guard: "isHealthy",
            target: "watching",
            reenter: true,
            actions: "forgetFailures",
            description: "The server's time limit: resume immediately.",
          },
          {
            target: "backingOff",
            actions: "countFailure",
            description: "Ended as soon as it was open: resume after a pause.",
          },
        ],
        "watch.dropped": {
          target: "backingOff",
          actions: "countFailure",
          description: "Resume from the last resourceVersion after a pause.",
        },
        "watch.expired": [
          {
            guard: "isHealthy",
            target: "choosing",
            actions: ["forgetFailures", "mustListAgain"],
            description: "Too old to resume: list again.",
          },
          {
            target: "backingOff",
            actions: ["countFailure", "mustListAgain"],
            description: "Too old as soon as it was open: list again after a pause.",
          },
        ],
        "watch.doubted": {
          target: "backingOff",
          actions: ["countFailure", "mustListAgain"],
          description: "Mute, or the server was set back to an earlier state: list again after a pause.",
        },
        "watch.refused": {
          target: "backingOff",
          actions: ["countFailure", "mustListAgain"],
          description: "The type is no longer served, or not to this account: list again after a pause.",
        },
        "watch.stop": { target: "stopped", description: "Stopped; the stream is closed." },
      },
    },
    backingOff: {
      description:
        "A pause that doubles with each failure in a row, with jitter, at least as long as the server asks.",
      on: {
        "watch.retry": { target: "choosing", description: "Retry." },
        "watch.stop": { target: "stopped", description: "Stopped while waiting." },
      },
    },
    stopped: { type: "final", description: "No request is open." },
  },
});
