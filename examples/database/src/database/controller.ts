// The controller of databases: which objects there are, how the server is observed, and which tasks its life needs.
import { defineController } from "xstate-operator";
import { ConfigMap, Pod, Secret, Service, StatefulSet } from "xstate-operator/kinds";
import { backUp } from "./back-up.ts";
import { drain } from "./drain.ts";
import { observeDatabase } from "./observe-database.ts";
import { databaseStatus } from "./database-status.ts";
import { isHeldBack } from "./held-back.ts";
import { Database } from "./database.ts";
import { settingName } from "../postgres/settings.ts";
import { sidecars } from "./server-address.ts";
import { databaseConfig } from "./resources/config.ts";
import { keyFor } from "./resources/names.ts";
import { databaseSecret } from "./resources/secret.ts";
import { databaseSet } from "./resources/server.ts";
import { databaseService } from "./resources/service.ts";

export const databaseController = defineController(Database, {
  owns: [ConfigMap, Secret, Service, StatefulSet],
  reads: [Pod],
  sources: [sidecars],
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
});
