// Draws graphs for pages, from any source: in a separate thread, one after the other, each within a time. The thread
// is there only while something is drawn, and a while after.
import { Worker } from "node:worker_threads";
import type { Clock, TimerHandle } from "../ports/clock.ts";
import { ownFolder, ownSuffix } from "../ports/own-folder.ts";
import { packedParts } from "../ports/packed-parts.ts";
import { systemClock } from "../ports/system-clock.ts";
import type { MachineGraph } from "../statechart/graph.ts";

/** Draws; see {@link createGraphDrawer}. */
export interface GraphDrawer {
  /** The drawing as SVG without a style sheet; undefined when the graph cannot be drawn within the limits. */
  draw(graph: MachineGraph): Promise<string | undefined>;
  /** Ends the thread; what is being drawn stays undrawn. */
  close(): void;
}

/** States and edges that are still drawn: beyond, nobody could read it. */
const mostStates = 300;
const mostEdges = 1_000;
/** Milliseconds, the start of the thread included. */
const longest = 20_000;
const idle = 30_000;
/** Drawings remembered. */
const remembered = 100;

const thread = new URL(`web/drawing-thread.${ownSuffix}`, ownFolder);

/** What a thread that begins with a built operator's own file is there for. */
export const drawingThread = "xstate-operator drawing";

/** A drawer; it holds nothing before the first drawing, and never keeps the process alive. */
export function createGraphDrawer(clock: Clock = systemClock): GraphDrawer {
  const drawings = new Map<string, Promise<string | undefined>>();
  let worker: Worker | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let rest: TimerHandle | undefined;

  function goOn(): void {
    if (rest !== undefined) clock.clearTimeout(rest);
    rest = undefined;
  }

  function end(): void {
    goOn();
    void worker?.terminate();
    worker = undefined;
  }

  async function drawNow(graph: MachineGraph): Promise<string | undefined> {
    goOn();
    worker ??= startThread();
    const drawn = await answerOf(worker, graph, clock);
    // What did not answer may still be at it.
    if (drawn === undefined) end();
    else rest = clock.setTimeout(end, idle);
    return drawn;
  }

  return {
    draw(graph) {
      if (graph.nodes.length > mostStates || graph.edges.length > mostEdges) {
        return Promise.resolve(undefined);
      }
      const key = JSON.stringify(graph);
      const drawing = drawings.get(key) ?? last.then(() => drawNow(graph));
      if (!drawings.has(key)) last = drawing.catch(() => undefined);
      drawings.delete(key);
      drawings.set(key, drawing);
      for (const oldest of drawings.keys()) {
        if (drawings.size <= remembered) break;
        drawings.delete(oldest);
      }
      return drawing;
    },
    close: end,
  };
}

function startThread(): Worker {
  const packed = packedParts();
  const options = { resourceLimits: { maxOldGenerationSizeMb: 256 } };
  const worker =
    packed === undefined
      ? new Worker(thread, options)
      : new Worker(packed.file, { ...options, workerData: drawingThread });
  // An error while nothing is asked of it has nobody to go to, and must not end the process.
  return worker.on("error", () => undefined);
}

/** What the thread says; undefined when it fails, or says nothing in time. */
function answerOf(worker: Worker, graph: MachineGraph, clock: Clock): Promise<string | undefined> {
  return new Promise((resolve) => {
    const answered = ({ drawing }: { readonly drawing?: string }): void => settle(drawing);
    const failed = (): void => settle(undefined);
    const settle = (drawing: string | undefined): void => {
      clock.clearTimeout(timer);
      worker.off("message", answered).off("error", failed).off("exit", failed);
      resolve(drawing);
    };
    const timer = clock.setTimeout(failed, longest);
    worker.on("message", answered).on("error", failed).on("exit", failed);
    worker.postMessage(graph, []);
    worker.unref();
  });
}
