// Whether a type can be had at all: when what the server answers means that it cannot, and what is to be done about that.
// The reflector feeds it with failures; readers, readiness and conditions name what it finds.
import { ApiError, isForbidden, isNotServed } from "../client/api-error.ts";
import type { KubeClient, ListScope } from "../client/kube-client.ts";
import { apiVersionOf, resourceNameOf, type ResourceType } from "../meta/resource-type.ts";
import { isOperatorError, messageOf, RequeueError } from "../ports/operator-error.ts";

/** Why the objects of a type are not known. */
export interface Unavailability {
  /** The API server does not serve the type, does not let this account read it, or fails to list it. */
  readonly reason: "notServed" | "forbidden" | "failing";
  /** As a sentence, with the type and the namespace. */
  readonly message: string;
  readonly remedy: string;
}

/** Refusals in a row after which they are believed: a CRD or a role may be created together with the operator. */
const believed = 2;
/** The same for other failures of the first list, which may be an API server that is just starting. */
const believedFailures = 6;
/** Milliseconds after which what hangs on the type is tried all the same; that it is available again is noticed before. */
const recheck = 600_000;

/** Whether the server has answered that it does not serve a type, or not to this account. */
export function isRefusal(error: unknown): boolean {
  return isNotServed(error) || isForbidden(error);
}

/** Counts what fails in a row. */
export class Refusals {
  #refused = 0;
  #failed = 0;
  #last: unknown;
  #isFilled = false;
  #areSettled = false;

  /** Whether they have been reported. */
  get areSettled(): boolean {
    return this.#areSettled;
  }

  note(error: unknown): void {
    this.#last = error;
    this.#refused = isRefusal(error) ? this.#refused + 1 : 0;
    // Without a connection nothing is said about the type, and all types have the same trouble.
    const isOfType = error instanceof ApiError || isOperatorError(error, "REQUEST_TIMEOUT");
    this.#failed = isOfType ? this.#failed + 1 : 0;
  }

  /** A list is complete. */
  forget(): void {
    this.#refused = 0;
    this.#failed = 0;
    this.#isFilled = true;
    this.#areSettled = false;
  }

  /** The last failure, once when there have been enough of them. */
  settle(): unknown {
    if (this.#areSettled) return undefined;
    if (this.#refused < believed && (this.#isFilled || this.#failed < believedFailures)) return undefined;
    this.#areSettled = true;
    return this.#last;
  }
}

/** What {@link explainUnavailable} is given. */
export interface UnavailableType {
  readonly client: KubeClient;
  readonly type: ResourceType;
  readonly scope: ListScope;
  /** What a list or a watch was refused with. */
  readonly error: unknown;
  readonly signal: AbortSignal;
}

/** Why a type is unavailable, and what to do; asks the server which versions it serves instead. Never rejects. */
export async function explainUnavailable(refused: UnavailableType): Promise<Unavailability> {
  const { type, scope, error } = refused;
  const resource = resourceNameOf(type);
  if (isNotServed(error)) {
    const others = await servedVersions(refused);
    return {
      reason: "notServed",
      message: `the API server does not serve ${resource} in version ${type.version}${others.length === 0 ? "" : `, only in ${others.join(", ")}`}`,
      remedy:
        others.length === 0
          ? `Install its CRD, or remove ${type.kind} from what the controller declares; no restart is needed once it is served.`
          : `Declare ${type.kind} in a version that is served, or serve ${type.version} in its CRD; no restart is needed then.`,
    };
  }
  const where = scope.namespace === undefined ? "in all namespaces" : `in namespace "${scope.namespace}"`;
  if (isForbidden(error)) {
    const role = scope.namespace === undefined ? "a ClusterRole" : `a Role in namespace "${scope.namespace}"`;
    return {
      reason: "forbidden",
      message: `this operator may not list and watch ${resource} ${where}: ${messageOf(error)}`,
      remedy: `Grant "get", "list" and "watch" on ${resource} to its account by ${role} and a binding; no restart is needed then.`,
    };
  }
  return {
    reason: "failing",
    message: `${resource} cannot be listed ${where}: ${messageOf(error)}`,
    remedy: "Repair what the message names; no restart is needed then.",
  };
}

/** The other versions in which the server serves a type; none when it cannot be asked. */
async function servedVersions({ client, type, signal }: UnavailableType): Promise<readonly string[]> {
  if (type.group === "") return [];
  const group = `/apis/${type.group}`;
  try {
    const { versions = [] } = (await client.request({ method: "GET", path: group, signal })) as ApiGroup;
    const others = versions.map(({ version }) => version).filter((version) => version !== type.version);
    const served = await Promise.all(
      others.map(async (version) => {
        const path = `${group}/${version}`;
        const { resources = [] } = (await client.request({ method: "GET", path, signal })) as ApiResources;
        return resources.some(({ name }) => name === type.plural) ? [version] : [];
      }),
    );
    return served.flat();
  } catch {
    // It is only for the message.
    return [];
  }
}

interface ApiGroup {
  readonly versions?: readonly { readonly version: string }[];
}

interface ApiResources {
  readonly resources?: readonly { readonly name: string }[];
}

/** The error of reading what is unavailable: a run waits with it, and its condition says why. */
export function unavailableError(
  type: ResourceType,
  { message, remedy, reason }: Unavailability,
): RequeueError {
  return new RequeueError("CACHE_UNAVAILABLE", `${type.kind} cannot be read: ${message}`, recheck, {
    fields: { resource: resourceNameOf(type), apiVersion: apiVersionOf(type), reason },
    remedy,
  });
}
