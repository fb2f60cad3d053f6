// Where a Service is reached: one of its ready endpoints, which in an embedded cluster are addresses of this machine, or the name that
// it stands for. Webhooks and other API servers are asked there.
import type { Random } from "../../ports/random.ts";
import { fieldsList, fieldsOf, listOf, textOf, type ApiObject, type Fields } from "./api-object.ts";
import type { ObjectStore } from "./storage/object-store.ts";

/** Where Services and endpoints are looked up. */
export interface ServiceSource {
  readonly store: Pick<ObjectStore, "get" | "list">;
  readonly random: Random;
}

/** A port of a Service. */
export interface ServicePort {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

/** An address to connect to. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** One of the addresses of a Service's port, or why there is none. */
export function serviceEndpoint(
  source: ServiceSource,
  reference: ServicePort,
): Endpoint | { readonly fault: string } {
  const found = serviceEndpoints(source.store, reference);
  if ("fault" in found) return found;
  const chosen = found[Math.floor(source.random() * found.length)];
  return chosen ?? { fault: `no endpoints available for service ${JSON.stringify(reference.name)}` };
}

/** All addresses of a Service's port, or why none is looked for. */
export function serviceEndpoints(
  store: ServiceSource["store"],
  { name, namespace, port }: ServicePort,
): readonly Endpoint[] | { readonly fault: string } {
  const service = store.get("services", namespace, name);
  if (service === undefined) return { fault: `service ${JSON.stringify(name)} not found` };
  const spec = fieldsOf(service["spec"]);
  if (spec["type"] === "ExternalName") return [{ host: textOf(spec["externalName"]), port }];
  const declared = declaredPort(service, port);
  if (declared === undefined) {
    return { fault: `no service port ${port} found for service ${JSON.stringify(name)}` };
  }
  const portName = textOf(declared["name"]);
  const endpoints = store.get("endpoints", namespace, name);
  // What was made by hand for a Service without a selector may be in either form.
  return endpoints === undefined
    ? endpointsInSlices(slicesOf(store, namespace, name), portName)
    : endpointsIn(endpoints, portName);
}

/** A port as a Service declares it. */
export function declaredPort(service: ApiObject, port: number): Fields | undefined {
  return fieldsList(fieldsOf(service["spec"])["ports"]).find((each) => each["port"] === port);
}

/** The slices of a Service. */
export function slicesOf(
  store: ServiceSource["store"],
  namespace: string,
  name: string,
): readonly ApiObject[] {
  return store
    .list("endpointslices.discovery.k8s.io")
    .filter(
      ({ metadata }) =>
        metadata.namespace === namespace && metadata.labels?.["kubernetes.io/service-name"] === name,
    );
}

function endpointsIn(endpoints: ApiObject, portName: string): Endpoint[] {
  return fieldsList(endpoints["subsets"]).flatMap((subset) => {
    const port = numberOf(subset["ports"], portName);
    if (port === undefined) return [];
    return listOf(subset["addresses"]).map((address) => ({ host: textOf((address as Fields)["ip"]), port }));
  });
}

function endpointsInSlices(slices: readonly ApiObject[], portName: string): Endpoint[] {
  return slices.flatMap((slice) => {
    const port = numberOf(slice["ports"], portName);
    if (port === undefined) return [];
    return fieldsList(slice["endpoints"])
      .filter(({ conditions }) => fieldsOf(conditions)["ready"] !== false)
      .map(({ addresses }) => ({ host: textOf(listOf(addresses)[0]), port }));
  });
}

function numberOf(ports: unknown, portName: string): number | undefined {
  const port = fieldsList(ports).find((each) => textOf(each["name"]) === portName)?.["port"];
  return typeof port === "number" ? port : undefined;
}
