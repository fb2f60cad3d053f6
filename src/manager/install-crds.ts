// Installs the CRDs of an operator's kinds, or checks that they are installed.
import type { KubeClient } from "../client/kube-client.ts";
import {
  fieldManagerConflictsOf,
  isAlreadyExists,
  isConflict,
  isFieldManagerConflict,
  isForbidden,
  isNotFound,
} from "../client/api-error.ts";
import { CustomResourceDefinition } from "../kinds/builtin/apiextensions.ts";
import { crdOf, type CrdOptions } from "../kinds/crd.ts";
import type { Kind } from "../kinds/define-kind.ts";
import { isConverted } from "../kinds/versions/conversion-path.ts";
import type { KubeObject } from "../meta/object.ts";
import { monotonicNow, sleep, type Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import { OperatorError } from "../ports/operator-error.ts";
import { applyEndingConversion } from "../webhook/end-conversion.ts";
import { prunedPaths } from "./pruned-paths.ts";

/** What both functions need. */
export interface CrdTools {
  readonly client: KubeClient;
  readonly kinds: readonly Kind<KubeObject>[];
  /** The operator's name, which is also the label of what it installs. */
  readonly fieldManager: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** What the CRDs say of the operator's webhooks; absent while none are served. */
  readonly crdOptions?: CrdOptions | undefined;
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
 * Creates the CRDs that do not exist, brings those up to date that this operator has applied, and waits until the server serves
 * them. A CRD that is somebody else's, of Helm or of `kubectl apply`, is left to them, with a line in the log.
 *
 * **Errors**: `CRD_NOT_ESTABLISHED` after 30 s; `ApiError` when the server refuses one.
 * **RBAC**: `get`, `create`, `patch` on customresourcedefinitions.
 */
export async function installCrds(tools: CrdTools): Promise<void> {
  for (const kind of tools.kinds) {
    tools.leave?.throwIfAborted();
    const manifest = installedCrdOf(kind, tools);
    const { name } = manifest.metadata;
    const present = await presentCrd(tools, name);
    if (present === undefined) await createCrd(tools, manifest);
    else if (isOurs(present, tools)) await updateCrd(tools, manifest);
    else reportForeign(tools, { name, managers: managersOf(present) });
  }
}

/**
 * Creates the CRDs that do not exist, and changes none that do: for a replica that is not the leader, and may be of another
 * version than the leader.
 *
 * **Errors**: as {@link installCrds}.
 * **RBAC**: `get`, `create`, `patch` on customresourcedefinitions.
 */
export async function installMissingCrds(tools: CrdTools): Promise<void> {
  for (const kind of tools.kinds) {
    const manifest = installedCrdOf(kind, tools);
    if ((await presentCrd(tools, manifest.metadata.name)) === undefined) await createCrd(tools, manifest);
  }
}

/** Without a webhook the API server would drop what another version does not know. */
function installedCrdOf(
  kind: Kind<KubeObject>,
  { crdOptions, fieldManager: operator }: CrdTools,
): ReturnType<typeof crdOf> {
  if (crdOptions !== undefined || !isConverted(kind)) return crdOf(kind, { ...crdOptions, operator });
  throw new OperatorError(
    "CONVERSION_UNSERVED",
    `the versions of ${kind.kind} have to be converted, and no webhooks are served`,
    { fields: { kind: kind.kind }, remedy: "Start the operator with --webhook-bind-address :9443." },
  );
}

async function presentCrd({ client, signal }: CrdTools, name: string): Promise<Crd | undefined> {
  try {
    return await client.get<Crd>(CustomResourceDefinition, { name }, { signal });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

async function createCrd(tools: CrdTools, manifest: ReturnType<typeof crdOf>): Promise<void> {
  const { client, fieldManager, signal, log } = tools;
  try {
    await client.apply(CustomResourceDefinition, manifest, { fieldManager, signal, onlyIfAbsent: true });
  } catch (error) {
    // Another replica was first.
    if (!isConflict(error) && !isAlreadyExists(error)) throw error;
  }
  await established(tools, manifest);
  log.info({ crd: manifest.metadata.name }, "CRD installed");
}

/** Applies one that we have applied before; what somebody else has taken over since stays theirs. */
async function updateCrd(tools: CrdTools, manifest: ReturnType<typeof crdOf>): Promise<void> {
  const { client, fieldManager, signal, log } = tools;
  const apply = (force: boolean): Promise<unknown> =>
    applyEndingConversion({ client, fieldManager, signal }, manifest, () =>
      client.apply(CustomResourceDefinition, manifest, { fieldManager, signal, force }),
    );
  try {
    await apply(false);
  } catch (error) {
    if (!isFieldManagerConflict(error)) throw error;
    const others = fieldManagerConflictsOf(error).filter(({ manager }) => manager !== fieldManager);
    if (others.length > 0) {
      const managers = [...new Set(others.map(({ manager }) => manager))];
      reportForeign(tools, {
        name: manifest.metadata.name,
        managers,
        fields: others.map(({ field }) => field),
      });
      return;
    }
    // Its own, created by an earlier version, which did not apply.
    await apply(true);
  }
  await established(tools, manifest);
  log.info({ crd: manifest.metadata.name }, "CRD installed");
}

function isOurs(crd: Crd, { fieldManager }: Pick<CrdTools, "fieldManager">): boolean {
  return managersOf(crd).includes(fieldManager);
}

/** Who has written the CRD itself. */
function managersOf({ metadata: { managedFields = [] } }: Crd): readonly string[] {
  const written = managedFields.filter(({ subresource }) => subresource === undefined);
  return [...new Set(written.map(({ manager }) => manager ?? "unknown"))];
}

/** A CRD that is left as it is. */
interface ForeignCrd {
  readonly name: string;
  readonly managers: readonly string[];
  /** What they have taken over; absent when all of it is theirs. */
  readonly fields?: readonly string[];
}

function reportForeign({ log }: CrdTools, { name, managers, fields }: ForeignCrd): void {
  const remedy = `Update it with them, from what \`xstate-operator generate crd\` prints, or omit --install-crds.`;
  log.warn(
    { crd: name, managers, ...(fields === undefined ? {} : { fields: fields.slice(0, 10) }), remedy },
    "the CRD is managed by others and left as it is",
  );
}

async function established(
  { client, clock, signal, leave }: CrdTools,
  manifest: ReturnType<typeof crdOf>,
): Promise<void> {
  const deadline = monotonicNow(clock) + 30_000;
  for (;;) {
    leave?.throwIfAborted();
    const { name } = manifest.metadata;
    const crd: Crd = await client.get(CustomResourceDefinition, { name }, { signal });
    const conditions = crd.status?.conditions ?? [];
    if (conditions.some(({ type, status }) => type === "Established" && status === "True")) break;
    if (monotonicNow(clock) > deadline || signal.aborted) {
      const names = conditions.find(({ type, status }) => type === "NamesAccepted" && status === "False");
      throw new OperatorError("CRD_NOT_ESTABLISHED", `the API server does not serve ${name} after 30 s`, {
        remedy: names?.message ?? "Check the conditions of the CRD: kubectl describe crd.",
      });
    }
    await sleep(clock, 100, signal);
  }
}

/**
 * Checks that the cluster serves the kinds, and that its schema keeps every field the operator persists. A kind that is not
 * served is reported, and served once it is; unless there is no other.
 *
 * **Errors**: `CRD_MISSING` when no kind is served; `CRD_OUTDATED` with the paths that the server would prune.
 * **RBAC**: `get` on customresourcedefinitions; without it, as under the generated role, the check is skipped, with a line in the log.
 */
export async function checkCrds(tools: CrdTools): Promise<void> {
  const { client, log, signal, kinds } = tools;
  const missing: OperatorError[] = [];
  const unread: string[] = [];
  for (const kind of kinds) {
    const manifest = crdOf(kind);
    const { name } = manifest.metadata;
    let crd: Crd;
    try {
      crd = await client.get(CustomResourceDefinition, { name }, { signal });
    } catch (error) {
      if (isForbidden(error)) {
        unread.push(name);
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
          remedy: isOurs(crd, tools)
            ? installIt
            : `Apply what \`xstate-operator generate crd\` prints, the way it was installed: ${managersOf(crd).join(", ")} manages it, so --install-crds leaves it as it is.`,
        },
      );
    }
  }
  if (unread.length > 0)
    log.info({ crds: unread }, "the role cannot read the CRDs: their schemas are not checked");
  const [first] = missing;
  if (first !== undefined && missing.length === kinds.length) throw first;
  for (const { message, remedy } of missing)
    log.error({ error: message, remedy }, "a kind is not served until its CRD is installed");
}

const installIt =
  "Start the operator with --install-crds, or apply what `xstate-operator generate crd` prints.";
