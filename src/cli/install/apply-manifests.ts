// Applies what an operator is made of, in order, and waits until it runs.
import {
  fieldManagerConflictsOf,
  isFieldManagerConflict,
  isNotFound,
  isServerTrouble,
} from "../../client/api-error.ts";
import type { KubeClient } from "../../client/kube-client.ts";
import { configurationTypes } from "../../controller/declaration/operator-webhooks.ts";
import type { Document } from "../../delivery/document.ts";
import { CustomResourceDefinition } from "../../kinds/builtin/apiextensions.ts";
import { Deployment } from "../../kinds/builtin/apps.ts";
import { typeOf } from "../../kinds/builtin/type-lookup.ts";
import { isRolledOut } from "../../kinds/builtin/workload-status.ts";
import type { CrdManifest } from "../../kinds/crd.ts";
import type { KubeObject } from "../../meta/object.ts";
import { keyOf } from "../../meta/object-key.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import type { WebhookClientConfig } from "../../meta/webhook-address.ts";
import { applyEndingConversion } from "../../webhook/end-conversion.ts";
import { monotonicNow, sleep, type Clock } from "../../ports/clock.ts";
import { OperatorError } from "../../ports/operator-error.ts";

/** What every step needs. */
export interface InstallTools {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Who installs, on every object. */
export const fieldManager = "xstate-operator-install";
/** Milliseconds until what is not ready yet is checked again. */
const interval = 500;

interface WebhookConfigured extends KubeObject {
  readonly webhooks?: readonly { readonly clientConfig: WebhookClientConfig }[];
}

/** An object, or undefined when there is none. */
export async function present(
  { client, signal }: InstallTools,
  type: ResourceType,
  document: Pick<Document, "metadata">,
): Promise<KubeObject | undefined> {
  try {
    return await client.get(type, keyOf(document), { signal });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** The type of a generated object. */
export function typeOfDocument({ apiVersion, kind }: Document): ResourceType {
  const type = typeOf(apiVersion, kind);
  if (type === undefined) throw new Error(`${kind} (${apiVersion}) is no type of Kubernetes`);
  return type;
}

/**
 * Applies one object; says what became of it.
 *
 * **Errors**: `INSTALL_CONFLICT` when somebody else has set a field of it, unless `force`.
 */
export async function applyDocument(
  tools: InstallTools,
  document: Document,
  force: boolean,
): Promise<"created" | "changed" | "unchanged"> {
  const type = typeOfDocument(document);
  const before = await present(tools, type, document);
  try {
    const { client, signal } = tools;
    const apply = (): Promise<KubeObject> => client.apply(type, document, { fieldManager, force, signal });
    const after =
      document.kind === CustomResourceDefinition.kind
        ? await applyEndingConversion(
            { client, fieldManager, signal },
            document as unknown as CrdManifest,
            apply,
          )
        : await apply();
    if (before === undefined) return "created";
    return before.metadata.resourceVersion === after.metadata.resourceVersion ? "unchanged" : "changed";
  } catch (error) {
    if (!isFieldManagerConflict(error)) throw error;
    const fields = fieldManagerConflictsOf(error).map(({ field, manager }) => `${field} (${manager})`);
    throw new OperatorError(
      "INSTALL_CONFLICT",
      `${document.kind} ${document.metadata.name} has fields that somebody else has set: ${fields.join(", ")}`,
      {
        cause: error,
        remedy: "Put the values into the manifests, or take the fields over with --force-conflicts.",
      },
    );
  }
}

/** Does something again while the API server cannot be reached or is in trouble, until then; what else goes wrong is thrown. */
export async function throughOutages<T>(
  { clock, signal }: Pick<InstallTools, "clock" | "signal">,
  deadline: number,
  work: () => Promise<T>,
): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isServerTrouble(error) || signal.aborted || monotonicNow(clock) > deadline) throw error;
    }
    await sleep(clock, interval, signal);
  }
}

/** Waits until a definition is served, a Deployment runs, or the API server trusts its webhooks; for other objects not at all. Errors: `INSTALL_NOT_READY`. */
export async function whenReady(tools: InstallTools, document: Document, timeout: number): Promise<void> {
  const { clock, signal } = tools;
  const deadline = monotonicNow(clock) + timeout;
  for (;;) {
    const waitsFor = await throughOutages(tools, deadline, () => missing(tools, document));
    if (waitsFor === undefined) return;
    if (monotonicNow(clock) > deadline) {
      throw new OperatorError(
        "INSTALL_NOT_READY",
        `${document.kind} ${document.metadata.name} is not ready after ${timeout / 1_000} s: ${waitsFor}`,
        {
          remedy: "Look at its pods and their logs: kubectl describe, kubectl logs. What was applied stays.",
        },
      );
    }
    signal.throwIfAborted();
    await sleep(clock, interval, signal);
  }
}

async function missing({ client, signal }: InstallTools, document: Document): Promise<string | undefined> {
  const key = keyOf(document);
  if (document.kind === CustomResourceDefinition.kind) {
    const { status } = await client.get(CustomResourceDefinition, key, { signal });
    const established = status?.conditions?.some(
      ({ type, status: is }) => type === "Established" && is === "True",
    );
    return established === true ? undefined : "the API server does not serve it";
  }
  const webhookType = Object.values(configurationTypes).find(({ kind }) => kind === document.kind);
  if (webhookType !== undefined) {
    const configuration = await client.get<WebhookConfigured>(webhookType, key, { signal });
    const isTrusted = configuration.webhooks?.every(
      ({ clientConfig }) => clientConfig.caBundle !== undefined,
    );
    return isTrusted === true ? undefined : "the operator has not put its certificate into it";
  }
  if (document.kind !== Deployment.kind) return undefined;
  const deployment = await client.get(Deployment, key, { signal });
  if (isRolledOut(deployment)) return undefined;
  const failed = deployment.status?.conditions?.find(({ status }) => status === "False");
  return (
    failed?.message ??
    `${deployment.status?.availableReplicas ?? 0} of ${deployment.spec.replicas ?? 1} replicas are available`
  );
}
