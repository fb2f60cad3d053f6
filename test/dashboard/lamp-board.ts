// A dashboard over lamps that a test changes by hand.
import { Board } from "../../src/dashboard/board.ts";
import type { BoardSource } from "../../src/dashboard/board-source.ts";
import { startDashboard, type Dashboard } from "../../src/dashboard/dashboard-server.ts";
import { RunLog } from "../../src/dashboard/run-log.ts";
import type { ShownHealth } from "../../src/dashboard/shown-health.ts";
import type { ObjectEvent } from "../../src/explain/explanation.ts";
import { compileLifecycle } from "../../src/lifecycle/graph/compile-lifecycle.ts";
import { redact } from "../../src/manager/redaction.ts";
import type { KubeObject } from "../../src/meta/object.ts";
import { silentLogger } from "../../src/ports/logger.ts";
import { systemClock } from "../../src/ports/system-clock.ts";
import { setupLifecycle } from "../../machines/lifecycle-machine.ts";

const lifecycle = compileLifecycle(
  setupLifecycle({ guards: { isSafe: () => true } }).createMachine({
    id: "lamp",
    version: "1",
    initial: "Off",
    states: {
      Off: { on: { "desired.On": "On", "desired.End": "End" } },
      On: { on: { "desired.Off": "Off", "observed.Broken": "Repairing" } },
      Repairing: { on: { "human.retry": "On", "observed.On": { target: "On", guard: "isSafe" } } },
      End: { type: "final" },
    },
  }),
);

/** A dashboard under test. */
export interface LampBoard extends Dashboard {
  readonly board: Board;
  readonly runs: RunLog;
  /** Human events that were sent, as `name event`. */
  readonly sent: string[];
  /** Puts lamps on the board, or changes them. */
  put(...lamps: readonly KubeObject[]): void;
  remove(lamp: KubeObject): void;
  /** Ends the start, with `isStarting`: until then nothing is known of lamps. */
  begin(): void;
}

/** Options of {@link startLampBoard}. */
export interface LampBoardOptions {
  readonly port?: number;
  readonly token?: string;
  readonly allowEvents?: boolean;
  readonly events?: readonly ObjectEvent[];
  /** Default: nothing is told of the operator. */
  readonly health?: () => ShownHealth | undefined;
  /** The operator's caches are not complete yet. */
  readonly isStarting?: boolean;
}

/** Starts one. */
export async function startLampBoard(options: LampBoardOptions = {}): Promise<LampBoard> {
  const board = new Board({ now: () => systemClock.now(), sanitize: redact });
  const runs = new RunLog();
  const sent: string[] = [];
  let tell: (object: KubeObject, gone: boolean) => void = () => undefined;
  const source: BoardSource = {
    type: { group: "home.example.com", version: "v1", kind: "Lamp", plural: "lamps", namespaced: true },
    graph: lifecycle.chart.graph,
    list: () => [],
    subscribe: (listener) => {
      tell = listener;
      return () => undefined;
    },
    childrenOf: () => [],
    eventsOf: () => Promise.resolve(options.events ?? []),
    ...(options.allowEvents === true
      ? {
          sendEvent: (object: KubeObject, event: string) => {
            sent.push(`${object.metadata.name} ${event}`);
            return event === "retry" ? Promise.resolve() : Promise.reject(new Error(`"${event}" is refused`));
          },
        }
      : {}),
  };
  if (options.isStarting !== true) board.add(source);
  const dashboard = await startDashboard({
    board,
    runs,
    ...(options.health === undefined ? {} : { health: options.health }),
    title: "lamp-operator",
    port: options.port ?? 0,
    clock: systemClock,
    log: silentLogger,
    sanitize: redact,
    ...(options.token === undefined ? {} : { token: options.token }),
  });
  return {
    ...dashboard,
    board,
    runs,
    sent,
    put: (...lamps) => lamps.forEach((lamp) => tell(lamp, false)),
    remove: (lamp) => tell(lamp, true),
    begin: () => board.add(source),
  };
}
