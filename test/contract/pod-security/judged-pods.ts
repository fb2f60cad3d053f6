// Pods and what the levels of the Pod Security Standards say of them, as kube-apiserver 1.36 does.
import type { Body } from "../api-server/raw-request.ts";

/** A pod, and why each level refuses it; a level that is not named takes it. */
export interface JudgedPod {
  readonly spec: Body;
  readonly refused: Readonly<Record<string, string>>;
}

const good = {
  allowPrivilegeEscalation: false,
  runAsNonRoot: true,
  capabilities: { drop: ["ALL"] },
  seccompProfile: { type: "RuntimeDefault" },
};

/** The levels that are looked at, as messages name them. */
export const judgingLevels = ["restricted:latest", "baseline:latest", "restricted:v1.18", "baseline:v1.28"];

/** By what they are like. */
export const judgedPods: Readonly<Record<string, JudgedPod>> = {
  "without a security context": {
    spec: { containers: [{ name: "c", image: "i" }] },
    refused: {
      "restricted:latest":
        'allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"]), runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true), seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
      "restricted:v1.18":
        'allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false), runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true)',
    },
  },
  "of several containers": {
    spec: {
      initContainers: [{ name: "i", image: "i" }],
      containers: [
        { name: "c", image: "i" },
        { name: "d", image: "i", securityContext: good },
      ],
    },
    refused: {
      "restricted:latest":
        'allowPrivilegeEscalation != false (containers "i", "c" must set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (containers "i", "c" must set securityContext.capabilities.drop=["ALL"]), runAsNonRoot != true (pod or containers "i", "c" must set securityContext.runAsNonRoot=true), seccompProfile (pod or containers "i", "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
      "restricted:v1.18":
        'allowPrivilegeEscalation != false (containers "i", "c" must set securityContext.allowPrivilegeEscalation=false), runAsNonRoot != true (pod or containers "i", "c" must set securityContext.runAsNonRoot=true)',
    },
  },
  "as restricted wants it": {
    spec: { containers: [{ name: "c", image: "i", securityContext: good }] },
    refused: {},
  },
  "whose own context says most": {
    spec: {
      securityContext: { runAsNonRoot: true, seccompProfile: { type: "Localhost", localhostProfile: "a" } },
      containers: [
        {
          name: "c",
          image: "i",
          securityContext: {
            allowPrivilegeEscalation: false,
            capabilities: { drop: ["ALL"], add: ["NET_BIND_SERVICE"] },
          },
        },
      ],
    },
    refused: {},
  },
  "with privileges": {
    spec: {
      hostNetwork: true,
      hostPID: true,
      hostIPC: true,
      containers: [
        {
          name: "c",
          image: "i",
          securityContext: {
            privileged: true,
            allowPrivilegeEscalation: true,
            capabilities: { add: ["SYS_ADMIN", "NET_ADMIN", "CHOWN"] },
          },
        },
        { name: "d", image: "i", securityContext: { capabilities: { add: ["NET_RAW", "NET_ADMIN"] } } },
      ],
    },
    refused: {
      "restricted:latest":
        'host namespaces (hostNetwork=true, hostPID=true, hostIPC=true), privileged (container "c" must not set securityContext.privileged=true), allowPrivilegeEscalation != false (containers "c", "d" must set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (containers "c", "d" must set securityContext.capabilities.drop=["ALL"]; containers "c", "d" must not include "CHOWN", "NET_ADMIN", "NET_RAW", "SYS_ADMIN" in securityContext.capabilities.add), runAsNonRoot != true (pod or containers "c", "d" must set securityContext.runAsNonRoot=true), seccompProfile (pod or containers "c", "d" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
      "baseline:latest":
        'non-default capabilities (containers "c", "d" must not include "NET_ADMIN", "NET_RAW", "SYS_ADMIN" in securityContext.capabilities.add), host namespaces (hostNetwork=true, hostPID=true, hostIPC=true), privileged (container "c" must not set securityContext.privileged=true)',
      "restricted:v1.18":
        'non-default capabilities (containers "c", "d" must not include "NET_ADMIN", "NET_RAW", "SYS_ADMIN" in securityContext.capabilities.add), host namespaces (hostNetwork=true, hostPID=true, hostIPC=true), privileged (container "c" must not set securityContext.privileged=true), allowPrivilegeEscalation != false (containers "c", "d" must set securityContext.allowPrivilegeEscalation=false), runAsNonRoot != true (pod or containers "c", "d" must set securityContext.runAsNonRoot=true)',
      "baseline:v1.28":
        'non-default capabilities (containers "c", "d" must not include "NET_ADMIN", "NET_RAW", "SYS_ADMIN" in securityContext.capabilities.add), host namespaces (hostNetwork=true, hostPID=true, hostIPC=true), privileged (container "c" must not set securityContext.privileged=true)',
    },
  },
  "with volumes of several types": {
    spec: {
      volumes: [
        { name: "h", hostPath: { path: "/a" } },
        { name: "n", nfs: { server: "s", path: "/p" } },
        { name: "e", emptyDir: {} },
        {
          name: "i",
          iscsi: {
            targetPortal: "1.2.3.4:3260",
            iqn: "iqn.2001-04.com.example:storage.kube.sys1.xyz",
            lun: 0,
          },
        },
      ],
      containers: [{ name: "c", image: "i", securityContext: good }],
    },
    refused: {
      "restricted:latest":
        'restricted volume types (volumes "h", "n", "i" use restricted volume types "hostPath", "iscsi", "nfs")',
      "baseline:latest": 'hostPath volumes (volume "h")',
      "restricted:v1.18":
        'restricted volume types (volumes "h", "n", "i" use restricted volume types "hostPath", "iscsi", "nfs")',
      "baseline:v1.28": 'hostPath volumes (volume "h")',
    },
  },
  "with a volume of its node": {
    spec: {
      volumes: [{ name: "h", hostPath: { path: "/a" } }],
      containers: [{ name: "c", image: "i", securityContext: good }],
    },
    refused: {
      "restricted:latest": 'restricted volume types (volume "h" uses restricted volume type "hostPath")',
      "baseline:latest": 'hostPath volumes (volume "h")',
      "restricted:v1.18": 'restricted volume types (volume "h" uses restricted volume type "hostPath")',
      "baseline:v1.28": 'hostPath volumes (volume "h")',
    },
  },
  "with ports of its node": {
    spec: {
      containers: [
        {
          name: "c",
          image: "i",
          securityContext: good,
          ports: [
            { containerPort: 80, hostPort: 9000 },
            { containerPort: 81, hostPort: 80 },
          ],
        },
        { name: "d", image: "i", securityContext: good, ports: [{ containerPort: 82, hostPort: 443 }] },
      ],
    },
    refused: {
      "restricted:latest": 'hostPort (containers "c", "d" use hostPorts 443, 80, 9000)',
      "baseline:latest": 'hostPort (containers "c", "d" use hostPorts 443, 80, 9000)',
      "restricted:v1.18": 'hostPort (containers "c", "d" use hostPorts 443, 80, 9000)',
      "baseline:v1.28": 'hostPort (containers "c", "d" use hostPorts 443, 80, 9000)',
    },
  },
  "with a port of its node": {
    spec: {
      containers: [
        { name: "c", image: "i", securityContext: good, ports: [{ containerPort: 80, hostPort: 9000 }] },
      ],
    },
    refused: {
      "restricted:latest": 'hostPort (container "c" uses hostPort 9000)',
      "baseline:latest": 'hostPort (container "c" uses hostPort 9000)',
      "restricted:v1.18": 'hostPort (container "c" uses hostPort 9000)',
      "baseline:v1.28": 'hostPort (container "c" uses hostPort 9000)',
    },
  },
  "that probes other hosts": {
    spec: {
      containers: [
        {
          name: "c",
          image: "i",
          securityContext: good,
          livenessProbe: { httpGet: { host: "b", port: 1 } },
          lifecycle: { preStop: { tcpSocket: { host: "a", port: 2 } } },
        },
        {
          name: "b",
          image: "i",
          securityContext: good,
          readinessProbe: { tcpSocket: { host: "a", port: 1 } },
        },
      ],
    },
    refused: {
      "restricted:latest":
        'probe or lifecycle host (containers "b", "c" use probe or lifecycle hosts "a", "b")',
      "baseline:latest":
        'probe or lifecycle host (containers "b", "c" use probe or lifecycle hosts "a", "b")',
    },
  },
  "that probes another host": {
    spec: {
      containers: [
        { name: "c", image: "i", securityContext: good, startupProbe: { httpGet: { host: "b", port: 1 } } },
      ],
    },
    refused: {
      "restricted:latest": 'probe or lifecycle host (container "c" uses probe or lifecycle host "b")',
      "baseline:latest": 'probe or lifecycle host (container "c" uses probe or lifecycle host "b")',
    },
  },
  "with SELinux options": {
    spec: {
      securityContext: { seLinuxOptions: { type: "spc_t", user: "u" } },
      containers: [
        {
          name: "c",
          image: "i",
          securityContext: { ...good, seLinuxOptions: { type: "container_engine_t", role: "r" } },
        },
        { name: "d", image: "i", securityContext: { ...good, seLinuxOptions: { type: "container_t" } } },
      ],
    },
    refused: {
      "restricted:latest":
        'seLinuxOptions (pod and container "c" set forbidden securityContext.seLinuxOptions: type "spc_t"; user may not be set; role may not be set)',
      "baseline:latest":
        'seLinuxOptions (pod and container "c" set forbidden securityContext.seLinuxOptions: type "spc_t"; user may not be set; role may not be set)',
      "restricted:v1.18":
        'seLinuxOptions (pod and container "c" set forbidden securityContext.seLinuxOptions: types "container_engine_t", "spc_t"; user may not be set; role may not be set)',
      "baseline:v1.28":
        'seLinuxOptions (pod and container "c" set forbidden securityContext.seLinuxOptions: types "container_engine_t", "spc_t"; user may not be set; role may not be set)',
    },
  },
  "with the SELinux type of an engine": {
    spec: {
      containers: [
        {
          name: "c",
          image: "i",
          securityContext: { ...good, seLinuxOptions: { type: "container_engine_t" } },
        },
      ],
    },
    refused: {
      "restricted:v1.18":
        'seLinuxOptions (container "c" set forbidden securityContext.seLinuxOptions: type "container_engine_t")',
      "baseline:v1.28":
        'seLinuxOptions (container "c" set forbidden securityContext.seLinuxOptions: type "container_engine_t")',
    },
  },
  "of root": {
    spec: {
      securityContext: { runAsUser: 0, runAsNonRoot: false },
      containers: [
        { name: "c", image: "i", securityContext: { ...good, runAsUser: 0 } },
        {
          name: "d",
          image: "i",
          securityContext: {
            allowPrivilegeEscalation: false,
            runAsNonRoot: false,
            capabilities: { drop: ["ALL"] },
            seccompProfile: { type: "RuntimeDefault" },
          },
        },
      ],
    },
    refused: {
      "restricted:latest":
        'runAsNonRoot != true (pod and container "d" must not set securityContext.runAsNonRoot=false), runAsUser=0 (pod and container "c" must not set runAsUser=0)',
      "restricted:v1.18":
        'runAsNonRoot != true (pod and container "d" must not set securityContext.runAsNonRoot=false)',
    },
  },
  "of whose containers one is root": {
    spec: {
      securityContext: { runAsNonRoot: true },
      containers: [
        {
          name: "c",
          image: "i",
          securityContext: {
            allowPrivilegeEscalation: false,
            runAsNonRoot: false,
            capabilities: { drop: ["ALL"] },
            seccompProfile: { type: "RuntimeDefault" },
          },
        },
        { name: "d", image: "i" },
      ],
    },
    refused: {
      "restricted:latest":
        'allowPrivilegeEscalation != false (container "d" must set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container "d" must set securityContext.capabilities.drop=["ALL"]), runAsNonRoot != true (container "c" must not set securityContext.runAsNonRoot=false), seccompProfile (pod or container "d" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
      "restricted:v1.18":
        'allowPrivilegeEscalation != false (container "d" must set securityContext.allowPrivilegeEscalation=false), runAsNonRoot != true (container "c" must not set securityContext.runAsNonRoot=false)',
    },
  },
  "that is unconfined": {
    spec: {
      securityContext: { seccompProfile: { type: "Unconfined" } },
      containers: [
        {
          name: "c",
          image: "i",
          securityContext: {
            allowPrivilegeEscalation: false,
            runAsNonRoot: true,
            capabilities: { drop: ["ALL"] },
            seccompProfile: { type: "Unconfined" },
          },
        },
        { name: "d", image: "i", securityContext: { allowPrivilegeEscalation: false } },
      ],
    },
    refused: {
      "restricted:latest":
        'unrestricted capabilities (container "d" must set securityContext.capabilities.drop=["ALL"]), runAsNonRoot != true (pod or container "d" must set securityContext.runAsNonRoot=true), seccompProfile (pod and container "c" must not set securityContext.seccompProfile.type to "Unconfined")',
      "baseline:latest":
        'seccompProfile (pod and container "c" must not set securityContext.seccompProfile.type to "Unconfined")',
      "restricted:v1.18":
        'runAsNonRoot != true (pod or container "d" must set securityContext.runAsNonRoot=true)',
      "baseline:v1.28":
        'seccompProfile (pod and container "c" must not set securityContext.seccompProfile.type to "Unconfined")',
    },
  },
  "with sysctls": {
    spec: {
      securityContext: {
        sysctls: [
          { name: "kernel.shm_rmid_forced", value: "1" },
          { name: "net.ipv4.tcp_rmem", value: "1" },
          { name: "net.ipv4.tcp_keepalive_time", value: "1" },
          { name: "net.ipv4.ip_local_reserved_ports", value: "1" },
          { name: "kernel.msgmax", value: "1" },
        ],
      },
      containers: [{ name: "c", image: "i", securityContext: good }],
    },
    refused: {
      "restricted:latest": "forbidden sysctls (kernel.msgmax)",
      "baseline:latest": "forbidden sysctls (kernel.msgmax)",
      "restricted:v1.18":
        "forbidden sysctls (net.ipv4.tcp_rmem, net.ipv4.tcp_keepalive_time, net.ipv4.ip_local_reserved_ports, kernel.msgmax)",
      "baseline:v1.28": "forbidden sysctls (net.ipv4.tcp_rmem, net.ipv4.tcp_keepalive_time, kernel.msgmax)",
    },
  },
  "without AppArmor": {
    spec: {
      securityContext: { appArmorProfile: { type: "Unconfined" } },
      containers: [
        { name: "c", image: "i", securityContext: { ...good, appArmorProfile: { type: "RuntimeDefault" } } },
      ],
    },
    refused: {
      "restricted:latest":
        'forbidden AppArmor profile (pod must not set AppArmor profile type to "Unconfined")',
      "baseline:latest":
        'forbidden AppArmor profile (pod must not set AppArmor profile type to "Unconfined")',
      "restricted:v1.18":
        'forbidden AppArmor profile (pod must not set AppArmor profile type to "Unconfined")',
      "baseline:v1.28": 'forbidden AppArmor profile (pod must not set AppArmor profile type to "Unconfined")',
    },
  },
  "that sees the processes of its node": {
    spec: {
      hostUsers: false,
      containers: [{ name: "c", image: "i", securityContext: { ...good, procMount: "Unmasked" } }],
    },
    refused: {
      "restricted:latest": 'procMount (container "c" must not set securityContext.procMount to "Unmasked")',
      "restricted:v1.18": 'procMount (container "c" must not set securityContext.procMount to "Unmasked")',
      "baseline:v1.28": 'procMount (container "c" must not set securityContext.procMount to "Unmasked")',
    },
  },
  "of root among users of its own": {
    spec: {
      hostUsers: false,
      containers: [
        {
          name: "c",
          image: "i",
          securityContext: {
            allowPrivilegeEscalation: false,
            runAsNonRoot: false,
            capabilities: { drop: ["ALL"] },
            seccompProfile: { type: "RuntimeDefault" },
            runAsUser: 0,
          },
        },
      ],
    },
    refused: {
      "restricted:v1.18":
        'runAsNonRoot != true (container "c" must not set securityContext.runAsNonRoot=false)',
    },
  },
  "on Windows": {
    spec: {
      os: { name: "windows" },
      containers: [{ name: "c", image: "i", securityContext: { runAsNonRoot: true } }],
    },
    refused: {
      "restricted:v1.18":
        'allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false)',
    },
  },
  "that is a process of its node, on Windows": {
    spec: {
      hostNetwork: true,
      os: { name: "windows" },
      securityContext: { windowsOptions: { hostProcess: true } },
      containers: [
        {
          name: "c",
          image: "i",
          securityContext: { runAsNonRoot: true, windowsOptions: { hostProcess: true } },
        },
      ],
    },
    refused: {
      "restricted:latest":
        'host namespaces (hostNetwork=true), hostProcess (pod and container "c" must not set securityContext.windowsOptions.hostProcess=true)',
      "baseline:latest":
        'host namespaces (hostNetwork=true), hostProcess (pod and container "c" must not set securityContext.windowsOptions.hostProcess=true)',
      "restricted:v1.18":
        'host namespaces (hostNetwork=true), hostProcess (pod and container "c" must not set securityContext.windowsOptions.hostProcess=true), allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false)',
      "baseline:v1.28":
        'host namespaces (hostNetwork=true), hostProcess (pod and container "c" must not set securityContext.windowsOptions.hostProcess=true)',
    },
  },
  "that adds capabilities": {
    spec: {
      containers: [
        {
          name: "c",
          image: "i",
          securityContext: {
            allowPrivilegeEscalation: false,
            runAsNonRoot: true,
            capabilities: { drop: ["ALL"], add: ["CHOWN", "NET_BIND_SERVICE"] },
            seccompProfile: { type: "RuntimeDefault" },
          },
        },
      ],
    },
    refused: {
      "restricted:latest":
        'unrestricted capabilities (container "c" must not include "CHOWN" in securityContext.capabilities.add)',
    },
  },
};
