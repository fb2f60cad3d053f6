// One simulated process that takes part in an election, and that writes whenever it is told to.
import { createFencedClient } from "../../src/election/fenced-client.ts";
import { compileElectionOptions, type LeaseOptions } from "../../src/election/election-options.ts";
import {
  createLeaderElector,
  type ElectionEnd,
  type LeaderElector,
} from "../../src/election/leader-elector.ts";
import { ConfigMap } from "../../src/kinds/builtin/core.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Logger } from "../../src/ports/logger.ts";
import { silentLogger } from "../../src/ports/logger.ts";
import type { Metrics } from "../../src/ports/metrics.ts";
import { createLocalClock, type LocalClock } from "./local-clock.ts";
import type { LeaseServer } from "./lease-server.ts";

/** A process; see {@link startCandidate}. */
export interface Candidate {
  readonly name: string;
  readonly clock: LocalClock;
  readonly elector: LeaderElector;
  /** How it ended; undefined while it goes on. */
  end(): ElectionEnd | undefined;
  /** Writes through the fenced client; the error's code, or "written". */
  write(): Promise<string>;
}

/** What differs between candidates. */
export interface CandidateOptions extends LeaseOptions {
  readonly speed?: number;
  readonly offset?: number;
  readonly random?: () => number;
  readonly log?: Logger;
  readonly metrics?: Metrics;
}

/** Starts a process that wants to lead. */
export function startCandidate(
  server: LeaseServer,
  truth: Clock,
  name: string,
  {
    speed = 1,
    offset = 0,
    random = () => 0.5,
    log = silentLogger,
    metrics,
    ...options
  }: CandidateOptions = {},
): Candidate {
  const clock = createLocalClock(truth, speed, offset);
  const client = server.client(name, clock);
  const elector = createLeaderElector({
    ...compileElectionOptions(options, { namespace: "default", name: "operator" }),
    client,
    identity: name,
    fieldManager: "operator",
    clock,
    random,
    log,
    ...(metrics && { metrics }),
  });
  const fenced = createFencedClient(client, elector.term);
  let end: ElectionEnd | undefined;
  void elector.run().then((value) => (end = value));
  const data = { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace: "default", name: "data" } };
  return {
    name,
    clock,
    elector,
    end: () => end,
    write: () =>
      fenced.apply(ConfigMap, data, { fieldManager: name }).then(
        () => "written",
        (error: unknown) => String((error as { code?: unknown }).code),
      ),
  };
}
