// The kind Memcached: how many servers run.
import { defineKind } from "xstate-operator";
import { z } from "zod";
import { memcachedLifecycle } from "./memcached-lifecycle.ts";

const spec = z.object({ size: z.int().min(0).max(10).default(1).describe("How many servers run.") });

/** A Memcached's spec. */
export type MemcachedSpec = z.output<typeof spec>;

export const Memcached = defineKind({
  group: "cache.example.com",
  version: "v1",
  kind: "Memcached",
  spec,
  status: z.object({ servers: z.int().optional().describe("How many servers answer.") }),
  lifecycle: memcachedLifecycle,
});
