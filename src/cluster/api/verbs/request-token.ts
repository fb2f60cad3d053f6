// The token subresource of service accounts: a new token for one.
import { toTimestamp } from "../../../meta/condition.ts";
import { invalidValue } from "../../../schema/status-cause.ts";
import { issuer, type AccountTokens } from "../access/account-tokens.ts";
import { admissionGate } from "../admission/admission-gate.ts";
import { timestampOf, type ApiCore } from "../api-core.ts";
import { fieldsOf, listOf, type ApiObject, type Fields } from "../api-object.ts";
import { invalidObject } from "../status-error.ts";
import { gatedWrite, type WriteObjectRequest } from "./object-request.ts";
import { currentObject } from "./update.ts";

const kind = { group: "authentication.k8s.io", version: "v1", kind: "TokenRequest" };
const shortest = 600;

/** A token for the account of a request. Errors: 404, 422; those of admission. */
export function requestToken(
  core: ApiCore,
  tokens: AccountTokens,
  request: WriteObjectRequest,
  body: Fields,
): ApiObject {
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
      token: tokens.issue({
        namespace,
        name,
        uid,
        audiences: listOf(fieldsOf(sent["spec"])["audiences"]).map(String),
        expirationSeconds: seconds,
      }),
      expirationTimestamp: toTimestamp(core.clock.now() + seconds * 1_000),
    },
  };
}
