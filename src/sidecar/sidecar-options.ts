// What a sidecar is configured with: by an application in Node, with functions, or by a file.
import type { Json } from "../meta/object.ts";
import type { Clock } from "../ports/clock.ts";
import type { Duration } from "../ports/duration.ts";
import type { Logger } from "../ports/logger.ts";

/** In which state the application is. */
export interface SidecarState {
  /** A word that the lifecycle knows. */
  readonly state: string;
  /** What else is worth knowing; default nothing. */
  readonly facts?: Readonly<Record<string, Json>>;
}

/** What the function of a task is given. */
export interface SidecarTaskCall {
  /** The idempotency key: the same for every attempt to begin this task. */
  readonly key: string;
  /** What the operator has sent along. */
  readonly input: Json | undefined;
  /** Aborted when the task is cancelled, its time is over, or the sidecar stops. */
  readonly signal: AbortSignal;
  /** Says how far it is: a part from 0 to 1, or `{ done, total, what }`. */
  readonly report: (progress: Json, message?: string) => void;
}

/** How the application's state is found out: a function, a command, or an address. */
export type SidecarProbe =
  | ((call: { readonly signal: AbortSignal }) => Promise<SidecarState> | SidecarState)
  | {
      /** Prints the state as JSON: `{"state": "Running", "facts": {…}}`; or its exit code is one of `exitCodes`. */
      readonly command: readonly string[];
      /** The state for each exit code; default the command prints it. */
      readonly exitCodes?: Readonly<Record<number, string>>;
    }
  | {
      /** Answers with the state as JSON. */
      readonly url: string;
    };

/** What does a task: a function, a command, or an address. */
export type SidecarTask =
  | ((call: SidecarTaskCall) => Promise<Json | void> | Json | void)
  | {
      /** Reads `{"key": …, "input": …}`; a line `{"progress": 0.4}` that it prints is its progress, `{"output": …}` its result. */
      readonly command: readonly string[];
      /** Default none. */
      readonly timeout?: Duration;
    }
  | {
      /** Is sent the input by `POST`, with the key as `Idempotency-Key`; the body of its answer is the result. */
      readonly url: string;
      /** Default none. */
      readonly timeout?: Duration;
    };

/** Options of `startSidecar`. */
export interface SidecarOptions {
  /** Where the records of tasks are kept: a folder that outlives the process, and that no other sidecar uses. */
  readonly directory: string;
  /** Default 9876. */
  readonly port?: number;
  /** Default 127.0.0.1; another address needs a token or client certificates. */
  readonly host?: string;
  /** A file with the bearer token that callers must show, read again when it changes; default none. */
  readonly tokenFile?: string;
  /** The server's certificate and key, and the authority that callers' certificates must come from; read again when they change. Default plain HTTP. */
  readonly tls?: { readonly certFile: string; readonly keyFile: string; readonly clientCaFile?: string };
  /** Default the sidecar knows no state. */
  readonly state?: SidecarProbe;
  /** How often the state is asked for; default 1 s. */
  readonly every?: Duration;
  /** What can be asked for, by name; default nothing. */
  readonly tasks?: Readonly<Record<string, SidecarTask>>;
  /** Tasks that run at the same time; more are refused for the time being. Default 4. */
  readonly maxTasks?: number;
  /** Bytes of a task's output that are kept; default 2048, which is what a status has room for. */
  readonly maxOutput?: number;
  /** Between SIGTERM and SIGKILL of a command that is ended; default 10 s. */
  readonly grace?: Duration;
  /** Default the system's. */
  readonly clock?: Clock;
  /** Default nothing is logged. */
  readonly log?: Logger;
}
