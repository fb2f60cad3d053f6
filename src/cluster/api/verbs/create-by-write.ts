// A write to an object that is not there, of a type whose writes create it: also by its status, as the real server has it.
import type { ApiCore } from "../api-core.ts";
import { fieldsOf, listOf, type ApiObject } from "../api-object.ts";
import { orderMetadata } from "../metadata-order.ts";
import { invalidObject } from "../status-error.ts";
import { requiredValue } from "../../../schema/status-cause.ts";
import { createObject } from "./create.ts";
import type { WriteObjectRequest } from "./object-request.ts";
import type { OwnershipStep } from "./store-write.ts";

/** Creates the object of a request; the version that was sent says nothing. Errors: as those of a creation. */
export function createByWrite(
  core: ApiCore,
  request: WriteObjectRequest,
  incoming: ApiObject,
  own: OwnershipStep,
): ApiObject {
  const { resourceVersion = "", ...metadata } = incoming.metadata;
  if (request.subresource !== undefined) assertComplete(request, incoming);
  const created = createObject(
    core,
    { ...request, subresource: undefined },
    { ...incoming, metadata },
    // Whoever names the time of its deletion makes an object that is being deleted.
    { own, isBegunToBeDeleted: true },
  );
  // A dry run repeats it.
  if (!request.query.dryRun || resourceVersion === "") return created;
  return { ...created, metadata: orderMetadata({ ...created.metadata, resourceVersion }) };
}

/** By its status, a Service is given no addresses: those that it names it has to name in full. */
function assertComplete({ type, name }: WriteObjectRequest, { spec }: ApiObject): void {
  const { clusterIP, clusterIPs, ports } = fieldsOf(spec);
  if (type.storageKey !== "services" || clusterIP === undefined || listOf(clusterIPs).length > 0) return;
  const missing = listOf(ports).length === 0 ? ["spec.ports", "spec.clusterIPs"] : ["spec.clusterIPs"];
  throw invalidObject(
    type.group,
    type.kind,
    name,
    missing.map((field) => requiredValue(field)),
  );
}
