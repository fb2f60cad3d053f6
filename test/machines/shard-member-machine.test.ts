import { describe, expect, it } from "vitest";
import { getShortestPaths } from "xstate/graph";
import { initialTransition, transition, type SnapshotFrom } from "xstate";
import { shardMemberMachine, type ShardMemberEvent } from "../../machines/shard-member-machine.ts";

type Snapshot = SnapshotFrom<typeof shardMemberMachine>;

const after = (...types: ShardMemberEvent["type"][]): Snapshot =>
  types.reduce<Snapshot>(
    (snapshot, type) => transition(shardMemberMachine, snapshot, { type })[0],
    initialTransition(shardMemberMachine)[0],
  );

const seen = ["member.joined", "members.seen"] as const;
const resting = [...seen, "lease.renewed"] as const;

describe("shard member machine", () => {
  const paths: [string, readonly ShardMemberEvent["type"][], string][] = [
    ["begins by announcing itself", [], "joining"],
    ["stays outside while it cannot", ["lease.failed"], "outside"],
    ["tries again after a pause", ["lease.failed", "wait.over"], "joining"],
    ["looks at the others before it claims anything", ["member.joined"], "looking"],
    ["publishes what follows", [...seen], "renewing"],
    ["renews although the others cannot be seen", ["member.joined", "lease.failed"], "renewing"],
    ["looks again before it acts on a claim", [...seen, "claims.extended"], "confirming"],
    ["works on after that", [...seen, "claims.extended", "members.seen"], "resting"],
    ["works on when it claims nothing new", [...resting], "resting"],
    ["works on after a failed renewal, while its term lasts", [...seen, "lease.failed"], "resting"],
    ["looks again after a while", [...resting, "wait.over"], "looking"],
    ["is lost when its Lease is gone", ["member.joined", "lease.taken"], "lost"],
    ["is lost without renewal in time", [...resting, "term.expired"], "lost"],
    ["does not resign in the middle of a renewal", [...seen, "member.resigned"], "renewing"],
    ["lets go when it resigns", [...resting, "member.resigned"], "releasing"],
    ["has handed over", [...resting, "member.resigned", "lease.released"], "released"],
    ["may fail to hand over", [...resting, "member.resigned", "lease.failed"], "unreleased"],
    ["stops without having joined", ["lease.failed", "member.resigned"], "stopped"],
    ["never shares again after it was lost", [...resting, "term.expired", ...seen], "lost"],
  ];
  it.each(paths)("%s", (_, events, state) => {
    expect(after(...events).value).toBe(state);
  });

  it("reaches every state, and works only after it has joined", () => {
    const all = getShortestPaths(shardMemberMachine);
    expect(new Set(all.map(({ state }) => state.value))).toEqual(
      new Set(Object.keys(shardMemberMachine.states)),
    );
    const working = all.filter(({ state }) => ["renewing", "confirming", "resting"].includes(state.value));
    expect(working).toHaveLength(3);
    for (const { steps } of working) {
      expect(steps.map(({ event }) => event.type)).toContain("member.joined");
    }
  });

  it("names every state and every edge", () => {
    for (const [name, node] of Object.entries(shardMemberMachine.states)) {
      expect(node.description, name).toBeTruthy();
      for (const transitions of Object.values(node.on)) {
        for (const each of transitions as { description?: string; eventType: string }[]) {
          expect(each.description, `${name} ${each.eventType}`).toBeTruthy();
        }
      }
    }
  });
});
