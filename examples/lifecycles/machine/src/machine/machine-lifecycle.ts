// A cloud's instance that is made once, joins a cluster as a node, and is drained and deleted in the end. After Cluster API's Machine.
import { setupLifecycle } from "xstate-operator";
import type { MachineSpec } from "./machine-spec.ts";

export const machineLifecycle = setupLifecycle<{ readonly spec: MachineSpec }>()
  .extend({
    delays: {
      joinTimeout: "20m",
      drainTimeout: ({ event }) => event.spec.drainMinutes * 60_000,
    },
    actions: {
      keepInstance: ({ event }) => ({ instance: event.output ?? null }),
      forgetInstance: () => ({ instance: null }),
    },
    observations: ["BootstrapPending", "NodeMissing", "VolumesAttached"],
  })
  .createMachine({
    id: "machine",
    version: "1",
    initial: "Pending",
    context: { instance: null },
    states: {
      Pending: { on: { "observed.BootstrapReady": "Provisioning", "desired.Deleted": "Deleted" } },
      Provisioning: {
        invoke: {
          id: "make",
          src: "makeInstance",
          onDone: { target: "Provisioned", actions: "keepInstance" },
          onError: "Failed",
        },
        on: { "desired.Deleted": "Deleting" },
      },
      Provisioned: {
        on: {
          "observed.Running": "Running",
          "observed.InstanceGone": "Failed",
          "desired.Deleted": "Deleting",
        },
        after: { joinTimeout: "Failed" },
      },
      Running: { on: { "observed.InstanceGone": "Failed", "desired.Deleted": "Deleting" } },
      Failed: {
        tags: "failure",
        on: {
          "human.replace": { target: "Pending", actions: "forgetInstance" },
          "desired.Deleted": "Deleting",
        },
      },
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
