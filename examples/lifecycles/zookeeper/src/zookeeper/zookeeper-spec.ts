// What is declared of a ZooKeeper.
import { z } from "zod";

/** The schema of {@link ZooKeeperSpec}. */
export const zookeeperSpec = z.object({
  servers: z.int().min(1).max(7).default(3).describe("How many servers run."),
  version: z.string().default("3.9").describe("The version of ZooKeeper."),
  tickTime: z.int().min(100).default(2000).describe("The length of a tick in milliseconds."),
});

/** A ZooKeeper's spec. */
export type ZooKeeperSpec = z.output<typeof zookeeperSpec>;
