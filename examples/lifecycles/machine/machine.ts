// The kind Machine: which instance, what it boots with, and how long it may be drained.
import { defineKind } from "xstate-operator";
import { z } from "zod";
import { machineLifecycle } from "./machine-lifecycle.ts";

const spec = z.object({
  flavor: z.string().default("small").describe("The instance's type at the cloud."),
  bootstrap: z.string().describe("The Secret that has the data to boot with; the machine waits for it."),
  drainMinutes: z
    .number()
    .positive()
    .default(10)
    .describe("After them a machine is deleted although it is not drained."),
});

/** A Machine's spec. */
export type MachineSpec = z.output<typeof spec>;

export const Machine = defineKind({
  group: "cluster.example.com",
  version: "v1",
  kind: "Machine",
  spec,
  status: z.object({
    instance: z.string().nullable().optional().describe("The instance's id at the cloud."),
  }),
  lifecycle: machineLifecycle,
  defaultDesiredState: "Running",
});
