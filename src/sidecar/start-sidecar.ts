// Joins the parts of a sidecar.
import type { AddressInfo } from "node:net";
import type { Server as TlsServer } from "node:https";
import { toMilliseconds } from "../ports/duration.ts";
import { silentLogger } from "../ports/logger.ts";
import { messageOf, OperatorError } from "../ports/operator-error.ts";
import { systemClock } from "../ports/system-clock.ts";
import { sleep } from "../ports/clock.ts";
import { Access } from "./access.ts";
import { sidecarProblems } from "./check-options.ts";
import type { SidecarOptions } from "./sidecar-options.ts";
import { createSidecarServer } from "./sidecar-server.ts";
import { SidecarTasks } from "./sidecar-tasks.ts";
import { StateWatch } from "./state-watch.ts";

/** A sidecar that runs. */
export interface Sidecar {
  /** Where it answers. */
  readonly url: string;
  /** Says that the application may be in another state now: it is asked at once. */
  changed(): void;
  /** Ends tasks and connections. Idempotent. */
  stop(): Promise<void>;
}

/** Milliseconds between two signs of life on a stream of events. */
const heartbeat = 10_000;
/** Milliseconds between two looks at the files of tokens and certificates. */
const rereadAfter = 2_000;

/**
 * Serves an application's state and tasks to its operator.
 *
 * **Guarantees**: a task is begun at most once for each key, whatever crashes; what ran when the process went down has failed, and
 * says so. The state is known to whoever listens as soon as it is known here.
 * **Errors**: `SIDECAR_OPTIONS_INVALID`, `SIDECAR_FILE_UNREADABLE`, those of listening, and of the folder.
 *
 * @example
 * const sidecar = await startSidecar({
 *   directory: "/var/lib/shop/sidecar",
 *   state: () => ({ state: shop.isOpen ? "Running" : "Down" }),
 *   tasks: { reindex: ({ input, report, signal }) => shop.reindex(input, { report, signal }) },
 * });
 */
export async function startSidecar(options: SidecarOptions): Promise<Sidecar> {
  const problems = sidecarProblems(options);
  if (problems.length > 0) throw wrongOptions(problems.join("; "));
  const {
    directory,
    host = "127.0.0.1",
    port = 9_876,
    tls,
    tokenFile,
    state: probe,
    tasks: offered = {},
  } = options;
  const { clock = systemClock, log = silentLogger, maxTasks = 4, maxOutput = 2_048 } = options;
  if (
    !/^(?:127\.|::1$|localhost$)/.test(host) &&
    tokenFile === undefined &&
    tls?.clientCaFile === undefined
  ) {
    throw wrongOptions(
      `a sidecar at ${host} would obey everybody: it needs a tokenFile, or tls with a clientCaFile`,
    );
  }
  const access = new Access({
    ...(tokenFile === undefined ? {} : { tokenFile }),
    ...(tls === undefined ? {} : { tls }),
  });
  const certificates = await access.read();
  const grace = toMilliseconds(options.grace ?? "10s");
  const tasks = new SidecarTasks({
    directory,
    tasks: offered,
    maxTasks,
    maxOutput,
    grace,
    clock,
    log,
    onChange: (record) => served.publish("task", record),
  });
  const state =
    probe === undefined
      ? undefined
      : new StateWatch({
          probe,
          every: toMilliseconds(options.every ?? "1s"),
          clock,
          log,
          onChange: (report) => served.publish("state", report),
        });
  const clientCertificates = tls?.clientCaFile !== undefined;
  const served = createSidecarServer({ access, tasks, state, log }, certificates, { clientCertificates });
  await tasks.load();
  await new Promise<void>((resolve, reject) => {
    served.server.once("error", reject);
    served.server.listen(port, host, resolve);
  });
  const abort = new AbortController();
  const reread = async (): Promise<void> => {
    while (!abort.signal.aborted) {
      await sleep(clock, rereadAfter, abort.signal);
      try {
        const renewed = await access.read();
        if (renewed !== undefined) (served.server as TlsServer).setSecureContext(renewed);
      } catch (error) {
        log.warn(
          { error: messageOf(error) },
          "a file cannot be read again: what it said before still counts",
        );
      }
    }
  };
  const beat = async (): Promise<void> => {
    while (!abort.signal.aborted) {
      await sleep(clock, heartbeat, abort.signal);
      served.beat();
    }
  };
  const background = [
    beat(),
    ...(tokenFile === undefined && tls === undefined ? [] : [reread()]),
    ...(state === undefined ? [] : [state.run(abort.signal)]),
  ];
  const { port: bound } = served.server.address() as AddressInfo;
  let stopped: Promise<void> | undefined;
  return {
    url: `${tls === undefined ? "http" : "https"}://${host.includes(":") ? `[${host}]` : host}:${bound}`,
    changed: () => void state?.ask(abort.signal),
    stop() {
      stopped ??= (async () => {
        abort.abort(new Error("the sidecar stops"));
        const done = new AbortController();
        // A function that ignores its signal is not waited for.
        await Promise.race([tasks.stop(), sleep(clock, grace + 1_000, done.signal)]);
        done.abort();
        await Promise.all([served.close(), ...background]);
      })();
      return stopped;
    },
  };
}

function wrongOptions(what: string): OperatorError {
  return new OperatorError("SIDECAR_OPTIONS_INVALID", `startSidecar: ${what}`, {
    remedy: "Correct the options, or the file that they come from.",
  });
}
