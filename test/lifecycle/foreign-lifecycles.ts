// Lifecycles of other projects, drawn as their documentation tells them: graphs alone, nothing runs behind their names.
import { setupLifecycle } from "../../machines/lifecycle-machine.ts";

/** A proposal is computed by a service, approved by a person or by itself, and carried out (Strimzi's KafkaRebalance). */
export const kafkaRebalance = setupLifecycle({
  guards: { autoApproval: ({ event }) => (event.spec as { autoApproval?: boolean }).autoApproval === true },
}).createMachine({
  id: "kafka-rebalance",
  version: "1",
  initial: "New",
  states: {
    New: { on: { "observed.Taken": "PendingProposal" } },
    PendingProposal: {
      invoke: { id: "propose", src: "propose", onDone: "ProposalReady", onError: "NotReady" },
      on: { "human.stop": "Stopped", "config.changed": { target: "PendingProposal", reenter: true } },
    },
    ProposalReady: {
      always: { guard: "autoApproval", target: "Rebalancing" },
      on: {
        "human.approve": "Rebalancing",
        "human.refresh": "PendingProposal",
        "config.changed": "PendingProposal",
      },
    },
    Rebalancing: {
      invoke: { id: "rebalance", src: "rebalance", onDone: "Ready", onError: "NotReady" },
      on: { "human.stop": "Stopped" },
    },
    Ready: { on: { "human.refresh": "PendingProposal", "config.changed": "PendingProposal" } },
    Stopped: { on: { "human.refresh": "PendingProposal", "config.changed": "PendingProposal" } },
    NotReady: { on: { "human.refresh": "PendingProposal", "config.changed": "PendingProposal" } },
  },
});

/** Plans of phases, each of steps in series or side by side (KUDO's ZooKeeper). */
export const zooKeeper = setupLifecycle({
  guards: { parametersChanged: () => true },
}).createMachine({
  id: "zookeeper",
  version: "1",
  initial: "Deploy",
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
          onDone: "StatefulSet",
        },
        StatefulSet: {
          invoke: { id: "set", src: "applySet", onDone: "Validation", onError: "#zookeeper.Failed" },
        },
        Validation: {
          invoke: { id: "validate", src: "validate", onDone: "Complete", onError: "#zookeeper.Failed" },
        },
        Complete: { type: "final" },
      },
      onDone: "Complete",
    },
    Complete: {
      on: {
        "config.changed": { target: "Update", guard: "parametersChanged" },
        "desired.Backup": "Backup",
        "desired.Restore": "Restore",
      },
    },
    Update: plan("update"),
    Backup: plan("backUp"),
    Restore: plan("restore"),
    Failed: { on: { "human.retry": "Deploy", "human.rollBack": "Complete" } },
  },
});

function step(src: string) {
  return {
    initial: "InProgress",
    states: {
      InProgress: { invoke: { id: src, src, onDone: "Complete", onError: "#zookeeper.Failed" } },
      Complete: { type: "final" },
    },
  } as const;
}

function plan(src: string) {
  return {
    invoke: { id: src, src, onDone: "Complete", onError: "Failed" },
    on: { "human.abort": "Complete" },
  } as const;
}

/** Pods are rolled one after the other, the leader's last (Zalando's Postgres operator). */
export const postgresCluster = setupLifecycle({
  guards: { podsDiffer: () => true, replicasDone: () => true },
  actions: { choosePod: () => ({ pod: "db-1" }) },
}).createMachine({
  id: "postgres",
  version: "1",
  initial: "Creating",
  context: { pod: "" },
  states: {
    Creating: {
      on: { "observed.Running": "Running" },
      invoke: { id: "create", src: "create", onDone: "Running", onError: "CreateFailed" },
    },
    Running: {
      on: {
        "config.changed": { target: "Updating", guard: "podsDiffer" },
        "observed.OutOfSync": "SyncFailed",
        "desired.End": "Deleting",
      },
    },
    Updating: {
      initial: "Choosing",
      states: {
        Choosing: {
          entry: "choosePod",
          always: [{ target: "Switchover", guard: "replicasDone" }, { target: "Replacing" }],
        },
        Replacing: {
          invoke: { id: "replace", src: "replacePod", onDone: "Syncing", onError: "#postgres.UpdateFailed" },
        },
        Syncing: { on: { "observed.InSync": "Choosing" }, after: { "30m": "#postgres.SyncFailed" } },
        Switchover: {
          invoke: {
            id: "switch",
            src: "switchOver",
            onDone: "FormerLeader",
            onError: "#postgres.UpdateFailed",
          },
        },
        FormerLeader: {
          invoke: {
            id: "former",
            src: "replacePod",
            onDone: "#postgres.Running",
            onError: "#postgres.UpdateFailed",
          },
        },
      },
    },
    CreateFailed: { after: { "30m": "Creating" }, on: { "config.changed": "Creating" } },
    UpdateFailed: { after: { "30m": "Updating" }, on: { "config.changed": "Updating" } },
    SyncFailed: { tags: ["failure"], after: { "30m": "Updating" }, on: { "observed.Running": "Running" } },
    Invalid: { tags: ["failure"], on: { "config.changed": "Creating" } },
    Deleting: { on: { "observed.Gone": "End" } },
    End: { type: "final" },
  },
  on: { "observed.Invalid": ".Invalid" },
});

/** A cloud's instance is made once, joins as a node, and is drained and deleted in the end (Cluster API's Machine). */
export const clusterMachine = setupLifecycle({ delays: { drainTimeout: "10m" } }).createMachine({
  id: "machine",
  version: "1",
  initial: "Pending",
  states: {
    Pending: { on: { "observed.BootstrapReady": "Provisioning", "desired.Deleted": "Deleted" } },
    Provisioning: {
      invoke: { id: "make", src: "makeInstance", onDone: "Provisioned", onError: "Failed" },
      on: { "desired.Deleted": "Deleting" },
    },
    Provisioned: {
      on: {
        "observed.NodeJoined": "Running",
        "observed.InstanceGone": "Failed",
        "desired.Deleted": "Deleting",
      },
      after: { "20m": "Failed" },
    },
    Running: { on: { "observed.InstanceGone": "Failed", "desired.Deleted": "Deleting" } },
    Failed: { tags: ["failure"], on: { "human.replace": "Pending", "desired.Deleted": "Deleting" } },
    Deleting: {
      initial: "Draining",
      states: {
        Draining: {
          invoke: { id: "drain", src: "drain", onDone: "Detaching", onError: "Detaching" },
          after: { drainTimeout: "Detaching" },
        },
        Detaching: { on: { "observed.VolumesDetached": "DeletingInstance" } },
        DeletingInstance: {
          invoke: {
            id: "delete",
            src: "deleteInstance",
            onDone: "#machine.Deleted",
            onError: "#machine.Failed",
          },
        },
      },
    },
    Deleted: { type: "final" },
  },
});

/** Started, run, serviced any number of times, stopped (OKT's memcached). */
export const memcached = setupLifecycle().createMachine({
  id: "memcached",
  version: "1",
  initial: "Start",
  states: {
    Start: { on: { "observed.Run": "Run", "desired.End": "Stop" } },
    Run: { on: { "desired.Service": "Service", "desired.End": "Stop", "observed.Down": "Start" } },
    Service: { on: { "desired.Run": "Run", "desired.End": "Stop" } },
    Stop: { on: { "observed.Empty": "End" } },
    End: { type: "final" },
  },
});

/** Regions that move by their own observations, and maintenance from which a plant goes on where it was. */
export const plant = setupLifecycle({ guards: { isQuiet: () => false } }).createMachine({
  id: "plant",
  version: "1",
  initial: "Off",
  states: {
    Off: { on: { "desired.Live": "Live", "desired.Scrapped": "Scrapped" } },
    Live: {
      type: "parallel",
      on: { "desired.Off": "Off", "desired.Maintenance": "Maintenance" },
      states: {
        network: {
          initial: "Down",
          states: {
            Down: { on: { "observed.Up": "Up" } },
            Up: {
              initial: "Slow",
              states: {
                Slow: { on: { "observed.Fast": "Fast" } },
                Fast: { on: { "observed.Slow": "Slow" } },
              },
              on: { "observed.Down": "Down" },
            },
          },
        },
        data: {
          initial: "Clean",
          states: {
            Clean: { always: { guard: "isQuiet", target: "Dirty" }, on: { "observed.Dirty": "Dirty" } },
            Dirty: { after: { "5s": "Syncing" } },
            Syncing: {
              invoke: { id: "sync", src: "sync", onDone: "Clean", onError: "#plant.HumanIntervention" },
            },
          },
        },
        memory: { type: "history", history: "deep" },
      },
    },
    Maintenance: { on: { "desired.Live": "#plant.Live.memory" } },
    Scrapped: { type: "final", output: { scrapped: true } },
  },
});
