// The binding subresource: a scheduler assigns a pod to a node.
import { admissionGate } from "../admission/admission-gate.ts";
import type { ApiCore } from "../api-core.ts";
import { fieldsList, fieldsOf, listOf, textOf, type ApiObject, type Fields } from "../api-object.ts";
import { timestampOf } from "../api-core.ts";
import { conflict, StatusError, type Status } from "../status-error.ts";
import { gatedWrite, type WriteObjectRequest } from "./object-request.ts";
import { currentObject } from "./update.ts";

/** Binds the pod of a request to the node that the binding targets. Errors: 404, 409; 500 without a node. */
export function bindPod(core: ApiCore, request: WriteObjectRequest, binding: Fields): Status {
  const kind = { group: "", version: "v1", kind: "Binding" };
  const gate = admissionGate(core, request, gatedWrite("CREATE", request, kind));
  if (gate !== undefined) {
    const { name, namespace } = request;
    const metadata = { ...fieldsOf(binding["metadata"]), name, namespace };
    const sent = { ...binding, kind: "Binding", apiVersion: "v1", metadata } as ApiObject;
    gate.validate(gate.mutate(sent, undefined), undefined);
  }
  const node = fieldsOf(binding["target"])["name"];
  // The real server takes it for a fault of its own, before it looks for the pod.
  if (textOf(node) === "") throw new StatusError(500, undefined, "target.name: Required value");
  const pod = currentObject(core, request);
  const spec = fieldsOf(pod["spec"]);
  const fault = unbindable(pod, spec);
  if (fault !== undefined) {
    const detail = `pod ${request.name} ${fault}`;
    throw conflict({ ...request.type, plural: "pods/binding" }, request.name, detail);
  }
  // It is where it was nominated for, or needs that place no longer.
  const { nominatedNodeName: _, ...status } = fieldsOf(pod["status"]);
  const conditions = fieldsList(listOf(status["conditions"])).filter(
    (each) => each["type"] !== "PodScheduled",
  );
  const lastTransitionTime = timestampOf(core);
  const scheduled = { type: "PodScheduled", status: "True", lastProbeTime: null, lastTransitionTime };
  if (!request.query.dryRun) {
    core.store.put(request.type.storageKey, {
      ...pod,
      spec: { ...spec, nodeName: node },
      status: { ...status, conditions: [...conditions, scheduled] },
    });
  }
  return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 };
}

/** Why a pod is bound to no node; undefined if it can be. */
function unbindable({ metadata }: ApiObject, spec: Fields): string | undefined {
  if (metadata.deletionTimestamp !== undefined) return "is being deleted, cannot be assigned to a host";
  if (spec["nodeName"] !== undefined) return `is already assigned to node "${textOf(spec["nodeName"])}"`;
  return listOf(spec["schedulingGates"]).length > 0 ? "has non-empty .spec.schedulingGates" : undefined;
}
