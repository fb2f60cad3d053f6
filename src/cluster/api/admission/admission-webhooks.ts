// Admission webhooks: which are registered, what one is asked, and what its answer means.
// https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/
import type { Authorizer } from "../access/access-attributes.ts";
import { authorizerOf } from "./authorizer-expressions.ts";
import { randomUUID } from "node:crypto";
import { messageOf } from "../../../ports/operator-error.ts";
import {
  fieldsList,
  fieldsOf,
  isFields,
  listOf,
  textOf,
  type ApiObject,
  type Fields,
} from "../api-object.ts";
import { fromLabelSelector } from "../selectors/label-selector.ts";
import { forbiddenObject, internalError, StatusError } from "../status-error.ts";
import { base64Faults, goTypeName } from "../go-words.ts";
import { readJson } from "../requests/json-text.ts";
import { callWebhook, timeoutQuery, WebhookCallError } from "../webhooks/call-webhook.ts";
import type { ServiceSource } from "../service-endpoint.ts";
import { webhookAddress } from "../webhooks/webhook-address.ts";
import type { AdmissionAttributes } from "./admission-attributes.ts";
import {
  admissionVariables,
  ConditionFailed,
  conditionsHold,
  readMatchConditions,
  type MatchCondition,
} from "./admission-expressions.ts";
import type { MatchCriteria } from "./matching.ts";
import { readRule } from "./webhook-rules.ts";

/** One webhook of a configuration. */
export interface AdmissionWebhook {
  readonly name: string;
  readonly clientConfig: unknown;
  readonly criteria: MatchCriteria;
  readonly conditions: readonly MatchCondition[];
  readonly timeoutSeconds: number;
  /** Whether a call that fails lets the write pass. */
  readonly ignoresFailures: boolean;
  readonly reinvoked: boolean;
}

/** The webhooks of configurations, in their order. */
export function readWebhooks(configurations: readonly ApiObject[]): readonly AdmissionWebhook[] {
  return configurations.flatMap((configuration) =>
    fieldsList(configuration["webhooks"]).map((webhook): AdmissionWebhook => ({
      name: textOf(webhook["name"]),
      clientConfig: webhook["clientConfig"],
      criteria: {
        rules: fieldsList(webhook["rules"]).map(readRule),
        excluded: [],
        equivalent: webhook["matchPolicy"] !== "Exact",
        namespaceSelector: fromLabelSelector(webhook["namespaceSelector"]),
        objectSelector: fromLabelSelector(webhook["objectSelector"]),
      },
      conditions: readMatchConditions(webhook["matchConditions"]),
      timeoutSeconds: typeof webhook["timeoutSeconds"] === "number" ? webhook["timeoutSeconds"] : 10,
      ignoresFailures: webhook["failurePolicy"] === "Ignore",
      reinvoked: webhook["reinvocationPolicy"] === "IfNeeded",
    })),
  );
}

/** Whether the conditions of a webhook let it be called. Errors: 403 where they fail and failures count. */
export function isWanted(
  { authorizer }: { readonly authorizer: Authorizer },
  webhook: AdmissionWebhook,
  attributes: AdmissionAttributes,
  request: Fields,
): boolean {
  if (webhook.conditions.length === 0) return true;
  try {
    const variables = { ...admissionVariables(request), authorizer: authorizerOf(authorizer, attributes) };
    return conditionsHold(webhook.conditions, variables);
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    if (webhook.ignoresFailures) return false;
    throw forbiddenObject(attributes.type, attributes.name, error.message);
  }
}

/** What a webhook answered. */
export interface WebhookAnswer {
  /** A JSON patch; undefined where it has none. */
  readonly patch: unknown;
}

/**
 * Asks a webhook about a write that it sees as `request`; its warnings are added. Undefined: the call failed, which its policy ignores.
 * Errors: StatusError for a refusal, and for a failed call that its policy does not ignore.
 */
export async function askWebhook(
  source: ServiceSource,
  webhook: AdmissionWebhook,
  request: Fields,
  { mutating, warnings }: { readonly mutating: boolean; readonly warnings: string[] },
): Promise<WebhookAnswer | undefined> {
  const uid = randomUUID();
  try {
    const response = readResponse(await post(source, webhook, { uid, ...request }), { uid, mutating });
    warnings.push(...listOf(response["warnings"]).map(String));
    if (response["allowed"] !== true) throw denial(webhook.name, fieldsOf(response["status"]));
    return { patch: decodePatch(response) };
  } catch (error) {
    if (!(error instanceof WebhookCallError)) throw error;
    if (webhook.ignoresFailures) return undefined;
    throw internalError(`failed calling webhook ${JSON.stringify(webhook.name)}: ${error.message}`);
  }
}

async function post(source: ServiceSource, webhook: AdmissionWebhook, request: Fields): Promise<unknown> {
  try {
    return await callWebhook({
      address: webhookAddress(source, webhook.clientConfig, timeoutQuery(webhook.timeoutSeconds)),
      body: { kind: "AdmissionReview", apiVersion: "admission.k8s.io/v1", request },
      timeoutSeconds: webhook.timeoutSeconds,
      userAgent: "kube-apiserver-admission",
    });
  } catch (error) {
    throw new WebhookCallError(`failed to call webhook: ${messageOf(error)}`);
  }
}

/** The response of a review that is one. Errors: {@link WebhookCallError}. */
function readResponse(
  review: unknown,
  { uid, mutating }: { readonly uid: string; readonly mutating: boolean },
): Fields {
  const { apiVersion = "", kind = "", response } = fieldsOf(review);
  const invalid = (detail: string): never => {
    throw new WebhookCallError(`received invalid webhook response: ${detail}`);
  };
  if (kind !== "AdmissionReview" || apiVersion !== "admission.k8s.io/v1") {
    throw new WebhookCallError(unexpectedKind(String(apiVersion), String(kind)));
  }
  if (!isFields(response)) return invalid("webhook response was absent");
  if (response["uid"] !== uid) {
    invalid(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response["uid"] ?? "")}`);
  }
  const [unreadable] = base64Faults(textOf(response["patch"]));
  if (unreadable !== undefined) throw new WebhookCallError(`failed to call webhook: ${unreadable}`);
  const hasPatch = textOf(response["patch"]) !== "";
  const hasType = response["patchType"] !== undefined && response["patchType"] !== null;
  if (!mutating) {
    if (hasPatch) invalid("validating webhook may not return response.patch");
    if (hasType) invalid("validating webhook may not return response.patchType");
  } else if (hasPatch && !hasType) invalid("webhook returned response.patch but not response.patchType");
  else if (hasType && !hasPatch) invalid("webhook returned response.patchType but not response.patch");
  return response;
}

/** What is said of an answer of another kind: some the real server cannot even read. */
function unexpectedKind(apiVersion: string, kind: string): string {
  const version = apiVersion.slice(apiVersion.indexOf("/") + 1);
  if (kind === "AdmissionReview" && apiVersion === "admission.k8s.io/v1beta1") {
    return `failed to call webhook: converting (${version}.${kind}) to (v1.AdmissionReview): unknown conversion`;
  }
  if (kind !== "" && apiVersion !== "") {
    return `failed to call webhook: no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`;
  }
  const given = `${apiVersion === "" ? "/" : apiVersion}, Kind=${kind}`;
  return `received invalid webhook response: expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got ${given}`;
}

function decodePatch(response: Fields): unknown {
  const patch = textOf(response["patch"]);
  if (patch === "") return undefined;
  const undecodable = (fault: string): WebhookCallError =>
    new WebhookCallError(`received undecodable patch in webhook response: ${fault}`);
  let value: unknown;
  try {
    ({ value } = readJson(Buffer.from(patch, "base64").toString("utf8")));
  } catch (error) {
    throw undecodable(messageOf(error));
  }
  if (value === null || Array.isArray(value)) return value ?? [];
  throw undecodable(`json: cannot unmarshal ${goTypeName(value)} into Go value of type jsonpatch.Patch`);
}

/** The refusal of a webhook: its own status, made one that refuses. */
function denial(name: string, status: Fields): StatusError {
  const { code, reason, message, details, metadata } = status;
  const denied = `admission webhook ${JSON.stringify(name)} denied the request`;
  const why = textOf(message) === "" ? textOf(reason) : textOf(message);
  return new StatusError(
    typeof code === "number" && code >= 400 ? code : 400,
    textOf(reason) === "" ? undefined : textOf(reason),
    why === "" ? `${denied} without explanation` : `${denied}: ${why}`,
    isFields(details) ? details : undefined,
    isFields(metadata) ? metadata : {},
  );
}
