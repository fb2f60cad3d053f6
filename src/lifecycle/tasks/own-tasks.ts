// Which stored task records are of this resource. A key says of which task of which resource a run is: with one of another,
// that one's run would be looked at, cancelled and undone.
import type { Lifecycle } from "../graph/compile-lifecycle.ts";
import { damage } from "../values/damage.ts";
import type { Problem } from "../../ports/problem.ts";
import { readTaskKey } from "./task-key.ts";
import type { TaskRecord } from "./task-record.ts";
import type { Tasks } from "./tasks.ts";

/** The records all of whose keys are their own; the others are reported among the problems. */
export function ownTasks(lifecycle: Lifecycle, tasks: Tasks, uid: string, problems: Problem[]): Tasks {
  const invokes = lifecycle.index.graph.nodes.flatMap((node) => node.invokes.map(({ id }) => id));
  const own = Object.entries(tasks).filter(([name, task]) => {
    // What is ended after its state was left is kept under its key.
    const ids = task.id !== undefined ? [task.id] : name === task.key ? invokes : [name];
    const isOwn = ids.some((id) => areKeysOf(task, { uid, id }));
    if (!isOwn)
      problems.push(damage(`tasks.${name} has a key of another task, "${task.key}", and is not used`));
    return isOwn;
  });
  return own.length === Object.keys(tasks).length ? tasks : Object.fromEntries(own);
}

function areKeysOf(
  { key, earlier = [], entry, attempt }: TaskRecord,
  owner: { readonly uid: string; readonly id: string },
): boolean {
  const own = readTaskKey(key, owner);
  const areEarlier = earlier.every((each) => {
    const before = readTaskKey(each, owner);
    return before !== undefined && before.entry === entry && before.attempt < attempt;
  });
  return own?.entry === entry && own.attempt === attempt && areEarlier;
}
