// The kind ZooKeeper: how many servers, of which version, and how they are configured.
import { defineKind } from "xstate-operator";
import { z } from "zod";
import { zooKeeperLifecycle } from "./zookeeper-lifecycle.ts";

const spec = z.object({
  servers: z.int().min(1).max(7).default(3).describe("How many servers run."),
  version: z.string().default("3.9").describe("The version of ZooKeeper."),
  tickTime: z.int().min(100).default(2000).describe("The length of a tick in milliseconds."),
});

/** A ZooKeeper's spec. */
export type ZooKeeperSpec = z.output<typeof spec>;

export const ZooKeeper = defineKind({
  group: "kudo.example.com",
  version: "v1",
  kind: "ZooKeeper",
  spec,
  lifecycle: zooKeeperLifecycle,
});
