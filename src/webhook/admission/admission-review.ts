// AdmissionReview v1 as it travels: reading what the API server asks, and forming what it is answered. Pure.
// https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/
import type { JsonPatchOperation } from "../../client/kube-client.ts";
import type { KubeObject } from "../../meta/object.ts";
import { MalformedReview } from "../webhook-route.ts";
import type { AdmissionCall, Refusal } from "./webhook-options.ts";

/** A request that is to be judged. */
export interface AdmissionRequest {
  readonly uid: string;
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  /** Empty for the object itself. */
  readonly subResource: string;
  readonly operation: string;
  /** Empty for one that the server will name. */
  readonly name: string;
  readonly namespace: string;
  readonly userInfo: AdmissionCall["userInfo"];
  readonly dryRun: boolean;
  readonly object: KubeObject | undefined;
  readonly oldObject: KubeObject | undefined;
}

/** What a review comes to. */
export type Verdict =
  | { readonly kind: "allowed"; readonly patch?: readonly JsonPatchOperation[] }
  | { readonly kind: "refused"; readonly refusals: readonly Refusal[] }
  /** The function failed. */
  | { readonly kind: "failed"; readonly message: string };

/** Characters that a warning may have, and all warnings together: the API server cuts off what is longer. */
const longestWarning = 256;
const mostWarnings = 4_096;

/** The request in a review. Errors: {@link MalformedReview}. */
export function readReview(body: object): AdmissionRequest {
  const { apiVersion, kind, request } = body as Readonly<Record<string, unknown>>;
  if (apiVersion !== "admission.k8s.io/v1" || kind !== "AdmissionReview") {
    throw new MalformedReview("the body is not an AdmissionReview of admission.k8s.io/v1");
  }
  if (!isRecord(request)) throw new MalformedReview("the AdmissionReview has no request");
  const { uid, kind: type, operation, userInfo } = request;
  if (typeof uid !== "string" || !isRecord(type) || typeof operation !== "string") {
    throw new MalformedReview("the request of the AdmissionReview lacks uid, kind or operation");
  }
  const { username, uid: userId, groups, extra } = isRecord(userInfo) ? userInfo : {};
  return {
    uid,
    kind: { group: textOf(type["group"]), version: textOf(type["version"]), kind: textOf(type["kind"]) },
    subResource: textOf(request["subResource"]),
    operation,
    name: textOf(request["name"]),
    namespace: textOf(request["namespace"]),
    userInfo: {
      username: textOf(username),
      ...(typeof userId === "string" ? { uid: userId } : {}),
      groups: Array.isArray(groups) ? groups.filter((group) => typeof group === "string") : [],
      ...(isRecord(extra) ? { extra: extra as NonNullable<AdmissionCall["userInfo"]["extra"]> } : {}),
    },
    dryRun: request["dryRun"] === true,
    object: objectOf(request["object"]),
    oldObject: objectOf(request["oldObject"]),
  };
}

/** The review that is sent back. */
export function reviewOf(request: AdmissionRequest, verdict: Verdict, warnings: readonly string[]): object {
  return {
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    response: {
      uid: request.uid,
      ...(warnings.length === 0 ? {} : { warnings: shortened(warnings) }),
      ...responseOf(request, verdict),
    },
  };
}

function responseOf(request: AdmissionRequest, verdict: Verdict): object {
  if (verdict.kind === "allowed") {
    const { patch = [] } = verdict;
    if (patch.length === 0) return { allowed: true };
    const encoded = Buffer.from(JSON.stringify(patch), "utf8").toString("base64");
    return { allowed: true, patchType: "JSONPatch", patch: encoded };
  }
  return {
    allowed: false,
    status: verdict.kind === "failed" ? failureOf(verdict.message) : statusOf(request, verdict.refusals),
  };
}

function failureOf(message: string): object {
  return { status: "Failure", code: 500, reason: "InternalError", message };
}

/** Invalid with a cause for each refusal, as the API server itself says of fields; Forbidden when none is about a field. */
function statusOf({ kind, name }: AdmissionRequest, refusals: readonly Refusal[]): object {
  if (refusals.every(({ field }) => field === undefined)) {
    const message = refusals.map((each) => each.message).join("; ");
    return { status: "Failure", code: 403, reason: "Forbidden", message };
  }
  const said = refusals.map(({ field, message }) => (field === undefined ? message : `${field}: ${message}`));
  const subject = `${kind.kind}.${kind.group} ${JSON.stringify(name)} is invalid`;
  return {
    status: "Failure",
    code: 422,
    reason: "Invalid",
    message: `${subject}: ${said.length === 1 ? said.join("") : `[${said.join(", ")}]`}`,
    details: {
      name,
      group: kind.group,
      kind: kind.kind,
      causes: refusals.map(({ field, message, reason = "FieldValueInvalid" }) => ({
        reason,
        message,
        ...(field === undefined ? {} : { field }),
      })),
    },
  };
}

function shortened(warnings: readonly string[]): readonly string[] {
  let left = mostWarnings;
  return [...new Set(warnings.map(oneLine))].filter((warning) => (left -= warning.length) >= 0);
}

/** They travel as HTTP headers. */
function oneLine(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ").trim();
  return line.length <= longestWarning ? line : `${line.slice(0, longestWarning - 1)}…`;
}

function objectOf(value: unknown): KubeObject | undefined {
  return isRecord(value) && isRecord(value["metadata"]) ? (value as unknown as KubeObject) : undefined;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
