// The admission webhooks of one kind as routes of the server: the author's functions, what the library asks by itself, and what is
// answered when a function fails. Reviews have no side effects of ours.
import type { Kind } from "../../kinds/define-kind.ts";
import { specProblems } from "../../kinds/parse-custom-resource.ts";
import { conversionFailureOf } from "../../kinds/versions/convert.ts";
import { validateChange } from "../../kinds/validate-change.ts";
import { isEqualJson } from "../../meta/changed-paths.ts";
import type { KubeObject } from "../../meta/object.ts";
import { resourceNameOf, type ResourceType } from "../../meta/resource-type.ts";
import type { Logger } from "../../ports/logger.ts";
import { messageOf } from "../../ports/operator-error.ts";
import { shown } from "../../ports/shown.ts";
import { MalformedReview, type ReviewCall, type WebhookRoute } from "../webhook-route.ts";
import { readReview, reviewOf, type AdmissionRequest, type Verdict } from "./admission-review.ts";
import { jsonPatchOf } from "./json-patch.ts";
import type { AdmissionCall, Refusal, WebhookOptions, WriteCall } from "./webhook-options.ts";

/** Where the webhooks of a type are served. */
export const admissionPaths = {
  validate: (type: ResourceType): string => `/validate/${resourceNameOf(type)}`,
  mutate: (type: ResourceType): string => `/mutate/${resourceNameOf(type)}`,
} as const;

/** What all reviews share. */
export interface AdmissionParts {
  readonly log: Logger;
  /** Leaves secrets out of a text. */
  readonly mask: (text: string) => string;
}

type AnyKind = Kind<KubeObject>;
type AnyOptions = WebhookOptions<KubeObject>;
/** Judges a request. What it throws is the author's. */
type Judge = (request: AdmissionRequest, call: AdmissionCall) => Promise<Verdict> | Verdict;

const allowed: Verdict = { kind: "allowed" };

/** The routes of a kind; none that nobody asked for. */
export function admissionRoutes(
  kind: AnyKind,
  options: AnyOptions,
  parts: AdmissionParts,
): readonly WebhookRoute[] {
  const { validate, validateDelete, mutate } = options;
  const validating = validate !== undefined || validateDelete !== undefined;
  return [
    ...(mutate === undefined
      ? []
      : [route(kind, admissionPaths.mutate(kind), parts, (...asked) => mutated(kind, mutate, ...asked))]),
    ...(validating
      ? [route(kind, admissionPaths.validate(kind), parts, (...asked) => validated(kind, options, ...asked))]
      : []),
  ];
}

function route(kind: AnyKind, path: string, { log, mask }: AdmissionParts, judge: Judge): WebhookRoute {
  return {
    path,
    review: async (body, { signal }: ReviewCall) => {
      const request = readReview(body);
      refuseOtherKind(kind, request);
      const warnings: string[] = [];
      const { userInfo, dryRun } = request;
      const warn = (message: string): void => void warnings.push(mask(message));
      const verdict = await verdictOf(judge, request, { userInfo, dryRun, signal, warn });
      const answered = masked(verdict, mask);
      if (answered.kind === "failed" && !signal.aborted) {
        const { operation, namespace, name } = request;
        const object = namespace === "" ? name : `${namespace}/${name}`;
        log.error({ webhook: path, operation, object, error: answered.message }, "a webhook function failed");
      }
      return { body: reviewOf(request, answered, warnings), result: answered.kind };
    },
  };
}

async function verdictOf(judge: Judge, request: AdmissionRequest, call: AdmissionCall): Promise<Verdict> {
  // A configuration that somebody has extended: a status is the operator's own, and a Scale is no object of the kind.
  if (request.subResource !== "") return allowed;
  try {
    return await judge(request, call);
  } catch (error) {
    if (error instanceof MalformedReview) throw error;
    return { kind: "failed", message: messageOf(error) };
  }
}

function masked(verdict: Verdict, mask: AdmissionParts["mask"]): Verdict {
  if (verdict.kind === "failed") return { ...verdict, message: mask(verdict.message) };
  if (verdict.kind === "allowed") return verdict;
  const refusals = verdict.refusals.map((each) => ({ ...each, message: mask(each.message) }));
  return { ...verdict, refusals };
}

function refuseOtherKind(kind: AnyKind, { kind: asked, subResource }: AdmissionRequest): void {
  const isSame = asked.group === kind.group && asked.version === kind.version && asked.kind === kind.kind;
  if (isSame || subResource !== "") return;
  throw new MalformedReview(
    `the webhook is of ${kind.kind} in ${kind.group}/${kind.version}, and was asked about ${asked.kind} in ${asked.group}/${asked.version}`,
  );
}

/** The objects of a request; undefined for an operation that stores nothing. */
function writeOf(
  { operation, object, oldObject }: AdmissionRequest,
  call: AdmissionCall,
): WriteCall<KubeObject> | undefined {
  if (operation !== "CREATE" && operation !== "UPDATE") return undefined;
  if (object === undefined) throw new MalformedReview("the request has no object");
  if (operation === "CREATE") return { ...call, operation, object, oldObject: undefined };
  if (oldObject === undefined) throw new MalformedReview("the request has no oldObject");
  return { ...call, operation, object, oldObject };
}

/** Such as the removal of a finalizer: what judges it could keep the object for ever. */
function isEndOfDeleted({ object, oldObject }: WriteCall<KubeObject>): boolean {
  return object.metadata.deletionTimestamp !== undefined && isEqualJson(specOf(object), specOf(oldObject));
}

async function validated(
  kind: AnyKind,
  { validate, validateDelete }: AnyOptions,
  request: AdmissionRequest,
  call: AdmissionCall,
): Promise<Verdict> {
  if (request.operation === "DELETE") {
    const { oldObject } = request;
    if (validateDelete === undefined || oldObject === undefined) return allowed;
    const found = await validateDelete({ ...call, operation: "DELETE", oldObject });
    return verdictOn(refusalsIn(found, `validateDelete of ${kind.kind}`));
  }
  const write = writeOf(request, call);
  if (write === undefined || validate === undefined || isEndOfDeleted(write)) return allowed;
  const unconverted = unconvertedVerdict(write);
  if (unconverted !== undefined) return unconverted;
  const wrong = newProblems(kind, write);
  // The author's function is written for objects that fit the schema.
  if (wrong.length > 0) return verdictOn(wrong);
  const refused = validateChange(kind, write.oldObject, write.object).map(({ message }) => ({ message }));
  const found = validate === true ? undefined : await validate(write);
  return verdictOn([...refused, ...refusalsIn(found, `validate of ${kind.kind}`)]);
}

/** What of an object that could not be converted is shown is not what was written: no function of the author's is asked about that. */
function unconvertedVerdict({ object, oldObject }: WriteCall<KubeObject>): Verdict | undefined {
  const failure = conversionFailureOf(object);
  if (failure === undefined) return undefined;
  const isOld = oldObject !== undefined && conversionFailureOf(oldObject)?.reason === failure.reason;
  return isOld
    ? allowed
    : verdictOn([{ field: "spec", message: `could not be converted (${failure.reason})` }]);
}

/** What was wrong before may stay as it is: else nothing of the object could be changed. */
function newProblems(kind: AnyKind, { object, oldObject }: WriteCall<KubeObject>): readonly Refusal[] {
  const [spec, oldSpec] = [specOf(object), specOf(oldObject)];
  if (oldObject !== undefined && isEqualJson(spec, oldSpec)) return [];
  const known = oldObject === undefined ? [] : specProblems(kind, oldSpec);
  return specProblems(kind, spec)
    .map(({ field, message }) => ({ field, message }))
    .filter(
      (problem) =>
        !known.some(({ field, message }) => field === problem.field && message === problem.message),
    );
}

function verdictOn(refusals: readonly Refusal[]): Verdict {
  return refusals.length === 0 ? allowed : { kind: "refused", refusals };
}

/** What a function has returned. Whatever is no list of refusals must not pass for one that is empty. */
function refusalsIn(found: unknown, what: string): readonly Refusal[] {
  if (found === undefined || found === null) return [];
  const isRefusal = (each: unknown): boolean => {
    const { message, field } = (each ?? {}) as { readonly message?: unknown; readonly field?: unknown };
    return (
      typeof message === "string" && message !== "" && (field === undefined || typeof field === "string")
    );
  };
  if (Array.isArray(found) && found.every(isRefusal)) return found as readonly Refusal[];
  throw new Error(`${what} returned ${shown(found)}: return a list such as [{ field, message }], or nothing`);
}

async function mutated(
  kind: AnyKind,
  mutate: NonNullable<AnyOptions["mutate"]>,
  request: AdmissionRequest,
  call: AdmissionCall,
): Promise<Verdict> {
  const write = writeOf(request, call);
  // Changed, what is shown of an object that could not be converted would count as its correction.
  if (write === undefined || isEndOfDeleted(write) || conversionFailureOf(write.object) !== undefined)
    return allowed;
  const { object: before } = write;
  const draft = structuredClone(before);
  try {
    const returned = await mutate({ ...write, object: draft });
    const after = objectIn(kind, returned ?? draft, before);
    return { kind: "allowed", patch: jsonPatchOf(before, after) };
  } catch (error) {
    // It is called before the schema is: an object that does not fit may well be what it fails on.
    const wrong = newProblems(kind, write);
    if (wrong.length === 0) throw error;
    return verdictOn(wrong);
  }
}

/** What a function has made of an object, as it travels. The names by which the server knows the object are not its to change. */
function objectIn({ kind }: AnyKind, made: unknown, before: KubeObject): unknown {
  const after = typeof made === "object" ? (JSON.parse(JSON.stringify(made)) as unknown) : made;
  const identity = (object: unknown): readonly unknown[] => {
    const { apiVersion, kind: its, metadata } = (object ?? {}) as Partial<KubeObject>;
    return [apiVersion, its, metadata?.name, metadata?.generateName, metadata?.namespace, metadata?.uid];
  };
  if (isEqualJson(identity(before), identity(after))) return after;
  throw new Error(
    `mutate of ${kind} returned ${shown(made)}, which is not the object that it was given: return that one, changed, or nothing`,
  );
}

function specOf(object: KubeObject | undefined): unknown {
  return (object as { readonly spec?: unknown } | undefined)?.spec;
}
