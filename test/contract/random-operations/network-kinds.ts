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

export const endpointSlice: RandomKind = {
  apiVersion: "discovery.k8s.io/v1",
  kind: "EndpointSlice",
  plural: "endpointslices",
  sample: { addressType: "IPv4", endpoints: [{ addresses: ["10.1.2.3"] }] },
  fields: [
    {
      path: ["endpoints"],
      right: [
        [],
        null,
        [{ addresses: ["10.1.2.4"], conditions: { ready: true } }],
        [{ addresses: ["10.1.2.3"] }],
        [{ addresses: ["10.1.2.4"], conditions: {}, hostname: "h", targetRef: { kind: "Pod", name: "p" } }],
      ],
      wrong: [[{ addresses: [] }], [{ addresses: ["x"] }], [{ addresses: ["127.0.0.1"] }]],
    },
    {
      path: ["ports"],
      right: [[{ port: 80 }], [{ name: "a", port: 80, protocol: "UDP" }, { name: "b" }], [], null],
      wrong: [[{ port: 0 }], [{ port: 1 }, { port: 2 }], [{ name: "A_" }]],
    },
    { path: ["addressType"], right: ["IPv4"], wrong: ["IPv6", "X"] },
  ],
  directives: metadataDirectives,
};

export const endpoints: RandomKind = {
  apiVersion: "v1",
  kind: "Endpoints",
  plural: "endpoints",
  sample: { subsets: [{ addresses: [{ ip: "10.1.2.3" }], ports: [{ port: 80 }] }] },
  fields: [
    {
      path: ["subsets"],
      right: [
        [],
        null,
        [{ addresses: [{ ip: "10.1.2.4" }], ports: [{ port: 80, name: "a" }] }],
        [
          { addresses: [{ ip: "10.1.2.5" }, { ip: "10.1.2.4" }], ports: [{ port: 80 }] },
          { notReadyAddresses: [{ ip: "10.1.2.6" }], ports: [{ port: 80 }] },
        ],
      ],
      wrong: [[{ addresses: [{ ip: "x" }], ports: [{ port: 80 }] }], [{ ports: [{ port: 80 }] }]],
    },
  ],
  directives: metadataDirectives,
};

export const ingressClass: RandomKind = {
  apiVersion: "networking.k8s.io/v1",
  kind: "IngressClass",
  plural: "ingressclasses",
  isClusterScoped: true,
  sample: { spec: { controller: "example.com/c" } },
  fields: [
    { path: ["spec", "controller"], right: ["example.com/c"], wrong: ["example.com/d", "", "A B"] },
    {
      path: ["spec", "parameters"],
      right: [{ kind: "K", name: "n" }, { kind: "K", name: "n", scope: "Cluster" }, null],
      wrong: [{ kind: "K", name: "n", scope: "X" }, { name: "n" }],
    },
  ],
  directives: metadataDirectives,
};
