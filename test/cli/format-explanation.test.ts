import { describe, expect, it } from "vitest";
import { formatExplanation } from "../../src/cli/explain/format-explanation.ts";
import type { Explanation } from "../../src/explain/explanation.ts";

const now = Date.parse("2026-01-01T01:00:00Z");
const explanation: Explanation = {
  object: { kind: "Database", name: "orders", namespace: "shop", uid: "u", generation: 2, age: 7_200_000 },
  state: {
    name: "Servicing",
    description: "A backup is made.",
    since: "2026-01-01T00:30:00.000Z",
    lasted: 1_800_000,
    last: { from: "Running", event: "desired.Servicing", cause: "Servicing is desired" },
    graph: "database@1",
  },
  target: { state: "Servicing", request: "nightly", maintained: false, reached: false, deletion: false },
  plan: [],
  awaited: [
    { event: "done.backup", to: "Running", taker: "task", next: true, needs: "backup is done" },
    {
      event: "human.abort",
      guard: "mayAbort",
      to: "Running",
      taker: "human",
      next: false,
      needs: "a person sends it",
    },
  ],
  tasks: [
    {
      id: "backup",
      src: "backUp",
      phase: "Running",
      attempt: 2,
      progress: 0.42,
      remaining: 5_400_000,
      message: "table 3",
    },
  ],
  timers: [{ state: "Servicing", delay: "4h", due: "2026-01-01T04:30:00.000Z", remaining: 12_600_000 }],
  conditions: [
    {
      type: "Lifecycle",
      status: "False",
      reason: "Servicing",
      message: "backup 42 % done",
      lastTransitionTime: "2026-01-01T00:30:00Z",
    },
  ],
  blockers: [{ reason: "ChildFinalizer", message: "ConfigMap shop/a is held", remedy: "Look at it." }],
  accepted: ["abort", "pause"],
  children: [{ kind: "Secret", namespace: "shop", name: "orders", finalizers: ["x/y"], blocksOwner: true }],
  events: [
    {
      type: "Warning",
      reason: "TaskRetried",
      message: "once more",
      count: 3,
      lastSeen: "2026-01-01T00:58:00Z",
    },
  ],
  unknown: ["The rest."],
};

const text = `Database shop/orders, 2h old
State   Servicing for 30m, since 2026-01-01T00:30:00.000Z
        A backup is made.
Why     Servicing is desired (desired.Servicing, from Running)
Message backup 42 % done
Target  Servicing for "nightly" (done once): not reached

Blocked by
  ConfigMap shop/a is held
    do: Look at it.

Waits for
  →  done.backup             to Running  task   backup is done
     human.abort [mayAbort]  to Running  human  a person sends it

Tasks
  backup  Running  attempt 2  42 %  deadline in 1h 30m  table 3

Timers
  4h  of Servicing  in 3h 30m  2026-01-01T04:30:00.000Z

Accepts
  abort, pause

Conditions
  Lifecycle  False  Servicing  backup 42 % done

Children
  Secret shop/orders  finalizers: x/y

Events
  2m ago  Warning  TaskRetried  once more (3 times)

Not known
  The rest.
`;

describe("an explanation as text", () => {
  it("puts what matters first, in aligned columns, without colours when it is piped", () => {
    expect(formatExplanation(explanation, { color: false, now })).toBe(text);
  });

  it("has the same text under its colours", () => {
    const coloured = formatExplanation(explanation, { color: true, now });
    expect(coloured).not.toBe(text);
    // oxlint-disable-next-line no-control-regex -- escape sequences are what is stripped
    expect(coloured.replaceAll(/\u001B\[[\d;]*m/g, "")).toBe(text);
  });

  it("shows what somebody has written to do something to the terminal, in all that the resource says", () => {
    // oxlint-disable-next-line no-control-regex -- escape sequences are what must not be there
    const unwanted = /[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/;
    const ill = JSON.parse(
      JSON.stringify(explanation, (name, value: unknown) =>
        typeof value === "string" && !/^(?:at|since|due|time)$/.test(name)
          ? `${value}\u001B[2J\u0007\u202E\u2066`
          : value,
      ),
    ) as typeof explanation;
    const out = formatExplanation(ill, { color: false, now });
    expect(out).toContain(String.raw`\u001b[2J\u0007\u202e\u2066`);
    expect(out).not.toMatch(unwanted);
  });

  it("says who has paused it, and that timers stand still", () => {
    const paused = { at: "2026-01-01T00:50:00Z", by: "alice", lasted: 600_000 };
    const out = formatExplanation({ ...explanation, paused }, { color: false, now });
    expect(out).toContain("\nPaused  for 10m by alice, since 2026-01-01T00:50:00Z\n");
    expect(out).toContain("in 3h 30m of unpaused time");
  });

  it("leaves out what there is nothing to say about", () => {
    const { object, conditions } = explanation;
    const nothing = {
      plan: [],
      awaited: [],
      tasks: [],
      timers: [],
      blockers: [],
      accepted: [],
      children: [],
      events: [],
    };
    const out = formatExplanation({ object, conditions, unknown: [], ...nothing }, { color: false, now });
    expect(out).toBe(
      "Database shop/orders, 2h old\nState   none known\nMessage backup 42 % done\n\nConditions\n  Lifecycle  False  Servicing  backup 42 % done\n",
    );
  });

  it("says why the operator has looked at it last, run by run", () => {
    const runs = [
      {
        startedAt: now - 3_000,
        took: 12.4,
        causes: [
          { reason: "modified", kind: "Job", object: "shop/backup-3", detail: "status" },
          { reason: "requeueAfter" },
        ],
        writes: 2,
        failed: false,
      },
      { startedAt: now - 65_000, took: 1_500, causes: [{ reason: "initialList" }], writes: 0, failed: true },
    ];
    expect(formatExplanation({ ...explanation, runs }, { color: false, now })).toContain(
      [
        "Last runs",
        "  3s ago     took 12 ms  2 writes               because Job shop/backup-3 was changed (status); the previous run requested a requeue",
        "  1m 5s ago  took 1s     wrote nothing  failed  because the operator started and found it",
      ].join("\n"),
    );
    expect(formatExplanation({ ...explanation, runs: [] }, { color: false, now })).toContain(
      "Last runs\n  none: this operator has not reconciled it recently",
    );
  });
});
