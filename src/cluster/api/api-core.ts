// What all parts of the API server share: storage, types, time, and the few callbacks of its owner.
import type { Clock } from "../../ports/clock.ts";
import type { Logger } from "../../ports/logger.ts";
import type { Random } from "../../ports/random.ts";
import { toTimestamp } from "../../meta/condition.ts";
import type { AccountTokens } from "./access/account-tokens.ts";
import type { GrantCheck } from "./access/grant-check.ts";
import type { Admission } from "./admission/admission.ts";
import type { ExtensionDocuments } from "./discovery/extension-documents.ts";
import type { ServedType } from "./served-type.ts";
import type { ObjectStore } from "./storage/object-store.ts";
import type { TypeRegistry } from "./type-registry.ts";

/** A watch that is open. */
export interface OpenWatch {
  readonly type: ServedType;
  readonly scope: "cluster" | "namespace";
}

/** The shared parts of one API server. */
export interface ApiCore {
  readonly store: ObjectStore;
  readonly registry: TypeRegistry;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly admission: Admission;
  /** Makes and reads the tokens of service accounts. */
  readonly accountTokens: AccountTokens;
  /** Where roles decide: keeps users from handing out more rights than they have. */
  readonly grants: GrantCheck | undefined;
  /** The watches that are open, whoever has them. */
  readonly watches: Set<OpenWatch>;
  /** What other API servers say that they serve. */
  readonly extensions: ExtensionDocuments;
  /** A new uid. */
  newUid(): string;
}

/** The current time as `metav1.Time`. */
export function timestampOf(core: Pick<ApiCore, "clock">): string {
  return toTimestamp(core.clock.now());
}
