// One process of an operator in a simulation: the runtime's own cache, queue, workers, pipeline and lifecycle, on a client
// without sockets and a clock that stands still. It can be killed at any write; the next process finds what it left.
import { createSharedCache } from "../../cache/shared-cache.ts";
import { createCoreClient } from "../../cluster/api/in-process/core-client.ts";
import type { ApiCore } from "../../cluster/api/api-core.ts";
import { createController, type Controller } from "../../controller/controller.ts";
import type { Transition } from "../../controller/application/transition.ts";
import type { OperatorDefinition } from "../../controller/declaration/define-operator.ts";
import { createEventRecorder } from "../../events/event-recorder.ts";
import { formatKey, type ObjectKey } from "../../meta/object-key.ts";
import { monotonicNow, type Clock, type TimerHandle } from "../../ports/clock.ts";
import type { Logger } from "../../ports/logger.ts";
import type { Random } from "../../ports/random.ts";
import { mortalClient, type DeathMoment, type SimulatedWrite } from "./mortal-client.ts";

/** Whether the process lives; given to what an author's functions would do in it. */
export interface Liveness {
  isAlive(): boolean;
}

/** Options of {@link startOperatorProcess}. */
export interface OperatorProcessOptions {
  readonly core: ApiCore;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** The operator, made again for each process: a dead one must no longer act on the application. */
  readonly operator: (process: Liveness) => OperatorDefinition;
  /** Decides at each write whether the process is killed there; default never. */
  readonly dies?: (write: SimulatedWrite, moment: DeathMoment) => boolean;
  /** Called with every write that was stored. */
  readonly onWrite?: (write: SimulatedWrite) => void;
  /** Called with every move of an application that was stored. */
  readonly onTransition?: (transition: Transition) => void;
  /** Called once, when the process has been killed. */
  readonly onDeath?: () => void;
}

/** A process of an operator. */
export interface OperatorProcess extends Liveness {
  /** Ends it at once, as SIGKILL would. Idempotent. */
  kill(): void;
  /** Has every controller look at the object. */
  reconcile(key: ObjectKey): void;
}

/** Starts a process; resolves when its caches are complete and its workers run. */
export async function startOperatorProcess(options: OperatorProcessOptions): Promise<OperatorProcess> {
  const { core, random, log } = options;
  const end = new AbortController();
  const controllers: Controller[] = [];
  const timers = new Set<TimerHandle>();
  let alive = true;
  const process: OperatorProcess = {
    isAlive: () => alive,
    kill() {
      if (!alive) return;
      alive = false;
      for (const timer of timers) options.clock.clearTimeout(timer);
      end.abort(new Error("the process was killed"));
      for (const controller of controllers) controller.abort();
      options.onDeath?.();
    },
    reconcile: (key) => {
      for (const { queue } of controllers) queue.add(formatKey(key), { cause: { reason: "resync" } });
    },
  };
  const clock: Clock = {
    now: () => options.clock.now(),
    monotonic: () => monotonicNow(options.clock),
    setTimeout: (callback, milliseconds) => {
      // A timer of a dead process never fires.
      if (!alive) return {};
      const timer = options.clock.setTimeout(() => {
        timers.delete(timer);
        callback();
      }, milliseconds);
      timers.add(timer);
      return timer;
    },
    clearTimeout: (timer) => {
      timers.delete(timer);
      options.clock.clearTimeout(timer);
    },
  };
  const definition = options.operator(process);
  const client = mortalClient(createCoreClient({ core, userAgent: definition.name }), {
    isAlive: () => process.isAlive(),
    kill: () => process.kill(),
    dies: options.dies ?? (() => false),
    onWrite: options.onWrite ?? (() => undefined),
  });
  const cache = createSharedCache({ client, clock, random, log });
  const events = createEventRecorder({
    client,
    clock,
    component: definition.name,
    instance: `${definition.name}-simulated`,
    log,
  });
  for (const controller of definition.controllers) {
    controllers.push(
      createController({
        definition: controller,
        operator: definition.name,
        ...(definition.formerNames === undefined ? {} : { formerNames: definition.formerNames }),
        client,
        cache,
        events,
        namespaces: [],
        clock,
        random,
        log,
        ...(options.onTransition === undefined ? {} : { onTransition: options.onTransition }),
      }),
    );
  }
  cache.start(end.signal);
  await cache.whenSynced(end.signal);
  for (const controller of controllers) controller.run().catch(() => process.kill());
  return process;
}
