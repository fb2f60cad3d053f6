// The columns of services, endpoints, endpoint slices, ingresses and network policies.
import { fieldsList, fieldsOf, listOf, textOf, type ApiObject, type Fields } from "../../api-object.ts";
import { formatLabelSelector } from "../../selectors/label-selector.ts";
import type { Column } from "../../served-type.ts";
import { age, named, numberOf, orNone, sortedOnce, specOf, statusOf, text, wide } from "./column.ts";

const shown = 3;

/** The columns of services. */
export const serviceColumns: readonly Column[] = named(
  text("Type", (service) => textOf(specOf(service)["type"])),
  text("Cluster-IP", (service) => orNone(textOf(specOf(service)["clusterIP"]))),
  text("External-IP", externalAddress),
  text("Port(s)", (service) => {
    const ports = fieldsList(specOf(service)["ports"]).map(({ port, nodePort, protocol }) => {
      const outside = numberOf(nodePort) === 0 ? "" : `:${numberOf(nodePort)}`;
      return `${numberOf(port)}${outside}/${textOf(protocol)}`;
    });
    return orNone(ports.join(","));
  }),
  age,
  wide("Selector", (service) => {
    const matchLabels = specOf(service)["selector"];
    return orNone(formatLabelSelector({ matchLabels }));
  }),
);

/** The columns of endpoints. */
export const endpointsColumns: readonly Column[] = named(
  text("Endpoints", (endpoints) => {
    const all = fieldsList(endpoints["subsets"]).flatMap(({ addresses, ports }) => {
      const numbers = fieldsList(ports).map((each) => numberOf(each["port"]));
      return fieldsList(addresses).flatMap(({ ip }) =>
        numbers.length === 0 ? [textOf(ip)] : numbers.map((port) => `${textOf(ip)}:${port}`),
      );
    });
    return orNone(abridged(all, " + "));
  }),
  age,
);

/** The columns of endpoint slices. */
export const sliceColumns: readonly Column[] = named(
  text("AddressType", (slice) => textOf(slice["addressType"])),
  text("Ports", (slice) => {
    const ports = fieldsList(slice["ports"]);
    return ports.length === 0 ? "<unset>" : abridged(ports.map(portText), " + ");
  }),
  text("Endpoints", (slice) => {
    const all = fieldsList(slice["endpoints"]).flatMap((each) => listOf(each["addresses"]).map(textOf));
    return all.length === 0 ? "<unset>" : abridged(all, " + ");
  }),
  age,
);

/** The columns of ingresses. */
export const ingressColumns: readonly Column[] = named(
  text("Class", (ingress) => orNone(textOf(specOf(ingress)["ingressClassName"]))),
  text("Hosts", (ingress) => {
    const hosts = fieldsList(specOf(ingress)["rules"]).map((rule) => textOf(rule["host"]) || "*");
    return hosts.length === 0 ? "*" : abridged(hosts, " + ");
  }),
  text("Address", (ingress) => loadBalancerAddresses(ingress).join(",")),
  text("Ports", (ingress) => (listOf(specOf(ingress)["tls"]).length > 0 ? "80, 443" : "80")),
  age,
);

/** The columns of network policies. */
export const networkPolicyColumns: readonly Column[] = named(
  text("Pod-Selector", (policy) => orNone(formatLabelSelector(specOf(policy)["podSelector"]))),
  age,
);

function externalAddress(service: ApiObject): string {
  const spec = specOf(service);
  const external = listOf(spec["externalIPs"]).map(textOf);
  switch (spec["type"]) {
    case "ExternalName":
      return textOf(spec["externalName"]);
    case "LoadBalancer": {
      const all = [...loadBalancerAddresses(service), ...external];
      return all.length === 0 ? "<pending>" : all.join(",");
    }
    default:
      return orNone(external.join(","));
  }
}

function loadBalancerAddresses(object: ApiObject): readonly string[] {
  const balancer = fieldsOf(statusOf(object)["loadBalancer"]);
  return sortedOnce(
    fieldsList(balancer["ingress"]).map((each) => textOf(each["ip"]) || textOf(each["hostname"])),
  );
}

function portText({ port, name }: Fields): string {
  return port === undefined ? textOf(name) : String(numberOf(port));
}

function abridged(all: readonly string[], separator: string): string {
  if (all.length <= shown) return all.join(",");
  return `${all.slice(0, shown).join(",")}${separator}${all.length - shown} more...`;
}
