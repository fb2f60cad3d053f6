// A status into which somebody has copied a task's key: a run of another resource, or of another task, is never acted on.
import { describe, expect, it } from "vitest";
import { taskKeyOf } from "../../src/lifecycle/tasks/task-key.ts";
import type { TaskRecord } from "../../src/lifecycle/tasks/task-record.ts";
import { digestOf } from "../../src/lifecycle/stored/snapshot.ts";
import { databaseLifecycle } from "./database-lifecycle.ts";
import { Life } from "./life.ts";

/** In the middle of a backup, which is undone when it does not succeed. */
function servicing(): Life {
  const policies = { backUp: { attempts: 3, compensates: true } } as const;
  const life = new Life(databaseLifecycle, { policies });
  life.observed = "Running";
  life.settle();
  life.ask("Servicing", "nightly");
  life.settle();
  expect(life.state).toBe("Servicing");
  expect(life.task.phase).toBe("Running");
  return life;
}

/** Somebody writes into the records; with the digest, as nothing but the keys tells it then. */
function write(life: Life, record: Partial<TaskRecord>, withDigest: boolean): void {
  const { status } = life;
  if (status === undefined) throw new Error("no status yet");
  const tasks = Object.fromEntries(
    Object.entries(status.tasks).map(([id, task]) => [id, { ...task, ...record }] as const),
  );
  const edited = { ...status, tasks };
  life.store(withDigest ? { ...edited, digest: digestOf(edited) } : edited);
}

const other = taskKeyOf({ uid: "another-resource", id: "backup", entry: 3, attempt: 1 });
const key = taskKeyOf({ uid: new Life(databaseLifecycle).input().uid, id: "restore", entry: 3, attempt: 1 });
const foreign: readonly (readonly [string, Partial<TaskRecord>])[] = [
  ["a key of another resource", { key: other }],
  ["a whole record of another resource", { key: other, entry: 3, attempt: 1, handle: "theirs" }],
  ["a key of another task", { key, entry: 3 }],
  ["a key that is none", { key: "zzz" }],
  ["a key of another attempt", { attempt: 2 }],
  ["an earlier key of another resource", { attempt: 1, earlier: [other] }],
  ["another task's id", { id: "restore" }],
];

describe.each([true, false])("a status that somebody has edited (%s: its digest too)", (withDigest) => {
  it.each(foreign)("is not acted on where it has %s, and says so", (_, record) => {
    const life = servicing();
    const own = life.task.key;
    write(life, record, withDigest);
    const [plan] = life.settle();
    const named = record.key ?? own;
    expect(plan?.problems.map(({ message }) => message)).toContain(
      `tasks.backup has a key of another task, "${named}", and is not used`,
    );
    life.send("abort");
    life.settle();
    life.pass("1h");
    life.settle();
    expect(life.state).toBe("Running");
    const acted = [...life.cancels, ...life.compensations, ...life.starts];
    expect(acted.filter((each) => each !== own)).toEqual([]);
  });
});

it("goes on with the run of its own that a foreign key has hidden, and starts no second one", () => {
  const life = servicing();
  const own = life.task.key;
  life.children = [own];
  write(life, { key: other, entry: 3 }, true);
  life.settle();
  expect(life.task).toMatchObject({ key: own, phase: "Running" });
  life.finish();
  life.settle();
  expect(life.status?.target).toMatchObject({ request: "nightly", reached: true });
  expect(life.starts).toEqual([own]);
});

it("takes every record of its own: later attempts, cancelled, undone, left behind", () => {
  const life = servicing();
  life.finish({ phase: "Failed", message: "no room" });
  life.settle();
  life.pass("1m");
  life.settle();
  expect(life.task).toMatchObject({ phase: "Running", attempt: 2, earlier: [life.starts[0]] });
  life.clumsy = true;
  life.send("abort");
  for (let round = 0; round < 20; round += 1) {
    life.cycle();
    life.pass("1m");
  }
  expect(life.ends).toEqual([
    `cancel ${life.starts[1]}`,
    `compensate ${life.starts[1]}`,
    `compensate ${life.starts[1]}`,
  ]);
  expect(life.status?.tasks).toEqual({});
  expect(life.plans.flatMap(({ problems }) => problems)).toEqual([]);
});
