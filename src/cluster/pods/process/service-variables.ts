// The variables by which Kubernetes tells containers about services: the only discovery there is without cluster DNS.
import type { Service } from "../../../kinds/builtin/core.ts";

/** Where the API server is, as clients look for it in every container. */
export function serverVariables(url: string): Record<string, string> {
  const { hostname, port } = new URL(url);
  return {
    KUBERNETES_SERVICE_HOST: hostname,
    KUBERNETES_SERVICE_PORT: port,
    KUBERNETES_SERVICE_PORT_HTTPS: port,
  };
}

/**
 * `NAME_SERVICE_HOST`, `NAME_SERVICE_PORT` and one per named port, for every service that has a cluster IP. Not for the
 * API server's own service, at whose address nothing answers.
 */
export function serviceVariables(services: readonly Service[]): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const { metadata, spec } of services) {
    const [first] = spec.ports ?? [];
    if (spec.clusterIP === undefined || spec.clusterIP === "" || spec.clusterIP === "None") continue;
    if (first === undefined || (metadata.namespace === "default" && metadata.name === "kubernetes")) continue;
    const name = metadata.name.toUpperCase().replaceAll("-", "_");
    variables[`${name}_SERVICE_HOST`] = spec.clusterIP;
    variables[`${name}_SERVICE_PORT`] = String(first.port);
    for (const port of spec.ports ?? []) {
      if (port.name === undefined) continue;
      variables[`${name}_SERVICE_PORT_${port.name.toUpperCase().replaceAll("-", "_")}`] = String(port.port);
    }
  }
  return variables;
}
