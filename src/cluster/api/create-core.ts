// Puts the shared parts of an API server together: a storage, the built-in types, what every cluster has.
import { randomUUID } from "node:crypto";
import type { Clock } from "../../ports/clock.ts";
import type { Logger } from "../../ports/logger.ts";
import type { Random } from "../../ports/random.ts";
import { everythingAllowed } from "./access/authorize.ts";
import { AccountTokens } from "./access/account-tokens.ts";
import { GrantCheck } from "./access/grant-check.ts";
import { RbacAuthorizer } from "./access/rbac-authorizer.ts";
import { Admission } from "./admission/admission.ts";
import type { ApiCore } from "./api-core.ts";
import { createBuiltinTypes } from "./builtin/builtin-types.ts";
import { createDefinitionType } from "./custom/crd-type.ts";
import { ExtensionDocuments } from "./discovery/extension-documents.ts";
import { createInitialObjects } from "./initial-objects.ts";
import { ObjectStore, type StoreJournal } from "./storage/object-store.ts";
import { TypeRegistry } from "./type-registry.ts";

/** Options of {@link createApiCore}. */
export interface ApiCoreOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** How many past changes of each type watches can resume from; default 5,000. */
  readonly historyLimit?: number;
  /** Keeps what is stored; default nothing outlasts the process. */
  readonly journal?: StoreJournal | undefined;
  /** What the tokens of service accounts are signed with; default a new key. */
  readonly accountKey?: Buffer;
  /** Whether roles decide what users may do; default they do not. */
  readonly rbac?: boolean;
}

/** The parts of a new API server. */
export function createApiCore(options: ApiCoreOptions): ApiCore {
  const { clock, random, log, historyLimit, journal, accountKey, rbac = false } = options;
  const store = new ObjectStore({ journal, ...(historyLimit === undefined ? {} : { historyLimit }) });
  const registry = new TypeRegistry();
  const roles = rbac ? new RbacAuthorizer(store) : undefined;
  const core: ApiCore = {
    store,
    registry,
    clock,
    random,
    log,
    admission: new Admission({ store, registry, random, authorizer: roles ?? everythingAllowed }),
    accountTokens: new AccountTokens(store, clock, accountKey),
    grants: roles === undefined ? undefined : new GrantCheck(roles),
    watches: new Set(),
    extensions: new ExtensionDocuments(),
    newUid: () => randomUUID(),
  };
  for (const type of createBuiltinTypes(store, random)) registry.add(type);
  registry.add(createDefinitionType());
  createInitialObjects(core);
  return core;
}
