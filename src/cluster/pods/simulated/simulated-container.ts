// One instance of a simulated container: a state, and timers of the injected clock.
import type { Clock, TimerHandle } from "../../../ports/clock.ts";
import type { ContainerEvents, ContainerExit, StartedContainer } from "../container-backend.ts";
import type { SimulatedBehaviour } from "./simulated-behaviour.ts";

/** What {@link SimulatedContainer} needs. */
export interface SimulatedContainerOptions {
  readonly id: string;
  readonly clock: Clock;
  readonly events: ContainerEvents;
  /** Milliseconds until an exit for which the behaviour names no time. */
  readonly exitAfter: number;
}

/** A container that does what a script says; behaviours can be changed while it runs. */
export class SimulatedContainer implements StartedContainer {
  readonly id: string;
  readonly exited: Promise<ContainerExit>;
  #clock: Clock;
  #events: ContainerEvents;
  #exitAfter: number;
  #behaviour: SimulatedBehaviour = {};
  #timers = new Set<TimerHandle>();
  #exit: (exit: ContainerExit) => void;

  constructor(options: SimulatedContainerOptions) {
    this.id = options.id;
    this.#clock = options.clock;
    this.#events = options.events;
    this.#exitAfter = options.exitAfter;
    const { promise, resolve } = Promise.withResolvers<ContainerExit>();
    this.exited = promise;
    this.#exit = resolve;
  }

  /** Takes on a behaviour from now on. */
  behave(behaviour: SimulatedBehaviour): void {
    this.#clearTimers();
    this.#behaviour = behaviour;
    const { readyAfter = 0, neverReady = false, exit } = behaviour;
    if (neverReady || readyAfter > 0) this.#events.ready(false);
    if (!neverReady) this.#after(readyAfter, () => this.#events.ready(true));
    if (exit === undefined) return;
    const { code: exitCode, message, reason } = exit;
    this.#after(exit.after ?? this.#exitAfter, () =>
      this.#end({
        exitCode,
        ...(message === undefined ? {} : { message }),
        ...(reason === undefined ? {} : { reason }),
      }),
    );
  }

  terminate(): void {
    this.#after(this.#behaviour.endAfter ?? 0, () => this.#end({ exitCode: 143, signal: 15 }));
  }

  kill(): void {
    this.#end({ exitCode: 137, signal: 9 });
  }

  /** Simulated containers answer every question with yes. */
  check(): Promise<boolean> {
    return Promise.resolve(true);
  }

  #end(exit: ContainerExit): void {
    this.#clearTimers();
    this.#exit(exit);
  }

  #after(milliseconds: number, callback: () => void): void {
    if (milliseconds <= 0) return callback();
    const timer = this.#clock.setTimeout(() => {
      this.#timers.delete(timer);
      callback();
    }, milliseconds);
    this.#timers.add(timer);
  }

  #clearTimers(): void {
    for (const timer of this.#timers) this.#clock.clearTimeout(timer);
    this.#timers.clear();
  }
}
