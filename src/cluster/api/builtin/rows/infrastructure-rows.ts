// The types of storage.k8s.io, node.k8s.io, flowcontrol.apiserver.k8s.io and resource.k8s.io.
import { deviceSliceFields } from "../../selectors/selectable-fields.ts";
import * as classes from "../behaviours/class-behaviours.ts";
import * as devices from "../behaviours/device-behaviours.ts";
import * as flow from "../behaviours/flow-behaviours.ts";
import * as storage from "../behaviours/storage-behaviours.ts";
import * as classRules from "../validation/class-rules.ts";
import { deviceClaimStatusChanges, deviceClaimStatusRules } from "../validation/device-claim-status-rules.ts";
import * as deviceRules from "../validation/device-rules.ts";
import { deviceSliceChanges, deviceSliceRules } from "../validation/device-slice-rules.ts";
import { flowSchemaRules, flowStatusRules, priorityLevelRules } from "../validation/flow-rules.ts";
import { runtimeClassChanges, runtimeClassRules } from "../validation/runtime-class-rules.ts";
import { all } from "../validation/rule.ts";
import * as storageRules from "../validation/storage-rules.ts";
import type { ObjectStore } from "../../storage/object-store.ts";
import type { Row } from "./row.ts";

const clusterScoped = true;
const hasStatus = true;

/** storage.k8s.io/v1. */
export const storageRows: readonly Row[] = [
  {
    kind: "StorageClass",
    plural: "storageclasses",
    shortNames: ["sc"],
    clusterScoped,
    behaviour: classes.storageClassBehaviour,
    rules: classRules.storageClassRules,
    changes: classRules.storageClassChanges,
  },
  {
    kind: "CSIDriver",
    plural: "csidrivers",
    clusterScoped,
    behaviour: storage.driverBehaviour,
    rules: storageRules.driverRules,
    changes: storageRules.driverChanges,
  },
  {
    kind: "CSINode",
    plural: "csinodes",
    clusterScoped,
    behaviour: storage.storageNodeBehaviour,
    rules: storageRules.storageNodeRules,
    changes: storageRules.storageNodeChanges,
  },
  {
    kind: "CSIStorageCapacity",
    plural: "csistoragecapacities",
    behaviour: { needsResourceVersion: true },
    rules: storageRules.capacityRules,
    changes: storageRules.capacityChanges,
  },
  {
    kind: "VolumeAttachment",
    plural: "volumeattachments",
    clusterScoped,
    hasStatus,
    behaviour: storage.attachmentBehaviour,
    rules: storageRules.attachmentRules,
    rulesOfNew: storageRules.newAttachmentRules,
    statusRules: storageRules.attachmentStatusRules,
    changes: storageRules.attachmentChanges,
  },
  {
    kind: "VolumeAttributesClass",
    plural: "volumeattributesclasses",
    shortNames: ["vac"],
    clusterScoped,
    rules: storageRules.attributesClassRules,
    changes: storageRules.attributesClassChanges,
  },
];

/** node.k8s.io/v1. */
export const nodeRows: readonly Row[] = [
  {
    kind: "RuntimeClass",
    plural: "runtimeclasses",
    clusterScoped,
    behaviour: { createOnUpdate: true, needsResourceVersion: true },
    rules: runtimeClassRules,
    changes: runtimeClassChanges,
  },
];

/** flowcontrol.apiserver.k8s.io/v1. */
export const flowRows: readonly Row[] = [
  {
    kind: "FlowSchema",
    plural: "flowschemas",
    clusterScoped,
    hasStatus,
    behaviour: flow.flowSchemaBehaviour,
    rules: flowSchemaRules,
    statusRules: flowStatusRules,
  },
  {
    kind: "PriorityLevelConfiguration",
    plural: "prioritylevelconfigurations",
    clusterScoped,
    hasStatus,
    behaviour: flow.priorityLevelBehaviour,
    rules: priorityLevelRules,
    statusRules: flowStatusRules,
  },
];

/** resource.k8s.io/v1. */
export const deviceRows = (store: Pick<ObjectStore, "get">): readonly Row[] => [
  {
    kind: "DeviceClass",
    plural: "deviceclasses",
    clusterScoped,
    behaviour: devices.deviceClassBehaviour,
    rules: deviceRules.deviceClassRules,
  },
  {
    kind: "ResourceClaim",
    plural: "resourceclaims",
    hasStatus,
    behaviour: devices.deviceClaimBehaviour,
    rulesOfNew: all(deviceRules.adminAccess(store), deviceRules.deviceClaimRules),
    changes: deviceRules.deviceChanges("ResourceClaim"),
    statusRules: deviceClaimStatusRules,
    statusChanges: deviceClaimStatusChanges,
  },
  {
    kind: "ResourceClaimTemplate",
    plural: "resourceclaimtemplates",
    behaviour: devices.deviceClaimTemplateBehaviour,
    rules: deviceRules.deviceClaimTemplateRules,
    rulesOfNew: deviceRules.adminAccess(store),
    changes: deviceRules.deviceChanges("ResourceClaimTemplate"),
  },
  {
    kind: "ResourceSlice",
    plural: "resourceslices",
    clusterScoped,
    selectable: deviceSliceFields,
    behaviour: devices.deviceSliceBehaviour,
    rules: deviceSliceRules,
    changes: deviceSliceChanges,
  },
];
