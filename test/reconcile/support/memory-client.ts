// A scripted API server in memory: counts writes, applies defaults, keeps who applied what, and fails on request.
// Imitates only what the reconcile layer relies on; the real servers have the last word in the contract suite.
import { ApiError, type StatusDetails } from "../../../src/client/api-error.ts";
import type {
  ApplyOptions,
  DeleteOptions,
  JsonPatchOperation,
  KubeClient,
  Patch,
  WriteOptions,
} from "../../../src/client/kube-client.ts";
import { isEqualJson } from "../../../src/meta/changed-paths.ts";
import { deepFreeze } from "../../../src/meta/frozen.ts";
import type { KubeObject, Manifest } from "../../../src/meta/object.ts";
import { formatKey, keyOf, type ObjectKey } from "../../../src/meta/object-key.ts";
import { apiVersionOf, resourceNameOf, type ResourceType } from "../../../src/meta/resource-type.ts";
import { isBuiltinGroup } from "../../../src/reconcile/comparison/list-types.ts";
import { mergeManifest } from "../../../src/reconcile/comparison/manifest-merge.ts";
import { applyDefaults } from "./server-defaults.ts";

type Fields = Record<string, unknown>;

/** One write that reached the server. */
export interface RecordedWrite {
  readonly verb: "create" | "update" | "patch" | "apply" | "delete";
  /** `Kind/name`. */
  readonly object: string;
  readonly subresource: string | undefined;
  readonly body: unknown;
}

/** A planned failure: the next `times` requests of a verb on an object. */
export interface PlannedFailure {
  readonly verb: RecordedWrite["verb"] | "get";
  readonly object: string;
  readonly error: Error;
  readonly times?: number;
  readonly subresource?: string;
  /** Runs before the failure, for instance to let another writer in. */
  readonly before?: () => void;
}

/** A refusal of the server. */
export function refusal(
  status: number,
  reason: string,
  message: string = reason,
  details: StatusDetails = {},
): ApiError {
  return new ApiError(message, { status, reason, details, retryAfter: undefined, request: "test" });
}

export class MemoryClient implements KubeClient {
  readonly server = "memory";
  readonly writes: RecordedWrite[] = [];
  /** Changes an object on its way into the store, as a mutating webhook or a pruning schema does. */
  webhook: (object: Fields) => void = () => undefined;
  readonly #objects = new Map<string, KubeObject>();
  readonly #applied = new Map<string, Map<string, Fields>>();
  /** The same of those who have created objects by POST. */
  readonly #posted = new Map<string, Map<string, Fields>>();
  #failures: (PlannedFailure & { left: number })[] = [];
  #version = 1000;
  #uid = 0;

  /** Fails the next requests of a kind. */
  fail(failure: PlannedFailure): void {
    this.#failures.push({ ...failure, left: failure.times ?? 1 });
  }

  /** Puts an object there as another writer: not counted. */
  put<T extends KubeObject>(type: ResourceType<T>, manifest: Manifest): T {
    const id = idOf(type, keyOf(manifest));
    return this.#store(id, manifest as unknown as Fields, this.#objects.get(id)) as T;
  }

  /** Changes an object as another writer: not counted. */
  edit<T extends KubeObject>(type: ResourceType<T>, key: ObjectKey, change: (object: Fields) => void): T {
    const id = idOf(type, key);
    const before = this.#objects.get(id);
    if (before === undefined) throw new Error(`${id} is not there`);
    const next = structuredClone(before) as unknown as Fields;
    change(next);
    return this.#store(id, next, before) as T;
  }

  /** Drops an object as another writer: not counted. */
  drop(type: ResourceType, key: ObjectKey): void {
    this.#objects.delete(idOf(type, key));
    this.#applied.delete(idOf(type, key));
    this.#posted.delete(idOf(type, key));
  }

  /** What is stored, frozen; undefined when nothing is. */
  peek<T extends KubeObject>(type: ResourceType<T>, key: ObjectKey): T | undefined {
    return this.#objects.get(idOf(type, key)) as T | undefined;
  }

  /** All objects of a type. */
  all<T extends KubeObject>(type: ResourceType<T>): readonly T[] {
    return [...this.#objects]
      .filter(([id]) => id.startsWith(`${resourceNameOf(type)} `))
      .map(([, object]) => object as T);
  }

  /** Writes to children (no status, no custom resource), as `verb Kind/name`. */
  childWrites(kind: string): string[] {
    return this.writes
      .filter(({ object }) => !object.startsWith(`${kind}/`))
      .map(({ verb, object }) => `${verb} ${object}`);
  }

  async get<T extends KubeObject>(type: ResourceType<T>, key: ObjectKey): Promise<T> {
    this.#failOrNot("get", type, key, undefined);
    const object = structuredClone(this.#existing<T>(type, key));
    const posted = this.#posted.get(idOf(type, key));
    if (posted === undefined) return object;
    const managedFields = [...posted].map(([manager, fields]) => {
      return { manager, operation: "Update" as const, fieldsV1: setOf(fields) };
    });
    return { ...object, metadata: { ...object.metadata, managedFields } };
  }

  async create<T extends KubeObject>(
    type: ResourceType<T>,
    manifest: Manifest,
    { fieldManager }: WriteOptions = {},
  ): Promise<T> {
    this.#write("create", type, keyOf(manifest), undefined, manifest);
    const id = idOf(type, keyOf(manifest));
    if (this.#objects.has(id)) throw refusal(409, "AlreadyExists");
    if (fieldManager !== undefined) {
      const posted = structuredClone(manifest) as unknown as Fields;
      this.#posted.set(id, new Map([[fieldManager, posted]]));
    }
    return this.#store(id, manifest as unknown as Fields, undefined) as T;
  }

  async update<T extends KubeObject>(type: ResourceType<T>, manifest: Manifest): Promise<T> {
    this.#write("update", type, keyOf(manifest), undefined, manifest);
    const before = this.#existing(type, keyOf(manifest));
    assertVersion(before, manifest.metadata.resourceVersion);
    return this.#store(idOf(type, keyOf(manifest)), manifest as unknown as Fields, before) as T;
  }

  async patch<T extends KubeObject>(
    type: ResourceType<T>,
    key: ObjectKey,
    patch: Patch,
    options: WriteOptions = {},
  ): Promise<T> {
    this.#write("patch", type, key, options.subresource, patch.body);
    const before = this.#existing(type, key);
    const next = structuredClone(before) as unknown as Fields;
    const id = idOf(type, key);
    const posted = options.subresource === undefined ? this.#posted.get(id) : undefined;
    if (patch.type === "json") {
      applyJsonPatch(next, patch.body);
      const metadata = next["metadata"] as Fields;
      // Whoever makes its fields applied ones keeps the objects of this server simple.
      if (metadata["managedFields"] !== undefined && posted !== undefined) {
        delete metadata["managedFields"];
        this.#applied.set(id, posted);
        this.#posted.delete(id);
      }
    } else {
      const body = patch.body as { metadata?: { resourceVersion?: string } };
      assertVersion(before, body.metadata?.resourceVersion);
      applyMergePatch(next, body);
      const own = posted?.get(options.fieldManager ?? "");
      if (own !== undefined) applyMergePatch(own, structuredClone(body) as Fields);
    }
    return this.#store(id, next, before) as T;
  }

  async apply<T extends KubeObject>(
    type: ResourceType<T>,
    manifest: Manifest,
    options: ApplyOptions,
  ): Promise<T> {
    if (options.dryRun !== true) this.#write("apply", type, keyOf(manifest), options.subresource, manifest);
    const id = idOf(type, keyOf(manifest));
    const before = this.#objects.get(id);
    const { uid } = manifest.metadata;
    if (before !== undefined && uid !== undefined && uid !== before.metadata.uid) {
      const message = `Invalid value: ${JSON.stringify(uid)}: field is immutable`;
      const causes = [{ reason: "FieldValueInvalid", field: "metadata.uid", message }];
      throw refusal(422, "Invalid", message, { causes });
    }
    if (before !== undefined && options.onlyIfAbsent === true) {
      throw refusal(409, "Conflict", "the object has been modified");
    }
    const next = (
      before === undefined
        ? { apiVersion: manifest.apiVersion, kind: manifest.kind, metadata: {} }
        : structuredClone(before)
    ) as Fields;
    const managers = this.#applied.get(id) ?? new Map<string, Fields>();
    const rules = { builtin: isBuiltinGroup(type.group), kind: type.kind };
    const previous = managers.get(options.fieldManager);
    if (previous !== undefined) removeUndeclared(next, previous, manifest as unknown as Fields);
    mergeManifest(next, manifest, rules);
    if (options.dryRun === true) return this.#shape(next, before) as unknown as T;
    managers.set(options.fieldManager, structuredClone(manifest) as unknown as Fields);
    this.#applied.set(id, managers);
    return this.#store(id, next, before) as T;
  }

  async delete<T extends KubeObject>(
    type: ResourceType<T>,
    key: ObjectKey,
    options: DeleteOptions = {},
  ): Promise<T | undefined> {
    this.#write("delete", type, key, undefined, options);
    const before = this.#existing(type, key);
    const { uid } = options.preconditions ?? {};
    if (uid !== undefined && uid !== before.metadata.uid) throw refusal(409, "Conflict");
    if ((before.metadata.finalizers ?? []).length === 0) {
      this.drop(type, key);
      return undefined;
    }
    return this.edit(type, key, (object) => {
      (object["metadata"] as Fields)["deletionTimestamp"] ??= "2026-01-01T00:00:00Z";
    });
  }

  list(): never {
    throw new Error("not scripted");
  }

  watch(): never {
    throw new Error("not scripted");
  }

  follow(): never {
    throw new Error("not scripted");
  }

  exec(): never {
    throw new Error("not used");
  }

  request(): never {
    throw new Error("not scripted");
  }

  async close(): Promise<void> {}

  #existing<T extends KubeObject>(type: ResourceType<T>, key: ObjectKey): T {
    const object = this.#objects.get(idOf(type, key));
    if (object === undefined) {
      const message = `${type.kind} "${key.name}" not found`;
      throw refusal(404, "NotFound", message, { name: key.name });
    }
    return object as T;
  }

  /** What becomes of an object on its way into the store. */
  #shape(next: Fields, before: KubeObject | undefined): Fields {
    const object = structuredClone(next);
    const metadata = { ...(object["metadata"] as Fields) };
    object["metadata"] = metadata;
    metadata["uid"] = before?.metadata.uid ?? metadata["uid"] ?? `uid-${(this.#uid += 1)}`;
    metadata["creationTimestamp"] ??= "2026-01-01T00:00:00Z";
    applyDefaults(object);
    this.webhook(object);
    metadata["resourceVersion"] = before?.metadata.resourceVersion;
    return object;
  }

  #store(id: string, next: Fields, before: KubeObject | undefined): KubeObject {
    const object = this.#shape(next, before);
    const metadata = object["metadata"] as Fields;
    if (before !== undefined && isEqualJson(object, before)) return before;
    const specChanged =
      before === undefined || !isEqualJson(object["spec"], (before as unknown as Fields)["spec"]);
    metadata["generation"] = (before?.metadata.generation ?? 0) + (specChanged ? 1 : 0);
    metadata["resourceVersion"] = String((this.#version += 1));
    const gone = metadata["deletionTimestamp"] !== undefined && isEmptyList(metadata["finalizers"]);
    const stored = deepFreeze(object) as unknown as KubeObject;
    if (gone) this.#objects.delete(id);
    else this.#objects.set(id, stored);
    return stored;
  }

  #write(
    verb: RecordedWrite["verb"],
    type: ResourceType,
    key: ObjectKey,
    subresource: string | undefined,
    body: unknown,
  ): void {
    this.writes.push({ verb, object: `${type.kind}/${key.name}`, subresource, body });
    this.#failOrNot(verb, type, key, subresource);
  }

  #failOrNot(
    verb: PlannedFailure["verb"],
    type: ResourceType,
    key: ObjectKey,
    subresource: string | undefined,
  ): void {
    const object = `${type.kind}/${key.name}`;
    const failure = this.#failures.find(
      (each) =>
        each.verb === verb &&
        each.object === object &&
        (each.subresource === undefined || each.subresource === subresource),
    );
    if (failure === undefined) return;
    failure.left -= 1;
    if (failure.left === 0) this.#failures = this.#failures.filter((each) => each !== failure);
    failure.before?.();
    throw failure.error;
  }
}

function idOf(type: ResourceType, key: ObjectKey): string {
  return `${resourceNameOf(type)} ${apiVersionOf(type)} ${formatKey(key)}`;
}

function assertVersion(before: KubeObject, version: string | undefined): void {
  if (version !== undefined && version !== before.metadata.resourceVersion) {
    throw refusal(409, "Conflict", "the object has been modified");
  }
}

function removeUndeclared(target: Fields, previous: Fields, next: Fields): void {
  for (const [name, value] of Object.entries(previous)) {
    if (!(name in next)) {
      delete target[name];
      continue;
    }
    const [inner, declared] = [target[name], next[name]];
    if (isFields(inner) && isFields(value) && isFields(declared)) removeUndeclared(inner, value, declared);
    else if (Array.isArray(inner) && Array.isArray(value) && Array.isArray(declared)) {
      const gone = value.filter((each) => isFields(each) && !declared.some((other) => sameName(each, other)));
      target[name] = inner.filter((each) => !gone.some((other) => sameName(each, other)));
    }
  }
}

/** The set of managedFields of what somebody has declared. */
function setOf(value: unknown): Fields {
  if (Array.isArray(value)) {
    const uids = value.flatMap((each) => (isFields(each) && "uid" in each ? [each["uid"]] : []));
    return Object.fromEntries(uids.map((uid) => [`k:${JSON.stringify({ uid })}`, {}]));
  }
  if (!isFields(value)) return {};
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [`f:${name}`, setOf(inner)]));
}

function sameName(left: unknown, right: unknown): boolean {
  return (
    isFields(left) && isFields(right) && (left["name"] ?? left["uid"]) === (right["name"] ?? right["uid"])
  );
}

function applyMergePatch(target: Fields, patch: Fields): void {
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete target[name];
    else if (isFields(value)) {
      const inner = isFields(target[name]) ? target[name] : {};
      applyMergePatch(inner, value);
      target[name] = inner;
    } else target[name] = value;
  }
}

function applyJsonPatch(target: Fields, operations: readonly JsonPatchOperation[]): void {
  for (const operation of operations) {
    const path = operation.path.split("/").slice(1);
    const last = path.pop() ?? "";
    const parent = path.reduce<unknown>((at, name) => (at as Fields | undefined)?.[name], target) as Fields;
    if (operation.op === "test") {
      if (!isEqualJson(parent[last], operation.value)) throw refusal(422, "Invalid", "test failed");
    } else if (operation.op === "remove") {
      if (Array.isArray(parent)) parent.splice(Number(last), 1);
      else delete parent[last];
    } else if (operation.op === "add" || operation.op === "replace") {
      if (Array.isArray(parent)) parent.push(operation.value);
      else parent[last] = operation.value;
    }
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isEmptyList(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) && value.length === 0);
}
