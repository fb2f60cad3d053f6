// Whether the server behind an APIService can be reached: what its Service has, then a question that every API server answers.
// https://github.com/kubernetes/kubernetes/blob/v1.36.1/staging/src/k8s.io/kube-aggregator/pkg/controllers/status/remote/remote_available_controller.go
import type { NewCondition } from "../../../meta/condition.ts";
import { fieldsOf, textOf } from "../api-object.ts";
import { messageOf } from "../../../ports/operator-error.ts";
import { locallyAvailable } from "../builtin/behaviours/class-behaviours.ts";
import type { ApiService, ExtensionService } from "../discovery/api-services.ts";
import { declaredPort, serviceEndpoints, slicesOf, type Endpoint } from "../service-endpoint.ts";
import { askEndpoint, trustOf, urlOf, type ExtensionSource } from "./ask-extension.ts";
import { aggregatorUser } from "./remote-user.ts";

/** What the condition says. */
export type Availability = NewCondition;

/** Of a Service with many endpoints so many are asked. */
const mostAsked = 5;
const timeout = 5_000;

/** That of an APIService's server, as it is now. */
export async function availabilityOf(source: ExtensionSource, service: ApiService): Promise<Availability> {
  if (service.service === undefined) return locallyAvailable;
  const extension = service as ExtensionService;
  const fault = serviceFault(source, extension) ?? (await answerFault(source, extension));
  if (fault !== undefined) return { type: "Available", status: "False", ...fault };
  return { type: "Available", status: "True", reason: "Passed", message: "all checks passed" };
}

interface Fault {
  readonly reason: string;
  readonly message: string;
}

function serviceFault(
  { core: { store } }: ExtensionSource,
  { service: { namespace, name, port } }: ExtensionService,
): Fault | undefined {
  const named = `service/${name} in ${JSON.stringify(namespace)}`;
  const service = store.get("services", namespace, name);
  if (service === undefined) return { reason: "ServiceNotFound", message: `${named} is not present` };
  if (fieldsOf(service["spec"])["type"] !== "ClusterIP") return undefined;
  const declared = declaredPort(service, port);
  if (declared === undefined) {
    return { reason: "ServicePortError", message: `${named} is not listening on port ${port}` };
  }
  const endpoints = store.get("endpoints", namespace, name);
  if (endpoints === undefined && slicesOf(store, namespace, name).length === 0) {
    return { reason: "EndpointsNotFound", message: `cannot find endpointslices for ${named}` };
  }
  const found = serviceEndpoints(store, { namespace, name, port });
  if (!("fault" in found) && found.length > 0) return undefined;
  const portName = JSON.stringify(textOf(declared["name"]));
  return {
    reason: "MissingEndpoints",
    message: `endpointslices for ${named} have no addresses with port name ${portName}`,
  };
}

/** One answer is enough: the others may be starting. */
async function answerFault(source: ExtensionSource, service: ExtensionService): Promise<Fault | undefined> {
  const found = serviceEndpoints(source.core.store, service.service);
  if ("fault" in found) return { reason: "FailedDiscoveryCheck", message: found.fault };
  try {
    await Promise.any(found.slice(0, mostAsked).map((endpoint) => assertAnswers(source, endpoint, service)));
    return undefined;
  } catch (error) {
    const errors: readonly unknown[] =
      error instanceof AggregateError ? (error.errors as unknown[]) : [error];
    return { reason: "FailedDiscoveryCheck", message: messageOf(errors.at(-1)) };
  }
}

async function assertAnswers(
  { connections }: ExtensionSource,
  endpoint: Endpoint,
  service: ExtensionService,
): Promise<void> {
  const path = `/apis/${service.group}/${service.version}`;
  const url = urlOf(endpoint, path);
  const failed = `failing or missing response from ${url}`;
  let status: number;
  try {
    ({ status } = await askEndpoint(connections, endpoint, trustOf(service), {
      path,
      user: aggregatorUser,
      timeout,
    }));
  } catch (error) {
    throw new Error(`${failed}: ${messageOf(error)}`, { cause: error });
  }
  if (status < 200 || status >= 300) throw new Error(`${failed}: bad status from ${url}: ${status}`);
}
