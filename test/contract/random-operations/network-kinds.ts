// Kinds of Kubernetes about traffic.
import { conditions, metadataDirectives, selector } from "./kind-parts.ts";
import type { RandomKind } from "./random-kind.ts";

export const service: RandomKind = {
  apiVersion: "v1",
  kind: "Service",
  plural: "services",
  sample: { spec: { clusterIP: "None", selector: { app: "a" }, ports: [{ port: 80 }] } },
  fields: [
    {
      path: ["spec", "ports"],
      right: [
        [{ port: 80 }],
        [{ port: 80, targetPort: "web" }],
        [
          { name: "a", port: 80 },
          { name: "b", port: 443, targetPort: 8443 },
        ],
        [
          { name: "a", port: 80 },
          { name: "u", port: 80, protocol: "UDP" },
        ],
      ],
      wrong: [
        [],
        [{ port: 0 }],
        [{ port: 80 }, { port: 81 }],
        [{ port: 80, protocol: "X" }],
        [{ name: "A_", port: 1 }],
      ],
    },
    { path: ["spec", "ports", 0, "port"], right: [81, 80], wrong: ["80", 65_536] },
    { path: ["spec", "ports", 0, "targetPort"], right: [8080, "http"], wrong: [0, "", true] },
    { path: ["spec", "selector"], right: [{ app: "b" }, { app: "a", x: "y" }, null], wrong: [{ app: 1 }] },
    { path: ["spec", "type"], right: ["ClusterIP"], wrong: ["X", "ExternalName"] },
    { path: ["spec", "sessionAffinity"], right: ["ClientIP", "None"], wrong: ["x"] },
    { path: ["spec", "publishNotReadyAddresses"], right: [true, false] },
    { path: ["spec", "clusterIP"], right: ["None"], wrong: ["", "1.2.3"] },
  ],
  status: [
    {
      path: ["status", "loadBalancer", "ingress"],
      right: [[{ ip: "1.2.3.4" }], []],
      wrong: [[{ ip: "x" }]],
    },
    conditions("A", "B"),
  ],
  directives: [
    ...metadataDirectives,
    { spec: { ports: [{ port: 80, $patch: "delete" }] } },
    { spec: { ports: [{ port: 443, name: "b" }] } },
    { spec: { ports: [{ $patch: "replace" }, { port: 90 }] } },
    { spec: { selector: { $patch: "delete" } } },
  ],
};

export const ingress: RandomKind = {
  apiVersion: "networking.k8s.io/v1",
  kind: "Ingress",
  plural: "ingresses",
  sample: { spec: { defaultBackend: { service: { name: "s", port: { number: 80 } } } } },
  fields: [
    {
      path: ["spec", "defaultBackend", "service", "port"],
      right: [{ name: "http" }, { number: 1 }],
      wrong: [{}, { number: 1, name: "x" }],
    },
    {
      path: ["spec", "rules"],
      right: [
        [
          {
            host: "a.example.com",
            http: {
              paths: [
                { pathType: "Prefix", path: "/", backend: { service: { name: "s", port: { number: 80 } } } },
              ],
            },
          },
        ],
        [{ host: "b.example.com" }],
        [],
      ],
      wrong: [[{ host: "A B" }], [{ http: { paths: [] } }]],
    },
    {
      path: ["spec", "tls"],
      right: [[{ hosts: ["a.example.com"], secretName: "t" }], []],
      wrong: [[{ hosts: ["?"] }]],
    },
    { path: ["spec", "ingressClassName"], right: ["c", null], wrong: ["A B"] },
  ],
  status: [
    {
      path: ["status", "loadBalancer", "ingress"],
      right: [[{ ip: "1.2.3.4" }], [{ hostname: "h" }], []],
      wrong: [[{ ip: "x" }]],
    },
  ],
  directives: metadataDirectives,
};

export const networkPolicy: RandomKind = {
  apiVersion: "networking.k8s.io/v1",
  kind: "NetworkPolicy",
  plural: "networkpolicies",
  sample: { spec: { podSelector: {} } },
  fields: [
    {
      path: ["spec", "podSelector"],
      right: [selector, {}],
      wrong: [{ matchExpressions: [{ key: "a", operator: "X" }] }],
    },
    { path: ["spec", "policyTypes"], right: [["Ingress"], ["Ingress", "Egress"]], wrong: [["X"]] },
    {
      path: ["spec", "ingress"],
      right: [[{}], [{ from: [{ podSelector: {} }], ports: [{ port: 80 }] }], []],
      wrong: [[{ from: [{}] }]],
    },
    {
      path: ["spec", "egress"],
      right: [[{ to: [{ ipBlock: { cidr: "10.0.0.0/8" } }] }]],
      wrong: [[{ to: [{ ipBlock: { cidr: "x" } }] }]],
    },
  ],
  directives: metadataDirectives,
};
