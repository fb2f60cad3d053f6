// The token subresource of service accounts: a new token for one, of use as long as the object is there that it is bound to.
import { toTimestamp } from "../../../meta/condition.ts";
import { apiVersionOf, parseApiVersion } from "../../../meta/resource-type.ts";
import { invalidValue } from "../../../schema/status-cause.ts";
import type { BoundObject } from "../access/account-tokens.ts";
import { admissionGate } from "../admission/admission-gate.ts";
import { timestampOf, type ApiCore } from "../api-core.ts";
import {
  fieldsOf,
  isFields,
  listOf,
  textOf,
  type ApiMeta,
  type ApiObject,
  type Fields,
} from "../api-object.ts";
import { metadataSchema } from "../builtin/builtin-schemas.ts";
import { shapeObject } from "../builtin/shape-object.ts";
import { orderMetadata } from "../metadata-order.ts";
import { apiAudience } from "../requests/users.ts";
import { badRequest, conflict, invalidObject, notFound } from "../status-error.ts";
import { assertNamespace } from "./create.ts";
import { recordOwnership } from "./field-ownership.ts";
import { gatedWrite, type WriteObjectRequest } from "./object-request.ts";
import { tokenRequests } from "./posted-types.ts";
import { currentObject } from "./update.ts";

const kind = { group: "authentication.k8s.io", version: "v1", kind: "TokenRequest" };
const apiVersion = apiVersionOf(kind);
const [shortest, longest] = [600, 2 ** 32];
/** What kubelets ask for; such a token is of use for a year, and warned of after the time asked for. */
const kubeletSeconds = 3_607;
const extendedSeconds = 365 * 24 * 60 * 60;

/** A token for the account of a request. Errors: 400, 404, 409, 422; those of admission. */
export function requestToken(core: ApiCore, request: WriteObjectRequest, body: Fields): ApiObject {
  const given = fieldsOf(shapeObject(metadataSchema, body["metadata"]).value) as Partial<ApiMeta>;
  assertMeant(request, given);
  const { metadata: account } = currentObject(core, request);
  assertSame(given, account);
  const { expirationSeconds = 3_600, ...spec } = fieldsOf(body["spec"]);
  assertDuration(expirationSeconds);
  const own = recordOwnership(core, { ...request, type: tokenRequests }, given.managedFields);
  const head = { kind: kind.kind, apiVersion };
  const { managedFields } = own(
    { ...head, metadata: { name: "", ...given }, spec: { ...spec, expirationSeconds } },
    undefined,
  ).metadata;
  const { name, namespace, uid } = account;
  const audiences = listOf(spec["audiences"]);
  const sent: ApiObject = {
    ...head,
    metadata: orderMetadata({
      ...given,
      name,
      namespace,
      uid,
      creationTimestamp: timestampOf(core),
      managedFields,
    }),
    spec: {
      audiences: audiences.length === 0 ? [apiAudience] : audiences,
      expirationSeconds,
      boundObjectRef: spec["boundObjectRef"] ?? null,
    },
  };
  const gate = admissionGate(core, request, gatedWrite("CREATE", request, kind));
  const admitted = gate === undefined ? sent : gate.mutate(sent, undefined);
  gate?.validate(admitted, undefined);
  return { ...admitted, status: issuedToken(core, fieldsOf(admitted["spec"]), account) };
}

/** What is said of an account is true of that of the path. Errors: 400, 422. */
function assertMeant({ name, namespace }: WriteObjectRequest, given: Partial<ApiMeta>): void {
  assertNamespace({ name: "", ...given }, namespace);
  if (["", name].includes(given.name ?? "")) return;
  const cause = invalidValue("metadata.name", given.name, "must match the service account name if specified");
  throw invalidObject(kind.group, kind.kind, name, [cause]);
}

/** It is still the account that is meant. Errors: 409. */
function assertSame(given: Partial<ApiMeta>, { name, uid = "" }: ApiMeta): void {
  if (["", uid].includes(given.uid ?? "")) return;
  const detail = `the UID in the token request (${given.uid}) does not match the UID of the service account (${uid})`;
  throw conflict({ group: kind.group, plural: kind.kind, kind: kind.kind }, name, detail);
}

function issuedToken(core: ApiCore, spec: Fields, account: ApiMeta): Fields {
  const { name, namespace = "", uid = "" } = account;
  const audiences = listOf(spec["audiences"]).map(String);
  const seconds = Number(spec["expirationSeconds"]);
  const bound = boundObject(core, spec["boundObjectRef"], { namespace, account: name });
  const isExtended =
    bound.bound?.space === "pods" &&
    seconds === kubeletSeconds &&
    audiences.every((audience) => audience === apiAudience);
  const life = isExtended
    ? { expirationSeconds: extendedSeconds, warnAfterSeconds: seconds }
    : { expirationSeconds: seconds };
  return {
    token: core.accountTokens.issue({ namespace, name, uid, audiences, ...life, ...bound }),
    expirationTimestamp: toTimestamp(core.clock.now() + seconds * 1_000),
  };
}

function assertDuration(seconds: unknown): void {
  const detail =
    Number(seconds) < shortest
      ? "may not specify a duration less than 10 minutes"
      : Number(seconds) > longest
        ? "may not specify a duration larger than 2^32 seconds"
        : undefined;
  if (detail === undefined) return;
  throw invalidObject(kind.group, kind.kind, "", [invalidValue("spec.expirationSeconds", seconds, detail)]);
}

/** What the token is bound to, and the node of a pod that it is bound to. Errors: 400, 404, 409. */
function boundObject(
  { store }: ApiCore,
  reference: unknown,
  { namespace, account }: { readonly namespace: string; readonly account: string },
): { readonly bound?: BoundObject; readonly node?: BoundObject } {
  if (!isFields(reference)) return {};
  const [given, name, uid] = ["kind", "name", "uid"].map((field) => textOf(reference[field])) as [
    string,
    string,
    string,
  ];
  const { group, version } = parseApiVersion(textOf(reference["apiVersion"]));
  const found = group === "" && version === "v1" ? storageKeys[given] : undefined;
  if (found === undefined) {
    throw badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${given}`);
  }
  const object = store.get(found, found === "nodes" ? undefined : namespace, name);
  if (object === undefined) throw notFound({ group, plural: found, kind: given }, name);
  const { nodeName, serviceAccountName } = fieldsOf(object["spec"]);
  if (found === "pods" && serviceAccountName !== account) {
    const other = "to pod running with different serviceaccount name.";
    throw badRequest(`cannot bind token for serviceaccount ${JSON.stringify(account)} ${other}`);
  }
  if (uid !== "" && uid !== object.metadata.uid) {
    const detail = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
    throw conflict({ group, plural: given, kind: given }, name, detail);
  }
  const bound = { space: found, name, uid: object.metadata.uid ?? "" };
  if (found !== "pods" || nodeName === undefined) return { bound };
  const node = textOf(nodeName);
  const { uid: nodeUid = "" } = store.get("nodes", undefined, node)?.metadata ?? {};
  return { bound, node: { space: "nodes", name: node, uid: nodeUid } };
}

const storageKeys: Readonly<Record<string, BoundObject["space"]>> = {
  Pod: "pods",
  Secret: "secrets",
  Node: "nodes",
};
