// Pod, and the template of pods that workloads carry.
import type { NamespacedObject } from "../../meta/object.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import { builtin } from "./builtin-type.ts";
import type { Container } from "./container.ts";
import type { LabelSelector } from "./label-selector.ts";
import type { LocalObjectReference } from "./local-reference.ts";
import type { Volume } from "./volume.ts";
import type { WorkloadCondition } from "./workload-condition.ts";

/** A Pod (core v1). */
export interface Pod extends NamespacedObject {
  readonly spec: PodSpec;
  readonly status?: PodStatus;
}

/** What pods made by a workload look like. */
export interface PodTemplate {
  readonly metadata?: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: PodSpec;
}

/** What runs in a pod and where. */
export interface PodSpec {
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly volumes?: readonly Volume[];
  readonly restartPolicy?: "Always" | "OnFailure" | "Never";
  readonly serviceAccountName?: string;
  readonly automountServiceAccountToken?: boolean;
  readonly nodeName?: string;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly affinity?: Readonly<Record<string, unknown>>;
  readonly tolerations?: readonly Toleration[];
  readonly topologySpreadConstraints?: readonly TopologySpreadConstraint[];
  readonly imagePullSecrets?: readonly LocalObjectReference[];
  readonly securityContext?: PodSecurityContext;
  readonly terminationGracePeriodSeconds?: number;
  readonly activeDeadlineSeconds?: number;
  readonly hostname?: string;
  readonly subdomain?: string;
  readonly dnsPolicy?: "ClusterFirst" | "ClusterFirstWithHostNet" | "Default" | "None";
  readonly hostNetwork?: boolean;
  readonly shareProcessNamespace?: boolean;
  readonly priorityClassName?: string;
  readonly schedulerName?: string;
  readonly runtimeClassName?: string;
  readonly enableServiceLinks?: boolean;
  readonly hostAliases?: readonly { readonly ip: string; readonly hostnames?: readonly string[] }[];
  readonly readinessGates?: readonly { readonly conditionType: string }[];
}

/** A taint that the pod accepts. */
export interface Toleration {
  readonly key?: string;
  readonly operator?: "Exists" | "Equal";
  readonly value?: string;
  readonly effect?: "NoSchedule" | "PreferNoSchedule" | "NoExecute";
  readonly tolerationSeconds?: number;
}

/** How pods are spread over the cluster. */
export interface TopologySpreadConstraint {
  readonly maxSkew: number;
  readonly topologyKey: string;
  readonly whenUnsatisfiable: "DoNotSchedule" | "ScheduleAnyway";
  readonly labelSelector?: LabelSelector;
}

/** What all containers of a pod may do. */
export interface PodSecurityContext {
  readonly fsGroup?: number;
  readonly fsGroupChangePolicy?: "OnRootMismatch" | "Always";
  readonly runAsGroup?: number;
  readonly runAsNonRoot?: boolean;
  readonly runAsUser?: number;
  readonly supplementalGroups?: readonly number[];
  readonly seccompProfile?: { readonly type: string; readonly localhostProfile?: string };
}

/** What is observed of a pod. */
export interface PodStatus {
  readonly phase?: "Pending" | "Running" | "Succeeded" | "Failed" | "Unknown";
  readonly conditions?: readonly WorkloadCondition[];
  readonly containerStatuses?: readonly ContainerStatus[];
  readonly initContainerStatuses?: readonly ContainerStatus[];
  readonly podIP?: string;
  readonly podIPs?: readonly { readonly ip: string }[];
  readonly hostIP?: string;
  readonly startTime?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly observedGeneration?: number;
}

/** What is observed of one container. */
export interface ContainerStatus {
  readonly name: string;
  readonly ready: boolean;
  readonly restartCount: number;
  readonly image: string;
  readonly imageID: string;
  readonly containerID?: string;
  readonly started?: boolean;
  readonly state?: ContainerState;
  readonly lastState?: ContainerState;
}

/** Exactly one is set. */
export interface ContainerState {
  readonly waiting?: { readonly reason?: string; readonly message?: string };
  readonly running?: { readonly startedAt?: string };
  readonly terminated?: {
    readonly exitCode: number;
    readonly signal?: number;
    readonly reason?: string;
    readonly message?: string;
    readonly startedAt?: string;
    readonly finishedAt?: string;
  };
}

/** The type of {@link Pod}. */
export const Pod: ResourceType<Pod> = builtin<Pod>("v1", "Pod", "pods");
