// Lifecycles as people would draw them who have never heard of roles: what is said of them must be what they would say.
import { setupLifecycle } from "../../machines/lifecycle-machine.ts";
/** A member of a ring that joins, is drained and repaired, and may be lost (Cassandra). */
export const ringMember = setupLifecycle().createMachine({
  id: "cassandra",
  version: "1",
  initial: "Starting",
  states: {
    Starting: {
      on: { "observed.Joining": "Joining", "observed.Normal": "Normal" },
      after: { "20m": "HumanIntervention" },
    },
    Joining: {
      description: "streams its ranges",
      on: { "observed.Normal": "Normal" },
      after: { "24h": "HumanIntervention" },
    },
    Normal: {
      on: {
        "observed.Down": "Down",
        "desired.Drained": "Draining",
        "desired.Repairing": "Repairing",
        "desired.End": "Decommissioning",
      },
    },
    Down: { on: { "observed.Normal": "Normal", "human.replace": "Replacing" }, after: { "3h": "Replacing" } },
    Replacing: { invoke: { id: "replace", src: "replace", onDone: "Joining", onError: "HumanIntervention" } },
    Repairing: { invoke: { id: "repair", src: "repair", onDone: "Normal", onError: "Normal" } },
    Draining: { invoke: { id: "drain", src: "drain", onDone: "Drained", onError: "HumanIntervention" } },
    Drained: { on: { "desired.Normal": "Starting", "desired.End": "Decommissioning" } },
    Decommissioning: { on: { "observed.Left": "End" } },
    End: { type: "final" },
  },
});
/** A store of secrets that is sealed, and active on one of several servers (Vault). */
export const secretStore = setupLifecycle().createMachine({
  id: "vault",
  version: "1",
  initial: "Uninitialized",
  states: {
    Uninitialized: {
      invoke: { id: "init", src: "initialize", onDone: "Sealed", onError: "HumanIntervention" },
      on: { "observed.Sealed": "Sealed", "observed.Unsealed": "Standby" },
    },
    Sealed: { on: { "observed.Unsealed": "Standby", "human.unseal": "Unsealing", "desired.End": "End" } },
    Unsealing: { invoke: { id: "unseal", src: "unseal", onDone: "Standby", onError: "Sealed" } },
    Standby: {
      on: {
        "observed.Active": "Active",
        "observed.Sealed": "Sealed",
        "desired.Sealed": "Sealing",
        "desired.End": "End",
      },
    },
    Active: {
      on: {
        "observed.Standby": "Standby",
        "observed.Sealed": "Sealed",
        "desired.Sealed": "Sealing",
        "desired.Standby": "SteppingDown",
        "desired.End": "Sealing",
      },
    },
    SteppingDown: { invoke: { id: "stepDown", src: "stepDown", onDone: "Standby", onError: "Active" } },
    Sealing: { invoke: { id: "seal", src: "seal", onDone: "Sealed", onError: "HumanIntervention" } },
    End: { type: "final" },
  },
});
/** A search cluster that is upgraded node by node (Elasticsearch). */
export const searchCluster = setupLifecycle({ guards: { moreNodes: () => true } }).createMachine({
  id: "elastic",
  version: "1",
  initial: "Creating",
  states: {
    Creating: {
      on: { "observed.Green": "Green", "observed.Yellow": "Yellow" },
      after: { "30m": "HumanIntervention" },
    },
    Green: {
      on: {
        "observed.Yellow": "Yellow",
        "observed.Red": "Red",
        "config.changed": "Upgrading",
        "desired.End": "Deleting",
      },
    },
    Yellow: { on: { "observed.Green": "Green", "observed.Red": "Red", "desired.End": "Deleting" } },
    Red: {
      tags: "failure",
      on: {
        "observed.Green": "Green",
        "observed.Yellow": "Yellow",
        "human.reroute": "Yellow",
        "desired.End": "Deleting",
      },
    },
    Upgrading: {
      initial: "DisablingAllocation",
      on: { "human.abort": "Green" },
      states: {
        DisablingAllocation: {
          invoke: {
            id: "dis",
            src: "disableAllocation",
            onDone: "Restarting",
            onError: "#elastic.HumanIntervention",
          },
        },
        Restarting: {
          invoke: {
            id: "restart",
            src: "restartNode",
            onDone: "Recovering",
            onError: "#elastic.HumanIntervention",
          },
        },
        Recovering: {
          on: { "observed.Green": [{ guard: "moreNodes", target: "Restarting" }, { target: "Enabling" }] },
          after: { "2h": "#elastic.HumanIntervention" },
        },
        Enabling: {
          invoke: {
            id: "en",
            src: "enableAllocation",
            onDone: "Done",
            onError: "#elastic.HumanIntervention",
          },
        },
        Done: { type: "final" },
      },
      onDone: "Green",
    },
    Deleting: { invoke: { id: "snap", src: "finalSnapshot", onDone: "End", onError: "HumanIntervention" } },
    End: { type: "final" },
  },
});
/** A pool of runners that is scaled to nothing while nobody needs it. */
export const runnerPool = setupLifecycle().createMachine({
  id: "runners",
  version: "1",
  initial: "Registering",
  states: {
    Registering: { invoke: { id: "register", src: "register", onDone: "Idle", onError: "Failed" } },
    Idle: {
      on: {
        "observed.Queued": "Busy",
        "config.changed": "Rolling",
        "desired.Paused": "Paused",
        "desired.End": "Draining",
      },
      after: { "30m": "ScaledToZero" },
    },
    ScaledToZero: {
      on: { "observed.Queued": "Idle", "desired.Paused": "Paused", "desired.End": "Draining" },
    },
    Busy: { on: { "observed.Idle": "Idle", "desired.Paused": "Draining", "desired.End": "Draining" } },
    Rolling: { invoke: { id: "roll", src: "roll", onDone: "Idle", onError: "Failed" } },
    Paused: { tags: "suspended", on: { "desired.Idle": "Registering", "desired.End": "Draining" } },
    Draining: { on: { "observed.Drained": "End" }, after: { "1h": "End" } },
    Failed: {
      tags: "failure",
      on: { "human.retry": "Registering", "config.changed": "Registering", "desired.End": "End" },
      after: { "10m": "Registering" },
    },
    End: { type: "final" },
  },
});
/** A certificate that is ordered, proven, issued and renewed (ACME). */
export const issuedCertificate = setupLifecycle({ delays: { untilRenewal: "1440h" } }).createMachine({
  id: "acme",
  version: "1",
  initial: "Ordering",
  states: {
    Ordering: { invoke: { id: "order", src: "order", onDone: "Challenging", onError: "Failed" } },
    Challenging: {
      on: { "observed.Validated": "Issuing", "observed.Invalid": "Failed" },
      after: { "1h": "Failed" },
    },
    Issuing: { invoke: { id: "issue", src: "issue", onDone: "Ready", onError: "Failed" } },
    Ready: {
      on: { "observed.Expired": "Ordering", "config.changed": "Ordering", "desired.Revoked": "Revoking" },
      after: { untilRenewal: "Renewing" },
    },
    Renewing: { invoke: { id: "renew", src: "renew", onDone: "Ready", onError: "Ready" } },
    Failed: {
      tags: "failure",
      on: { "human.retry": "Ordering", "config.changed": "Ordering", "desired.Revoked": "Revoked" },
      after: { "1h": "Ordering" },
    },
    Revoking: { invoke: { id: "revoke", src: "revoke", onDone: "Revoked", onError: "HumanIntervention" } },
    Revoked: { type: "final" },
  },
});
