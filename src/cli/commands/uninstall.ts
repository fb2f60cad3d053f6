// `uninstall`: takes an operator from a cluster, without leaving resources that nobody can delete any more.
import { Command } from "commander";
import { isNotFound } from "../../client/api-error.ts";
import { listAll } from "../../client/paging.ts";
import { configurationTypes, servesWebhooks } from "../../controller/declaration/operator-webhooks.ts";
import { finalizerOf } from "../../controller/run/reconciler.ts";
import { manifestFilesOf } from "../../delivery/manifests.ts";
import type { Document } from "../../delivery/document.ts";
import { CustomResourceDefinition } from "../../kinds/builtin/apiextensions.ts";
import { Deployment } from "../../kinds/builtin/apps.ts";
import type { Kind } from "../../kinds/define-kind.ts";
import type { KubeObject } from "../../meta/object.ts";
import { formatKey, keyOf } from "../../meta/object-key.ts";
import { resourceNameOf, type ResourceType } from "../../meta/resource-type.ts";
import { monotonicNow, sleep } from "../../ports/clock.ts";
import { OperatorError } from "../../ports/operator-error.ts";
import { systemClock } from "../../ports/system-clock.ts";
import { certificateSecretOf } from "../../webhook/certificate-store.ts";
import { connect, storedTypeOf, withClusterAddress } from "../cluster-object.ts";
import { durationOption } from "../duration-option.ts";
import { examplesText } from "../examples-text.ts";
import { failureOf } from "../exit-code.ts";
import { withAccessFlags, type AccessFlags } from "../generate/access-options.ts";
import { workloadOf } from "../generate/manifests-command.ts";
import { present, throughOutages, type InstallTools } from "../install/apply-manifests.ts";
import { leftBehind } from "../install/left-behind.ts";
import { countReleases, refuseOneRelease, releaseResources } from "../install/release-resources.ts";
import { removeInstalled } from "../install/remove-installed.ts";
import { removedKinds, type RemovedKind } from "../install/removed-kinds.ts";
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

/** Resources that a refusal names. */
const named = 5;

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
      countReleases,
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
    const installation = { operator: operator.name, namespace: options.operatorNamespace, documents };
    const remove = (document: Document): Promise<void> =>
      removeInstalled(tools, operator.name, document, progress);
    if (flags.release > 1) {
      // Nobody may be there to answer webhooks, and the finalizer could not be taken from anything; an operator that runs adds it again.
      const isFirst = ({ kind }: Document): boolean => kind in configurationTypes || kind === Deployment.kind;
      for (const document of documents.filter(isFirst)) await remove(document);
    }
    for (const removed of await removedKinds(tools, operator))
      await settleRemoved(tools, removed, flags, progress);
    for (const { kind } of operator.controllers) await settle(tools, kind, flags, progress);
    for (const document of documents.toReversed()) await remove(document);
    // Of an install with other flags.
    for (const document of await leftBehind(tools, installation)) await remove(document);
    if (servesWebhooks(operator)) await remove(certificateOf(operator.name, options.operatorNamespace));
  } catch (error) {
    progress.abandon();
    throw failureOf(error, terminal, tools.signal);
  } finally {
    await client.close();
  }
  terminal.out(`${operator.name} is uninstalled\n`);
}

/** The Secret that the operator itself has made. */
function certificateOf(operator: string, namespace: string): Document {
  return { apiVersion: "v1", kind: "Secret", metadata: { name: certificateSecretOf(operator), namespace } };
}

function refuseContradictions({ drain = false, release }: UninstallFlags): void {
  if (drain && release > 0) {
    throw new UsageError("--drain and --release exclude each other", "Omit one of the two.");
  }
  refuseOneRelease(release, "use --drain");
}

/** No resource of a kind waits for the operator after this. Errors: `RESOURCES_HELD`, `DRAIN_INCOMPLETE`. */
async function settle(
  tools: InstallTools,
  kind: Kind<KubeObject>,
  { drain = false, release, timeout }: UninstallFlags,
  progress: Progress,
): Promise<void> {
  const type = await storedType(tools, kind);
  if (drain) return drainAll(tools, type, timeout, progress);
  const held = (await resourcesOf(tools, type)).filter(({ metadata }) =>
    metadata.finalizers?.includes(finalizerOf(type)),
  );
  if (release > 1) return releaseResources(tools, type, held, progress);
  refuseHeld(
    type,
    held,
    "Delete them first, or add --drain, which does that and waits; --release --release leaves behind what they stand for.",
  );
}

/** The same for a kind that this build does not have: it has nobody who would end its resources. Errors: `RESOURCES_HELD`. */
async function settleRemoved(
  tools: InstallTools,
  { type, held }: RemovedKind,
  { release }: UninstallFlags,
  progress: Progress,
): Promise<void> {
  if (release > 1) return releaseResources(tools, type, held, progress);
  refuseHeld(
    type,
    held,
    "This build of the operator does not have the kind: install one that has it, and drain that; --release --release leaves behind what they stand for.",
  );
}

function refuseHeld({ kind, plural }: ResourceType, held: readonly KubeObject[], remedy: string): void {
  if (held.length === 0) return;
  throw new OperatorError(
    "RESOURCES_HELD",
    `${held.length} ${plural} have the operator's finalizer and could not be deleted without it: ${namesOf(held)}`,
    {
      fields: { kind, resources: held.map(({ metadata }) => formatKey(metadata)) },
      remedy: `${remedy} Nothing was deleted.`,
    },
  );
}

/** The kind in the version in which its resources are stored: nobody may be there to convert them. */
async function storedType(tools: InstallTools, kind: Kind<KubeObject>): Promise<ResourceType> {
  const name = { metadata: { name: resourceNameOf(kind) } };
  const definition = (await present(tools, CustomResourceDefinition, name)) as
    CustomResourceDefinition | undefined;
  return definition === undefined ? kind : storedTypeOf(definition);
}

async function resourcesOf(
  { client, signal }: InstallTools,
  type: ResourceType,
): Promise<readonly KubeObject[]> {
  try {
    return (await listAll(client, type, { signal })).items;
  } catch (error) {
    if (isNotFound(error)) return [];
    throw error;
  }
}

async function drainAll(
  tools: InstallTools,
  kind: ResourceType,
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
    const left = await throughOutages(tools, deadline, () => resourcesOf(tools, kind));
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

function namesOf(resources: readonly KubeObject[]): string {
  const names = resources.slice(0, named).map(({ metadata }) => formatKey(metadata));
  return `${names.join(", ")}${resources.length > named ? ` and ${resources.length - named} more` : ""}`;
}
