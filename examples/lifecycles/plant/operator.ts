// The operator: one controller for each kind.
import { defineOperator } from "xstate-operator";
import { plantController } from "./src/plant/controller.ts";

export default defineOperator({ name: "plant-operator", controllers: [plantController] });
