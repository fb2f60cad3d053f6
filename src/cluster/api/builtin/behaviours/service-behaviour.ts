// Services: defaults, what belongs to their type, and what they take for themselves: addresses and ports of the nodes.
import { equal } from "../../../../schema/json-value.ts";
import {
  ensureFields,
  fieldsList,
  fieldsOf,
  listOf,
  setDefault,
  textOf,
  type ApiObject,
  type Fields,
} from "../../api-object.ts";
import type { TypeBehaviour } from "../../served-type.ts";
import type { ObjectStore } from "../../storage/object-store.ts";
import type { Random } from "../../../../ports/random.ts";
import { hasSameAddresses } from "../validation/service-address-rules.ts";
import { isReachedFromOutside } from "../validation/service-rules.ts";
import { claimPorts, needsHealthPort, needsNodePorts, nodePortsBeside, freeNodePort } from "./node-ports.ts";
import { addressesOf, alignAddresses, claimAddresses } from "./service-addresses.ts";

/** `Service` of v1; addresses, from a place on that is random, and node ports are the first ones that no stored Service has. */
export function createServiceBehaviour(store: ObjectStore, random: Random): TypeBehaviour {
  const free = addressesOf(store, random);
  return {
    createOnUpdate: true,
    prepare(object, previous, { subresource }) {
      const spec = ensureFields(object, "spec");
      const before = previous === undefined ? undefined : fieldsOf(previous["spec"]);
      if (before === undefined) object["status"] = { loadBalancer: {} };
      alignAddresses(spec, before);
      if (before !== undefined) dropWhatTypeLacks(spec, before);
      const isBalanced = spec["type"] === "LoadBalancer";
      if (
        !isBalanced &&
        subresource === undefined &&
        fieldsOf(object["status"])["loadBalancer"] !== undefined
      ) {
        object["status"] = { ...fieldsOf(object["status"]), loadBalancer: {} };
      }
      if (needsNodePorts(spec)) assignNodePorts(store, object, before);
    },
    setDefaults(object) {
      const spec = ensureFields(object, "spec");
      setDefault(spec, "type", "ClusterIP");
      setDefault(spec, "sessionAffinity", "None");
      ensureFields(ensureFields(object, "status"), "loadBalancer");
      if (spec["sessionAffinity"] === "None") delete spec["sessionAffinityConfig"];
      if (spec["sessionAffinity"] === "ClientIP") {
        const client = ensureFields(ensureFields(spec, "sessionAffinityConfig"), "clientIP");
        setDefault(client, "timeoutSeconds", 10_800);
      }
      for (const port of fieldsList(spec["ports"])) {
        setDefault(port, "protocol", "TCP");
        if ([undefined, 0, ""].includes(port["targetPort"] as undefined))
          port["targetPort"] = port["port"] ?? 0;
      }
      if (["ClusterIP", "NodePort", "LoadBalancer"].includes(textOf(spec["type"]))) {
        setDefault(spec, "internalTrafficPolicy", "Cluster");
      }
      if (isReachedFromOutside(spec)) setDefault(spec, "externalTrafficPolicy", "Cluster");
      if (spec["type"] !== "LoadBalancer") return;
      setDefault(spec, "allocateLoadBalancerNodePorts", true);
      for (const place of fieldsList(fieldsOf(fieldsOf(object["status"])["loadBalancer"])["ingress"])) {
        if (textOf(place["ip"]) !== "") setDefault(place, "ipMode", "VIP");
      }
    },
    warnings: serviceWarnings,
    claim: (object, previous) => {
      const faults = claimAddresses(free, object, previous);
      return faults.length > 0 ? faults : claimPorts(store, object, previous);
    },
    asRead: withoutInternalPolicy,
    // Addresses of a former Service must not be those of the next one.
    deletesNamesake: "endpoints",
  };
}

/** Of a name nothing is said about the traffic within, whatever is stored. */
function withoutInternalPolicy(object: ApiObject): ApiObject {
  const { internalTrafficPolicy, ...spec } = fieldsOf(object["spec"]);
  return spec["type"] === "ExternalName" && internalTrafficPolicy !== undefined
    ? { ...object, spec }
    : object;
}

/** Said of what a Service has no use for, and of what is on its way out. */
function serviceWarnings({ spec: given }: ApiObject): readonly string[] {
  const spec = fieldsOf(given);
  const { type, trafficDistribution } = spec;
  const isHeadless = type === "ClusterIP" && spec["clusterIP"] === "None";
  const isName = type === "ExternalName";
  const external = listOf(spec["externalIPs"]).length > 0;
  const said: readonly (readonly [boolean, string])[] = [
    [
      isHeadless && textOf(spec["loadBalancerIP"]) !== "",
      "spec.loadBalancerIP is ignored for headless services",
    ],
    [isHeadless && external, "spec.externalIPs is ignored for headless services"],
    [
      isHeadless && spec["sessionAffinity"] !== "None",
      "spec.SessionAffinity is ignored for headless services",
    ],
    [
      external && !isHeadless && !isName,
      "spec.externalIPs is deprecated and may no longer be implemented in some clusters",
    ],
    [isName && external, 'spec.externalIPs is ignored when spec.type is "ExternalName"'],
    [
      !isName && textOf(spec["externalName"]) !== "",
      'spec.externalName is ignored when spec.type is not "ExternalName"',
    ],
    [
      trafficDistribution === "PreferClose",
      'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"',
    ],
  ];
  return said.filter(([isSaid]) => isSaid).map(([, words]) => words);
}

/** What another type has no use for goes with the type, unless it was changed in the same breath. */
function dropWhatTypeLacks(spec: Fields, before: Fields): void {
  if (spec["type"] === "ExternalName" && before["type"] !== "ExternalName") {
    if (hasSameAddresses(spec, before)) {
      delete spec["clusterIP"];
      delete spec["clusterIPs"];
    }
    dropUnchanged(spec, before, "ipFamilies");
    dropUnchanged(spec, before, "ipFamilyPolicy");
  }
  if (needsNodePorts(before) && !needsNodePorts(spec)) {
    const old = new Set([undefined, 0, ...fieldsList(before["ports"]).map((port) => port["nodePort"])]);
    const ports = fieldsList(spec["ports"]);
    if (ports.every((port) => old.has(port["nodePort"] as number))) {
      for (const port of ports) delete port["nodePort"];
    }
  }
  if (needsHealthPort(before) && !needsHealthPort(spec)) dropUnchanged(spec, before, "healthCheckNodePort");
  if (before["type"] === "LoadBalancer" && spec["type"] !== "LoadBalancer") {
    dropUnchanged(spec, before, "allocateLoadBalancerNodePorts");
    dropUnchanged(spec, before, "loadBalancerClass");
  }
  if (isReachedFromOutside(before) && !isReachedFromOutside(spec)) {
    dropUnchanged(spec, before, "externalTrafficPolicy");
  }
}

function dropUnchanged(spec: Fields, before: Fields, field: string): void {
  if (equal(spec[field], before[field])) delete spec[field];
}

/** Ports on the nodes: those that are kept by their names, and new ones. */
function assignNodePorts(store: ObjectStore, object: ApiObject, before: Fields | undefined): void {
  const spec = fieldsOf(object["spec"]);
  const ports = fieldsList(spec["ports"]);
  const isAsked = ({ nodePort }: Fields): boolean => nodePort !== undefined && nodePort !== 0;
  const old = fieldsList(before?.["ports"]);
  const asked = new Set(ports.filter(isAsked).map(({ nodePort }) => nodePort));
  const used = new Set([
    ...nodePortsBeside(store, object),
    ...asked,
    ...old.map(({ nodePort }) => nodePort),
    spec["healthCheckNodePort"],
    before?.["healthCheckNodePort"],
  ]);
  for (const port of ports) {
    if (isAsked(port)) continue;
    const kept = needsNodePorts(before ?? {})
      ? old.findLast(({ name }) => textOf(name) === textOf(port["name"]))?.["nodePort"]
      : undefined;
    // The ports of one number of a new Service share one, of several protocols.
    const shared =
      before === undefined
        ? ports.find((other) => other["port"] === port["port"] && isAsked(other))?.["nodePort"]
        : undefined;
    if (kept !== undefined && !asked.has(kept)) port["nodePort"] = kept;
    else if (spec["allocateLoadBalancerNodePorts"] === false && spec["type"] === "LoadBalancer") continue;
    else port["nodePort"] = shared ?? freeNodePort(used);
    used.add(port["nodePort"]);
  }
  if (!needsHealthPort(spec)) return;
  const given = spec["healthCheckNodePort"];
  if (given !== undefined && given !== 0) return;
  spec["healthCheckNodePort"] = before?.["healthCheckNodePort"] ?? freeNodePort(used);
}
