// Whom a proxied request reaches: a pod by its own name, or one behind a Service.
// https://github.com/kubernetes/kubernetes/blob/v1.36.1/pkg/registry/core/pod/strategy.go (ResourceLocation), core/service/storage/storage.go
import { connect as connectTo } from "node:net";
import type { Duplex } from "node:stream";
import { OperatorError } from "../../../../ports/operator-error.ts";
import type { ApiCore } from "../../api-core.ts";
import { fieldsList, fieldsOf, textOf, type ApiObject, type Fields } from "../../api-object.ts";
import { hasAddress } from "../../builtin/pod-addresses.ts";
import { declaredPort } from "../../service-endpoint.ts";
import { dialOf } from "../../connection-failure.ts";
import { badRequest, notFound, StatusError } from "../../status-error.ts";
import type { ServedType } from "../../served-type.ts";
import type { PodStreamSource } from "../pod-streams.ts";
import { readProxiedName } from "./proxied-name.ts";

/** Whom a request is for. */
export interface ProxyTarget {
  readonly isTls: boolean;
  readonly host: string;
  /** As the request says it, a number or not. */
  readonly port: string;
  /** Opens a connection. Errors: those of connecting. */
  connect(): Promise<Duplex>;
}

/** What targets are looked for in. */
export interface ProxySource {
  readonly core: Pick<ApiCore, "store" | "random">;
  /** Undefined while there is no pod runtime. */
  readonly runtime: Pick<PodStreamSource, "connect"> | undefined;
}

/** Which object stands in the request. */
export interface ProxyRequest {
  readonly type: ServedType;
  readonly namespace: string;
  /** With scheme and port. */
  readonly name: string;
}

/** The pod of a request. Errors: 400 for a malformed name, and for a pod without an address; 404. */
export function podTarget(source: ProxySource, { type, namespace, name }: ProxyRequest): ProxyTarget {
  const asked = readProxiedName(name, "pod");
  const pod = source.core.store.get("pods", namespace, asked.name);
  if (pod === undefined) throw notFound(type, asked.name);
  const host = textOf(fieldsOf(pod["status"])["podIP"]);
  if (host === "") throw badRequest("address not allowed");
  const port = asked.port === "" ? firstPortOf(pod) : asked.port;
  return targetOf(source, pod, { isTls: asked.isTls, host, port: port || (asked.isTls ? "443" : "80") });
}

/** A pod behind the Service of a request. Errors: 400 for a malformed name; 404; 503 where no pod is ready for the port. */
export function serviceTarget(source: ProxySource, { type, namespace, name }: ProxyRequest): ProxyTarget {
  const { store, random } = source.core;
  const asked = readProxiedName(name, "service");
  const service = store.get("services", namespace, asked.name);
  if (service === undefined) throw notFound(type, asked.name);
  const portName = portNameOf(service, asked.port);
  // Slices are not looked at: what nobody mirrors in Endpoints is not reached by a proxy.
  const endpoints = store.get("endpoints", namespace, asked.name);
  if (endpoints === undefined) throw notFound(type, asked.name);
  const subsets = fieldsList(endpoints["subsets"]);
  if (subsets.length === 0) throw withoutEndpoints(asked.name);
  const found = subsets.flatMap(({ addresses, ports }) => {
    const port = fieldsList(ports).find((each) => textOf(each["name"]) === portName)?.["port"];
    if (typeof port !== "number") return [];
    return fieldsList(addresses).flatMap((address) => {
      const pod = podBehind(source, namespace, address);
      return pod === undefined ? [] : [{ pod, host: textOf(address["ip"]), port: String(port) }];
    });
  });
  const chosen = found[Math.floor(random() * found.length)];
  if (chosen === undefined) throw withoutEndpoints(name);
  return targetOf(source, chosen.pod, { isTls: asked.isTls, host: chosen.host, port: chosen.port });
}

/** The name of a Service's port that is named so, or has the number. Errors: 503 for a number that the Service does not have. */
function portNameOf(service: ApiObject, port: string): string {
  if (!/^\d+$/.test(port)) return port;
  const declared = declaredPort(service, Number(port));
  if (declared !== undefined) return textOf(declared["name"]);
  throw unavailable(
    `no service port ${Number(port)} found for service ${JSON.stringify(service.metadata.name)}`,
  );
}

/** The pod that an address says it is, as long as it has the address: nobody is reached by an address that somebody has made up. */
function podBehind(
  { core }: ProxySource,
  namespace: string,
  { ip, targetRef }: Fields,
): ApiObject | undefined {
  const reference = fieldsOf(targetRef);
  if (reference["kind"] !== "Pod" || (reference["namespace"] ?? namespace) !== namespace) return undefined;
  const pod = core.store.get("pods", namespace, textOf(reference["name"]));
  return pod !== undefined && hasAddress(pod, ip) ? pod : undefined;
}

function firstPortOf(pod: ApiObject): string {
  const containers = fieldsList(fieldsOf(pod["spec"])["containers"]);
  const [first] = containers.flatMap(({ ports }) => fieldsList(ports).slice(0, 1));
  return first === undefined ? "" : String(first["containerPort"]);
}

function targetOf(
  { runtime }: ProxySource,
  { metadata }: ApiObject,
  address: Omit<ProxyTarget, "connect">,
): ProxyTarget {
  const { namespace = "", name } = metadata;
  const { host } = address;
  const port = Number(address.port);
  return {
    ...address,
    async connect() {
      if (Number.isNaN(port)) throw new Error(`dial tcp: lookup tcp/${address.port}: unknown port`);
      if (port > 65_535) throw new Error(`dial tcp: address ${port}: invalid port`);
      if (port === 0) throw refused(host, port);
      try {
        return runtime === undefined
          ? await connectDirectly(host, port)
          : await runtime.connect({ namespace, name, port });
      } catch (error) {
        const code = error instanceof OperatorError ? error.code : "";
        // A pod of a node that is somebody else's has an address all the same.
        if (code === "POD_NOT_FOUND") return connectDirectly(host, port);
        if (code === "POD_PORT_CLOSED" || code === "CONTAINER_NOT_STARTED") throw refused(host, port);
        throw error;
      }
    },
  };
}

function connectDirectly(host: string, port: number): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const socket = connectTo({ host, port });
    socket.once("connect", () => resolve(socket));
    socket.once("error", reject);
  });
}

function refused(host: string, port: number): Error {
  return new Error(`${dialOf(host, port)}: connect: connection refused`);
}

function withoutEndpoints(name: string): StatusError {
  return unavailable(`no endpoints available for service ${JSON.stringify(name)}`);
}

/** The refusal of what cannot be reached. */
export function unavailable(message: string): StatusError {
  return new StatusError(503, "ServiceUnavailable", message);
}
