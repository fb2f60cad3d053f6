// Of a stored status that is damaged, what is not is read: a damaged field takes nothing with it that is whole by itself.
import { describe, expect, it } from "vitest";
import { readStatus, type StoredStatus } from "../../src/lifecycle/stored/read-status.ts";
import { digestOf } from "../../src/lifecycle/stored/snapshot.ts";

const at = "2026-01-01T00:00:00.000Z";

/** A status with every field that there is. */
const whole = {
  state: "Running",
  since: at,
  plan: ["Servicing", "Running"],
  graph: "database@1",
  snapshot: {
    graph: "database@1",
    value: "Running",
    context: { copies: 1, note: null },
    history: { "Running:last": ["Running:Idle"] },
    entry: 3,
  },
  target: {
    state: "Servicing",
    request: "",
    generation: 2,
    reached: false,
    entered: true,
    outcome: "failed",
    cause: "disk full",
    failures: 1,
    notBefore: at,
    waiting: [{ state: "Stopping", request: "weekly", generation: 3 }],
  },
  tasks: {
    backup: {
      src: "backUp",
      key: "backup-3-1",
      entry: 3,
      attempt: 1,
      phase: "Running",
      handle: null,
      startedAt: at,
      progress: 0.5,
      message: "half",
      hanging: { hook: "observe", since: at },
      earlier: ["backup-2-1"],
    },
    other: { src: "other", key: "other-3-1", entry: 3, attempt: 1, phase: "Succeeded", output: { rows: 7 } },
  },
  timers: {
    "xstate.after.limit": { state: "Running", delay: "limit", due: at },
    "xstate.after.retry": { state: "Running", delay: "retry", due: at, delivered: true },
  },
  config: { generation: 2, hash: "a", fields: { size: "b" }, edits: [{ hash: "c", changed: ["size"] }] },
  human: { event: "abort", id: "1", by: "kubectl", accepted: true, message: "asked for" },
  paused: { at, by: "kubectl" },
  last: { from: "Start", event: "begin", cause: "the resource is new" },
  output: ["done"],
};

type Path = readonly (string | number)[];

/** The status with another value at a path. */
function withAt(value: unknown, [name, ...rest]: Path, poison: unknown): unknown {
  if (name === undefined) return poison;
  const fields = value as Record<string | number, unknown>;
  const inner = withAt(fields[name], rest, poison);
  return Array.isArray(value)
    ? value.map((item: unknown, index) => (index === name ? inner : item))
    : { ...fields, [name]: inner };
}

/** The status without what is at a path. */
function without(value: unknown, [name = "", ...rest]: Path): unknown {
  const fields = value as Record<string, unknown>;
  if (rest.length > 0) return withAt(value, [name], without(fields[name], rest));
  const { [name]: _dropped, ...others } = fields;
  return others;
}

function withoutDamaged({ damaged: _damaged, ...read }: StoredStatus): object {
  return read;
}

describe("reading a stored status", () => {
  it("reads all of one that is whole", () => {
    const read = readStatus({ ...whole, digest: digestOf(whole) });
    const { snapshot, since, ...others } = whole;
    expect(read).toEqual({
      ...others,
      ...snapshot,
      since: Date.parse(since),
      edited: false,
      damaged: [],
    });
  });

  it.each<readonly [where: Path, poison: unknown, leftOut: Path, named: readonly string[]]>([
    [["state"], 3, ["state"], ["state"]],
    [["state"], "x".repeat(1_025), ["state"], ["state"]],
    [["since"], "yesterday", ["since"], ["since"]],
    [["plan", 1], null, ["plan"], ["plan"]],
    [["snapshot", "value"], null, ["snapshot", "value"], ["snapshot.value"]],
    [["snapshot", "context", "copies"], { xstate$$type: 1 }, ["snapshot", "context"], ["snapshot.context"]],
    [["snapshot", "history", "Running:last", 0], "", ["snapshot", "history"], ["snapshot.history"]],
    [["snapshot", "entry"], 1.5, ["snapshot", "entry"], ["snapshot.entry"]],
    [["target", "state"], "", ["target"], ["target"]],
    [["target", "outcome"], "won", ["target", "outcome"], []],
    [["target", "request"], null, ["target", "request"], []],
    [["target", "waiting", 0, "state"], 7, ["target", "waiting"], []],
    [["tasks", "backup", "phase"], "Done", ["tasks", "backup"], ["tasks.backup"]],
    [["tasks", "backup"], "text", ["tasks", "backup"], ["tasks.backup"]],
    [["tasks", "backup", "progress"], 2, ["tasks", "backup", "progress"], []],
    [["tasks", "backup", "hanging", "hook"], "stop", ["tasks", "backup", "hanging"], []],
    [["tasks", "backup", "earlier", 0], null, ["tasks", "backup", "earlier"], []],
    [["tasks", "other", "output", "rows"], { xstate$$type: 1 }, ["tasks", "other", "output"], []],
    [
      ["timers", "xstate.after.limit", "due"],
      {},
      ["timers", "xstate.after.limit"],
      ["timers.xstate.after.limit"],
    ],
    [["config", "hash"], 1, ["config"], ["config"]],
    [["config", "fields", "size"], 1, ["config", "fields"], []],
    [["config", "edits", 0, "changed"], {}, ["config", "edits"], []],
    [["human", "accepted"], "yes", ["human", "accepted"], []],
    [["paused", "at"], "now", ["paused"], ["paused"]],
    [["last", "from"], 1, ["last", "from"], []],
    [["output"], { xstate$$type: 1 }, ["output"], ["output"]],
  ])("with %j of %j leaves out %j", (where, poison, leftOut, named) => {
    const read = readStatus(withAt(whole, where, poison));
    expect(withoutDamaged(read)).toEqual(withoutDamaged(readStatus(without(whole, leftOut))));
    expect(read.damaged).toEqual(named);
  });

  it("leaves out each of several damaged parts", () => {
    const { state, tasks, config } = readStatus({
      ...whole,
      tasks: { ...whole.tasks, backup: { ...whole.tasks.backup, message: 1, progress: "half" }, other: 1 },
      config: null,
    });
    const { message: _message, progress: _progress, ...backup } = whole.tasks.backup;
    expect({ state, tasks, config }).toEqual({ state: "Running", tasks: { backup } });
  });

  it("keeps the parts of a snapshot, tasks and timers apart from those that are something else", () => {
    const read = readStatus({ ...whole, snapshot: 1, tasks: [], timers: "none" });
    expect(read).toMatchObject({ state: "Running", graph: "database@1", tasks: {}, timers: {} });
    expect(read.damaged).toEqual(["snapshot", "tasks", "timers"]);
  });

  it.each([["a text"], [7], [null], [[]]])("reads nothing of %j, and says so", (stored) => {
    expect(readStatus(stored)).toEqual({ tasks: {}, timers: {}, edited: false, damaged: ["status"] });
  });
});
