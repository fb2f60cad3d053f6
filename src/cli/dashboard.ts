// `--dashboard`: the dashboard of a process that runs an operator, opened before it, filled from its caches, closed after it.
import { InvalidArgumentError } from "commander";
import type { ControllerDefinition } from "../controller/declaration/define-controller.ts";
import type { OperatorDefinition } from "../controller/declaration/define-operator.ts";
import { controllerIndex } from "../controller/run/scoped-reader.ts";
import { sendHumanEvent } from "../controller/application/send-human-event.ts";
import type { Board } from "../dashboard/board.ts";
import type { BoardSource } from "../dashboard/board-source.ts";
import type { RunOptions, OperatorView } from "../manager/run-options.ts";
import { childOf } from "../kinds/builtin/child-of.ts";
import type { KubeObject } from "../meta/object.ts";
import { keyOf } from "../meta/object-key.ts";
import { typeKeyOf, type ResourceType } from "../meta/resource-type.ts";
import type { Logger } from "../ports/logger.ts";
import { systemClock } from "../ports/system-clock.ts";
import type { ShownHealth } from "../dashboard/shown-health.ts";
import { readEvents } from "./explain/read-surroundings.ts";
import { readPackage } from "./package-info.ts";
import type { ProcessSecrets } from "./process-secrets.ts";
import type { Terminal } from "./terminal.ts";
import { webToken } from "./web-token.ts";

/** The running dashboard of a process. */
export interface RunningDashboard {
  /** What the operator is run with, so that the dashboard can show it. */
  readonly options: Pick<RunOptions, "journal" | "onStart" | "onSynced">;
  close(): Promise<void>;
}

/** What {@link startDashboardFor} needs. */
export interface DashboardChoice {
  readonly operator: OperatorDefinition;
  /** 0: any free one. */
  readonly port: number;
  /** Human events may be sent from the page. */
  readonly allowEvents: boolean;
}

/** The field manager of events that are sent from the page. */
const fieldManager = "xstate-operator-dashboard";

/** Reads the port of `--dashboard`. */
export function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new InvalidArgumentError("It must be a port from 0 to 65535.");
}

/** Starts the dashboard and says where it is. **Errors**: `BIND_FAILED`, `PACKAGE_MISSING`. */
export async function startDashboardFor(
  terminal: Terminal,
  choice: DashboardChoice,
  log: Logger,
  secrets: ProcessSecrets,
): Promise<RunningDashboard> {
  const { operator, port } = choice;
  const { Board } = await import("../dashboard/board.ts");
  const { RunLog } = await import("../dashboard/run-log.ts");
  const { startDashboard } = await import("../dashboard/dashboard-server.ts");
  const board: Board = new Board({ now: () => systemClock.now(), sanitize: (value) => sanitize(value) });
  const sanitize = secrets.sanitizer((found) => board.isName(found));
  const runs = new RunLog();
  const { version } = readPackage();
  let health: () => ShownHealth | undefined = () => undefined;
  const server = await startDashboard({
    board,
    runs,
    health: () => health(),
    title: operator.name,
    port,
    clock: systemClock,
    log,
    sanitize,
    ...webToken(terminal),
  });
  terminal.err(`dashboard: ${server.url}\n`);
  return {
    options: {
      journal: runs,
      onStart: (tell) => {
        health = () => ({ ...tell(), version });
      },
      onSynced: (view) => fill(board, view, choice),
    },
    close: () => server.close(),
  };
}

function fill(board: Board, view: OperatorView, { operator, allowEvents }: DashboardChoice): void {
  for (const controller of operator.controllers) board.add(sourceOf(controller, view, allowEvents));
}

function sourceOf(
  { kind, options }: ControllerDefinition,
  { cache, client }: OperatorView,
  allowEvents: boolean,
): BoardSource {
  const informersOf = (type: ResourceType) =>
    cache.informers.filter((informer) => typeKeyOf(informer.type) === typeKeyOf(type));
  const informers = informersOf(kind);
  const owned = options.owns ?? [];
  return {
    type: kind,
    ...(kind.lifecycle === undefined ? {} : { graph: kind.lifecycle.index.graph }),
    list: () => informers.flatMap((informer) => (informer.hasSynced ? informer.lister.list() : [])),
    subscribe: (listener) => {
      const subscriptions = informers.map((informer) =>
        informer.changes$.subscribe((change) => listener(change.object, change.type === "deleted")),
      );
      return () => {
        for (const subscription of subscriptions) subscription.unsubscribe();
      };
    },
    childrenOf: ({ metadata: { uid } }) =>
      owned.flatMap((type) =>
        informersOf(type)
          .filter((informer) => informer.hasSynced)
          .flatMap((informer) => informer.lister.byIndex(controllerIndex, uid))
          .map((child) => childOf(type.kind, child, uid)),
      ),
    eventsOf: (object, signal) => readEvents(client, object, signal),
    ...(allowEvents
      ? {
          sendEvent: async (object: KubeObject, event: string) => {
            const typed = `${kind.kind.toLowerCase()}/${object.metadata.name}`;
            const key = keyOf(object);
            await sendHumanEvent({ client, type: kind, key, typed, event, fieldManager, clock: systemClock });
          },
        }
      : {}),
  };
}
