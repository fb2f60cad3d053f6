// ZooKeeper by plans of phases, each of steps in series or side by side. After KUDO's operator; with what KUDO could not: a plan
// can be aborted, taken up again at the step that failed, and rolled back.
import { setupLifecycle, specChanged } from "xstate-operator";
import type { ZooKeeperSpec } from "./zookeeper-spec.ts";

export const zooKeeperLifecycle = setupLifecycle<{ readonly spec: ZooKeeperSpec }>()
  .extend({
    guards: {
      configChanged: ({ event }) => specChanged(event, "tickTime"),
      wasComplete: ({ context }) => context["good"] !== null,
    },
    inputs: { good: ({ context }) => context["good"] ?? null },
    actions: {
      keepGood: ({ event }) => ({ good: { servers: event.spec.servers, version: event.spec.version } }),
    },
  })
  .createMachine({
    id: "zookeeper",
    version: "1",
    initial: "Deploy",
    context: { good: null },
    states: {
      Deploy: {
        initial: "Parts",
        states: {
          Parts: {
            type: "parallel",
            states: {
              Config: step("applyConfig"),
              Services: step("applyServices"),
              Disruption: step("applyDisruption"),
            },
            onDone: "Servers",
          },
          Servers: { ...step("applyServers"), onDone: "Validation" },
          Validation: { ...step("validate"), onDone: "Done" },
          Done: { type: "final" },
        },
        onDone: { target: "Complete", actions: "keepGood" },
        on: { "desired.Deleted": "Deleted" },
      },
      Complete: {
        on: {
          "config.changed": [{ target: "Deploy", guard: "configChanged" }, { target: "Update" }],
          "desired.Backup": "Backup",
          "desired.Restore": "Restore",
          "desired.Deleted": "Deleted",
        },
      },
      Update: { ...plan("applyServers"), onDone: { target: "Complete", actions: "keepGood" } },
      Backup: plan("backUp"),
      Restore: plan("restore"),
      Rollback: {
        invoke: { id: "rollBack", src: "rollBack", input: "good", onDone: "Complete", onError: "Deploy" },
      },
      Deleted: { type: "final" },
    },
  });

function step<const TSrc extends string>(src: TSrc) {
  return {
    initial: "InProgress",
    states: {
      InProgress: {
        invoke: {
          id: src,
          src,
          onDone: "Complete",
          onError: "FatalError",
        },
      },
      FatalError: { tags: "intervention", on: { "human.retry": "InProgress" } },
      Complete: { type: "final" },
    },
  } as const;
}

function plan<const TSrc extends string>(src: TSrc) {
  return {
    ...step(src),
    onDone: "Complete",
    on: { "human.abort": "Complete", "human.rollBack": { target: "Rollback", guard: "wasComplete" } },
  } as const;
}
