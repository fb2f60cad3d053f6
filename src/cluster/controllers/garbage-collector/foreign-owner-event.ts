// Tells the author of an owner reference that it points into another namespace, as Kubernetes does.
import { builtin } from "../../../kinds/builtin/builtin-type.ts";
import { toTimestamp } from "../../../meta/condition.ts";
import type { NamespacedObject, OwnerReference } from "../../../meta/object.ts";
import { apiVersionOf } from "../../../meta/resource-type.ts";
import { messageOf } from "../../../ports/operator-error.ts";
import type { ControllerContext } from "../controller-context.ts";
import { generatedName } from "../pod-template.ts";
import type { OwnedNode } from "./owner-graph.ts";

const CoreEvent = builtin<NamespacedObject>("v1", "Event", "events");

/** Records the Event `OwnerRefInvalidNamespace` on the dependent; a failure to do so is only logged. */
export async function reportForeignOwner(
  { client, clock, random, log }: ControllerContext,
  node: OwnedNode,
  owner: OwnerReference,
): Promise<void> {
  const { namespace = "", name, uid, resourceVersion, type } = node;
  const time = toTimestamp(clock.now());
  const component = "garbage-collector-controller";
  const event = {
    apiVersion: "v1",
    kind: CoreEvent.kind,
    metadata: { namespace, name: generatedName(name, random) },
    involvedObject: {
      apiVersion: apiVersionOf(type),
      kind: type.kind,
      namespace,
      name,
      uid,
      resourceVersion,
    },
    type: "Warning",
    reason: "OwnerRefInvalidNamespace",
    message: `ownerRef [${owner.apiVersion}/${owner.kind}, namespace: ${namespace}, name: ${owner.name}, uid: ${owner.uid}] does not exist in namespace "${namespace}"`,
    source: { component },
    reportingComponent: component,
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
  };
  try {
    await client.create(CoreEvent, event);
  } catch (error) {
    log.debug({ object: `${namespace}/${name}`, error: messageOf(error) }, "event was not recorded");
  }
}
