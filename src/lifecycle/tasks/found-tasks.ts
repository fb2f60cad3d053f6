// Runs of tasks found again by what they have started, when their records are lost: an object that is named by a task's key
// proves that this attempt was intended once. Pure; read by restore.ts, before anything is started again.
import type { Lifecycle } from "../graph/compile-lifecycle.ts";
import { readTaskKey } from "./task-key.ts";
import type { TaskRecord } from "./task-record.ts";
import type { Tasks } from "./tasks.ts";

/**
 * The newest run of each invoke among these names, as records to be looked at and never to be started.
 * A name that is no key of this resource says nothing.
 */
export function foundTasks(lifecycle: Lifecycle, names: readonly string[], uid: string): Tasks {
  const invokes = lifecycle.index.graph.nodes.flatMap((node) => node.invokes);
  const found: Record<string, TaskRecord> = {};
  for (const name of names) {
    for (const { id, src } of invokes) {
      const identity = readTaskKey(name, { uid, id });
      if (identity === undefined) continue;
      const { entry, attempt } = identity;
      const before = found[id];
      const isNewer =
        before === undefined || entry > before.entry || (entry === before.entry && attempt > before.attempt);
      if (isNewer) found[id] = { src, key: name, entry, attempt, phase: "Intended", lost: true };
    }
  }
  return found;
}

/** Those of the last state that had any: what was under way when the records were lost. */
export function lastFound(found: Tasks): Tasks {
  const last = Math.max(...Object.values(found).map((task) => task.entry));
  return Object.fromEntries(Object.entries(found).filter(([, task]) => task.entry === last));
}

/** Path of the state in which a found task may still run; undefined when all have ended. */
export function stateOfFound(lifecycle: Lifecycle, tasks: Tasks): string | undefined {
  const open = Object.entries(tasks).filter(([, { phase }]) => phase === "Intended" || phase === "Running");
  return lifecycle.index.graph.nodes.find((node) =>
    node.invokes.some(({ id, src }) => open.some(([name, task]) => name === id && task.src === src)),
  )?.path;
}
