// What the components of Kubernetes may do, as Kubernetes 1.36 has it.
import type { RoleLines } from "./role-lines.ts";

/** The cluster roles of the components. */
export const componentRoles: RoleLines = {
  "system:certificates.k8s.io:certificatesigningrequests:nodeclient": [
    "create certificates.k8s.io certificatesigningrequests/nodeclient",
  ],
  "system:certificates.k8s.io:certificatesigningrequests:selfnodeclient": [
    "create certificates.k8s.io certificatesigningrequests/selfnodeclient",
  ],
  "system:certificates.k8s.io:kube-apiserver-client-approver": [
    "approve certificates.k8s.io signers kubernetes.io/kube-apiserver-client",
  ],
  "system:certificates.k8s.io:kube-apiserver-client-kubelet-approver": [
    "approve certificates.k8s.io signers kubernetes.io/kube-apiserver-client-kubelet",
  ],
  "system:certificates.k8s.io:kubelet-serving-approver": [
    "approve certificates.k8s.io signers kubernetes.io/kubelet-serving",
  ],
  "system:certificates.k8s.io:legacy-unknown-approver": [
    "approve certificates.k8s.io signers kubernetes.io/legacy-unknown",
  ],
  "system:heapster": [
    "get,list,watch core events,namespaces,nodes,pods",
    "get,list,watch extensions deployments",
  ],
  "system:kube-aggregator": ["get,list,watch core endpoints,services"],
  "system:kube-controller-manager": [
    "create,patch,update core,events.k8s.io events",
    "create coordination.k8s.io leases",
    "get,update coordination.k8s.io leases kube-controller-manager",
    "create core secrets,serviceaccounts",
    "delete core secrets",
    "get core configmaps,namespaces,secrets,serviceaccounts",
    "update core secrets,serviceaccounts",
    "create authentication.k8s.io tokenreviews",
    "create authorization.k8s.io subjectaccessreviews",
    "list,watch * *",
    "create core serviceaccounts/token",
  ],
  "system:kube-dns": ["list,watch core endpoints,services"],
  "system:kube-scheduler": [
    "create,patch,update core,events.k8s.io events",
    "create coordination.k8s.io leases",
    "get,list,update,watch coordination.k8s.io leases kube-scheduler",
    "create,delete,deletecollection,get,list,patch,update,watch coordination.k8s.io leasecandidates",
    "get,list,watch core nodes",
    "delete,get,list,watch core pods",
    "create core bindings,pods/binding",
    "patch,update core pods/status",
    "get,list,watch core replicationcontrollers,services",
    "get,list,watch apps,extensions replicasets",
    "get,list,watch apps statefulsets",
    "get,list,watch policy poddisruptionbudgets",
    "get,list,watch core persistentvolumeclaims,persistentvolumes",
    "create authentication.k8s.io tokenreviews",
    "create authorization.k8s.io subjectaccessreviews",
    "get,list,watch storage.k8s.io csinodes",
    "get,list,watch storage.k8s.io volumeattachments",
    "get,list,watch core namespaces",
    "get,list,watch storage.k8s.io csidrivers",
    "get,list,watch storage.k8s.io csistoragecapacities",
    "get,list,watch resource.k8s.io deviceclasses",
    "get,list,patch,update,watch resource.k8s.io resourceclaims",
    "get,list,patch,update,watch resource.k8s.io resourceclaims/status",
    "update core pods/finalizers",
    "get,list,watch resource.k8s.io resourceslices",
    "create,delete resource.k8s.io resourceclaims",
    "patch,update resource.k8s.io resourceclaims/binding",
  ],
  "system:kubelet-api-admin": [
    "get,list,watch core nodes",
    "proxy core nodes",
    "* core nodes/log,nodes/metrics,nodes/proxy,nodes/stats",
    "* core nodes/configz,nodes/healthz,nodes/pods",
  ],
  "system:node": [
    "create authentication.k8s.io tokenreviews",
    "create authorization.k8s.io localsubjectaccessreviews,subjectaccessreviews",
    "get,list,watch core services",
    "create,get,list,watch core nodes",
    "patch,update core nodes/status",
    "patch,update core nodes",
    "create,patch,update core,events.k8s.io events",
    "get,list,watch core pods",
    "create,delete core pods",
    "patch,update core pods/status",
    "create core pods/eviction",
    "get,list,watch core configmaps,secrets",
    "get core persistentvolumeclaims,persistentvolumes",
    "get core endpoints",
    "create,get,list,watch certificates.k8s.io certificatesigningrequests",
    "create,delete,get,patch,update coordination.k8s.io leases",
    "get storage.k8s.io volumeattachments",
    "create core serviceaccounts/token",
    "get,patch,update core persistentvolumeclaims/status",
    "get,list,watch storage.k8s.io csidrivers",
    "create,delete,get,patch,update storage.k8s.io csinodes",
    "get,list,watch node.k8s.io runtimeclasses",
    "get resource.k8s.io resourceclaims",
    "deletecollection resource.k8s.io resourceslices",
    "get core serviceaccounts",
  ],
  "system:node-bootstrapper": ["create,get,list,watch certificates.k8s.io certificatesigningrequests"],
  "system:node-problem-detector": [
    "get core nodes",
    "patch core nodes/status",
    "create,patch,update core,events.k8s.io events",
  ],
  "system:node-proxier": [
    "list,watch core endpoints,services",
    "get,list,watch core nodes",
    "create,patch,update core,events.k8s.io events",
    "list,watch networking.k8s.io servicecidrs",
    "list,watch discovery.k8s.io endpointslices",
  ],
  "system:persistent-volume-provisioner": [
    "create,delete,get,list,watch core persistentvolumes",
    "get,list,update,watch core persistentvolumeclaims",
    "get,list,watch storage.k8s.io storageclasses",
    "watch core events",
    "create,patch,update core,events.k8s.io events",
  ],
  "system:volume-scheduler": [
    "get,list,patch,update,watch core persistentvolumes",
    "get,list,watch storage.k8s.io storageclasses",
    "get,list,patch,update,watch core persistentvolumeclaims",
  ],
};

/** The roles within namespaces. */
export const rolesInNamespaces: Readonly<Record<string, RoleLines>> = {
  "kube-public": {
    "system:controller:bootstrap-signer": [
      "get,list,watch core configmaps",
      "update core configmaps cluster-info",
      "create,patch,update core,events.k8s.io events",
    ],
  },
  "kube-system": {
    "extension-apiserver-authentication-reader": [
      "get,list,watch core configmaps extension-apiserver-authentication",
    ],
    "system::leader-locking-kube-controller-manager": [
      "create,get,list,update,watch coordination.k8s.io leases",
      "create,get,list,update,watch coordination.k8s.io leasecandidates",
    ],
    "system::leader-locking-kube-scheduler": [
      "create,get,list,update,watch coordination.k8s.io leases",
      "create,get,list,update,watch coordination.k8s.io leasecandidates",
    ],
    "system:controller:bootstrap-signer": ["get,list,watch core secrets"],
    "system:controller:cloud-provider": ["create,get,list,watch core configmaps"],
    "system:controller:token-cleaner": [
      "delete,get,list,watch core secrets",
      "create,patch,update core,events.k8s.io events",
    ],
  },
};
