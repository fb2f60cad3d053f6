// The account of a pod, as the admission plugin ServiceAccount settles it: the account has to be there, its token is mounted into the
// containers, and its secrets for pulling images are taken.
// https://kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin/#serviceaccount-admission-controller
import type { ApiCore } from "../api-core.ts";
import { ensureFields, fieldsList, textOf, type ApiObject, type Fields } from "../api-object.ts";
import { generatedSuffix } from "../generated-suffix.ts";
import type { ServedType } from "../served-type.ts";
import { forbiddenCreation } from "../status-error.ts";
import { unaskable } from "./runtime-classes.ts";

const mountPath = "/var/run/secrets/kubernetes.io/serviceaccount";
const volumePrefix = "kube-api-access-";

/** Settles the account of a pod, in place. Errors: 403 for an account that there is not. */
export function settleAccount(
  { store, random }: Pick<ApiCore, "store" | "random">,
  pod: ApiObject,
  type: ServedType,
): void {
  const { namespace = "", annotations = {} } = pod.metadata;
  if (Object.hasOwn(annotations, "kubernetes.io/config.mirror")) return;
  const spec = ensureFields(pod, "spec");
  const named = textOf(spec["serviceAccountName"]) || "default";
  spec["serviceAccountName"] = named;
  spec["serviceAccount"] = named;
  const account = store.get("serviceaccounts", namespace, named);
  if (account === undefined) {
    // The account of a new namespace is made by a controller, which may still be about to, or not be there at all.
    if (named === "default") return;
    const said = unaskable(named) ?? `serviceaccount ${JSON.stringify(named)} not found`;
    const detail = `error looking up service account ${namespace}/${named}: ${said}`;
    throw forbiddenCreation(type, pod, detail);
  }
  const isMounted = spec["automountServiceAccountToken"] ?? account["automountServiceAccountToken"] ?? true;
  if (isMounted === true) mountToken(spec, () => `${volumePrefix}${generatedSuffix(random)}`);
  const secrets = fieldsList(account["imagePullSecrets"]);
  if (fieldsList(spec["imagePullSecrets"]).length === 0 && secrets.length > 0) {
    spec["imagePullSecrets"] = structuredClone(secrets);
  }
}

function mountToken(spec: Fields, newName: () => string): void {
  const volumes = fieldsList(spec["volumes"]);
  const present = volumes.find((volume) => textOf(volume["name"]).startsWith(volumePrefix));
  const bare = ["initContainers", "containers"]
    .flatMap((list) => fieldsList(spec[list]))
    .filter(
      (container) => !fieldsList(container["volumeMounts"]).some((each) => each["mountPath"] === mountPath),
    );
  if (bare.length === 0) return;
  const name = present === undefined ? newName() : textOf(present["name"]);
  for (const container of bare) {
    const mounts = fieldsList(container["volumeMounts"]);
    container["volumeMounts"] = [...mounts, { name, readOnly: true, mountPath }];
  }
  if (present === undefined) spec["volumes"] = [...volumes, { name, projected: tokenSources() }];
}

function tokenSources(): Fields {
  const namespace = { path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } };
  return {
    defaultMode: 420,
    sources: [
      { serviceAccountToken: { expirationSeconds: 3607, path: "token" } },
      { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
      { downwardAPI: { items: [namespace] } },
    ],
  };
}
