// The kind ZooKeeper: how many servers, of which version, and how they are configured.
import { defineKind } from "xstate-operator";
import { zooKeeperLifecycle } from "./zookeeper-lifecycle.ts";
import { zookeeperSpec } from "./zookeeper-spec.ts";

export const ZooKeeper = defineKind({
  group: "kudo.example.com",
  version: "v1",
  kind: "ZooKeeper",
  spec: zookeeperSpec,
  lifecycle: zooKeeperLifecycle,
});
