// Random lives of several replicas that share slots: different clocks, slow and lost requests, refusals, suspended machines,
// crashes, restarts, departures, Leases deleted by other hands. Checked against the true time, which none of them knows.
import { assert, asyncProperty, nat, record, type Arbitrary } from "fast-check";
import { describe, expect, it } from "vitest";
import { allSlots } from "../../src/sharding/slots.ts";
import { createVirtualClock } from "../../src/testing/virtual-clock.ts";
import { startReplica, type Replica } from "./replica.ts";
import { ShardServer } from "./shard-server.ts";
import { fateIn, machines, randomFrom, troubles, type Machine, type Trouble } from "../election/weather.ts";

interface Plan {
  readonly seed: number;
  readonly machines: readonly Machine[];
  readonly trouble: Trouble;
  /** Of a thousand seconds: in how many each of these happens to one machine. */
  readonly chaos: {
    readonly suspend: number;
    readonly leave: number;
    readonly crash: number;
    readonly deletion: number;
  };
}

const plans: Arbitrary<Plan> = record({
  seed: nat(),
  machines: machines(4),
  trouble: troubles(20),
  chaos: record({ suspend: nat(30), leave: nat(25), crash: nat(15), deletion: nat(10) }),
});

interface Report {
  /** Moments at which two might have written for one slot. */
  readonly doubles: string[];
  /** Slots whose writes of one owner were taken among those of the next. */
  readonly mixed: string[];
  readonly handOvers: number;
  readonly writes: number;
  /** Milliseconds from the end of all trouble until every slot was served; undefined: longer than a minute. */
  readonly whole: number | undefined;
}

/** One step of true time, in milliseconds: how often the owners are looked at. */
const step = 500;
/** Looked at and written for: some are enough, all are ruled alike. */
const watched = allSlots.filter((slot) => slot % 64 === 0);

async function live(plan: Plan, seconds: number): Promise<Report> {
  const truth = createVirtualClock();
  const random = randomFrom(plan.seed);
  const server = new ShardServer(truth);
  const doubles: string[] = [];
  let calm = false;
  server.fate = () => (calm ? { requestDelay: 5, answerDelay: 5 } : fateIn(plan.trouble, random, 2000));

  let count = 0;
  const born = (machine: number): Replica => {
    const { skew, offset } = plan.machines[machine] ?? { skew: 0, offset: 0 };
    count += 1;
    return startReplica(server, truth, `m${machine}-${count}`, {
      speed: 1 + skew / 1000,
      offset: offset * 1000,
      random,
      // The caches take their time to catch up.
      prepare: () => new Promise((resolve) => void truth.setTimeout(resolve, random() * 500)),
    });
  };
  const processes = plan.machines.map((_, machine) => born(machine));
  /** Suspended for good: their requests on the way still arrive. */
  const crashed: Replica[] = [];
  // Who starts while the Lease of a living member is missing has nothing to know it by: the documented hole.
  let deletedAt = -Infinity;
  const mayBeBorn = (): boolean => truth.now() >= deletedAt + 20_000;
  const replaceEnded = (): void => {
    if (!mayBeBorn()) return;
    for (const [index, each] of processes.entries())
      if (each.end() !== undefined) processes[index] = born(index);
  };
  const look = (): void => {
    for (const slot of watched) {
      const owners = [...processes, ...crashed].filter((each) => each.mayWrite(slot));
      if (owners.length > 1) doubles.push(`${truth.now()} ${slot}: ${owners.map(({ name }) => name).join()}`);
    }
  };
  const perStep = (perThousandSeconds: number): boolean =>
    random() < (perThousandSeconds / 1000) * (step / 1000) * processes.length;

  for (let time = 0; time < seconds * 1000; time += step) {
    const machine = Math.floor(random() * processes.length);
    const process = processes[machine];
    if (process === undefined) break;
    for (const each of processes) {
      const slot = watched[Math.floor(random() * watched.length)] ?? 0;
      void each.work(slot, random() < 0.1 ? random() * 20_000 : random() * 500);
    }
    if (perStep(plan.chaos.suspend)) {
      process.clock.suspend(true);
      truth.setTimeout(() => process.clock.suspend(false), random() * 30_000);
    }
    if (perStep(plan.chaos.leave)) {
      process.member.leave();
      truth.setTimeout(() => void process.member.resign(process.member.slots.held === 0), random() * 10_000);
    }
    if (perStep(plan.chaos.deletion) && processes.every(({ member }) => member.members >= processes.length)) {
      server.delete(`operator-shard-${process.name}`);
      deletedAt = truth.now();
    }
    if (perStep(plan.chaos.crash) && mayBeBorn()) {
      process.clock.suspend(true);
      crashed.push(process);
      processes[machine] = born(machine);
    }
    replaceEnded();
    await truth.advance(step);
    look();
  }
  calm = true;
  const begin = truth.now();
  let whole: number | undefined;
  while (whole === undefined && truth.now() - begin < 90_000) {
    replaceEnded();
    await truth.advance(step);
    look();
    const served = (slot: number): boolean =>
      processes.some(({ member }) => member.term.held && member.slots.serves(slot));
    if (processes.every((each) => each.end() === undefined) && allSlots.every(served))
      whole = truth.now() - begin;
  }
  return { doubles, ...followed(server), writes: server.taken.length, whole };
}

/** Slots that went back and forth between two owners within two seconds: no hand-over is that fast. */
function followed({ taken }: ShardServer): { mixed: string[]; handOvers: number } {
  const last = new Map<number, { by: string; before: string | undefined; since: number }>();
  const mixed: string[] = [];
  let handOvers = 0;
  for (const { at, by, slot } of taken) {
    const known = last.get(slot);
    if (known?.by === by) continue;
    if (known !== undefined) handOvers += 1;
    if (known?.before === by && at - known.since < 1000) mixed.push(`${slot}: ${by} among ${known.by}`);
    last.set(slot, { by, before: known?.by, since: at });
  }
  return { mixed, handOvers };
}

describe("any number of replicas that share, whatever happens to them", () => {
  it("never has two owners of a slot at once, and an owner of every slot in the end", async () => {
    let handOvers = 0;
    let writes = 0;
    await assert(
      asyncProperty(plans, async (plan) => {
        const report = await live(plan, 120);
        expect(report.doubles).toEqual([]);
        expect(report.mixed).toEqual([]);
        expect(report.whole).toBeDefined();
        handOvers += report.handOvers;
        writes += report.writes;
      }),
      { numRuns: 25 },
    );
    // The lives are worth something only when slots change hands in them, and owners work.
    expect(handOvers).toBeGreaterThan(100);
    expect(writes).toBeGreaterThan(1000);
  }, 120_000);

  it("would be caught with two owners: clocks that differ by more than the margin allows are", async () => {
    const plan: Plan = {
      seed: 7,
      machines: [
        { skew: -400, offset: 0 },
        { skew: 400, offset: 0 },
      ],
      trouble: { refused: 0, lost: 0, slow: 0 },
      chaos: { suspend: 60, leave: 0, crash: 0, deletion: 0 },
    };
    const report = await live(plan, 1500);
    expect(report.doubles.length).toBeGreaterThan(0);
  }, 60_000);
});
