// The binding subresource: a scheduler assigns a pod to a node.
import { joinCauses, requiredValue, unsupportedValue } from "../../../schema/status-cause.ts";
import { admissionGate } from "../admission/admission-gate.ts";
import { topologyOf } from "../admission/pod-topology.ts";
import type { ApiCore } from "../api-core.ts";
import { fieldsOf, listOf, textOf, type ApiMeta, type ApiObject, type Fields } from "../api-object.ts";
import { badRequest, conflict, StatusError, type Status } from "../status-error.ts";
import { assertNamespace } from "./create.ts";
import { gatedWrite, type WriteObjectRequest } from "./object-request.ts";
import { withPodCondition } from "./pod-condition.ts";
import { currentObject, storageConflict } from "./update.ts";

const kind = { group: "", version: "v1", kind: "Binding" };

/** Binds the pod of a request to the node that the binding targets. Errors: 400, 404, 409; 500 for a target that is no node. */
export function bindPod(core: ApiCore, request: WriteObjectRequest, binding: Fields): Status {
  const { name, namespace, type, query } = request;
  const metadata = labelled(core, binding);
  if (metadata["name"] !== name) throw badRequest("name in URL does not match name in Binding object");
  assertNamespace({ ...metadata, name }, namespace);
  const gate = admissionGate(core, request, gatedWrite("CREATE", request, kind));
  const sent = { ...binding, kind: "Binding", apiVersion: "v1", metadata: { ...metadata, name, namespace } };
  const admitted = gate?.mutate<ApiObject>(sent, undefined);
  const target = fieldsOf((admitted ?? binding)["target"]);
  assertNode(target);
  if (admitted !== undefined) gate?.validate(admitted, undefined);
  const pod = currentObject(core, request);
  assertMeantFor(request, metadata, pod);
  const spec = fieldsOf(pod["spec"]);
  const fault = unbindable(pod, spec);
  if (fault !== undefined) throw conflict({ ...type, plural: "pods/binding" }, name, fault);
  // It is where it was nominated for, or needs that place no longer.
  const { nominatedNodeName: _, ...status } = fieldsOf(pod["status"]);
  if (!query.dryRun) {
    core.store.put(type.storageKey, {
      ...pod,
      metadata: withNotes(pod.metadata, admitted?.metadata ?? metadata),
      spec: { ...spec, nodeName: target["name"] },
      status: withPodCondition(core, status, { type: "PodScheduled", status: "True" }),
    });
  }
  return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 };
}

/** The metadata of a binding, with the labels that the pod gets of its node, if there are any. */
function labelled(core: ApiCore, { metadata, target }: Fields): Fields & Partial<Pick<ApiMeta, "labels">> {
  const { kind: targeted, name } = fieldsOf(target);
  const { labels: given, ...rest } = fieldsOf(metadata);
  const topology = targeted === "Node" ? topologyOf(core, textOf(name)) : {};
  if (given === undefined && Object.keys(topology).length === 0) return rest;
  return { ...rest, labels: { ...(given as ApiMeta["labels"]), ...topology } };
}

/** The real server takes it for a fault of its own, before it looks for the pod. */
function assertNode(target: Fields): void {
  const given = textOf(target["kind"]);
  const faults = [
    ...(given === "" || given === "Node"
      ? []
      : [unsupportedValue("target.kind", given, ["Node", "<empty>"])]),
    ...(textOf(target["name"]) === "" ? [requiredValue("target.name")] : []),
  ];
  if (faults.length > 0) throw new StatusError(500, undefined, joinCauses(faults));
}

/** A binding may be meant for one pod of that name, in one state. */
function assertMeantFor(request: WriteObjectRequest, { uid, resourceVersion }: Fields, pod: ApiObject): void {
  const [given, version] = [textOf(uid), textOf(resourceVersion)];
  const { uid: found = "", resourceVersion: current = "" } = pod.metadata;
  if (given !== "" && given !== found) {
    throw storageConflict(
      request,
      request.query.dryRun,
      `UID in precondition: ${given}, UID in object meta: ${found}`,
    );
  }
  if (version === "" || version === current) return;
  const detail = `ResourceVersion in precondition: ${version}, ResourceVersion in object meta: ${current}`;
  throw storageConflict(request, request.query.dryRun, detail);
}

/** Why a pod gets no node, or undefined. */
function unbindable({ metadata }: ApiObject, spec: Fields): string | undefined {
  const { name, deletionTimestamp } = metadata;
  if (deletionTimestamp !== undefined) return `pod ${name} is being deleted, cannot be assigned to a host`;
  if (spec["nodeName"] !== undefined) {
    return `pod ${name} is already assigned to node "${textOf(spec["nodeName"])}"`;
  }
  return listOf(spec["schedulingGates"]).length > 0
    ? `pod ${name} has non-empty .spec.schedulingGates`
    : undefined;
}

/** The pod takes over what the binding notes. */
function withNotes(
  metadata: ApiMeta,
  { labels, annotations }: { readonly labels?: unknown; readonly annotations?: unknown },
): ApiMeta {
  const noted = { labels: fieldsOf(labels), annotations: fieldsOf(annotations) };
  const given = Object.entries(noted).filter(([, notes]) => Object.keys(notes).length > 0);
  const merged = given.map(([name, notes]) => [
    name,
    { ...metadata[name as keyof typeof noted], ...(notes as Record<string, string>) },
  ]);
  return { ...metadata, ...(Object.fromEntries(merged) as Partial<ApiMeta>) };
}
