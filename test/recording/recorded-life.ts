// A life whose cycles are told to a recorder as the controller tells them.
import type { CyclePlan } from "../../src/lifecycle/cycle-plan.ts";
import type { AnyObject } from "../../src/meta/object.ts";
import type { PlannedCycle, RecordedRun } from "../../src/recording/run-recorder.ts";
import type { PresentKind } from "../../src/recording/replay-cycle.ts";
import { Life } from "../lifecycle/life.ts";

/** Keeps every cycle that it plans. */
export class RecordedLife extends Life {
  readonly runs: RecordedRun[] = [];

  override plan(): CyclePlan {
    const plan = super.plan();
    const input = this.input();
    this.runs.push(runOf({ input, plan }, this.runs.length + 1));
    return plan;
  }

  /** What the kind is as long as nobody changes it. */
  get present(): PresentKind {
    const { policies, observationPoll } = this.input();
    return { lifecycle: this.lifecycle, policies, observationPoll };
  }
}

/** The run of one cycle. */
export function runOf(cycle: PlannedCycle, number: number): RecordedRun {
  const { input, plan } = cycle;
  const { state, request } = input.desired;
  const lifecycle = {
    ...(state === undefined ? {} : { desiredState: state }),
    ...(request === undefined ? {} : { request }),
  };
  const object: AnyObject = {
    apiVersion: "test.example.com/v1",
    kind: "Thing",
    metadata: {
      name: "one",
      namespace: "default",
      uid: input.uid,
      resourceVersion: String(number),
      creationTimestamp: "2026-01-01T00:00:00Z",
    },
    spec: { ...input.spec, lifecycle },
    status: { lifecycle: input.status, conditions: input.conditions },
  };
  return {
    id: `run-${number}`,
    kind: "Thing",
    key: "default/one",
    uid: input.uid,
    startedAt: input.now,
    took: 5,
    causes: [{ reason: "modified" }],
    moreCauses: 0,
    failures: 0,
    waited: 1,
    stages: [{ stage: "CRChecker", at: input.now }],
    writes: 1,
    operations: [],
    requests: [],
    events: plan.pendingEvents.map(({ type, reason, message }) => ({ at: input.now, type, reason, message })),
    children: {
      items: [
        {
          kind: "ConfigMap",
          namespace: "default",
          name: "one",
          state: `as ${plan.status?.state ?? "it was"}`,
          finalizers: [],
          blocksOwner: false,
        },
      ],
      more: 0,
    },
    object,
    ...(plan.status === undefined
      ? {}
      : {
          after: { ...object, status: { lifecycle: plan.status, conditions: input.conditions } } as AnyObject,
        }),
    cycles: [cycle],
  };
}
