// The kind Plant: where its sensors report to, and where its data is kept.
import { defineKind } from "xstate-operator";
import { z } from "zod";
import { plantLifecycle } from "./plant-lifecycle.ts";

export const Plant = defineKind({
  group: "works.example.com",
  version: "v1",
  kind: "Plant",
  spec: z.object({
    sensors: z.string().describe("The ConfigMap in which the sensors report."),
    archive: z.string().default("archive").describe("The ConfigMap that data is copied to."),
  }),
  lifecycle: plantLifecycle,
  defaultDesiredState: "Live",
});
