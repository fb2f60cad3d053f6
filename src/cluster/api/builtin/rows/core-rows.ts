// The types of the core group.
import { eventFields, nodeFields, podFields, selectable } from "../../selectors/selectable-fields.ts";
import type { ObjectStore } from "../../storage/object-store.ts";
import { claimBehaviour, volumeBehaviour } from "../behaviours/claim-behaviour.ts";
import type { Random } from "../../../../ports/random.ts";
import { ofPods } from "../pod-addresses.ts";
import * as core from "../behaviours/core-behaviours.ts";
import { nodeBehaviour } from "../behaviours/node-behaviour.ts";
import { podBehaviour } from "../behaviours/pod-behaviour.ts";
import { limitRangeBehaviour, quotaBehaviour } from "../behaviours/quota-behaviours.ts";
import { createServiceBehaviour } from "../behaviours/service-behaviour.ts";
import { podTemplateBehaviour, replicationControllerBehaviour } from "../behaviours/workload-behaviours.ts";
import { claimChanges, claimRules, claimStatusRules } from "../validation/claim-rules.ts";
import { configMapRules, secretRules } from "../validation/config-rules.ts";
import { nodeChanges, nodeRules, nodeStatusRules } from "../validation/node-rules.ts";
import { volumeChanges, volumeRules } from "../validation/persistent-volume-rules.ts";
import { podChanges } from "../validation/pod-changes.ts";
import { podStatusChanges, podStatusRules } from "../validation/pod-status-rules.ts";
import { newPodRules, podRules, podTemplateRules } from "../validation/pod-rules.ts";
import { limitRangeRules, quotaChanges, quotaRules, quotaStatusRules } from "../validation/quota-rules.ts";
import { endpointsRules } from "../validation/endpoints-rules.ts";
import { serviceChanges, serviceRules } from "../validation/service-rules.ts";
import {
  namespaceStatusRules,
  replicaSetStatusRules,
  serviceStatusRules,
} from "../validation/status-rules.ts";
import { replicationControllerRules } from "../validation/workload-rules.ts";
import { eventRules } from "../validation/event-rules.ts";
import type { RowGroup } from "./row.ts";

const all = ["all"];
/** What is passed on may be asked by any method. */
const proxied = ["create", "delete", "get", "patch", "update"];

/** v1. */
export function coreGroup(store: ObjectStore, random: Random): RowGroup {
  return {
    group: "",
    version: "v1",
    packageName: "io.k8s.api.core.v1",
    rows: [
      {
        kind: "Namespace",
        plural: "namespaces",
        shortNames: ["ns"],
        clusterScoped: true,
        hasStatus: true,
        selectable: selectable(["status.phase"]),
        otherSubresources: [{ name: "finalize", kind: "Namespace", verbs: ["update"] }],
        behaviour: core.namespaceBehaviour,
        statusRules: namespaceStatusRules,
      },
      {
        kind: "Pod",
        plural: "pods",
        shortNames: ["po"],
        categories: all,
        hasStatus: true,
        selectable: podFields,
        otherSubresources: [
          { name: "attach", kind: "PodAttachOptions", verbs: ["create", "get"] },
          { name: "ephemeralcontainers", kind: "Pod", verbs: ["get", "patch", "update"] },
          { name: "exec", kind: "PodExecOptions", verbs: ["create", "get"] },
          { name: "log", kind: "Pod", verbs: ["get"] },
          { name: "portforward", kind: "PodPortForwardOptions", verbs: ["create", "get"] },
          { name: "proxy", kind: "PodProxyOptions", verbs: proxied },
          { name: "resize", kind: "Pod", verbs: ["get", "patch", "update"] },
          {
            name: "eviction",
            kind: "Eviction",
            of: { group: "policy", version: "v1" },
            verbs: ["create"],
          },
          { name: "binding", kind: "Binding", verbs: ["create"] },
        ],
        behaviour: podBehaviour,
        rules: podRules,
        rulesOfNew: newPodRules,
        statusRules: podStatusRules,
        statusChanges: podStatusChanges,
        changes: podChanges,
      },
      {
        kind: "Service",
        plural: "services",
        shortNames: ["svc"],
        categories: all,
        hasStatus: true,
        selectable: selectable(["spec.clusterIP", "spec.type"]),
        otherSubresources: [{ name: "proxy", kind: "ServiceProxyOptions", verbs: proxied }],
        behaviour: createServiceBehaviour(store, random),
        rules: serviceRules,
        changes: serviceChanges,
        statusRules: serviceStatusRules,
      },
      {
        kind: "Endpoints",
        plural: "endpoints",
        shortNames: ["ep"],
        deprecation: "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
        behaviour: core.endpointsBehaviour,
        rules: endpointsRules(ofPods(store)),
      },
      {
        kind: "ConfigMap",
        plural: "configmaps",
        shortNames: ["cm"],
        behaviour: core.configMapBehaviour,
        rules: configMapRules,
      },
      {
        kind: "Secret",
        plural: "secrets",
        selectable: selectable(["type"]),
        behaviour: core.secretBehaviour,
        rules: secretRules,
      },
      {
        kind: "Event",
        plural: "events",
        shortNames: ["ev"],
        selectable: eventFields,
        behaviour: core.eventBehaviour,
        rules: eventRules,
      },
      {
        kind: "ServiceAccount",
        plural: "serviceaccounts",
        shortNames: ["sa"],
        behaviour: core.accountBehaviour,
        otherSubresources: [
          {
            name: "token",
            kind: "TokenRequest",
            of: { group: "authentication.k8s.io", version: "v1" },
            verbs: ["create"],
          },
        ],
      },
      {
        kind: "ReplicationController",
        plural: "replicationcontrollers",
        shortNames: ["rc"],
        categories: all,
        hasStatus: true,
        scale: {
          specReplicasPath: ".spec.replicas",
          statusReplicasPath: ".status.replicas",
          labelSelectorPath: ".spec.selector",
        },
        selectable: selectable(["status.replicas"]),
        behaviour: replicationControllerBehaviour,
        rules: replicationControllerRules,
        statusRules: replicaSetStatusRules,
      },
      {
        kind: "PodTemplate",
        plural: "podtemplates",
        behaviour: podTemplateBehaviour,
        rules: podTemplateRules,
      },
      {
        kind: "ResourceQuota",
        plural: "resourcequotas",
        shortNames: ["quota"],
        hasStatus: true,
        behaviour: quotaBehaviour,
        rules: quotaRules,
        statusRules: quotaStatusRules,
        changes: quotaChanges,
      },
      {
        kind: "LimitRange",
        plural: "limitranges",
        shortNames: ["limits"],
        behaviour: limitRangeBehaviour,
        rules: limitRangeRules,
      },
      {
        kind: "PersistentVolumeClaim",
        plural: "persistentvolumeclaims",
        shortNames: ["pvc"],
        hasStatus: true,
        behaviour: claimBehaviour,
        rules: claimRules,
        statusRules: claimStatusRules,
        changes: claimChanges,
      },
      {
        kind: "PersistentVolume",
        plural: "persistentvolumes",
        shortNames: ["pv"],
        clusterScoped: true,
        hasStatus: true,
        behaviour: volumeBehaviour,
        rules: volumeRules,
        changes: volumeChanges,
      },
      {
        kind: "Node",
        plural: "nodes",
        shortNames: ["no"],
        clusterScoped: true,
        hasStatus: true,
        selectable: nodeFields,
        otherSubresources: [{ name: "proxy", kind: "NodeProxyOptions", verbs: proxied }],
        behaviour: nodeBehaviour,
        rules: nodeRules,
        statusRules: nodeStatusRules,
        changes: nodeChanges,
      },
    ],
  };
}
