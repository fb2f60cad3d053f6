// The operator: which objects a Database has, how its server is observed, and which tasks its life needs.
import { defineController, defineOperator } from "xstate-operator";
import { ConfigMap, Job, Pod, Secret, Service, StatefulSet } from "xstate-operator/kinds";
import { backUp } from "./application/back-up.ts";
import { drain } from "./application/drain.ts";
import { observeDatabase } from "./application/observe-database.ts";
import { databaseStatus } from "./application/database-status.ts";
import { isHeldBack } from "./application/held-back.ts";
import { Database } from "./database.ts";
import { settingName } from "./postgres/settings.ts";
import { databaseConfig } from "./resources/config.ts";
import { keyFor } from "./resources/names.ts";
import { databaseSecret } from "./resources/secret.ts";
import { databaseSet } from "./resources/server.ts";
import { databaseService } from "./resources/service.ts";

export default defineOperator({
  name: "database-operator",
  controllers: [
    defineController(Database, {
      owns: [ConfigMap, Secret, Service, StatefulSet, Job],
      reads: [Pod],
      // Jobs are made by the task alone.
      permissions: [{ type: Job, verbs: ["create", "delete"] }],
      steps: {
        CRChecker: ({ cr, results }) => {
          const wrong = Object.keys(cr.spec.parameters).filter((name) => !settingName.test(name));
          if (wrong.length > 0) results.giveUp(`spec.parameters: no setting is called ${wrong.join(", ")}`);
        },
        ObjectsGetter: ({ cr, lookUp, registry }) => {
          if (isHeldBack(cr, lookUp(StatefulSet, keyFor(cr)))) return;
          registry.add(
            databaseSecret(cr, lookUp(Secret, keyFor(cr, "-secret"))),
            databaseConfig(cr),
            databaseService(cr),
            databaseSet(cr),
          );
        },
        SuccessManager: databaseStatus,
      },
      application: {
        observe: observeDatabase,
        tasks: { backUp, drain },
        poll: "10s",
      },
    }),
  ],
});
