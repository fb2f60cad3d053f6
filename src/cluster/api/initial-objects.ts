// What exists before the first request: what every cluster has without anybody having made it, and what of it comes back when it is
// deleted. What a cluster has kept is left as it is.
import { isEqualJson } from "../../meta/changed-paths.ts";
import type { Fields } from "./api-object.ts";
import { timestampOf, type ApiCore } from "./api-core.ts";
import { locallyAvailable } from "./builtin/behaviours/class-behaviours.ts";
import { initialFlowSchemas, priorityLevelSpecs } from "./initial-flow.ts";
import { groupPriority, versionPriority } from "./discovery/group-priorities.ts";

const namespaces = ["default", "kube-node-lease", "kube-public", "kube-system"];

/** The namespaces that nobody may delete. */
export const lastingNamespaces: ReadonlySet<string> = new Set(["default", "kube-public", "kube-system"]);

/** The priorities that every cluster knows. */
export const systemPriorities: Readonly<Record<string, number>> = {
  "system-node-critical": 2_000_001_000,
  "system-cluster-critical": 2_000_000_000,
};

/** The cluster address of the service `kubernetes`. */
const kubernetesAddress = "127.96.0.1";

/** Where the addresses of Services are from. */
const serviceRange = "127.96.0.0/16";

/** What to say of the priorities that every cluster knows. */
const priorities: Readonly<Record<string, string>> = {
  "system-cluster-critical":
    "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.",
  "system-node-critical": "Used for system critical pods that must not be moved from their current node.",
};

/** Creates what every cluster has: namespaces, priority classes, the range of Services, how requests are shared out, and an API service for each group that is served. */
export function createInitialObjects(core: ApiCore): void {
  for (const name of namespaces) {
    maintain(core, "namespaces", "v1", "Namespace", () => ({
      metadata: { name, labels: { "kubernetes.io/metadata.name": name } },
      spec: { finalizers: ["kubernetes"] },
      status: { phase: "Active" },
    }));
  }
  for (const [name, description] of Object.entries(priorities)) {
    put(core, "priorityclasses.scheduling.k8s.io", "scheduling.k8s.io/v1", "PriorityClass", {
      metadata: { name, generation: 1 },
      value: systemPriorities[name],
      description,
      preemptionPolicy: "PreemptLowerPriority",
    });
  }
  maintain(core, "servicecidrs.networking.k8s.io", "networking.k8s.io/v1", "ServiceCIDR", () => ({
    metadata: { name: "kubernetes" },
    spec: { cidrs: [serviceRange] },
    status: {
      conditions: [
        {
          type: "Ready",
          status: "True",
          lastTransitionTime: timestampOf(core),
          reason: "",
          message: "Kubernetes default Service CIDR is ready",
        },
      ],
    },
  }));
  createInitialFlow(core);
  const served = new Set(core.registry.all().map(({ group, version }) => `${group}/${version}`));
  for (const each of served) {
    const [group = "", version = ""] = each.split("/");
    if (groupPriority(group) !== undefined) createApiService(core, group, version);
  }
}

function createInitialFlow(core: ApiCore): void {
  const group = "flowcontrol.apiserver.k8s.io";
  const metadata = { generation: 1, annotations: { "apf.kubernetes.io/autoupdate-spec": "true" } };
  for (const [name, spec] of Object.entries(priorityLevelSpecs())) {
    const level = { metadata: { ...metadata, name }, spec, status: {} };
    const kind = "PriorityLevelConfiguration";
    maintain(core, `prioritylevelconfigurations.${group}`, `${group}/v1`, kind, () => level);
  }
  for (const [name, { spec, message }] of Object.entries(initialFlowSchemas())) {
    const found = { type: "Dangling", status: "False", reason: "Found", message };
    maintain(core, `flowschemas.${group}`, `${group}/v1`, "FlowSchema", () => ({
      metadata: { ...metadata, name },
      spec,
      status: { conditions: [{ ...found, lastTransitionTime: timestampOf(core) }] },
    }));
  }
}

/** Creates the service `kubernetes`, behind which the API server stands at a port of 127.0.0.1. */
export function createKubernetesService(core: ApiCore, port: number): void {
  const labels = { component: "apiserver", provider: "kubernetes" };
  const metadata = { name: "kubernetes", namespace: "default" };
  follow(core, "services", "v1", "Service", {
    metadata: { ...metadata, labels },
    spec: {
      ports: [{ name: "https", protocol: "TCP", port: 443, targetPort: port }],
      clusterIP: kubernetesAddress,
      clusterIPs: [kubernetesAddress],
      type: "ClusterIP",
      sessionAffinity: "None",
      ipFamilies: ["IPv4"],
      ipFamilyPolicy: "SingleStack",
      internalTrafficPolicy: "Cluster",
    },
    status: { loadBalancer: {} },
  });
  const ports = [{ name: "https", port, protocol: "TCP" }];
  follow(core, "endpoints", "v1", "Endpoints", {
    metadata: { ...metadata, labels: { "endpointslice.kubernetes.io/skip-mirror": "true" } },
    subsets: [{ addresses: [{ ip: "127.0.0.1" }], ports }],
  });
  follow(core, "endpointslices.discovery.k8s.io", "discovery.k8s.io/v1", "EndpointSlice", {
    metadata: { ...metadata, generation: 1, labels: { "kubernetes.io/service-name": "kubernetes" } },
    addressType: "IPv4",
    endpoints: [{ addresses: ["127.0.0.1"], conditions: { ready: true } }],
    ports,
  });
}

/** Publishes how users are made known to other API servers; the returned function no longer does it again when that is deleted. */
export function publishAuthentication(core: ApiCore, data: Readonly<Record<string, string>>): () => void {
  const metadata = { name: "extension-apiserver-authentication", namespace: "kube-system" };
  return follow(core, "configmaps", "v1", "ConfigMap", { metadata, data });
}

function createApiService(core: ApiCore, group: string, version: string): void {
  put(core, "apiservices.apiregistration.k8s.io", "apiregistration.k8s.io/v1", "APIService", {
    metadata: {
      name: `${version}.${group}`,
      labels: { "kube-aggregator.kubernetes.io/automanaged": "onstart" },
    },
    spec: {
      ...(group === "" ? {} : { group }),
      version,
      groupPriorityMinimum: groupPriority(group),
      versionPriority: versionPriority(group, version),
    },
    status: { conditions: [{ ...locallyAvailable, lastTransitionTime: timestampOf(core) }] },
  });
}

type InitialObject = Fields & {
  readonly metadata: Fields & { readonly name: string; readonly namespace?: string };
};

/** As {@link maintain}, and sets what is in it beside its metadata: of what the server itself says again when it starts. */
function follow(
  core: ApiCore,
  storageKey: string,
  apiVersion: string,
  kind: string,
  object: InitialObject,
): () => void {
  const stop = maintain(core, storageKey, apiVersion, kind, () => object);
  const { metadata, ...content } = object;
  const present = core.store.get(storageKey, metadata.namespace, metadata.name);
  if (present === undefined) return stop;
  if (Object.entries(content).every(([name, value]) => isEqualJson(present[name], value))) return stop;
  core.store.put(storageKey, { ...present, ...content });
  return stop;
}

/** Creates an object, unless there is one, and again whenever it is deleted, until the returned function is called. */
function maintain(
  core: ApiCore,
  storageKey: string,
  apiVersion: string,
  kind: string,
  toObject: () => InitialObject,
): () => void {
  const create = (): void => put(core, storageKey, apiVersion, kind, toObject());
  create();
  const { name, namespace } = toObject().metadata;
  return core.store.subscribe(storageKey, ({ type, object: { metadata } }) => {
    // Not before whoever has deleted it has done so.
    if (type === "DELETED" && metadata.name === name && metadata.namespace === namespace)
      queueMicrotask(create);
  });
}

/** Creates an object, unless there is one. */
function put(
  core: ApiCore,
  storageKey: string,
  apiVersion: string,
  kind: string,
  { metadata, ...content }: InitialObject,
): void {
  if (core.store.get(storageKey, metadata.namespace, metadata.name) !== undefined) return;
  core.store.put(storageKey, {
    kind,
    apiVersion,
    metadata: { ...metadata, uid: core.newUid(), creationTimestamp: timestampOf(core) },
    ...content,
  });
}
