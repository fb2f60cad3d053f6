import { describe, expect, it } from "vitest";
import { getShortestPaths } from "xstate/graph";
import { initialTransition, transition, type SnapshotFrom } from "xstate";
import { electionMachine, type ElectionEvent } from "../../machines/election-machine.ts";

type Snapshot = SnapshotFrom<typeof electionMachine>;

const after = (...types: ElectionEvent["type"][]): Snapshot =>
  types.reduce<Snapshot>(
    (snapshot, type) => transition(electionMachine, snapshot, { type })[0],
    initialTransition(electionMachine)[0],
  );

const elected = ["lease.free", "lease.acquired"] as const;

describe("election machine", () => {
  const paths: [string, readonly ElectionEvent["type"][], string][] = [
    ["begins by looking at the Lease", [], "candidate"],
    ["stands by while somebody holds it", ["lease.held"], "waiting"],
    ["stands by while it cannot be read", ["lease.failed"], "waiting"],
    ["looks again after a pause", ["lease.held", "wait.over"], "candidate"],
    ["claims it when it is free", ["lease.free"], "claiming"],
    ["leads after a claim that was taken", elected, "leader"],
    ["does not lead after a claim that came second", ["lease.free", "lease.contended"], "waiting"],
    ["does not lead after a claim of unknown outcome", ["lease.free", "lease.failed"], "waiting"],
    ["does not stop in the middle of a claim", ["lease.free", "election.resigned"], "claiming"],
    ["renews in time", [...elected, "wait.over"], "renewing"],
    ["goes on leading after a renewal", [...elected, "wait.over", "lease.renewed"], "leader"],
    ["leads on after a failed renewal", [...elected, "wait.over", "lease.failed"], "uncertain"],
    ["tries a failed renewal again", [...elected, "wait.over", "lease.failed", "wait.over"], "renewing"],
    ["is lost without renewal in time", [...elected, "wait.over", "lease.failed", "term.expired"], "lost"],
    ["is lost when an answer came too late", [...elected, "wait.over", "term.expired"], "lost"],
    ["is lost when it slept too long", [...elected, "term.expired"], "lost"],
    ["is lost when somebody else holds the Lease", [...elected, "wait.over", "lease.taken"], "lost"],
    ["lets go when it resigns", [...elected, "election.resigned"], "releasing"],
    ["has handed over", [...elected, "election.resigned", "lease.released"], "released"],
    [
      "has handed over to one that is there already",
      [...elected, "election.resigned", "lease.taken"],
      "released",
    ],
    ["may fail to hand over", [...elected, "election.resigned", "lease.failed"], "unreleased"],
    ["stops without ever having led", ["lease.held", "election.resigned"], "stopped"],
    ["never leads again after it was lost", [...elected, "term.expired", ...elected], "lost"],
  ];
  it.each(paths)("%s", (_, events, state) => {
    expect(after(...events).value).toBe(state);
  });

  it("reaches every state, and leads only by a claim that was taken", () => {
    const all = getShortestPaths(electionMachine);
    expect(new Set(all.map(({ state }) => state.value))).toEqual(
      new Set(Object.keys(electionMachine.states)),
    );
    const leading = all.filter(({ state }) => ["leader", "renewing", "uncertain"].includes(state.value));
    expect(leading).toHaveLength(3);
    for (const { steps } of leading) {
      expect(steps.map(({ event }) => event.type)).toContain("lease.acquired");
    }
  });

  it("names every state and every edge", () => {
    for (const [name, node] of Object.entries(electionMachine.states)) {
      expect(node.description, name).toBeTruthy();
      for (const transitions of Object.values(node.on)) {
        for (const each of transitions as { description?: string; eventType: string }[]) {
          expect(each.description, `${name} ${each.eventType}`).toBeTruthy();
        }
      }
    }
  });
});
