// The kind Postgres: how many servers, of which version.
import { defineKind } from "xstate-operator";
import { z } from "zod";
import { postgresLifecycle } from "./postgres-lifecycle.ts";

const spec = z.object({
  instances: z.int().min(1).max(9).default(3).describe("How many servers run: a leader and its replicas."),
  version: z.string().default("18").describe("The version of Postgres."),
});

/** A Postgres' spec. */
export type PostgresSpec = z.output<typeof spec>;

export const Postgres = defineKind({
  group: "data.example.com",
  version: "v1",
  kind: "Postgres",
  spec,
  status: z.object({ leader: z.string().nullable().optional().describe("The pod that leads.") }),
  lifecycle: postgresLifecycle,
});
