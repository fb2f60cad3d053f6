// What the slices of Endpoints that somebody else keeps are to be: those of each family of addresses and set of ports. Pure.
// https://github.com/kubernetes/kubernetes/blob/v1.36.1/pkg/controller/endpointslicemirroring/reconciler.go
import { isIPv6 } from "node:net";
import type { Endpoint, EndpointPort } from "../../../kinds/builtin/parts.ts";
import { managedByLabel, serviceNameLabel, type Endpoints, type EndpointsAddress } from "./endpoints.ts";
import type { EndpointGroup } from "./slice-contents.ts";

/** Who keeps mirrored slices, as their label says. */
export const mirroring = "endpointslicemirroring-controller.k8s.io";

const skipLabel = "endpointslice.kubernetes.io/skip-mirror";
/** Of Endpoints that are no addresses, but the lock of an election. */
const electionAnnotation = "control-plane.alpha.kubernetes.io/leader";
const notMirrored = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  "endpoints.kubernetes.io/last-change-trigger-time",
]);
/** The most addresses of a subset that are mirrored. */
const most = 1_000;

/** The families of addresses. */
export const families = ["IPv4", "IPv6"] as const;

/** Whether Endpoints are to be mirrored, if their Service has no selector. */
export function isMirrored({ metadata }: Endpoints): boolean {
  const { labels = {}, annotations = {}, deletionTimestamp } = metadata;
  return (
    labels[skipLabel] !== "true" && !(electionAnnotation in annotations) && deletionTimestamp === undefined
  );
}

/** The groups of one family: the ports that a subset has for itself are together, one that others have too is apart. */
export function mirroredGroups(
  { subsets = [] }: Endpoints,
  family: (typeof families)[number],
): readonly EndpointGroup[] {
  const groups = new Map<
    string,
    { readonly ports: readonly EndpointPort[]; readonly endpoints: Endpoint[] }
  >();
  const occurrences = new Map<string, number>();
  for (const port of subsets.flatMap(({ ports = [] }) => ports)) {
    const key = JSON.stringify({ ...port, name: port.name ?? "" });
    occurrences.set(key, (occurrences.get(key) ?? 0) + 1);
  }
  for (const { addresses = [], notReadyAddresses = [], ports = [] } of subsets) {
    const all = [
      ...addresses.map((address) => endpointOf(address, true)),
      ...notReadyAddresses.map((address) => endpointOf(address, false)),
    ].slice(0, most);
    const own = all.filter(({ addresses: [ip = ""] }) => isIPv6(ip) === (family === "IPv6"));
    const named = ports.map((port) => ({ ...port, name: port.name ?? "" }));
    const shared = named.filter((port) => occurrences.get(JSON.stringify(port)) !== 1);
    const alone = named.filter((port) => !shared.includes(port));
    const sets = [
      ...shared.map((port) => [port]),
      ...(alone.length > 0 || ports.length === 0 ? [alone] : []),
    ];
    for (const set of sets) {
      const key = JSON.stringify(set);
      const group = groups.get(key) ?? { ports: set, endpoints: [] };
      group.endpoints.push(...own);
      groups.set(key, group);
    }
  }
  return [...groups.values()].filter(({ endpoints }) => endpoints.length > 0);
}

/** The labels of the slices, which have those of the Endpoints. */
export function mirroredLabels({ metadata: { name, labels } }: Endpoints): Readonly<Record<string, string>> {
  return { ...labels, [serviceNameLabel]: name, [managedByLabel]: mirroring };
}

/** The annotations of the slices. */
export function mirroredAnnotations({
  metadata: { annotations = {} },
}: Endpoints): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(annotations).filter(([name]) => !notMirrored.has(name)));
}

function endpointOf({ ip, hostname, nodeName, targetRef }: EndpointsAddress, ready: boolean): Endpoint {
  return {
    addresses: [ip],
    conditions: { ready },
    ...(hostname === undefined || hostname === "" ? {} : { hostname }),
    ...(nodeName === undefined ? {} : { nodeName }),
    ...(targetRef === undefined ? {} : { targetRef }),
  };
}
