// The operator: one controller for each kind.
import { defineOperator } from "xstate-operator";
import { postgresController } from "./src/postgres/controller.ts";
import { type Patroni, patroniOfServices } from "./src/postgres/patroni.ts";

/** The operator, on clusters that this Patroni keeps in sync. */
export function postgresOperator(patroni: Patroni) {
  return defineOperator({ name: "postgres-operator", controllers: [postgresController(patroni)] });
}

export default postgresOperator(patroniOfServices());
