// Which pods stand behind a service, and how that is written down in Endpoints and EndpointSlices. Pure; fed from the cache
// by the endpoints controller, and by the proxy of process pods.
import type { Pod, Service } from "../../kinds/builtin/core.ts";
import type { Endpoint, EndpointPort, ObjectReference, ServicePort } from "../../kinds/builtin/parts.ts";
import { isPodFinished, isPodReady, isPodTerminating, portNumberOf } from "./pod-state.ts";

/** One pod behind a service. */
export interface Backend {
  readonly pod: Pod;
  readonly ip: string;
  /** Whether it is sent traffic. */
  readonly ready: boolean;
  /** Its own number for each of the service's ports; a port that its containers do not have is left out. */
  readonly ports: readonly EndpointPort[];
}

/** The pods that a service selects. A service without selector has none. */
export function selectedBy({ metadata, spec }: Service, pods: readonly Pod[]): readonly Pod[] {
  const { selector, type } = spec;
  if (selector === undefined || type === "ExternalName") return [];
  return pods.filter((pod) => pod.metadata.namespace === metadata.namespace && isSelected(pod, selector));
}

/** The pods that a service selects and that have an address, by name. */
export function backendsOf(service: Service, pods: readonly Pod[]): readonly Backend[] {
  const { publishNotReadyAddresses = false, ports = [] } = service.spec;
  return selectedBy(service, pods)
    .flatMap((pod) => {
      const ip = pod.status?.podIP;
      if (ip === undefined || ip === "" || isPodFinished(pod)) return [];
      const ready = publishNotReadyAddresses || (isPodReady(pod) && !isPodTerminating(pod));
      return [{ pod, ip, ready, ports: ports.flatMap((port) => portOf(port, pod)) }];
    })
    .sort((a, b) => (a.pod.metadata.name < b.pod.metadata.name ? -1 : 1));
}

/** The backends that have the same port numbers: each group is one subset, and one slice. */
export function groupByPorts(backends: readonly Backend[]): readonly (readonly Backend[])[] {
  const groups = new Map<string, Backend[]>();
  for (const backend of backends) {
    const key = JSON.stringify(backend.ports);
    groups.set(key, [...(groups.get(key) ?? []), backend]);
  }
  return [...groups.values()];
}

/** One entry of an EndpointSlice; `zoneOf` says where a node is, default nowhere. */
export function endpointOf(
  { pod, ip, ready }: Backend,
  service: Service,
  zoneOf: (node: string) => string | undefined = () => undefined,
): Endpoint {
  const terminating = isPodTerminating(pod);
  const { nodeName } = pod.spec;
  const zone = nodeName === undefined ? undefined : zoneOf(nodeName);
  const hints = ready ? hintsOf(service, nodeName, zone) : {};
  return {
    addresses: [ip],
    conditions: { ready, serving: isPodReady(pod), terminating },
    ...(Object.keys(hints).length === 0 ? {} : { hints }),
    ...hostnameIn(pod, service),
    ...(nodeName === undefined ? {} : { nodeName }),
    targetRef: referenceTo(pod),
    ...(zone === undefined ? {} : { zone }),
  };
}

/** For whom an endpoint is, where a service prefers those that are near. */
function hintsOf({ spec }: Service, node?: string, zone?: string): NonNullable<Endpoint["hints"]> {
  const preference = spec.trafficDistribution;
  const forZones = zone === undefined ? {} : { forZones: [{ name: zone }] };
  if (preference === "PreferClose" || preference === "PreferSameZone") return forZones;
  if (preference !== "PreferSameNode" || node === undefined) return {};
  return { forNodes: [{ name: node }], ...forZones };
}

/** One address of an Endpoints object. */
export function addressOf({ pod, ip }: Backend, service: Service): object {
  return {
    ip,
    ...hostnameIn(pod, service),
    ...(pod.spec.nodeName === undefined ? {} : { nodeName: pod.spec.nodeName }),
    targetRef: referenceTo(pod),
  };
}

function isSelected(pod: Pod, selector: Readonly<Record<string, string>>): boolean {
  const labels = pod.metadata.labels ?? {};
  const entries = Object.entries(selector);
  return entries.length > 0 && entries.every(([name, value]) => labels[name] === value);
}

function portOf(port: ServicePort, pod: Pod): EndpointPort[] {
  const number = portNumberOf(pod.spec.containers, port.targetPort ?? port.port);
  if (number === undefined) return [];
  return [
    {
      name: port.name ?? "",
      port: number,
      protocol: port.protocol ?? "TCP",
      ...(port.appProtocol === undefined ? {} : { appProtocol: port.appProtocol }),
    },
  ];
}

function hostnameIn(pod: Pod, service: Service): { hostname?: string } {
  const { hostname, subdomain } = pod.spec;
  return hostname !== undefined && subdomain === service.metadata.name ? { hostname } : {};
}

function referenceTo(pod: Pod): ObjectReference {
  const { name, namespace, uid } = pod.metadata;
  return { kind: "Pod", ...(namespace === undefined ? {} : { namespace }), name, uid };
}
