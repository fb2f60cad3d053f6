// The kind Machine: which instance, what it boots with, and how long it may be drained.
import { defineKind } from "xstate-operator";
import { z } from "zod";
import { machineLifecycle } from "./machine-lifecycle.ts";
import { machineSpec } from "./machine-spec.ts";

export const Machine = defineKind({
  group: "cluster.example.com",
  version: "v1",
  kind: "Machine",
  spec: machineSpec,
  status: z.object({
    instance: z.string().nullable().optional().describe("The instance's id at the cloud."),
  }),
  lifecycle: machineLifecycle,
  defaultDesiredState: "Running",
});
