// The kind Memcached: how many servers run.
import { defineKind } from "xstate-operator";
import { z } from "zod";
import { memcachedLifecycle } from "./memcached-lifecycle.ts";
import { memcachedSpec } from "./memcached-spec.ts";

export const Memcached = defineKind({
  group: "cache.example.com",
  version: "v1",
  kind: "Memcached",
  spec: memcachedSpec,
  status: z.object({ servers: z.int().optional().describe("How many servers answer.") }),
  lifecycle: memcachedLifecycle,
});
