// Which fields of a live object only we own, read from managedFields: what must go when it is no longer declared.
// Needed where we write a whole object (update, patch); with server-side apply the server does the same by itself, once it
// knows all our fields as applied.
// Format: https://kubernetes.io/docs/reference/generated/kubernetes-api/v1.36/#fieldsv1-v1-meta
import type { KubeObject, ManagedFieldsEntry } from "../../meta/object.ts";
import { withoutOwned } from "./kept-fields.ts";
import { listTypeAt, type ListRules } from "./list-types.ts";

type FieldSet = Readonly<Record<string, unknown>>;
type Fields = Record<string, unknown>;

/**
 * A copy of the live object without the fields that only these managers own and that the intent no longer declares.
 * Fields that another manager owns too stay, and so do those at the dotted paths of `kept`.
 */
export function withoutUndeclared<T extends KubeObject>(
  live: T,
  intent: object,
  managers: readonly string[],
  { kept = [], rules }: { readonly kept?: readonly string[]; readonly rules: ListRules },
): T {
  const copy = structuredClone(live);
  const entries = (live.metadata.managedFields ?? []).filter(({ subresource }) => subresource === undefined);
  const isOurs = ({ manager = "" }: ManagedFieldsEntry): boolean => managers.includes(manager);
  const ours = entries.filter(isOurs).map(({ fieldsV1 }) => fieldsV1 ?? {});
  const others = entries.filter((entry) => !isOurs(entry)).map(({ fieldsV1 }) => fieldsV1 ?? {});
  for (const set of ours)
    prune(copy as unknown as Fields, withoutOwned(set, kept), others, { intent, path: "", rules });
  return copy;
}

/** Whether these managers own something that the intent does not declare, and that another one owns as well, so that it stays. */
export function sharesUndeclared(live: KubeObject, intent: object, managers: readonly string[]): boolean {
  const entries = (live.metadata.managedFields ?? []).filter(({ subresource }) => subresource === undefined);
  const isOurs = ({ manager = "" }: ManagedFieldsEntry): boolean => managers.includes(manager);
  const others = entries.filter((entry) => !isOurs(entry)).map(({ fieldsV1 }) => fieldsV1 ?? {});
  return entries.some((entry) => isOurs(entry) && shares(asSet(entry.fieldsV1), others, intent));
}

function shares(owned: FieldSet, others: readonly FieldSet[], intent: unknown): boolean {
  return Object.entries(owned).some(([key, inner]) => {
    const innerOthers = innerSets(others, key);
    if (!key.startsWith("f:") || innerOthers.length === 0) return false;
    const declared = isFields(intent) ? intent[key.slice(2)] : undefined;
    return declared === undefined || (isFields(declared) && shares(asSet(inner), innerOthers, declared));
  });
}

/**
 * The entries of managedFields with all that a manager owns, under its name or a former one, in one entry, of apply, but for what
 * it lets go of; undefined when that is so already. The first of `managers` is its name; `released` are dotted paths.
 */
export function appliedEntries(
  entries: readonly ManagedFieldsEntry[],
  managers: readonly string[],
  released: readonly string[] = [],
): readonly ManagedFieldsEntry[] | undefined {
  const isOurs = (entry: ManagedFieldsEntry): boolean =>
    managers.includes(entry.manager ?? "") && entry.subresource === undefined;
  const ours = entries.filter(isOurs);
  const newest = ours.at(-1);
  if (newest === undefined) return undefined;
  const owned = ours.map((entry) => asSet(entry.fieldsV1)).reduce(union);
  const fieldsV1 = withoutOwned(owned, released);
  const [manager = ""] = managers;
  const isSettled = (entry: ManagedFieldsEntry): boolean =>
    entry.operation === "Apply" && entry.manager === manager;
  if (fieldsV1 === owned && ours.every(isSettled)) return undefined;
  return [...entries.filter((entry) => !isOurs(entry)), { ...newest, manager, operation: "Apply", fieldsV1 }];
}

function union(one: FieldSet, other: FieldSet): FieldSet {
  const both: Fields = { ...one };
  for (const [key, inner] of Object.entries(other)) {
    both[key] = key in one ? union(asSet(one[key]), asSet(inner)) : inner;
  }
  return both;
}

/** What is declared at a place of the live object. */
interface DeclaredAt {
  readonly intent: unknown;
  /** For {@link listTypeAt}. */
  readonly path: string;
  readonly rules: ListRules;
}

function prune(target: Fields, owned: FieldSet, others: readonly FieldSet[], at: DeclaredAt): void {
  const { intent, path, rules } = at;
  for (const [key, inner] of Object.entries(owned)) {
    if (!key.startsWith("f:")) continue;
    const name = key.slice(2);
    if (!(name in target)) continue;
    const declared = isFields(intent) ? intent[name] : undefined;
    const innerOthers = innerSets(others, key);
    const value = target[name];
    const here = { intent: declared, path: path === "" ? name : `${path}.${name}`, rules };
    if (declared === undefined && innerOthers.length === 0) delete target[name];
    else if (isFields(value)) prune(value, asSet(inner), innerOthers, here);
    else if (Array.isArray(value)) target[name] = pruneList(value, asSet(inner), innerOthers, here);
  }
}

function pruneList(
  list: readonly unknown[],
  owned: FieldSet,
  others: readonly FieldSet[],
  { intent, path, rules }: DeclaredAt,
): unknown[] {
  const declared: readonly unknown[] = Array.isArray(intent) ? intent : [];
  const type = listTypeAt(path, rules);
  const defaults = type.type === "map" ? type.defaults : undefined;
  return list.filter((element) => {
    const key = Object.keys(owned).find((each) => matches(each, element, defaults));
    if (key === undefined || innerSets(others, key).length > 0) return true;
    const counterpart = declared.find((each) => matches(key, each, defaults));
    if (counterpart === undefined) return false;
    const here = { intent: counterpart, path: `${path}.*`, rules };
    if (isFields(element)) prune(element, asSet(owned[key]), [], here);
    return true;
  });
}

/** Whether a path element `k:{…}` or `v:…` stands for this element of a list. */
function matches(key: string, element: unknown, defaults: Readonly<Fields> | undefined): boolean {
  if (key.startsWith("v:")) return JSON.stringify(element) === key.slice(2);
  if (!key.startsWith("k:") || !isFields(element)) return false;
  const wanted: unknown = JSON.parse(key.slice(2));
  if (!isFields(wanted)) return false;
  // A default may be missing in what we declare: it then matches the server's.
  return Object.entries(wanted).every(
    ([name, value]) =>
      (element[name] ?? defaults?.[name] ?? (name === "protocol" ? "TCP" : undefined)) === value,
  );
}

function innerSets(sets: readonly FieldSet[], key: string): FieldSet[] {
  return sets.filter((set) => key in set).map((set) => asSet(set[key]));
}

function asSet(value: unknown): FieldSet {
  return isFields(value) ? value : {};
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
