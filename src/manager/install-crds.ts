// Installs the CRDs of an operator's kinds, or checks that they are installed.
import type { ApplyOptions, KubeClient } from "../client/kube-client.ts";
import { isAlreadyExists, isForbidden, isNotFound } from "../client/api-error.ts";
import { CustomResourceDefinition } from "../kinds/builtin/apiextensions.ts";
import { crdOf } from "../kinds/crd.ts";
import type { Kind } from "../kinds/define-kind.ts";
import type { KubeObject } from "../meta/object.ts";
import { monotonicNow, sleep, type Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import { OperatorError } from "../ports/operator-error.ts";
import { prunedPaths } from "./pruned-paths.ts";

/** What both functions need. */
export interface CrdTools {
  readonly client: KubeClient;
  readonly kinds: readonly Kind<KubeObject>[];
  readonly fieldManager: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** Aborted when nothing more is to be begun: a write that is under way ends, so that its outcome is known. Default never. */
  readonly leave?: AbortSignal;
}

type Crd = KubeObject & {
  readonly spec?: {
    readonly versions?: readonly {
      readonly name: string;
      readonly served?: boolean;
      readonly schema?: { readonly openAPIV3Schema?: unknown };
    }[];
  };
  readonly status?: {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly message?: string;
    }[];
  };
};

/**
 * Applies the CRD of every kind and waits until the server serves it.
 *
 * **Errors**: `CRD_NOT_ESTABLISHED` after 30 s; `ApiError` when the server refuses one.
 * **RBAC**: `get`, `create`, `patch` on customresourcedefinitions.
 */
export async function installCrds(tools: CrdTools): Promise<void> {
  const options: ApplyOptions = { fieldManager: tools.fieldManager, force: true, signal: tools.signal };
  for (const kind of tools.kinds) {
    tools.leave?.throwIfAborted();
    const manifest = crdOf(kind);
    await tools.client.apply(CustomResourceDefinition, manifest, options);
    await established(tools, manifest);
    tools.log.info({ crd: manifest.metadata.name }, "CRD installed");
  }
}

/**
 * Creates the CRDs that do not exist, and changes none that do: for a replica that is not the leader, and may be of another
 * version than the leader.
 *
 * **Errors**: as {@link installCrds}.
 * **RBAC**: `get`, `create` on customresourcedefinitions.
 */
export async function installMissingCrds(tools: CrdTools): Promise<void> {
  const { client, fieldManager, signal } = tools;
  for (const kind of tools.kinds) {
    const manifest = crdOf(kind);
    try {
      await client.get(CustomResourceDefinition, { name: manifest.metadata.name }, { signal });
      continue;
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    try {
      // The leader applies it with force later on, so the field manager is the same.
      await client.create(CustomResourceDefinition, manifest, { fieldManager, signal });
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
    await established(tools, manifest);
    tools.log.info({ crd: manifest.metadata.name }, "CRD installed");
  }
}

async function established(
  { client, clock, signal, leave }: CrdTools,
  manifest: ReturnType<typeof crdOf>,
): Promise<void> {
  const deadline = monotonicNow(clock) + 30_000;
  for (;;) {
    leave?.throwIfAborted();
    const crd: Crd = await client.get(CustomResourceDefinition, { name: manifest.metadata.name }, { signal });
    const conditions = crd.status?.conditions ?? [];
    if (conditions.some(({ type, status }) => type === "Established" && status === "True")) break;
    if (monotonicNow(clock) > deadline || signal.aborted) {
      const names = conditions.find(({ type, status }) => type === "NamesAccepted" && status === "False");
      throw new OperatorError(
        "CRD_NOT_ESTABLISHED",
        `the API server does not serve ${manifest.metadata.name} after 30 s`,
        {
          remedy: names?.message ?? "Check the conditions of the CRD: kubectl describe crd.",
        },
      );
    }
    await sleep(clock, 100, signal);
  }
}

/**
 * Checks that the cluster serves the kinds, and that its schema keeps every field the operator persists. A kind that is not
 * served is reported, and served once it is; unless there is no other.
 *
 * **Errors**: `CRD_MISSING` when no kind is served; `CRD_OUTDATED` with the paths that the server would prune.
 * **RBAC**: `get` on customresourcedefinitions; without it the check is skipped, with a warning.
 */
export async function checkCrds(tools: CrdTools): Promise<void> {
  const { client, log, signal, kinds } = tools;
  const missing: OperatorError[] = [];
  for (const kind of kinds) {
    const manifest = crdOf(kind);
    const { name } = manifest.metadata;
    let crd: Crd;
    try {
      crd = await client.get(CustomResourceDefinition, { name }, { signal });
    } catch (error) {
      if (isForbidden(error)) {
        log.warn({ crd: name }, "no permission to read the CRD, so its schema is not checked");
        continue;
      }
      if (!isNotFound(error)) throw error;
      missing.push(
        new OperatorError("CRD_MISSING", `the cluster has no CRD ${name}`, {
          cause: error,
          remedy: installIt,
        }),
      );
      continue;
    }
    const served = (crd.spec?.versions ?? []).filter((version) => version.served !== false);
    if (!served.some((version) => version.name === kind.version)) {
      const versions = served.map((version) => version.name).join(", ") || "no version";
      missing.push(
        new OperatorError(
          "CRD_MISSING",
          `the CRD ${name} on the cluster does not serve version ${kind.version}, but ${versions}`,
          { remedy: installIt },
        ),
      );
      continue;
    }
    const schemaOf = (from: Crd | typeof manifest): unknown =>
      (from as Crd).spec?.versions?.find((version) => version.name === kind.version)?.schema?.openAPIV3Schema;
    const lost = prunedPaths(schemaOf(manifest), schemaOf(crd));
    if (lost.length > 0) {
      throw new OperatorError(
        "CRD_OUTDATED",
        `the CRD ${name} on the cluster would drop ${lost.slice(0, 10).join(", ")}${lost.length > 10 ? ` and ${lost.length - 10} more` : ""}`,
        {
          fields: { crd: name, paths: lost },
          remedy: installIt,
        },
      );
    }
  }
  const [first] = missing;
  if (first !== undefined && missing.length === kinds.length) throw first;
  for (const { message, remedy } of missing)
    log.error({ error: message, remedy }, "a kind is not served until its CRD is installed");
}

const installIt =
  "Start the operator with --install-crds, or apply what `xstate-operator generate crd` prints.";
