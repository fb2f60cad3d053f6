// The ports of the nodes, of which each belongs to one Service. As in kube-apiserver a port that is taken is a fault of a field, but one
// that a Service asks for twice in a change, and one for health checks, are errors without a reason.
import { invalidValue, type StatusCause } from "../../../../schema/status-cause.ts";
import { fieldsList, fieldsOf, textOf, type ApiObject, type Fields } from "../../api-object.ts";
import { StatusError } from "../../status-error.ts";
import type { ObjectStore } from "../../storage/object-store.ts";

const first = 30_000;
const last = 32_767;

/** Whether a Service of this type has ports on the nodes. */
export function needsNodePorts({ type }: Fields): boolean {
  return type === "NodePort" || type === "LoadBalancer";
}

/** Whether it has one for health checks. */
export function needsHealthPort({ type, externalTrafficPolicy }: Fields): boolean {
  return type === "LoadBalancer" && externalTrafficPolicy === "Local";
}

/** The ports that other Services have. */
export function nodePortsBeside(store: ObjectStore, { metadata }: ApiObject): ReadonlySet<unknown> {
  const others = store
    .list("services")
    .filter(
      ({ metadata: { name, namespace } }) => name !== metadata.name || namespace !== metadata.namespace,
    );
  return new Set(
    others.flatMap(({ spec }) => {
      const fields = fieldsOf(spec);
      return [...fieldsList(fields["ports"]).map((port) => port["nodePort"]), fields["healthCheckNodePort"]];
    }),
  );
}

/** The first port that nobody uses. */
export function freeNodePort(used: ReadonlySet<unknown>): number {
  let port = first;
  while (used.has(port) && port < last) port += 1;
  return port;
}

/**
 * Faults of the ports that a Service asks for, as it is created or changed.
 *
 * **Errors**: 500 for one that a change asks for twice, and for one for health checks that is taken or no port of nodes.
 */
export function claimPorts(
  store: ObjectStore,
  object: ApiObject,
  previous: ApiObject | undefined,
): readonly StatusCause[] {
  const spec = fieldsOf(object["spec"]);
  if (!needsNodePorts(spec)) return [];
  const before = fieldsOf(previous?.["spec"]);
  const own = new Set(fieldsList(before["ports"]).map((port) => port["nodePort"]));
  const taken = new Set([...nodePortsBeside(store, object), before["healthCheckNodePort"]]);
  const claimed = new Map<unknown, Fields>();
  for (const [index, port] of fieldsList(spec["ports"]).entries()) {
    const { nodePort, protocol, port: number } = port;
    // One that balances loads may have none.
    if (nodePort === undefined || nodePort === 0) continue;
    const at = `spec.ports[${index}].nodePort`;
    const known = claimed.get(nodePort);
    if (known === undefined && !own.has(nodePort)) {
      const fault = faultOf(nodePort, taken);
      if (fault !== undefined) return [invalidValue(at, nodePort, fault)];
    }
    if (known !== undefined) {
      // Of a new Service the ports of one number may share it, of one that is changed those of different protocols.
      if (previous === undefined && known["port"] !== number) return [invalidValue(at, nodePort, isTaken)];
      if (previous !== undefined && known["protocol"] === protocol) {
        throw new StatusError(
          500,
          undefined,
          `duplicate nodePort: {${textOf(protocol)} ${Number(nodePort)}}`,
        );
      }
    }
    claimed.set(nodePort, port);
    taken.add(nodePort);
  }
  claimHealthPort(spec, before, taken);
  return [];
}

const isTaken = "provided port is already allocated";

function faultOf(port: unknown, taken: ReadonlySet<unknown>): string | undefined {
  const isPort = typeof port === "number" && port >= first && port <= last;
  if (!isPort) {
    return `provided port is not in the valid range. The range of valid ports is ${first}-${last}`;
  }
  return taken.has(port) ? isTaken : undefined;
}

function claimHealthPort(spec: Fields, before: Fields, taken: ReadonlySet<unknown>): void {
  const { healthCheckNodePort: port } = spec;
  if (!needsHealthPort(spec) || port === undefined || port === before["healthCheckNodePort"]) return;
  const fault = faultOf(port, taken);
  if (fault === undefined) return;
  const message = `failed to allocate requested HealthCheck NodePort ${Number(port)}: ${fault}`;
  throw new StatusError(500, "InternalError", `Internal error occurred: ${message}`, {
    causes: [{ message }],
  });
}
