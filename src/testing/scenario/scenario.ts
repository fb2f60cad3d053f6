// What a scenario is made of: the life of one resource, step by step, as people and the outside world bring it about.
import { z } from "zod";
import type { KubeObject } from "../../meta/object.ts";
import type { KubeClient } from "../../client/kube-client.ts";
import type { SimulatedPods } from "../../cluster/pods/simulated/simulated-pods.ts";
import type { OperatorDefinition } from "../../controller/declaration/define-operator.ts";
import type { Kind } from "../../kinds/define-kind.ts";
import { callable, duration, listOf, optionsOf, required, text } from "../../options/option-schemas.ts";
import { refuseWrongOptions } from "../../options/option-problems.ts";
import type { Duration } from "../../ports/duration.ts";
import type { VirtualClock } from "../virtual-clock.ts";

/** What the steps of a scenario act with. */
export interface ScenarioContext<TWorld> {
  /** What the operator acts on besides the API server; made again for each run. */
  readonly world: TWorld;
  /** A client of the cluster's administrator. */
  readonly client: KubeClient;
  /** The time of the run, which moves only when all else rests. */
  readonly clock: VirtualClock;
  /** The cluster's pods, which a script can make fail. */
  readonly pods: SimulatedPods;
  /** Creates the resource, `default/one`, with this spec. */
  create(spec: object): Promise<void>;
  /** Merges this into its spec. */
  edit(spec: object): Promise<void>;
  /** Sends it a human event. */
  send(event: string): Promise<void>;
  /** Deletes it. */
  delete(): Promise<void>;
}

/** One thing that happens from outside, and what comes of it. */
export interface ScenarioStep<TWorld> {
  /** In words, for the failure of a test. */
  readonly what: string;
  /** What happens. */
  readonly act: (context: ScenarioContext<TWorld>) => unknown;
  /** The state that the application must come to and rest in, as in `status.lifecycle.state`; `gone` once the resource is gone. */
  readonly until: string;
  /** How long that may take, on the virtual clock. Default one hour. */
  readonly within?: Duration;
}

/** The life of a resource. */
export interface Scenario<TWorld extends object> {
  /** A kind with a lifecycle. */
  readonly kind: Kind<never> | Kind<KubeObject> | Kind;
  /** Makes what the operator acts on besides the API server: a cloud, a service. Default: nothing. */
  readonly world?: (clock: VirtualClock) => TWorld;
  /** Makes the operator. Whatever it calls of the world is never answered once its process was killed. */
  readonly operator: (world: TWorld) => OperatorDefinition;
  /** What happens in the life of the resource, in order. */
  readonly steps: readonly ScenarioStep<TWorld>[];
  /** What must be the same wherever the operator is killed, as JSON has it: no instants, no names that are made at random. */
  readonly outcome?: (context: ScenarioContext<TWorld>) => unknown;
}

const scenarioOptions = optionsOf<Scenario<object>>()({
  kind: required(
    z.custom<Scenario<object>["kind"]>(isKind, "is not what defineKind returns"),
    "Give the kind of the resource.",
  ),
  world: callable.optional(),
  operator: required(callable, "Write operator: (world) => defineOperator({ … })."),
  steps: required(
    listOf(
      optionsOf<ScenarioStep<object>>()({
        what: required(text, "Say what happens."),
        act: required(callable, "Write what happens, as a function."),
        until: required(text, "Name the state that the application comes to."),
        within: duration.optional(),
      }),
    ),
    "List the steps.",
  ),
  outcome: callable.optional(),
});

function isKind(given: unknown): boolean {
  return typeof given === "object" && given !== null && "specSchema" in given;
}

/** Refuses a scenario of a wrong form with `TEST_OPTIONS_INVALID`. */
export function assertScenario(scenario: unknown): void {
  refuseWrongOptions(scenarioOptions, scenario, "scenarioTests", "TEST_OPTIONS_INVALID");
}
