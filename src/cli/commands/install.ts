// `install`: puts an operator on a cluster, or a new version of it, and waits until it runs.
import { Command } from "commander";
import type { ClusterObjectOptions } from "../cluster-object.ts";
import { connect, withClusterAddress } from "../cluster-object.ts";
import { configurationTypes } from "../../controller/declaration/operator-webhooks.ts";
import type { Document } from "../../delivery/document.ts";
import { manifestFilesOf } from "../../delivery/manifests.ts";
import { systemClock } from "../../ports/system-clock.ts";
import { durationOption } from "../duration-option.ts";
import { examplesText } from "../examples-text.ts";
import { failureOf } from "../exit-code.ts";
import { withAccessFlags } from "../generate/access-options.ts";
import { withWorkloadFlags, workloadOf, type WorkloadFlags } from "../generate/manifests-command.ts";
import { applyDocument, whenReady, type InstallTools } from "../install/apply-manifests.ts";
import { leftBehind } from "../install/left-behind.ts";
import { refuseHarmfulUpgrade } from "../install/refuse-upgrade.ts";
import { countReleases, refuseOneRelease, releaseResources } from "../install/release-resources.ts";
import { removeInstalled } from "../install/remove-installed.ts";
import { removedKinds, type RemovedKind } from "../install/removed-kinds.ts";
import { createProgress } from "../progress.ts";
import type { Terminal } from "../terminal.ts";

type InstallFlags = WorkloadFlags &
  Pick<ClusterObjectOptions, "kubeconfig" | "context"> & {
    readonly timeout: number;
    readonly release: number;
    readonly forceConflicts?: boolean;
  };

/** The command `install`. */
export function installCommand(terminal: Terminal): Command {
  const command = new Command("install")
    .description("Apply all that runs an operator in a cluster, and wait until it runs.")
    .argument("<operator>", "module that default-exports an operator, or its folder");
  return withWorkloadFlags(withAccessFlags(withClusterAddress(command)))
    .option("--timeout <duration>", "how long each part may take to be ready", durationOption, 300_000)
    .option("--force-conflicts", "take over fields that others have set")
    .option(
      "--release",
      "take the operator's finalizer from the resources of kinds that it has no longer, which then nobody ends; given twice",
      countReleases,
      0,
    )
    .addHelpText(
      "after",
      examplesText(
        "install operator.ts --leader-elect --replicas 2 --image registry.example.com/operator:1.4.0",
      ),
    )
    .action((path: string, flags: InstallFlags) => install(terminal, path, flags));
}

async function install(terminal: Terminal, path: string, flags: InstallFlags): Promise<void> {
  refuseOneRelease(flags.release, "keep the kind until its resources are deleted");
  const { operator, options } = await workloadOf(terminal, path, flags);
  const { client } = await connect(terminal, flags);
  const tools: InstallTools = { client, clock: systemClock, signal: terminal.stopSignal() };
  const progress = createProgress(terminal);
  const remove = (document: Document): Promise<void> =>
    removeInstalled(tools, operator.name, document, progress);
  try {
    await refuseHarmfulUpgrade(
      tools,
      operator.controllers.map(({ kind }) => kind),
      flags.release > 1 ? [] : await removedKinds(tools, operator),
    );
    const documents = manifestFilesOf(operator, options).flatMap((file) => file.documents);
    const installation = { operator: operator.name, namespace: options.operatorNamespace, documents };
    const former = await leftBehind(tools, installation);
    // What a former version was asked for its successor does not answer.
    const isWebhook = ({ kind }: Document): boolean => kind in configurationTypes;
    for (const document of former.filter(isWebhook)) await remove(document);
    for (const document of documents) {
      const { kind, metadata } = document;
      progress.begin(`${kind} ${metadata.name}`);
      const outcome = await applyDocument(tools, document, flags.forceConflicts === true);
      await whenReady(tools, document, flags.timeout);
      progress.done(`${kind} ${metadata.name}: ${outcome}`);
    }
    for (const document of former) if (!isWebhook(document)) await remove(document);
    for (const removed of await removedKinds(tools, operator)) {
      // Not before: a former version, which had the kind, would add the finalizer again.
      if (flags.release > 1) await releaseResources(tools, removed.type, removed.held, progress);
      progress.done(sentenceOf(operator.name, removed));
    }
  } catch (error) {
    progress.abandon();
    throw failureOf(error, terminal, tools.signal);
  } finally {
    await client.close();
  }
  terminal.out(`${operator.name} runs in namespace ${options.operatorNamespace}\n`);
}

function sentenceOf(operator: string, { name, resources }: RemovedKind): string {
  const left = resources.length === 0 ? "" : `; nobody reconciles its resources (${resources.length})`;
  return `CustomResourceDefinition ${name}: kept, though ${operator} no longer has the kind${left}`;
}
