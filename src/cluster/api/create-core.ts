// Puts the shared parts of an API server together: an empty storage, the built-in types, what every cluster has.
import { randomUUID } from "node:crypto";
import type { Clock } from "../../ports/clock.ts";
import type { Logger } from "../../ports/logger.ts";
import type { Random } from "../../ports/random.ts";
import { GrantCheck } from "./access/grant-check.ts";
import { RbacAuthorizer } from "./access/rbac-authorizer.ts";
import { Admission } from "./admission/admission.ts";
import type { ApiCore } from "./api-core.ts";
import { createBuiltinTypes } from "./builtin/builtin-types.ts";
import { createDefinitionType } from "./custom/crd-type.ts";
import { createInitialObjects } from "./initial-objects.ts";
import { ObjectStore } from "./storage/object-store.ts";
import { TypeRegistry } from "./type-registry.ts";

/** Options of {@link createApiCore}. */
export interface ApiCoreOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** How many past changes of each type watches can resume from; default 5,000. */
  readonly historyLimit?: number;
  /** Whether roles decide what users may do; default they do not. */
  readonly rbac?: boolean;
}

/** The parts of a new API server. */
export function createApiCore({ clock, random, log, historyLimit, rbac = false }: ApiCoreOptions): ApiCore {
  const store = new ObjectStore(historyLimit === undefined ? {} : { historyLimit });
  const registry = new TypeRegistry();
  const core: ApiCore = {
    store,
    registry,
    clock,
    random,
    log,
    admission: new Admission({ store, registry, random }),
    grants: rbac ? new GrantCheck(new RbacAuthorizer(store)) : undefined,
    newUid: () => randomUUID(),
  };
  for (const type of createBuiltinTypes(store)) registry.add(type);
  registry.add(createDefinitionType());
  createInitialObjects(core);
  return core;
}
