// What handlers of resource requests share, besides the exchange itself.
import type { Authorizer } from "../access/access-attributes.ts";
import type { ApiCore } from "../api-core.ts";
import type { ServerFaults } from "../faults/server-faults.ts";
import type { PodStreamSource } from "./pod-streams.ts";
import type { PodLogSource } from "./pod-log.ts";
import type { UserDirectory } from "../requests/users.ts";
import type { WriteGate } from "./write-gate.ts";

/** The services behind the handlers. */
export interface ResourceServices {
  readonly core: ApiCore;
  readonly users: UserDirectory;
  readonly authorizer: Authorizer;
  readonly writes: WriteGate;
  readonly faults: ServerFaults;
  /** Undefined while there is no pod runtime. */
  podRuntime(): (PodLogSource & PodStreamSource) | undefined;
}

/** Thrown for a path that is not served at all; answered with plain text. */
export class PathNotServed extends Error {}
