// Which claims of storage may grow, as the admission plugin PersistentVolumeClaimResize decides.
// https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#persistentvolumeclaimresize
import { isAbove } from "../../quota-usage.ts";
import type { ApiCore } from "../api-core.ts";
import { fieldsOf, textOf, type ApiObject } from "../api-object.ts";
import type { ServedType } from "../served-type.ts";
import { forbiddenObject } from "../status-error.ts";

/** Refuses to let a claim grow that has no volume, or whose class does not let its volumes grow. Errors: 403. */
export function assertGrowable(
  { store }: Pick<ApiCore, "store">,
  type: ServedType,
  claim: ApiObject,
  before: ApiObject,
): void {
  if (!isAbove(sizeOf(claim), sizeOf(before))) return;
  const refuse = (detail: string): never => {
    throw forbiddenObject(type, claim.metadata.name, detail);
  };
  if (fieldsOf(before["status"])["phase"] !== "Bound")
    refuse("Only bound persistent volume claims can be expanded");
  const name = classOf(claim);
  const chosen =
    name === "" || name !== classOf(before)
      ? undefined
      : store.get("storageclasses.storage.k8s.io", undefined, name);
  if (chosen?.["allowVolumeExpansion"] === true) return;
  refuse(
    "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize",
  );
}

function sizeOf(claim: ApiObject): string {
  const { resources } = fieldsOf(claim["spec"]);
  const size = textOf(fieldsOf(fieldsOf(resources)["requests"])["storage"]);
  return size === "" ? "0" : size;
}

/** The name of the class, which an annotation said formerly. */
function classOf({ metadata, ...claim }: ApiObject): string {
  const former = metadata.annotations?.["volume.beta.kubernetes.io/storage-class"];
  return former ?? textOf(fieldsOf(claim["spec"])["storageClassName"]);
}
