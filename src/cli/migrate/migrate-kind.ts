// Moves all stored objects of a kind to the version in which the definition has them stored now, and then says so in the
// definition, so that the old version can be removed. What was done is done: run again, it goes on where it ended.
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#upgrade-existing-objects-to-a-new-stored-version
import { isConflict } from "../../client/api-error.ts";
import { listAll } from "../../client/paging.ts";
import { CustomResourceDefinition } from "../../kinds/builtin/apiextensions.ts";
import { metadataOnly } from "../../meta/metadata-only.ts";
import type { KubeObject } from "../../meta/object.ts";
import { formatKey, keyOf } from "../../meta/object-key.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import { monotonicNow, sleep } from "../../ports/clock.ts";
import { OperatorError } from "../../ports/operator-error.ts";
import { recordAnnotation, recordOf, storageOf, type MigrationRecord } from "./migration-record.ts";
import { fieldManager, rewriteObject, type Rewritten, type RewriteTools } from "./rewrite-object.ts";

/** How fast it goes. */
export interface MigrationOptions {
  /** Objects that are written at a time. */
  readonly parallel: number;
  /** Objects that are written in a second, at most. */
  readonly rate: number;
  /** Objects after which it is recorded how far it is; default 100, a second at the usual rate. */
  readonly chunk?: number;
  /** Says what would be done, and writes nothing. */
  readonly dryRun: boolean;
}

/** What has been done, or would be. */
export interface MigrationReport {
  /** Name of the definition. */
  readonly definition: string;
  /** The version in which objects are stored. */
  readonly storage: string;
  /** All objects of the kind. */
  readonly objects: number;
  /** Of these: done by an earlier run that was interrupted. */
  readonly before: number;
  readonly rewritten: number;
  /** Stored in this version already. */
  readonly current: number;
  /** Versions that no object is stored in any more. */
  readonly trimmed: readonly string[];
  readonly dryRun: boolean;
}

/** Reported while it goes on. */
export type Progress = (done: number, of: number) => void;

/** Milliseconds that a definition has to have been as it is: API servers take a moment to store in the new version. */
const settled = 10_000;
/** Times that it begins again, because the definition was changed. */
const mostPasses = 3;
/** Objects that an error names. */
const named = 5;

/**
 * Migrates a kind.
 *
 * **Guarantees**: no object changes but in how it is stored; nothing is trimmed unless every object was rewritten under one and
 * the same definition.
 * **Errors**: `MIGRATION_REFUSED` when the definition goes on changing, or has objects stored in another version meanwhile;
 * `MIGRATION_INCOMPLETE` with the objects that the API server refuses as they are; `ApiError`.
 * **RBAC**: `get`, `list` and `patch` on the kind; `get` and `patch` on its definition and on the status of that.
 */
export async function migrateKind(
  tools: RewriteTools,
  name: string,
  options: MigrationOptions,
  progress: Progress,
): Promise<MigrationReport> {
  const first = await readDefinition(tools, name);
  const storage = storageOf(first);
  const others = (first.status?.storedVersions ?? []).filter((version) => version !== storage);
  const nothing = { definition: name, storage, objects: 0, before: 0, rewritten: 0, current: 0 };
  if (others.length === 0) {
    if (!options.dryRun) await record(tools, name, undefined);
    return { ...nothing, trimmed: [], dryRun: options.dryRun };
  }
  if (options.dryRun) {
    const objects = await listed(tools, first);
    return { ...nothing, objects: objects.length, trimmed: others, dryRun: true };
  }
  let definition = first;
  for (let pass = 1; pass <= mostPasses; pass += 1) {
    await untilSettled(tools, definition);
    const done = await rewriteAll(tools, definition, options, progress);
    definition = await readDefinition(tools, name);
    refuseMoved(definition, storage);
    if (done !== undefined && done.generation === definition.metadata.generation) {
      const trimmed = await trim(tools, definition);
      if (trimmed !== undefined) return { ...nothing, ...done.counts, trimmed, dryRun: false };
    }
  }
  throw new OperatorError("MIGRATION_REFUSED", `${name} is changed again and again while it is migrated`, {
    remedy: "Run the migration again when nobody changes the definition.",
  });
}

function readDefinition({ client, signal }: RewriteTools, name: string): Promise<CustomResourceDefinition> {
  return client.get(CustomResourceDefinition, { name }, { signal });
}

function refuseMoved(definition: CustomResourceDefinition, storage: string): void {
  const now = storageOf(definition);
  if (now === storage) return;
  throw new OperatorError(
    "MIGRATION_REFUSED",
    `${definition.metadata.name} has objects stored as ${now} since it began, no longer as ${storage}`,
    { remedy: `Run the migration again if ${now} is to stay.` },
  );
}

/** Waits until every API server has had the time to know the definition. */
async function untilSettled(
  { clock, signal }: RewriteTools,
  { metadata }: CustomResourceDefinition,
): Promise<void> {
  const writes = (metadata.managedFields ?? [])
    .filter(({ subresource, manager }) => subresource === undefined && manager !== fieldManager)
    .map(({ time = "" }) => Date.parse(time))
    .filter((time) => !Number.isNaN(time));
  const age = clock.now() - Math.max(0, ...writes);
  await sleep(clock, Math.min(settled, Math.max(0, settled - age)), signal);
  signal.throwIfAborted();
}

/** All objects of the kind, by key; of each only the metadata. */
async function listed(
  { client, signal }: RewriteTools,
  definition: CustomResourceDefinition,
): Promise<readonly KubeObject[]> {
  const { items } = await listAll(client, metadataOnly(typeOf(definition)), { signal });
  return items.toSorted((one, other) => (keyText(one) < keyText(other) ? -1 : 1));
}

/** The kind in a version that is served; best in that in which objects are stored, which then need no conversion. */
function typeOf(definition: CustomResourceDefinition): ResourceType {
  const { group, names, scope, versions } = definition.spec;
  const served = versions.filter((version) => version.served);
  const version = (served.find(({ storage }) => storage) ?? served[0])?.name;
  if (version === undefined) {
    throw new OperatorError("MIGRATION_REFUSED", `${definition.metadata.name} serves no version`, {
      remedy: "Serve one of them: objects are read and written through it.",
    });
  }
  return { group, version, kind: names.kind, plural: names.plural, namespaced: scope === "Namespaced" };
}

function keyText(object: KubeObject): string {
  return formatKey(keyOf(object));
}

interface Pass {
  readonly generation: number | undefined;
  readonly counts: Pick<MigrationReport, "objects" | "before" | "rewritten" | "current">;
}

/** Rewrites what is left; undefined when the definition was changed meanwhile. Errors: `MIGRATION_REFUSED`, `MIGRATION_INCOMPLETE`. */
async function rewriteAll(
  tools: RewriteTools,
  definition: CustomResourceDefinition,
  { parallel, rate, chunk = 100 }: MigrationOptions,
  progress: Progress,
): Promise<Pass | undefined> {
  const { name, generation = 0 } = definition.metadata;
  const storage = storageOf(definition);
  const type = typeOf(definition);
  const objects = await listed(tools, definition);
  const after = recordOf(definition)?.after;
  const left = after === undefined ? objects : objects.filter((object) => keyText(object) > after);
  const before = objects.length - left.length;
  const outcomes: { readonly object: KubeObject; readonly result: Rewritten }[] = [];
  const pace = paced(tools, rate);
  for (let from = 0; from < left.length; from += chunk) {
    const these = left.slice(from, from + chunk);
    await eachOf(these, parallel, async (object) => {
      await pace();
      outcomes.push({ object, result: await rewriteObject(tools, type, object) });
      progress(before + outcomes.length, objects.length);
    });
    const last = these.at(-1);
    if (last === undefined) break;
    const now = await record(tools, name, { storage, generation, after: keyText(last) });
    refuseMoved(now, storage);
    if (now.metadata.generation !== generation) return undefined;
  }
  const refused = outcomes.flatMap(({ object, result }) =>
    result.outcome === "refused" ? [`${keyText(object)}: ${result.reason}`] : [],
  );
  if (refused.length > 0) {
    // They would be left out the next time.
    await record(tools, name, undefined);
    const more = refused.length > named ? `\nand ${refused.length - named} more` : "";
    throw new OperatorError(
      "MIGRATION_INCOMPLETE",
      `${refused.length} of ${objects.length} objects of ${name} cannot be written as they are:\n${refused.slice(0, named).join("\n")}${more}`,
      { fields: { refused }, remedy: "Correct them, and run the migration again; the others are migrated." },
    );
  }
  const countOf = (outcome: Rewritten["outcome"]): number =>
    outcomes.filter(({ result }) => result.outcome === outcome).length;
  const counts = {
    objects: objects.length,
    before,
    rewritten: countOf("rewritten"),
    current: countOf("current"),
  };
  return { generation, counts };
}

/** Records how far it is, or that there is nothing to record; answers with the definition as it is now. */
function record(
  { client, signal }: RewriteTools,
  name: string,
  value: MigrationRecord | undefined,
): Promise<CustomResourceDefinition> {
  const text = value === undefined ? null : JSON.stringify(value);
  const body = { metadata: { annotations: { [recordAnnotation]: text } } };
  return client.patch(CustomResourceDefinition, { name }, { type: "merge", body }, { fieldManager, signal });
}

/** Says that objects are stored in one version alone; undefined when the definition was changed in between. */
async function trim(
  tools: RewriteTools,
  definition: CustomResourceDefinition,
): Promise<readonly string[] | undefined> {
  const { client, signal } = tools;
  const { name, resourceVersion } = definition.metadata;
  const storage = storageOf(definition);
  const trimmed = (definition.status?.storedVersions ?? []).filter((version) => version !== storage);
  const body = { metadata: { resourceVersion }, status: { storedVersions: [storage] } };
  try {
    await client.patch(
      CustomResourceDefinition,
      { name },
      { type: "merge", body },
      { fieldManager, signal, subresource: "status" },
    );
  } catch (error) {
    if (isConflict(error)) return undefined;
    throw error;
  }
  await record(tools, name, undefined);
  return trimmed;
}

/** Works on all items, so many at a time; the first failure lets no further one begin. */
async function eachOf<T>(
  items: readonly T[],
  parallel: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = items.values();
  let failed = false;
  const worker = async (): Promise<void> => {
    for (const item of waiting) {
      if (failed) return;
      try {
        await work(item);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const outcomes = await Promise.allSettled(Array.from({ length: parallel }, worker));
  const failure = outcomes.find((outcome) => outcome.status === "rejected");
  if (failure !== undefined) throw failure.reason;
}

/** Resolves as often in a second as it may. */
function paced({ clock, signal }: RewriteTools, rate: number): () => Promise<void> {
  let next = monotonicNow(clock);
  return async () => {
    const now = monotonicNow(clock);
    const at = Math.max(next, now);
    next = at + 1_000 / rate;
    if (at > now) await sleep(clock, at - now, signal);
    signal.throwIfAborted();
  };
}
