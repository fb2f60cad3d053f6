// The operator: one controller for each kind.
import { defineOperator } from "xstate-operator";
import { memcachedController } from "./src/memcached/controller.ts";

export default defineOperator({ name: "memcached-operator", controllers: [memcachedController] });
