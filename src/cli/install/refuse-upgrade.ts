// What speaks against an upgrade, asked before anything is applied.
import { isConversionFailure } from "../../client/api-error.ts";
import { listAll } from "../../client/paging.ts";
import { removedKindProblem, upgradeProblems } from "../../delivery/crd-upgrade.ts";
import { CustomResourceDefinition } from "../../kinds/builtin/apiextensions.ts";
import { crdOf } from "../../kinds/crd.ts";
import type { Kind } from "../../kinds/define-kind.ts";
import type { AnyObject, KubeObject } from "../../meta/object.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import { OperatorError } from "../../ports/operator-error.ts";
import { present, type InstallTools } from "./apply-manifests.ts";
import type { RemovedKind } from "./removed-kinds.ts";

/**
 * Refuses a definition that would drop or refuse what resources on the cluster have, and a build without a kind whose resources
 * have the operator's finalizer.
 *
 * **Errors**: `UPGRADE_REFUSED` with a line for each such thing.
 */
export async function refuseHarmfulUpgrade(
  tools: InstallTools,
  kinds: readonly Kind<KubeObject>[],
  removed: readonly RemovedKind[],
): Promise<void> {
  const problems: string[] = [];
  for (const kind of kinds) {
    const next = crdOf(kind);
    const stored = (await present(tools, CustomResourceDefinition, next)) as
      CustomResourceDefinition | undefined;
    if (stored === undefined) continue;
    problems.push(...upgradeProblems(kind, next, stored, await resourcesOf(tools, kind, stored)));
  }
  const stranded = removed.filter(({ held }) => held.length > 0);
  problems.push(...stranded.map(({ name, held }) => removedKindProblem(name, held)));
  if (problems.length === 0) return;
  throw new OperatorError(
    "UPGRADE_REFUSED",
    `the new definitions do not fit what is on the cluster:\n${problems.join("\n")}`,
    {
      fields: { problems },
      remedy: [
        ...(problems.length > stranded.length
          ? ["Change these resources first, or keep what they use in the kind."]
          : []),
        ...(stranded.length > 0 ? [ofRemovedKinds] : []),
        "Nothing was applied.",
      ].join(" "),
    },
  );
}

const ofRemovedKinds =
  "Delete the resources of a removed kind while a version runs that has it, or install the operator first that has taken it over; --release --release takes the finalizer from them, and leaves behind what they stand for.";

/** The resources of a kind in each version that the cluster serves now and the kind still has; else in one that it serves. */
async function resourcesOf(
  { client, signal }: InstallTools,
  kind: Kind<KubeObject>,
  { spec }: CustomResourceDefinition,
): Promise<ReadonlyMap<string, readonly AnyObject[]>> {
  const served = spec.versions.filter((version) => version.served).map(({ name }) => name);
  const kept = served.filter((name) => kind.versions.some((version) => version.name === name));
  const resources = new Map<string, readonly AnyObject[]>();
  let unconverted: Error | undefined;
  for (const version of kept.length > 0 ? kept : served.slice(0, 1)) {
    const type = { ...kind, version } as unknown as ResourceType<AnyObject>;
    try {
      resources.set(version, (await listAll<AnyObject>(client, type, { signal })).items);
    } catch (error) {
      // The operator is not there to convert them; in the version in which they are stored they can be read.
      if (!isConversionFailure(error)) throw error;
      unconverted = error as Error;
    }
  }
  if (resources.size === 0 && unconverted !== undefined) throw unconverted;
  return resources;
}
