// The kind Postgres: how many servers, of which version.
import { defineKind } from "xstate-operator";
import { z } from "zod";
import { postgresLifecycle } from "./postgres-lifecycle.ts";
import { postgresSpec } from "./postgres-spec.ts";

export const Postgres = defineKind({
  group: "data.example.com",
  version: "v1",
  kind: "Postgres",
  spec: postgresSpec,
  status: z.object({ leader: z.string().nullable().optional().describe("The pod that leads.") }),
  lifecycle: postgresLifecycle,
});
