// Removes an object that was installed for an operator; what somebody else has made by its name stays.
import { isNotFound } from "../../client/api-error.ts";
import type { Document } from "../../delivery/document.ts";
import { Deployment } from "../../kinds/builtin/apps.ts";
import type { KubeObject } from "../../meta/object.ts";
import { keyOf } from "../../meta/object-key.ts";
import { monotonicNow, sleep } from "../../ports/clock.ts";
import type { Progress } from "../progress.ts";
import { present, throughOutages, typeOfDocument, type InstallTools } from "./apply-manifests.ts";

/** Milliseconds that the operator's pods get to end; longer than a drain takes by default. */
const podsEnd = 60_000;
/** Objects that may hold more than the operator. */
const kept = new Set(["Namespace", "CustomResourceDefinition"]);

/** Deletes it, and of a Deployment waits until its pods have ended. Definitions and namespaces are kept. */
export async function removeInstalled(
  tools: InstallTools,
  operator: string,
  document: Document,
  progress: Progress,
): Promise<void> {
  const { kind, metadata } = document;
  const live = await present(tools, typeOfDocument(document), document);
  if (live === undefined) return;
  // Somebody else's object may have the name.
  const isOurs = live.metadata.labels?.["app.kubernetes.io/name"] === operator;
  if (kept.has(kind) || !isOurs) return progress.done(`${kind} ${metadata.name}: kept`);
  progress.begin(`${kind} ${metadata.name}`);
  await deleteOne(tools, document, live);
  progress.done(`${kind} ${metadata.name}: deleted`);
}

/** The pods of a Deployment end with their roles still there: they release their Lease. */
async function deleteOne(tools: InstallTools, document: Document, live: KubeObject): Promise<void> {
  const { client, clock, signal } = tools;
  const type = typeOfDocument(document);
  const isRunning = document.kind === Deployment.kind;
  const propagationPolicy = isRunning ? "Foreground" : "Background";
  const { uid } = live.metadata;
  try {
    await client.delete(type, keyOf(document), { signal, propagationPolicy, preconditions: { uid } });
  } catch (error) {
    // An uninstallation that was interrupted had begun to delete it.
    if (isNotFound(error)) return;
    throw error;
  }
  if (!isRunning) return;
  const deadline = monotonicNow(clock) + podsEnd;
  while (monotonicNow(clock) < deadline) {
    const now = await throughOutages(tools, deadline, () => present(tools, type, document));
    if (now?.metadata.uid !== uid) return;
    await sleep(clock, 500, signal);
  }
}
