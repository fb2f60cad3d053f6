// From one version of a custom resource to another: the author's functions, and around them what holds for all kinds. What is
// the operator's own (`lifecycle`, conditions) is the same in all versions; what a version cannot express is kept in an
// annotation and restored; an object that cannot be converted stays readable and is marked, as one failure would make the API
// server refuse whole lists. Pure. Fed by conversion-review.ts.
import { isEqualJson } from "../../meta/changed-paths.ts";
import type { Json } from "../../meta/object.ts";
import { parseApiVersion } from "../../meta/resource-type.ts";
import { messageOf, OperatorError } from "../../ports/operator-error.ts";
import { withDefaults } from "../schema-defaults.ts";
import { ownStatusFields } from "../status-conditions.ts";
import type { StructuralSchema } from "../builtin/json-of.ts";
import { specProblems } from "../parse-custom-resource.ts";
import { structuralSchemaOf } from "../structural-schema.ts";
import { fittingPart } from "./fitting-part.ts";
import { lostFields, restoreFields, type KeptField } from "./kept-fields.ts";
import type { KindVersion } from "./kind-version.ts";

/** The annotation that holds what the version of an object cannot express, for the versions that can. */
export const keptAnnotation = "xstate-operator.dev/other-versions";
/** The annotation of an object that could not be converted: between which versions, and why. */
export const failedAnnotation = "xstate-operator.dev/conversion-failed";

/** What conversion needs of a kind. */
export interface ConvertedKind {
  readonly kind: string;
  readonly group: string;
  /** The version to and from which all others are converted. */
  readonly version: string;
  readonly versions: readonly KindVersion[];
}

/** A custom resource, or one that a client is about to create: of its metadata only the annotations are looked at. */
export interface ConvertedObject {
  readonly apiVersion: string;
  readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> };
}

/** The author's part of an object. */
interface Parts {
  readonly spec: Fields;
  readonly status: Fields;
}

/** What is kept for one version. */
interface Kept {
  readonly fields?: readonly KeptField[];
  /** The object could not be converted: all of it, and what was made of its spec instead. */
  readonly whole?: Parts & { readonly shown: Fields };
}

type Fields = Readonly<Record<string, Json>>;
type KeptByVersion = Readonly<Record<string, Kept>>;

/**
 * The object in another version.
 *
 * **Guarantees**: of the metadata only annotations change; there and back is the same object again, whatever the versions
 * can express; one that cannot be converted is marked instead.
 * **Errors**: `VERSION_UNKNOWN` for a version that the kind does not have.
 */
export function convertObject<T extends ConvertedObject>(kind: ConvertedKind, object: T, to: string): T {
  const from = parseApiVersion(object.apiVersion).version;
  const target = versionOf(kind, to);
  const source = versionOf(kind, from);
  if (source === target) return object;
  const known = Object.entries(keptOf(object)).filter(([name]) =>
    kind.versions.some((version) => version.name === name),
  );
  const kept = Object.fromEntries(known);
  const failed = Object.entries(kept).find(([, { whole }]) => whole !== undefined);
  const start = { parts: partsOf(object), kept };
  if (failed === undefined) return assembled(kind, object, target, converted(kind, start, source, target));
  // It stands for an object of a third version; unless somebody has corrected it, that is what is converted.
  const [name, { whole }] = failed;
  const { [name]: _, ...others } = kept;
  if (whole === undefined || !isEqualJson(start.parts.spec, whole.shown)) {
    return assembled(kind, object, target, converted(kind, { ...start, kept: others }, source, target));
  }
  const original = { parts: { spec: whole.spec, status: whole.status }, kept: others };
  return assembled(kind, object, target, converted(kind, original, versionOf(kind, name), target));
}

/** Why an object could not be converted to the version that it is read in. */
export interface ConversionFailure {
  /** The version that has the object as it was written. */
  readonly from: string;
  /** Between which versions, and what is wrong. */
  readonly reason: string;
}

/** Why an object of a kind could not be converted to the version that it is read in; undefined for all others. */
export function conversionFailureOf(object: ConvertedObject): ConversionFailure | undefined {
  const reason = object.metadata?.annotations?.[failedAnnotation];
  if (reason === undefined) return undefined;
  const [from, kept] = Object.entries(keptOf(object)).find(([, { whole }]) => whole !== undefined) ?? [];
  const isAsShown = kept?.whole !== undefined && isEqualJson(partsOf(object).spec, kept.whole.shown);
  return from !== undefined && isAsShown ? { from, reason } : undefined;
}

/** An object on its way. */
interface Draft {
  readonly parts: Parts;
  readonly kept: KeptByVersion;
  /** Why it could not be converted. */
  readonly failure?: string;
}

function converted(kind: ConvertedKind, draft: Draft, from: KindVersion, to: KindVersion): Draft {
  if (from === to) return draft;
  const hub = versionOf(kind, kind.version);
  try {
    if (from === hub) return step(draft, from, to);
    const own = step(draft, from, hub);
    refuseMisfit(own.parts, hub);
    return to === hub ? own : step(own, hub, to);
  } catch (error) {
    const shown = fittingPart(draft.parts.spec, specSchemaOf(to));
    return {
      parts: { spec: shown, status: {} },
      kept: { ...draft.kept, [from.name]: { whole: { ...draft.parts, shown } } },
      failure: `${from.name} to ${to.name}: ${failureText(draft.parts, from, error)}`,
    };
  }
}

/** What controllers see is an object of their schema, or is known not to be one. */
function refuseMisfit({ spec }: Parts, hub: KindVersion): void {
  const problems = problemsOf(spec, hub);
  if (problems.length > 0) throw new Error(`the result is not a ${hub.name}: ${problems.join(", ")}`);
}

/** An object that its own version does not accept, as it is older than the schema, is the cause of what a function threw. */
function failureText({ spec }: Parts, from: KindVersion, error: unknown): string {
  const problems = problemsOf(withDefaults(spec, specSchemaOf(from)) as Fields, from);
  const text = messageOf(error);
  return problems.length === 0 ? text : `${problems.join(", ")} (${text})`;
}

/** Problems that a failure names. */
const named = 3;

/** What the API server would refuse in a spec, field by field; it knows nothing of an author's own checks. */
function problemsOf(spec: Fields, { specSchema }: KindVersion): readonly string[] {
  return specProblems({ specSchema }, spec)
    .filter(({ isOwnCheck }) => !isOwnCheck)
    .slice(0, named)
    .map(({ field, message }) => `${field}: ${message}`);
}

/** One conversion between the kind's own version and another, in either direction. */
function step({ parts: given, kept }: Draft, from: KindVersion, to: KindVersion): Draft {
  const { [to.name]: returning, ...others } = kept;
  // The server fills them in, too; but a stored object may be older than a default.
  const parts = { ...given, spec: withDefaults(given.spec, specSchemaOf(from)) as Fields };
  const plain = convertParts(parts, from, to);
  const restored = restoredParts(plain, returning?.fields ?? [], to);
  const back = convertedBack(restored, to, from);
  const lost = lostFields(fieldsOf(parts), fieldsOf(back));
  const { [from.name]: _, ...rest } = others;
  return { parts: restored, kept: lost.length === 0 ? rest : { ...rest, [from.name]: { fields: lost } } };
}

/** What becomes of the result later: one that cannot be converted back would lose the object. */
function convertedBack(parts: Parts, from: KindVersion, to: KindVersion): Parts {
  try {
    return convertParts(parts, from, to);
  } catch (error) {
    throw new Error(`on the way back: ${messageOf(error)}`, { cause: error });
  }
}

/** By the author's function; its result is JSON, with the defaults of the version. */
export function convertParts(parts: Parts, from: KindVersion, to: KindVersion): Parts {
  // A copy, so that a function that changes what it is given changes nothing.
  const given = structuredClone(parts) as never;
  const result = (from.convert?.up(given) ?? to.convert?.down(given) ?? parts) as {
    readonly spec: unknown;
    readonly status?: unknown;
  };
  const { spec, status } = JSON.parse(JSON.stringify(result)) as {
    readonly spec?: Fields;
    readonly status?: Fields;
  };
  if (typeof spec !== "object") throw new TypeError(`the conversion to ${to.name} returned no spec`);
  return {
    spec: withDefaults(spec, specSchemaOf(to)) as Fields,
    status: status ?? commonStatus(parts.status, to),
  };
}

/** The fields of a status that another version has as well. */
function commonStatus(status: Fields, { statusSchema }: KindVersion): Fields {
  const known = statusSchema?.shape ?? {};
  return Object.fromEntries(Object.entries(status).filter(([name]) => Object.hasOwn(known, name)));
}

/** With what was kept, if the version accepts it: the annotation may have been edited, or be older than the schema. */
function restoredParts(plain: Parts, kept: readonly KeptField[], to: KindVersion): Parts {
  if (kept.length === 0) return plain;
  const { spec, status } = restoreFields(fieldsOf(plain), kept) as unknown as Parts;
  const isAccepted = to.specSchema.safeParse(spec).success || !to.specSchema.safeParse(plain.spec).success;
  return isAccepted ? { spec, status } : plain;
}

/** The author's part of an object: without what is the operator's, which no version changes. */
function partsOf(object: ConvertedObject): Parts {
  const { spec, status } = object as { readonly spec?: Fields; readonly status?: Fields };
  const { lifecycle: _, ...own } = spec ?? {};
  const others = Object.entries(status ?? {}).filter(([name]) => !ownStatusFields.includes(name));
  return { spec: own, status: Object.fromEntries(others) };
}

/** The object with its new parts, its annotations, and everything else as it was. */
function assembled<T extends ConvertedObject>(
  kind: ConvertedKind,
  object: T,
  to: KindVersion,
  { parts, kept, failure }: Draft,
): T {
  const { spec, status } = object as { readonly spec?: Fields; readonly status?: Fields };
  const lifecycle = spec?.["lifecycle"];
  const ownStatus = Object.entries(status ?? {}).filter(([name]) => ownStatusFields.includes(name));
  return {
    ...object,
    apiVersion: `${kind.group}/${to.name}`,
    ...withAnnotations(object, kept, failure),
    spec: { ...parts.spec, ...(lifecycle === undefined ? {} : { lifecycle }) },
    ...(status === undefined ? {} : { status: { ...parts.status, ...Object.fromEntries(ownStatus) } }),
  };
}

function withAnnotations(
  { metadata }: ConvertedObject,
  kept: KeptByVersion,
  failure: string | undefined,
): Pick<ConvertedObject, "metadata"> {
  if (metadata === undefined) return {};
  const { annotations, ...rest } = metadata;
  const { [keptAnnotation]: before, [failedAnnotation]: failedBefore, ...others } = annotations ?? {};
  const next = {
    ...others,
    ...(Object.keys(kept).length === 0 ? {} : { [keptAnnotation]: JSON.stringify(kept) }),
    ...(failure === undefined ? {} : { [failedAnnotation]: failure }),
  };
  const wasOurs = before !== undefined || failedBefore !== undefined;
  // An object that had no annotations gets none back.
  const isEmpty = Object.keys(next).length === 0 && (annotations === undefined || wasOurs);
  return { metadata: isEmpty ? rest : { ...rest, annotations: next } };
}

/** What is kept beside an object; what a person has made of the annotation may be anything. */
function keptOf({ metadata }: ConvertedObject): KeptByVersion {
  const text = metadata?.annotations?.[keptAnnotation];
  if (text === undefined) return {};
  try {
    const kept = JSON.parse(text) as Readonly<Record<string, unknown>>;
    return Object.fromEntries(Object.entries(kept).filter(([, each]) => isKept(each))) as KeptByVersion;
  } catch {
    return {};
  }
}

function isKept(value: unknown): value is Kept {
  if (!isRecord(value)) return false;
  const { fields, whole } = value;
  if (whole !== undefined)
    return isRecord(whole) && ["spec", "status", "shown"].every((name) => isRecord(whole[name]));
  return (
    Array.isArray(fields) &&
    fields.every((field) => {
      const path: unknown = isRecord(field) ? field["path"] : undefined;
      return Array.isArray(path) && path.length > 0 && path.every((name) => typeof name === "string");
    })
  );
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function fieldsOf({ spec, status }: Parts): Fields {
  return { spec, status };
}

const specSchemas = new WeakMap<KindVersion, StructuralSchema>();

/** The structural schema of a version's spec, made once. */
export function specSchemaOf(version: KindVersion): StructuralSchema {
  const known = specSchemas.get(version);
  if (known !== undefined) return known;
  const schema = structuralSchemaOf(version.specSchema, "spec");
  specSchemas.set(version, schema);
  return schema;
}

/** A version of a kind by its name. Errors: `VERSION_UNKNOWN`. */
export function versionOf(kind: Pick<ConvertedKind, "kind" | "versions">, name: string): KindVersion {
  const found = kind.versions.find((version) => version.name === name);
  if (found !== undefined) return found;
  throw new OperatorError("VERSION_UNKNOWN", `${kind.kind} has no version ${name}`, {
    fields: { kind: kind.kind, version: name },
    remedy: `Use one of ${kind.versions.map((version) => version.name).join(", ")}.`,
  });
}
