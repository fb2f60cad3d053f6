// The eviction subresource of pods: a deletion that disruption budgets are asked about.
// https://kubernetes.io/docs/concepts/scheduling-eviction/api-eviction/
import { setCondition, type Condition } from "../../../meta/condition.ts";
import { admissionGate } from "../admission/admission-gate.ts";
import { timestampOf, type ApiCore } from "../api-core.ts";
import {
  fieldsList,
  fieldsOf,
  isFields,
  listOf,
  textOf,
  type ApiObject,
  type Fields,
} from "../api-object.ts";
import { parseDeleteQuery } from "../options/delete-options.ts";
import { fromLabelSelector, matchesLabels } from "../selectors/label-selector.ts";
import { badRequest, forbiddenObject, StatusError, type Cause, type Status } from "../status-error.ts";
import { assertNamespace } from "./create.ts";
import { assertPreconditions, deleteAdmitted } from "./delete.ts";
import { gatedWrite, type WriteObjectRequest } from "./object-request.ts";
import { withPodCondition } from "./pod-condition.ts";
import { putStatus } from "./server-status.ts";
import { currentObject } from "./update.ts";

const kind = { group: "policy", version: "v1", kind: "Eviction" };
const budgets = { group: "policy", plural: "poddisruptionbudget", kind: "PodDisruptionBudget" };
const storageKey = "poddisruptionbudgets.policy";

/** Evicts the pod of a request. Errors: 400, 404, 409; 429 where a budget forbids it now, 500 where several are about the pod. */
export function evictPod(core: ApiCore, request: WriteObjectRequest, eviction: Fields): Status {
  const { name, namespace, type } = request;
  if (fieldsOf(eviction["metadata"])["name"] !== name) {
    throw badRequest("name in URL does not match name in Eviction object");
  }
  assertNamespace({ ...fieldsOf(eviction["metadata"]), name }, namespace);
  const gate = admissionGate(core, request, gatedWrite("CREATE", request, kind));
  if (gate !== undefined) {
    const metadata = { ...fieldsOf(eviction["metadata"]), name, namespace };
    const sent = { ...eviction, kind: "Eviction", apiVersion: "policy/v1", metadata } as ApiObject;
    gate.validate(gate.mutate(sent, undefined), undefined);
  }
  const pod = currentObject(core, request);
  const { deleteOptions } = eviction;
  const dryRun = listOf(fieldsOf(deleteOptions)["dryRun"]);
  if (request.query.dryRun && dryRun.length > 0 && (dryRun.length > 1 || dryRun[0] !== "All")) {
    const asked = dryRun.map(String).join(" ");
    const message = `Non-matching dry-run options in request and content: [All] and [${asked}]`;
    throw new StatusError(500, undefined, message);
  }
  const asked = parseDeleteQuery(new URLSearchParams(), isFields(deleteOptions) ? deleteOptions : {});
  const query = { ...asked, dryRun: asked.dryRun || request.query.dryRun };
  assertPreconditions({ ...request, subresource: undefined }, query, pod);
  const phase = textOf(fieldsOf(pod["status"])["phase"]);
  const isGuarded = phase === "Running" && pod.metadata.deletionTimestamp === undefined;
  if (isGuarded) askBudgets(core, pod, query.dryRun);
  const marked = query.dryRun ? pod : markEvicted(core, pod);
  deleteAdmitted(core, { ...request, subresource: undefined }, query, type.fromStorage(marked));
  return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 };
}

/** Takes one disruption from the budget that is about a pod. */
function askBudgets(core: ApiCore, pod: ApiObject, dryRun: boolean): void {
  const found = core.store.list(storageKey).filter(({ metadata, ...budget }) => {
    const { selector } = fieldsOf(budget["spec"]);
    if (metadata.namespace !== pod.metadata.namespace || !isFields(selector)) return false;
    return matchesLabels(fromLabelSelector(selector), pod.metadata.labels);
  });
  const [budget, other] = found;
  if (other !== undefined) {
    const message =
      "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
    throw new StatusError(500, undefined, message);
  }
  if (budget === undefined) return;
  const status = fieldsOf(budget["status"]);
  const count = (name: string): number => Number(status[name] ?? 0);
  if (!isReady(pod)) {
    const { unhealthyPodEvictionPolicy } = fieldsOf(budget["spec"]);
    const isHealthy = count("currentHealthy") >= count("desiredHealthy") && count("desiredHealthy") > 0;
    if (unhealthyPodEvictionPolicy === "AlwaysAllow" || isHealthy) return;
  }
  const { name, generation = 0 } = budget.metadata;
  if (count("observedGeneration") < generation) {
    throw tooEarly(`The disruption budget ${name} is still being processed by the server.`, 10);
  }
  const allowed = count("disruptionsAllowed");
  if (allowed < 0) throw forbiddenObject(budgets, name, "pdb disruptions allowed is negative");
  if (allowed === 0) {
    throw tooEarly(
      count("currentHealthy") <= count("desiredHealthy")
        ? `The disruption budget ${name} needs ${count("desiredHealthy")} healthy pods and has ${count("currentHealthy")} currently`
        : `The disruption budget ${name} does not allow evicting pods currently`,
    );
  }
  const type = core.registry.find("policy", "v1", "poddisruptionbudgets");
  if (dryRun || type === undefined) return;
  putStatus(core, type, budget, {
    ...status,
    ...(allowed === 1 ? { conditions: withNoneAllowed(core, status) } : {}),
    disruptionsAllowed: allowed - 1,
    disruptedPods: { ...fieldsOf(status["disruptedPods"]), [pod.metadata.name]: timestampOf(core) },
  });
}

/** The conditions of a budget whose last disruption is taken; the controller says when there are others. */
function withNoneAllowed(core: ApiCore, status: Fields): readonly Condition[] {
  const { conditions, observedGeneration } = status;
  const none = {
    type: "DisruptionAllowed",
    status: "False",
    reason: "InsufficientPods",
    message: "",
    observedGeneration: Number(observedGeneration ?? 0),
  } as const;
  return setCondition(listOf(conditions) as readonly Condition[], none, core.clock.now());
}

function tooEarly(message: string, retryAfterSeconds?: number): StatusError {
  const causes: readonly Cause[] = [{ reason: "DisruptionBudget", message }];
  return new StatusError(
    429,
    "TooManyRequests",
    "Cannot evict pod as it would violate the pod's disruption budget.",
    { causes, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) },
  );
}

function isReady(pod: ApiObject): boolean {
  const { conditions } = fieldsOf(pod["status"]);
  return fieldsList(conditions).some(({ type, status }) => type === "Ready" && status === "True");
}

/** Says in the pod's status why it goes. */
function markEvicted(core: ApiCore, pod: ApiObject): ApiObject {
  const condition = {
    type: "DisruptionTarget",
    status: "True",
    reason: "EvictionByEvictionAPI",
    message: "Eviction API: evicting",
  };
  return core.store.put("pods", {
    ...pod,
    status: withPodCondition(core, fieldsOf(pod["status"]), condition),
  });
}
