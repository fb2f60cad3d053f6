// One case from its namespace to the end of what it has made: its steps, one after the other, until one fails.
import { isAbsolute, join } from "node:path";
import { isAlreadyExists } from "../../client/api-error.ts";
import { Namespace } from "../../kinds/builtin/core.ts";
import { monotonicNow, sleep } from "../../ports/clock.ts";
import { withinLimits } from "../../ports/deadline.ts";
import { OperatorError } from "../../ports/operator-error.ts";
import { expandVariables } from "../files/expand-variables.ts";
import type { TestCase, TestStep } from "../files/read-case.ts";
import type { Finding } from "./check-objects.ts";
import { logEvents } from "./collect.ts";
import { deleteObject, findingOf, runStep, type StepPlace } from "./run-step.ts";
import type { PutObject, TestCluster } from "./test-cluster.ts";

/** What cases run on. */
export interface CasePlace extends Pick<StepPlace, "cluster" | "timeout" | "variables" | "clock" | "signal"> {
  /** Another cluster, of a step that names one. */
  readonly clusterOf: (kubeconfig: string | undefined, context: string | undefined) => Promise<TestCluster>;
  /** Everything stays as it is in the end. */
  readonly skipDelete: boolean;
  /** No Events in the log of a case that failed. */
  readonly withoutEvents: boolean;
  readonly log: (testCase: TestCase, line: string) => void;
  readonly onStep: (testCase: TestCase, step: string) => void;
}

/** How a part of a case ended. */
export interface StepResult {
  /** `0-install`; `set up` and `clean up` for what comes before and after. */
  readonly title: string;
  readonly milliseconds: number;
  /** None when it succeeded. */
  readonly findings: readonly Finding[];
}

/** How a case ended. */
export interface CaseResult {
  readonly testCase: TestCase;
  readonly milliseconds: number;
  /** Those that were begun. */
  readonly steps: readonly StepResult[];
  readonly outcome: "passed" | "failed" | "interrupted";
  readonly log: readonly string[];
}

/** Milliseconds between two looks at a namespace that ends. */
const interval = 100;
/** Milliseconds that cleaning up may take once the user has asked to stop. */
const farewell = 5_000;

/** Runs a case; never rejects. */
export async function runCase(testCase: TestCase, place: CasePlace): Promise<CaseResult> {
  const run = new CaseRun(testCase, place);
  return run.result();
}

class CaseRun {
  readonly #case: TestCase;
  readonly #place: CasePlace;
  readonly #began: number;
  readonly #log: string[] = [];
  readonly #steps: StepResult[] = [];
  /** Clusters on which the case has its namespace; true where it has made it. */
  readonly #clusters = new Map<TestCluster, boolean>();
  readonly #puts: { readonly cluster: TestCluster; readonly put: PutObject }[] = [];

  constructor(testCase: TestCase, place: CasePlace) {
    this.#case = testCase;
    this.#place = place;
    this.#began = monotonicNow(place.clock);
  }

  async result(): Promise<CaseResult> {
    const { signal, skipDelete } = this.#place;
    const isUp = await this.#part("set up", () => this.#enter(this.#place.cluster));
    if (isUp) {
      for (const step of this.#case.steps) {
        if (!(await this.#part(step.title, () => this.#step(step)))) break;
      }
    }
    if (this.#hasFailed && !signal.aborted && !this.#place.withoutEvents) await this.#events();
    if (!skipDelete) await this.#cleanUp();
    const milliseconds = monotonicNow(this.#place.clock) - this.#began;
    const outcome = signal.aborted ? "interrupted" : this.#hasFailed ? "failed" : "passed";
    return { testCase: this.#case, milliseconds, steps: this.#steps, outcome, log: this.#log };
  }

  get #hasFailed(): boolean {
    return this.#steps.some(({ findings }) => findings.length > 0);
  }

  /** Does a part and records how it ended; whether it succeeded. */
  async #part(title: string, work: () => Promise<readonly Finding[] | void>): Promise<boolean> {
    const { clock, signal, onStep } = this.#place;
    if (signal.aborted && title !== "clean up") return false;
    onStep(this.#case, title);
    const began = monotonicNow(clock);
    let findings: readonly Finding[];
    try {
      findings = (await work()) ?? [];
    } catch (error) {
      findings = signal.aborted ? [] : [findingOf(error)];
    }
    if (title.includes("-") || findings.length > 0) {
      this.#steps.push({ title, milliseconds: monotonicNow(clock) - began, findings });
    }
    return findings.length === 0 && !signal.aborted;
  }

  async #step(step: TestStep): Promise<readonly Finding[]> {
    const { clusterOf, variables, clock, signal, timeout } = this.#place;
    const { kubeconfig: named, context } = step.settings;
    let { cluster } = this.#place;
    if (named !== undefined || context !== undefined) {
      const expanded = named === undefined ? undefined : expandVariables(named, variables);
      const file =
        expanded === undefined || isAbsolute(expanded) ? expanded : join(this.#case.folder, expanded);
      cluster = await clusterOf(file, context);
      await this.#enter(cluster);
    }
    this.#say(`step ${step.title}`);
    return runStep(step, {
      cluster,
      folder: this.#case.folder,
      namespace: this.#case.namespace,
      kubeconfig: cluster.kubeconfig,
      timeout,
      variables,
      clock,
      signal,
      log: (line) => this.#say(line),
      onPut: (put) => void (put.isNew && this.#puts.push({ cluster, put })),
    });
  }

  /** Makes the namespace, unless it is there. */
  async #enter(cluster: TestCluster): Promise<void> {
    if (this.#clusters.has(cluster)) return;
    const { namespace } = this.#case;
    try {
      const manifest = { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } };
      await cluster.client.create(Namespace, manifest, { signal: this.#place.signal });
      this.#clusters.set(cluster, true);
      this.#say(`Namespace ${namespace} created`);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      this.#clusters.set(cluster, false);
    }
  }

  async #events(): Promise<void> {
    const { cluster, signal } = this.#place;
    try {
      await logEvents(cluster, this.#case.namespace, { signal, log: (line) => this.#say(line) });
    } catch (error) {
      this.#say(`the Events cannot be read: ${findingOf(error).title}`);
    }
  }

  /** Deletes what the case has made, last to first, and its namespace; and waits until that is gone, unless the user wants to leave. */
  async #cleanUp(): Promise<void> {
    const { clock, signal, timeout } = this.#place;
    const isLeaving = signal.aborted;
    const { namespace } = this.#case;
    const late = (): OperatorError =>
      new OperatorError(
        "TEST_NOT_CLEANED_UP",
        `namespace ${namespace} did not end within ${timeout / 1_000} s`,
        {
          remedy: "Look at what its condition says is left in it: mostly a finalizer that nobody removes.",
        },
      );
    const limits = isLeaving
      ? { clock, timeout: farewell, late }
      : { clock, signals: [signal], ...(timeout === 0 ? {} : { timeout, late }) };
    await this.#part("clean up", () =>
      withinLimits(limits, async (until) => {
        for (const { cluster, put } of this.#puts.toReversed()) {
          // What is in the namespace goes with it.
          const goesAlong = put.key.namespace === namespace && this.#clusters.get(cluster) === true;
          if (!goesAlong) await deleteObject(cluster, put, until);
        }
        for (const [cluster, isOurs] of this.#clusters) {
          if (!isOurs) continue;
          const key = { name: namespace };
          const place = { type: Namespace, key };
          await deleteObject(cluster, place, until);
          if (isLeaving) continue;
          while ((await cluster.read(place, until)) !== undefined) {
            until.throwIfAborted();
            await sleep(clock, interval, until);
          }
        }
      }),
    );
  }

  #say(line: string): void {
    this.#log.push(line);
    this.#place.log(this.#case, line);
  }
}
