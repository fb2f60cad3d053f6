// `uninstall`: takes an operator from a cluster, without leaving resources that nobody can delete any more.
import { Command } from "commander";
import { isNotFound } from "../../client/api-error.ts";
import { listAll } from "../../client/paging.ts";
import { configurationTypes, servesWebhooks } from "../../controller/declaration/operator-webhooks.ts";
import { finalizerOf } from "../../controller/run/reconciler.ts";
import { manifestFilesOf } from "../../delivery/manifests.ts";
import type { Document } from "../../delivery/document.ts";
import { Deployment } from "../../kinds/builtin/apps.ts";
import type { Kind } from "../../kinds/define-kind.ts";
import type { KubeObject } from "../../meta/object.ts";
import { formatKey, keyOf } from "../../meta/object-key.ts";
import { monotonicNow, sleep } from "../../ports/clock.ts";
import { OperatorError } from "../../ports/operator-error.ts";
import { systemClock } from "../../ports/system-clock.ts";
import { certificateSecretOf } from "../../webhook/certificate-store.ts";
import { connect, withClusterAddress } from "../cluster-object.ts";
import { durationOption } from "../duration-option.ts";
import { examplesText } from "../examples-text.ts";
import { withAccessFlags, type AccessFlags } from "../generate/access-options.ts";
import { workloadOf } from "../generate/manifests-command.ts";
import { present, typeOfDocument, type InstallTools } from "../install/apply-manifests.ts";
import { createProgress, type Progress } from "../progress.ts";
import type { Terminal } from "../terminal.ts";
import { UsageError } from "../usage-error.ts";

interface UninstallFlags extends AccessFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly drain?: boolean;
  readonly release: number;
  readonly timeout: number;
}

/** Milliseconds that the operator's pods get to end; longer than a drain takes by default. */
const podsEnd = 60_000;
/** Resources that a refusal names. */
const named = 5;
/** Objects that may hold more than the operator. */
const kept = new Set(["Namespace", "CustomResourceDefinition"]);

/** The command `uninstall`. */
export function uninstallCommand(terminal: Terminal): Command {
  const command = new Command("uninstall")
    .description("Delete what runs an operator in a cluster. Its definitions and its namespace are kept.")
    .argument("<operator>", "module that default-exports an operator, or its folder");
  return withAccessFlags(withClusterAddress(command))
    .option("--drain", "delete all its resources first, and wait until the operator has ended them")
    .option(
      "--release",
      "take the operator's finalizer from all its resources first, which then nobody ends; given twice",
      (_value: string | undefined, times: number) => times + 1,
      0,
    )
    .option(
      "--timeout <duration>",
      "with --drain: how long the resources may take to end",
      durationOption,
      600_000,
    )
    .addHelpText(
      "after",
      examplesText("uninstall operator.ts", "uninstall operator.ts --drain --timeout 30m"),
    )
    .action((path: string, flags: UninstallFlags) => uninstall(terminal, path, flags));
}

async function uninstall(terminal: Terminal, path: string, flags: UninstallFlags): Promise<void> {
  refuseContradictions(flags);
  const { operator, options } = await workloadOf(terminal, path, {
    ...flags,
    replicas: 1,
    drainTimeout: 25_000,
  });
  const { client } = await connect(terminal, flags);
  const tools: InstallTools = { client, clock: systemClock, signal: terminal.stopSignal() };
  const progress = createProgress(terminal);
  try {
    const documents = manifestFilesOf(operator, options).flatMap((file) => file.documents);
    const remove = (document: Document): Promise<void> => removeOne(tools, operator.name, document, progress);
    // Nobody may be there to answer them, and the finalizer could not be taken from anything.
    const isWebhook = ({ kind }: Document): boolean => kind in configurationTypes;
    if (flags.release > 1) for (const document of documents.filter(isWebhook)) await remove(document);
    for (const { kind } of operator.controllers) await settle(tools, kind, flags, progress);
    for (const document of documents.toReversed()) await remove(document);
    if (servesWebhooks(operator)) await remove(certificateOf(operator.name, options.operatorNamespace));
  } catch (error) {
    progress.abandon();
    throw error;
  } finally {
    await client.close();
  }
  terminal.out(`${operator.name} is uninstalled\n`);
}

async function removeOne(
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

/** The Secret that the operator itself has made. */
function certificateOf(operator: string, namespace: string): Document {
  return { apiVersion: "v1", kind: "Secret", metadata: { name: certificateSecretOf(operator), namespace } };
}

/** The pods of a Deployment end with their roles still there: they release their Lease. */
async function deleteOne(tools: InstallTools, document: Document, live: KubeObject): Promise<void> {
  const { client, clock, signal } = tools;
  const type = typeOfDocument(document);
  const isRunning = document.kind === Deployment.kind;
  const propagationPolicy = isRunning ? "Foreground" : "Background";
  const { uid } = live.metadata;
  await client.delete(type, keyOf(document), { signal, propagationPolicy, preconditions: { uid } });
  if (!isRunning) return;
  const deadline = monotonicNow(clock) + podsEnd;
  while (monotonicNow(clock) < deadline) {
    if ((await present(tools, type, document))?.metadata.uid !== uid) return;
    await sleep(clock, 500, signal);
  }
}

function refuseContradictions({ drain = false, release }: UninstallFlags): void {
  if (drain && release > 0) {
    throw new UsageError("--drain and --release exclude each other", "Omit one of the two.");
  }
  if (release === 1) {
    throw new UsageError(
      "--release leaves behind what the resources stand for, and nobody will ever end it",
      "Say it twice (--release --release), or use --drain.",
    );
  }
}

/** No resource of a kind waits for the operator after this. Errors: `RESOURCES_HELD`, `DRAIN_INCOMPLETE`. */
async function settle(
  tools: InstallTools,
  kind: Kind<KubeObject>,
  { drain = false, release, timeout }: UninstallFlags,
  progress: Progress,
): Promise<void> {
  const held = (await resourcesOf(tools, kind)).filter(({ metadata }) =>
    metadata.finalizers?.includes(finalizerOf(kind)),
  );
  if (drain) return drainAll(tools, kind, timeout, progress);
  if (held.length === 0) return;
  if (release > 1) {
    for (const resource of held) await releaseOne(tools, kind, resource);
    progress.done(`${kind.kind}: ${held.length} released`);
    return;
  }
  throw new OperatorError(
    "RESOURCES_HELD",
    `${held.length} ${kind.plural} have the operator's finalizer and could not be deleted without it: ${namesOf(held)}`,
    {
      fields: { kind: kind.kind, resources: held.map(({ metadata }) => formatKey(metadata)) },
      remedy:
        "Delete them first, or add --drain, which does that and waits; --release --release leaves behind what they stand for. Nothing was deleted.",
    },
  );
}

async function resourcesOf(
  { client, signal }: InstallTools,
  kind: Kind<KubeObject>,
): Promise<readonly KubeObject[]> {
  try {
    return (await listAll(client, kind, { signal })).items;
  } catch (error) {
    if (isNotFound(error)) return [];
    throw error;
  }
}

async function drainAll(
  tools: InstallTools,
  kind: Kind<KubeObject>,
  timeout: number,
  progress: Progress,
): Promise<void> {
  const { client, clock, signal } = tools;
  const deadline = monotonicNow(clock) + timeout;
  const all = await resourcesOf(tools, kind);
  if (all.length === 0) return;
  progress.begin(`${kind.kind}: ${all.length} are being ended`);
  for (const { metadata } of all) {
    try {
      await client.delete(kind, keyOf({ metadata }), { signal, preconditions: { uid: metadata.uid } });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
  for (;;) {
    const left = await resourcesOf(tools, kind);
    if (left.length === 0) break;
    if (monotonicNow(clock) > deadline) {
      throw new OperatorError(
        "DRAIN_INCOMPLETE",
        `${left.length} ${kind.plural} have not ended after ${timeout / 1_000} s: ${namesOf(left)}`,
        {
          remedy: "Find out what each waits for (xstate-operator explain); the operator still runs.",
        },
      );
    }
    await sleep(clock, 500, signal);
  }
  progress.done(`${kind.kind}: ${all.length} ended`);
}

async function releaseOne(
  { client, signal }: InstallTools,
  kind: Kind<KubeObject>,
  { metadata }: KubeObject,
): Promise<void> {
  const { finalizers = [], uid } = metadata;
  const index = finalizers.indexOf(finalizerOf(kind));
  const body = [
    { op: "test", path: "/metadata/uid", value: uid },
    { op: "test", path: `/metadata/finalizers/${index}`, value: finalizerOf(kind) },
    { op: "remove", path: `/metadata/finalizers/${index}` },
  ] as const;
  await client.patch(
    kind,
    keyOf({ metadata }),
    { type: "json", body },
    { fieldManager: "xstate-operator-install", signal },
  );
}

function namesOf(resources: readonly KubeObject[]): string {
  const names = resources.slice(0, named).map(({ metadata }) => formatKey(metadata));
  return `${names.join(", ")}${resources.length > named ? ` and ${resources.length - named} more` : ""}`;
}
