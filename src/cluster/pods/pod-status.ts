// A pod's status as a pure function of its spec and of what its containers do; the pod's life feeds it, the node agent
// writes the result when it differs. Phase and reasons are the kubelet's.
import type { ContainerRecord } from "./container-record.ts";
import type { Pod } from "../../kinds/builtin/core.ts";
import type { Container, PodStatus } from "../../kinds/builtin/parts.ts";
import type { WorkloadCondition } from "../../kinds/builtin/workload-condition.ts";
import { toTimestamp } from "../../meta/condition.ts";
import { isRestarted, restartPolicyOf } from "./restart-policy.ts";

/** What the pod's life knows. */
export interface PodFacts {
  readonly initContainers: readonly ContainerRecord[];
  readonly containers: readonly ContainerRecord[];
  readonly ephemeralContainers: readonly ContainerRecord[];
  readonly podIP: string | undefined;
  readonly hostIP: string;
  /** Milliseconds since the epoch at which the node took the pod. */
  readonly startedAt: number;
  /** The pod's deadline or another limit was exceeded: it failed for this reason. */
  readonly failure?: PodFailure;
}

/** Why a pod has failed as a whole. */
export interface PodFailure {
  readonly reason: string;
  readonly message: string;
  /** Who has disrupted it, as the reason of the condition `DisruptionTarget`; default nobody. */
  readonly disruption?: string;
}

/** The phase that containers in these states add up to. */
export function podPhaseOf(pod: Pod, facts: PodFacts): NonNullable<PodStatus["phase"]> {
  if (facts.failure !== undefined) return "Failed";
  const initFailed = facts.initContainers.some(
    (each) => (each.state.terminated?.exitCode ?? 0) !== 0 && isOver(pod, each, "initial"),
  );
  if (initFailed) return "Failed";
  if (!isInitialized(pod, facts)) return "Pending";
  const ended = facts.containers.filter((each) => each.state.terminated !== undefined);
  // One that is being deleted is not started again, whatever its policy.
  const isAtItsEnd =
    pod.metadata.deletionTimestamp !== undefined || ended.every((each) => isOver(pod, each, "main"));
  if (ended.length === facts.containers.length && isAtItsEnd)
    return ended.every((each) => each.state.terminated?.exitCode === 0) ? "Succeeded" : "Failed";
  const waitingForFirstStart = facts.containers.some(
    (each) => each.state.waiting !== undefined && each.lastState.terminated === undefined,
  );
  return waitingForFirstStart ? "Pending" : "Running";
}

/** Whether a container has ended and is not started again. */
function isOver(pod: Pod, { name, state }: ContainerRecord, place: "initial" | "main"): boolean {
  const { initContainers = [], containers } = pod.spec;
  const container = (place === "initial" ? initContainers : containers).find((each) => each.name === name);
  if (state.terminated === undefined) return false;
  return !isRestarted(restartPolicyOf(pod, container ?? { name }, place), state.terminated.exitCode);
}

/** The status of a pod; conditions set by others are kept. */
export function podStatusOf(pod: Pod, facts: PodFacts, now: number): PodStatus {
  const phase = podPhaseOf(pod, facts);
  const { generation } = pod.metadata;
  const observed = generation === undefined ? {} : { observedGeneration: generation };
  const before = pod.status?.conditions ?? [];
  const set = (next: Omit<WorkloadCondition, "lastTransitionTime">): WorkloadCondition => {
    const old = before.find((each) => each.type === next.type);
    const kept = old?.status === next.status ? old.lastTransitionTime : undefined;
    return { ...next, lastTransitionTime: kept ?? toTimestamp(now), ...observed };
  };
  const ours = conditionsOf(pod, facts, phase).map(set);
  const foreign = before.filter((each) => ours.every((mine) => mine.type !== each.type));
  return {
    ...observed,
    phase,
    conditions: [...ours, ...foreign],
    ...(facts.failure === undefined ? {} : { reason: facts.failure.reason, message: facts.failure.message }),
    hostIP: facts.hostIP,
    hostIPs: [{ ip: facts.hostIP }],
    ...(facts.podIP === undefined ? {} : { podIP: facts.podIP, podIPs: [{ ip: facts.podIP }] }),
    startTime: pod.status?.startTime ?? toTimestamp(facts.startedAt),
    ...statusesOf("initContainerStatuses", facts.initContainers, pod.spec.initContainers),
    containerStatuses: facts.containers.map((each) => withResources(each, pod.spec.containers)),
    ...statusesOf("ephemeralContainerStatuses", facts.ephemeralContainers, []),
  };
}

function statusesOf(
  field: string,
  records: readonly ContainerRecord[],
  containers: readonly Container[] = [],
): object {
  return records.length === 0 ? {} : { [field]: records.map((each) => withResources(each, containers)) };
}

/** What the node has given to a container that runs: all that is asked for, at once. */
function withResources(record: ContainerRecord, containers: readonly Container[]): ContainerRecord {
  const { requests, limits } = containers.find(({ name }) => name === record.name)?.resources ?? {};
  if (record.state.running === undefined) return record;
  const resources = {
    ...(limits === undefined ? {} : { limits }),
    ...(requests === undefined ? {} : { requests }),
  };
  return { ...record, resources, ...(requests === undefined ? {} : { allocatedResources: requests }) };
}

function isInitialized(pod: Pod, facts: PodFacts): boolean {
  return facts.initContainers.every((each) =>
    isSidecar(pod, each.name) ? hasStarted(each) : each.state.terminated?.exitCode === 0,
  );
}

/** Whether a sidecar runs, or once did: what comes after it may start. */
function hasStarted(each: ContainerRecord): boolean {
  return each.started || each.state.terminated !== undefined || each.lastState.terminated !== undefined;
}

/** Whether an init container of this name runs beside the others. */
function isSidecar(pod: Pod, name: string): boolean {
  return pod.spec.initContainers?.find((each) => each.name === name)?.restartPolicy === "Always";
}

function conditionsOf(
  pod: Pod,
  facts: PodFacts,
  phase: PodStatus["phase"],
): Omit<WorkloadCondition, "lastTransitionTime">[] {
  const finished = phase === "Succeeded" || phase === "Failed";
  const reason = phase === "Succeeded" ? "PodCompleted" : "PodFailed";
  const { failure } = facts;
  const initialized = isInitialized(pod, facts);
  const incomplete = facts.initContainers.filter(
    (each) => each.state.terminated?.exitCode !== 0 && !(isSidecar(pod, each.name) && hasStarted(each)),
  );
  const sidecars = facts.initContainers.filter(({ name }) => isSidecar(pod, name));
  const unready = [...sidecars, ...facts.containers].filter((each) => !each.ready);
  const gates = (pod.spec.readinessGates ?? []).filter(
    (gate) => pod.status?.conditions?.find((each) => each.type === gate.conditionType)?.status !== "True",
  );
  const containersReady: Omit<WorkloadCondition, "type" | "lastTransitionTime"> = finished
    ? { status: "False", reason }
    : unready.length > 0
      ? {
          status: "False",
          reason: "ContainersNotReady",
          message: `containers with unready status: ${listOf(unready)}`,
        }
      : { status: "True" };
  const ready: Omit<WorkloadCondition, "type" | "lastTransitionTime"> =
    containersReady.status === "True" && gates.length > 0
      ? {
          status: "False",
          reason: "ReadinessGatesNotReady",
          message: gates
            .map(
              (gate) =>
                `corresponding condition of pod readiness gate "${gate.conditionType}" does not exist or is not "True".`,
            )
            .join(" "),
        }
      : containersReady;
  return [
    // The surroundings of a pod whose containers are over are taken down.
    {
      type: "PodReadyToStartContainers",
      status: facts.podIP === undefined || finished ? "False" : "True",
    },
    initialized
      ? { type: "Initialized", status: "True", ...(phase === "Succeeded" ? { reason } : {}) }
      : {
          type: "Initialized",
          status: "False",
          reason: "ContainersNotInitialized",
          message: `containers with incomplete status: ${listOf(incomplete)}`,
        },
    { type: "Ready", ...ready },
    { type: "ContainersReady", ...containersReady },
    { type: "PodScheduled", status: "True" },
    ...(failure?.disruption === undefined
      ? []
      : [
          {
            type: "DisruptionTarget",
            status: "True" as const,
            reason: failure.disruption,
            message: failure.message,
          },
        ]),
  ];
}

function listOf(containers: readonly ContainerRecord[]): string {
  return `[${containers.map((each) => each.name).join(" ")}]`;
}
