// A cluster of Postgres servers: rolled to a new version pod by pod, the leader's last, and ended.
import { postgresOperator } from "../../../examples/lifecycles/postgres-cluster/operator.ts";
import { Postgres } from "../../../examples/lifecycles/postgres-cluster/src/postgres/postgres.ts";
import type { Patroni } from "../../../examples/lifecycles/postgres-cluster/src/postgres/patroni.ts";
import { StatefulSet } from "../../../src/kinds/builtin/apps.ts";
import { Pod } from "../../../src/kinds/builtin/core.ts";
import { describeLives, desire } from "./describe-lives.ts";

/** Patroni of three servers, the first of which leads at first. */
class SimulatedPatroni implements Patroni {
  #leader = "one-0";
  switchovers = 0;
  inSync = true;

  async leader(): Promise<string> {
    return this.#leader;
  }

  async isInSync(): Promise<boolean> {
    return this.inSync;
  }

  async switchOver(_cluster: string, leader: string): Promise<void> {
    if (leader !== this.#leader) return;
    this.#leader = leader === "one-0" ? "one-1" : "one-0";
    this.switchovers += 1;
  }
}

describeLives("a cluster of Postgres servers", {
  folder: "postgres-cluster",
  kind: Postgres,
  world: () => new SimulatedPatroni(),
  operator: postgresOperator,
  samples: {
    specs: [{}, { version: "19" }],
    facts: [
      { outdated: null, leader: "one-0" },
      { outdated: "one-1", leader: "one-0" },
    ],
  },
  steps: [
    { what: "created", act: ({ create }) => create({}), until: "Running" },
    { what: "a new version", act: ({ edit }) => edit({ version: "19" }), until: "Running" },
    {
      what: "out of sync",
      act: ({ world }) => {
        world.inSync = false;
      },
      until: "SyncFailed",
    },
    {
      what: "in sync",
      act: ({ world }) => {
        world.inSync = true;
      },
      until: "Running",
    },
    desire("End"),
    { what: "deleted", act: (hands) => hands.delete(), until: "gone" },
  ],
  outcome: async ({ world, client }) => ({
    switchovers: world.switchovers,
    leader: await world.leader(),
    sets: (await client.list(StatefulSet)).items.length,
    pods: (await client.list(Pod)).items.length,
  }),
  expected: { switchovers: 1, leader: "one-1", sets: 0, pods: 0 },
});
