// The kind Memcached: how many are desired, and which pods there are.
import { defineKind, type InstanceOf } from "xstate-operator";
import { z } from "zod";

/** The kind of {@link Memcached}. */
export const Memcached = defineKind({
  group: "cache.example.com",
  version: "v1alpha1",
  kind: "Memcached",
  description: "Memcached servers behind one name.",
  spec: z.object({
    size: z.int().min(0).max(10).default(1).describe("How many servers run."),
  }),
  status: z.object({
    nodes: z.array(z.string()).describe("Names of the pods that run them."),
  }),
  printerColumns: [{ name: "Size", type: "integer", jsonPath: ".spec.size" }],
});

/** A Memcached. */
export type Memcached = InstanceOf<typeof Memcached>;
