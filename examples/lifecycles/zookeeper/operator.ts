// The operator: one controller for each kind.
import { defineOperator } from "xstate-operator";
import { zookeeperController } from "./src/zookeeper/controller.ts";

export default defineOperator({ name: "zookeeper-operator", controllers: [zookeeperController] });
