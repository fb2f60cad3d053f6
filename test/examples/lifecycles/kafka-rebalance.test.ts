// A rebalance of Kafka, from the proposal to its end: with approval by a person, stopped, and after a failure.
import type {
  CruiseControl,
  Progress,
} from "../../../examples/lifecycles/kafka-rebalance/src/kafka-rebalance/cruise-control.ts";
import { rebalanceOperator } from "../../../examples/lifecycles/kafka-rebalance/operator.ts";
import { KafkaRebalance } from "../../../examples/lifecycles/kafka-rebalance/src/kafka-rebalance/kafka-rebalance.ts";
import type { Clock } from "../../../src/ports/clock.ts";
import { describeLives } from "./describe-lives.ts";

interface Work {
  readonly what: string;
  readonly begun: number;
  stopped: boolean;
}

/** Cruise Control that takes ten seconds for everything. */
class SimulatedCruiseControl implements CruiseControl {
  readonly work = new Map<string, Work>();
  /** While set, what is begun fails. */
  breaks = false;
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async isAccepting(): Promise<boolean> {
    return true;
  }

  async propose(id: string, goals: readonly string[]): Promise<void> {
    this.#begin(id, `propose ${goals.join(" ")}`.trim());
  }

  async execute(id: string, proposal: string): Promise<void> {
    this.#begin(id, `execute ${this.work.get(proposal)?.what}`);
  }

  async progressOf(id: string): Promise<Progress> {
    const work = this.work.get(id);
    if (work === undefined) return { state: "Unknown" };
    if (this.breaks) return { state: "Failed", message: "not enough brokers" };
    const progress = (this.#clock.now() - work.begun) / 10_000;
    return progress >= 1 ? { state: "Completed" } : { state: "Running", progress };
  }

  async stop(id: string): Promise<void> {
    const work = this.work.get(id);
    if (work !== undefined) work.stopped = true;
  }

  #begin(id: string, what: string): void {
    if (!this.work.has(id)) this.work.set(id, { what, begun: this.#clock.now(), stopped: false });
  }
}

describeLives("a rebalance of Kafka", {
  folder: "kafka-rebalance",
  kind: KafkaRebalance,
  world: (clock) => new SimulatedCruiseControl(clock),
  operator: rebalanceOperator,
  samples: { specs: [{}, { goals: ["RackAware"] }, { autoApproval: true }], outputs: { propose: ["p-1"] } },
  steps: [
    { what: "created", act: ({ create }) => create({ goals: ["DiskUsage"] }), until: "ProposalReady" },
    { what: "approved", act: ({ send }) => send("approve"), until: "Ready" },
    { what: "goals changed", act: ({ edit }) => edit({ goals: ["RackAware"] }), until: "ProposalReady" },
    {
      what: "Cruise Control fails",
      act: async ({ world, send }) => {
        world.breaks = true;
        await send("refresh");
      },
      until: "NotReady",
    },
    { what: "deleted", act: (hands) => hands.delete(), until: "gone" },
  ],
  outcome: ({ world }) =>
    [...world.work.values()].map(({ what, stopped }) => `${what}${stopped ? ", stopped" : ""}`),
  expected: ["propose DiskUsage", "execute propose DiskUsage", "propose RackAware", "propose RackAware"],
});
