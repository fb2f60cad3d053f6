// Writes one stored object again as it is, so that the API server stores it in the version in which it stores objects now.
import {
  isConflict,
  isConnectionError,
  isInvalid,
  isMisfit,
  isNotFound,
  isTooLarge,
} from "../../client/api-error.ts";
import { ApiError } from "../../client/api-error.ts";
import type { KubeClient } from "../../client/kube-client.ts";
import type { KubeObject } from "../../meta/object.ts";
import { keyOf } from "../../meta/object-key.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import { backoffDelay } from "../../ports/backoff.ts";
import { sleep, type Clock } from "../../ports/clock.ts";
import { messageOf } from "../../ports/operator-error.ts";

/** Who rewrites, and records how far the migration is. */
export const fieldManager = "xstate-operator-migrate";

/** What became of an object. */
export type Rewritten =
  /** Stored again. */
  | { readonly outcome: "rewritten" }
  /** Was stored in this version already. */
  | { readonly outcome: "current" }
  | { readonly outcome: "gone" }
  /** The API server refuses it as it is. */
  | { readonly outcome: "refused"; readonly reason: string };

/** What every request needs. */
export interface RewriteTools {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Milliseconds until a request that the server could not answer is repeated. */
const retries = { first: 500, longest: 8_000 };
const mostTries = 6;

/**
 * Patches nothing of it, under the condition that it is still the one that was listed; else reads it again first.
 *
 * **Errors**: `ApiError`, and those of a connection that does not come back.
 * **RBAC**: `get` and `patch` on the type.
 */
export async function rewriteObject(
  tools: RewriteTools,
  type: ResourceType,
  listed: KubeObject,
): Promise<Rewritten> {
  const { client, clock, signal } = tools;
  let object = listed;
  for (let tries = 1; ; tries += 1) {
    signal.throwIfAborted();
    const { uid, resourceVersion } = object.metadata;
    try {
      const patch = { type: "merge", body: { metadata: { uid, resourceVersion } } } as const;
      const stored = await client.patch(type, keyOf(object), patch, { fieldManager, signal });
      return { outcome: stored.metadata.resourceVersion === resourceVersion ? "current" : "rewritten" };
    } catch (error) {
      if (isNotFound(error)) return { outcome: "gone" };
      const isOther = isConflict(error) || (isInvalid(error) && namesUid(error));
      if (!isOther && isRefusal(error)) return { outcome: "refused", reason: messageOf(error) };
      if (tries >= mostTries || !(isOther || isPassing(error))) throw error;
      if (isOther) {
        const now = await present(tools, type, object);
        if (now === undefined) return { outcome: "gone" };
        object = now;
      } else {
        const wanted = error instanceof ApiError ? error.retryAfter : undefined;
        await sleep(clock, wanted ?? backoffDelay(retries, tries), signal);
      }
    }
  }
}

async function present(
  { client, signal }: RewriteTools,
  type: ResourceType,
  object: KubeObject,
): Promise<KubeObject | undefined> {
  try {
    return await client.get(type, keyOf(object), { signal });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Another object of the name is no object that breaks a rule. */
function namesUid(error: ApiError): boolean {
  return (error.details.causes ?? []).some(({ field }) => field === "metadata.uid");
}

function isRefusal(error: unknown): boolean {
  return isInvalid(error) || isMisfit(error) || isTooLarge(error);
}

/** What may be different the next time: also a conversion webhook that is down, which the server answers with 500. */
function isPassing(error: unknown): boolean {
  if (isConnectionError(error)) return true;
  return error instanceof ApiError && (error.status === 429 || error.status >= 500);
}
