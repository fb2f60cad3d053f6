// The operator: one controller for each kind.
import { defineOperator } from "xstate-operator";
import { databaseUserController } from "./src/database-user/controller.ts";

export default defineOperator({ name: "database-user-operator", controllers: [databaseUserController] });
