// The parts of Kubernetes' own types that operators name in signatures of their own.
// Any other is one index away, such as `Deployment["spec"]`, or is `JsonOf` its model.
import type { DiscoveryV1EndpointPort } from "@kubernetes/client-node/dist/gen/models/DiscoveryV1EndpointPort.js";
import type { RbacV1Subject } from "@kubernetes/client-node/dist/gen/models/RbacV1Subject.js";
import type { V1Affinity } from "@kubernetes/client-node/dist/gen/models/V1Affinity.js";
import type { V1Container } from "@kubernetes/client-node/dist/gen/models/V1Container.js";
import type { V1ContainerPort } from "@kubernetes/client-node/dist/gen/models/V1ContainerPort.js";
import type { V1ContainerState } from "@kubernetes/client-node/dist/gen/models/V1ContainerState.js";
import type { V1ContainerStatus } from "@kubernetes/client-node/dist/gen/models/V1ContainerStatus.js";
import type { V1Endpoint } from "@kubernetes/client-node/dist/gen/models/V1Endpoint.js";
import type { V1EnvFromSource } from "@kubernetes/client-node/dist/gen/models/V1EnvFromSource.js";
import type { V1EnvVar } from "@kubernetes/client-node/dist/gen/models/V1EnvVar.js";
import type { V1JobSpec } from "@kubernetes/client-node/dist/gen/models/V1JobSpec.js";
import type { V1KeyToPath } from "@kubernetes/client-node/dist/gen/models/V1KeyToPath.js";
import type { V1LabelSelector } from "@kubernetes/client-node/dist/gen/models/V1LabelSelector.js";
import type { V1LabelSelectorRequirement } from "@kubernetes/client-node/dist/gen/models/V1LabelSelectorRequirement.js";
import type { V1LifecycleHandler } from "@kubernetes/client-node/dist/gen/models/V1LifecycleHandler.js";
import type { V1LocalObjectReference } from "@kubernetes/client-node/dist/gen/models/V1LocalObjectReference.js";
import type { V1ObjectReference } from "@kubernetes/client-node/dist/gen/models/V1ObjectReference.js";
import type { V1PersistentVolumeClaimSpec } from "@kubernetes/client-node/dist/gen/models/V1PersistentVolumeClaimSpec.js";
import type { V1PodSecurityContext } from "@kubernetes/client-node/dist/gen/models/V1PodSecurityContext.js";
import type { V1PodSpec } from "@kubernetes/client-node/dist/gen/models/V1PodSpec.js";
import type { V1PodStatus } from "@kubernetes/client-node/dist/gen/models/V1PodStatus.js";
import type { V1PodTemplateSpec } from "@kubernetes/client-node/dist/gen/models/V1PodTemplateSpec.js";
import type { V1PolicyRule } from "@kubernetes/client-node/dist/gen/models/V1PolicyRule.js";
import type { V1Probe } from "@kubernetes/client-node/dist/gen/models/V1Probe.js";
import type { V1ResourceRequirements } from "@kubernetes/client-node/dist/gen/models/V1ResourceRequirements.js";
import type { V1RoleRef } from "@kubernetes/client-node/dist/gen/models/V1RoleRef.js";
import type { V1SecurityContext } from "@kubernetes/client-node/dist/gen/models/V1SecurityContext.js";
import type { V1ServicePort } from "@kubernetes/client-node/dist/gen/models/V1ServicePort.js";
import type { V1Toleration } from "@kubernetes/client-node/dist/gen/models/V1Toleration.js";
import type { V1TopologySpreadConstraint } from "@kubernetes/client-node/dist/gen/models/V1TopologySpreadConstraint.js";
import type { V1Volume } from "@kubernetes/client-node/dist/gen/models/V1Volume.js";
import type { V1VolumeMount } from "@kubernetes/client-node/dist/gen/models/V1VolumeMount.js";
import type { JsonOf } from "./json-of.ts";

/** Which nodes a pod prefers or needs, and which pods beside it. */
export type Affinity = JsonOf<V1Affinity>;

/** A container of a pod: image, command, environment, ports, probes, resources. */
export type Container = JsonOf<V1Container>;

/** A port that a container listens on. */
export type ContainerPort = JsonOf<V1ContainerPort>;

/** What is observed of one container. */
export type ContainerStatus = JsonOf<V1ContainerStatus>;

/** Whether a container waits, runs or has ended; exactly one is set. */
export type ContainerState = JsonOf<V1ContainerState>;

/** One backend of a service. */
export type Endpoint = JsonOf<V1Endpoint>;

/** One port of all backends in an endpoint slice. */
export type EndpointPort = JsonOf<DiscoveryV1EndpointPort>;

/** All keys of a ConfigMap or Secret as environment variables. */
export type EnvFromSource = JsonOf<V1EnvFromSource>;

/** One environment variable: a value, or where it comes from. */
export type EnvVar = JsonOf<V1EnvVar>;

/** What a job runs, and when it has failed. */
export type JobSpec = JsonOf<V1JobSpec>;

/** One key of a ConfigMap or Secret as one file. */
export type KeyToPath = JsonOf<V1KeyToPath>;

/** Selects objects by their labels; all requirements must hold, and an empty one selects everything. */
export type LabelSelector = JsonOf<V1LabelSelector>;

/** One requirement of a {@link LabelSelector}. */
export type LabelSelectorRequirement = JsonOf<V1LabelSelectorRequirement>;

/** What runs after the start of a container, or before its end. */
export type LifecycleHandler = JsonOf<V1LifecycleHandler>;

/** Names an object of a fixed kind in the same namespace. */
export type LocalObjectReference = JsonOf<V1LocalObjectReference>;

/** Names any object. */
export type ObjectReference = JsonOf<V1ObjectReference>;

/** The storage that is asked for. */
export type PersistentVolumeClaimSpec = JsonOf<V1PersistentVolumeClaimSpec>;

/** What all containers of a pod may do on their node. */
export type PodSecurityContext = JsonOf<V1PodSecurityContext>;

/** What runs in a pod and where. */
export type PodSpec = JsonOf<V1PodSpec>;

/** What is observed of a pod. */
export type PodStatus = JsonOf<V1PodStatus>;

/** The pods that a workload makes: their labels, annotations and spec. */
export type PodTemplateSpec = JsonOf<V1PodTemplateSpec>;

/** Verbs on resources, or on paths of the API server. */
export type PolicyRule = JsonOf<V1PolicyRule>;

/** A question asked of a container periodically; times in seconds. */
export type Probe = JsonOf<V1Probe>;

/** Compute resources, as quantities. */
export type ResourceRequirements = JsonOf<V1ResourceRequirements>;

/** The role that a binding gives; it cannot change. */
export type RoleRef = JsonOf<V1RoleRef>;

/** What a container may do on its node. */
export type SecurityContext = JsonOf<V1SecurityContext>;

/** One port of a service. */
export type ServicePort = JsonOf<V1ServicePort>;

/** A user, group or service account that a binding names. */
export type Subject = JsonOf<RbacV1Subject>;

/** A taint that a pod accepts. */
export type Toleration = JsonOf<V1Toleration>;

/** How pods are spread over the cluster. */
export type TopologySpreadConstraint = JsonOf<V1TopologySpreadConstraint>;

/** A volume of a pod: a name and exactly one source. */
export type Volume = JsonOf<V1Volume>;

/** Where a volume appears in a container. */
export type VolumeMount = JsonOf<V1VolumeMount>;
