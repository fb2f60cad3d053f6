// What is declared of a cluster of Postgres servers.
import { z } from "zod";

/** The schema of {@link PostgresSpec}. */
export const postgresSpec = z.object({
  instances: z.int().min(1).max(9).default(3).describe("How many servers run: a leader and its replicas."),
  version: z.string().default("18").describe("The version of Postgres."),
});

/** A Postgres' spec. */
export type PostgresSpec = z.output<typeof postgresSpec>;
