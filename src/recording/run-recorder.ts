// What is reported of each run while a recording is kept. Reported by src/controller, kept by recording-writer.ts.
import type { CycleInput, CyclePlan } from "../lifecycle/cycle-plan.ts";
import type { Child } from "../meta/child.ts";
import type { KubeObject } from "../meta/object.ts";
import type { Metrics } from "../ports/metrics.ts";
import type { JournalRun } from "../ports/run-journal.ts";

/** One write request: what was written, and never the values. */
export interface RecordedWrite {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly verb: "create" | "update" | "patch" | "apply" | "delete" | "request";
  /** `apps/v1 Deployment`; the method of a request that names no type. */
  readonly type: string;
  /** `namespace/name`, or `name`; the path of a request that names no type. */
  readonly key: string;
  readonly subresource?: string;
  /** Dotted paths that the write has changed; of an object that was not cached, those that were sent. */
  readonly paths: readonly string[];
  /** Why it was refused. */
  readonly error?: string;
}

/** One Kubernetes Event that the operator has reported of a resource. */
export interface RecordedEvent {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
}

/** What a resource owned at the end of a run. */
export interface RecordedChildren {
  readonly items: readonly Child[];
  /** How many more there were. */
  readonly more: number;
}

/** One cycle of a lifecycle as it was planned. */
export interface PlannedCycle {
  readonly input: CycleInput;
  readonly plan: CyclePlan;
}

/** One run of the pipeline with all that decided it. */
export interface RecordedRun extends JournalRun {
  readonly uid: string;
  /** Causes that were left out because there were too many. */
  readonly moreCauses: number;
  /** Failures in a row before it. */
  readonly failures: number;
  /** Milliseconds for which the key waited for a worker. */
  readonly waited: number;
  /** The custom resource as the run read it. */
  readonly object: KubeObject;
  /** The custom resource as the run's last write of it left it. */
  readonly after?: KubeObject;
  readonly requests: readonly RecordedWrite[];
  /** Since the run before. */
  readonly events: readonly RecordedEvent[];
  readonly children: RecordedChildren;
  readonly cycles: readonly PlannedCycle[];
}

/** Takes runs. None of its functions throws or waits. */
export interface RunRecorder {
  /** `masker` makes what leaves secrets out of a text; it is asked when the run is written. */
  record(run: RecordedRun, masker: () => (text: string) => string): void;
  /** A resource that had runs is no more. */
  gone(kind: string, key: string, at: number): void;
  /** Where it counts what it keeps and what it cannot keep. */
  measure(metrics: Metrics): void;
}
