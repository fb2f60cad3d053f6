// The operator: one controller for each kind.
import { defineOperator } from "xstate-operator";
import { databaseController } from "./src/database/controller.ts";

export default defineOperator({ name: "database-operator", controllers: [databaseController] });
