// The token subresource of service accounts: a new token for one, of use as long as the object is there that it is bound to.
import { toTimestamp } from "../../../meta/condition.ts";
import { parseApiVersion } from "../../../meta/resource-type.ts";
import { invalidValue } from "../../../schema/status-cause.ts";
import { issuer, type BoundObject } from "../access/account-tokens.ts";
import { admissionGate } from "../admission/admission-gate.ts";
import { timestampOf, type ApiCore } from "../api-core.ts";
import { fieldsOf, isFields, listOf, textOf, type ApiObject, type Fields } from "../api-object.ts";
import { badRequest, conflict, invalidObject, notFound } from "../status-error.ts";
import { gatedWrite, type WriteObjectRequest } from "./object-request.ts";
import { currentObject } from "./update.ts";

const kind = { group: "authentication.k8s.io", version: "v1", kind: "TokenRequest" };
const shortest = 600;

/** A token for the account of a request. Errors: 400, 404, 409, 422; those of admission. */
export function requestToken(core: ApiCore, request: WriteObjectRequest, body: Fields): ApiObject {
  const { metadata } = currentObject(core, request);
  const { name, namespace = "", uid = "" } = metadata;
  const spec = fieldsOf(body["spec"]);
  const { expirationSeconds = 3_600 } = spec;
  const audiences = listOf(spec["audiences"]).map(String);
  if (Number(expirationSeconds) < shortest) {
    const detail = "may not specify a duration less than 10 minutes";
    throw invalidObject(kind.group, kind.kind, "", [
      invalidValue("spec.expirationSeconds", expirationSeconds, detail),
    ]);
  }
  const sent: ApiObject = {
    kind: kind.kind,
    apiVersion: "authentication.k8s.io/v1",
    metadata: { name, namespace, uid, creationTimestamp: timestampOf(core) },
    spec: {
      audiences: audiences.length === 0 ? [issuer] : audiences,
      expirationSeconds,
      boundObjectRef: spec["boundObjectRef"] ?? null,
    },
  };
  const gate = admissionGate(core, request, gatedWrite("CREATE", request, kind));
  gate?.validate(gate.mutate(sent, undefined), undefined);
  const seconds = Number(expirationSeconds);
  return {
    ...sent,
    status: {
      token: core.accountTokens.issue({
        namespace,
        name,
        uid,
        audiences: listOf(fieldsOf(sent["spec"])["audiences"]).map(String),
        expirationSeconds: seconds,
        ...boundObject(core, spec["boundObjectRef"], { namespace, account: name }),
      }),
      expirationTimestamp: toTimestamp(core.clock.now() + seconds * 1_000),
    },
  };
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
