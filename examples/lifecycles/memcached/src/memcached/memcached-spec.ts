// What is declared of a memcached.
import { z } from "zod";

/** The schema of {@link MemcachedSpec}. */
export const memcachedSpec = z.object({
  size: z.int().min(0).max(10).default(1).describe("How many servers run."),
});

/** A Memcached's spec. */
export type MemcachedSpec = z.output<typeof memcachedSpec>;
