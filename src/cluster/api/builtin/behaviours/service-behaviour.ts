// Services: defaults, and cluster addresses from a range of the loopback network, on which a process can really listen.
import { isIP } from "node:net";
import { equal } from "../../../../schema/json-value.ts";
import { forbiddenValue, invalidValue, type StatusCause } from "../../../../schema/status-cause.ts";
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
import { ipFault } from "../validation/pod-form-rules.ts";
import { claimPorts, needsHealthPort, needsNodePorts, nodePortsBeside, freeNodePort } from "./node-ports.ts";

/** 127.96.0.0/16 without its first addresses, which look like networks. */
const firstAddress = 10;
const addresses = 256 * 256 - firstAddress - 1;

/** `Service` of v1; addresses and node ports are the first ones that no stored Service has. */
export function createServiceBehaviour(store: ObjectStore): TypeBehaviour {
  return {
    createOnUpdate: true,
    prepare(object, previous) {
      const spec = ensureFields(object, "spec");
      if (previous === undefined) object["status"] = { loadBalancer: {} };
      const before = fieldsOf(previous?.["spec"]);
      if (spec["type"] === "ExternalName") {
        settleNoAddress(spec, before);
        return;
      }
      if (previous !== undefined) dropWhatTypeLacks(spec, before);
      // An address is asked for by the field of one, which validation says.
      if (spec["clusterIP"] === undefined && listOf(spec["clusterIPs"]).length > 0 && previous === undefined)
        return;
      if (spec["clusterIP"] === undefined) {
        spec["clusterIP"] = before["clusterIP"] ?? listOf(spec["clusterIPs"])[0] ?? freeAddress(store);
      }
      spec["clusterIPs"] = [spec["clusterIP"]];
      settleFamilies(spec, before);
      if (needsNodePorts(spec)) assignNodePorts(store, object, before);
    },
    setDefaults(object) {
      const spec = ensureFields(object, "spec");
      setDefault(spec, "type", "ClusterIP");
      setDefault(spec, "sessionAffinity", "None");
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
      if (spec["type"] === "ExternalName") return;
      setDefault(spec, "internalTrafficPolicy", "Cluster");
      if (spec["type"] !== "ClusterIP" || listOf(spec["externalIPs"]).length > 0) {
        setDefault(spec, "externalTrafficPolicy", "Cluster");
      }
      if (spec["type"] === "LoadBalancer") setDefault(spec, "allocateLoadBalancerNodePorts", true);
    },
    validate: validateService,
    warnings: serviceWarnings,
    claim(object, previous) {
      const faults = familyFaults(fieldsOf(object["spec"]));
      if (faults.length > 0) return faults;
      return [...claimAddress(store, object, previous), ...claimPorts(store, object, previous)];
    },
  };
}

function validateService(object: ApiObject, previous: ApiObject | undefined): StatusCause[] {
  const spec = fieldsOf(object["spec"]);
  const errors: StatusCause[] = [];
  const type = textOf(spec["type"]);
  const [first] = listOf(spec["clusterIPs"]);
  if (type === "ExternalName" && first !== undefined) {
    errors.push(forbiddenValue("spec.clusterIPs", "may not be set for ExternalName services"));
  }
  if (first === "None" && needsNodePorts(spec)) {
    errors.push(invalidValue("spec.clusterIPs[0]", first, `may not be set to 'None' for ${type} services`));
  }
  const before = fieldsOf(previous?.["spec"]);
  const address = before["clusterIP"];
  const faults = spec["type"] === "ExternalName" ? [] : addressFaults(spec);
  errors.push(...faults);
  const isMoved = address !== undefined && spec["type"] !== "ExternalName" && spec["clusterIP"] !== address;
  // One that is none is not said to be another one.
  if (isMoved && faults.length === 0) {
    errors.push(invalidValue("spec.clusterIPs[0]", listOf(spec["clusterIPs"]), "may not change once set"));
  }
  return errors;
}

/** Nobody knows the addresses behind a Service that has neither an address nor a selector. */
function isOpen({ clusterIP, selector }: Fields): boolean {
  return clusterIP === "None" && Object.keys(fieldsOf(selector)).length === 0;
}

function settleFamilies(spec: Fields, before: Fields): void {
  setDefault(
    spec,
    "ipFamilyPolicy",
    before["ipFamilyPolicy"] ?? (isOpen(spec) ? "RequireDualStack" : "SingleStack"),
  );
  const given = listOf(spec["ipFamilies"]);
  const families = given.length === 0 ? ["IPv4"] : given;
  const isBoth = isOpen(spec) && families.length < 2 && spec["ipFamilyPolicy"] !== "SingleStack";
  spec["ipFamilies"] = isBoth ? [...families, families[0] === "IPv4" ? "IPv6" : "IPv4"] : families;
}

/** Addresses of both families are in no cluster of one. */
function familyFaults(spec: Fields): readonly StatusCause[] {
  const { type, ipFamilyPolicy, ipFamilies } = spec;
  if (type === "ExternalName" || isOpen(spec)) return [];
  const both = "this cluster is not configured for dual-stack services";
  return [
    ...(ipFamilyPolicy === "RequireDualStack"
      ? [invalidValue("spec.ipFamilyPolicy", ipFamilyPolicy, both)]
      : []),
    ...listOf(ipFamilies).flatMap((family, index) =>
      family === "IPv6"
        ? [invalidValue(`spec.ipFamilies[${index}]`, family, "not configured on this cluster")]
        : [],
    ),
  ];
}

function addressFaults({ clusterIP, clusterIPs }: Fields): readonly StatusCause[] {
  const listed = listOf(clusterIPs);
  const unasked = "must be empty when `clusterIP` is not specified";
  return [
    ...(clusterIP === undefined && listed.length > 0
      ? [invalidValue("spec.clusterIPs", listed, unasked)]
      : []),
    ...listed.flatMap((address, index) => {
      const fault = address === "None" ? undefined : ipFault(textOf(address));
      return fault === undefined ? [] : [invalidValue(`spec.clusterIPs[${index}]`, address, fault)];
    }),
  ];
}

/** A name has no address: one that it had goes, and one that it is given is refused. */
function settleNoAddress(spec: Fields, before: Fields): void {
  const { clusterIP } = spec;
  if (clusterIP !== undefined && clusterIP !== before["clusterIP"]) {
    spec["clusterIPs"] = [clusterIP];
    return;
  }
  delete spec["clusterIP"];
  delete spec["clusterIPs"];
  for (const field of ["ipFamilies", "ipFamilyPolicy", "internalTrafficPolicy"]) {
    if (equal(spec[field], before[field])) delete spec[field];
  }
}

/** Said of what a Service has no use for. */
function serviceWarnings(object: ApiObject): readonly string[] {
  const spec = fieldsOf(object["spec"]);
  const isHeadless = spec["clusterIP"] === "None";
  const external = listOf(spec["externalIPs"]).length > 0;
  return [
    ...(isHeadless && textOf(spec["loadBalancerIP"]) !== ""
      ? ["spec.loadBalancerIP is ignored for headless services"]
      : []),
    ...(isHeadless && external ? ["spec.externalIPs is ignored for headless services"] : []),
    ...(isHeadless && spec["sessionAffinity"] !== "None"
      ? ["spec.SessionAffinity is ignored for headless services"]
      : []),
    ...(spec["type"] === "ExternalName" && external
      ? ['spec.externalIPs is ignored when spec.type is "ExternalName"']
      : []),
  ];
}

function freeAddress(store: ObjectStore): string {
  const used = new Set(store.list("services").map((service) => fieldsOf(service["spec"])["clusterIP"]));
  for (let offset = firstAddress; offset < firstAddress + addresses; offset += 1) {
    const address = `127.96.${Math.floor(offset / 256)}.${offset % 256}`;
    if (!used.has(address)) return address;
  }
  return "None";
}

/** Another Service may have the address that a new one asks for. */
function claimAddress(
  store: ObjectStore,
  object: ApiObject,
  previous: ApiObject | undefined,
): readonly StatusCause[] {
  const spec = fieldsOf(object["spec"]);
  const { clusterIP } = spec;
  if (previous !== undefined || isIP(textOf(clusterIP)) === 0) return [];
  const isTaken = store.list("services").some((each) => fieldsOf(each["spec"])["clusterIP"] === clusterIP);
  if (!isTaken) return [];
  const fault = `failed to allocate IP ${textOf(clusterIP)}: provided IP is already allocated`;
  return [invalidValue("spec.clusterIPs", listOf(spec["clusterIPs"]), fault)];
}

/** What another type has no use for goes with the type, unless it was changed in the same breath. */
function dropWhatTypeLacks(spec: Fields, before: Fields): void {
  if (needsNodePorts(before) && !needsNodePorts(spec)) {
    const old = new Set(fieldsList(before["ports"]).map((port) => port["nodePort"]));
    const ports = fieldsList(spec["ports"]);
    if (ports.every((port) => old.has(port["nodePort"]))) for (const port of ports) delete port["nodePort"];
    dropUnchanged(spec, before, "externalTrafficPolicy");
  }
  if (needsHealthPort(before) && !needsHealthPort(spec)) dropUnchanged(spec, before, "healthCheckNodePort");
  if (before["type"] === "LoadBalancer" && spec["type"] !== "LoadBalancer") {
    dropUnchanged(spec, before, "allocateLoadBalancerNodePorts");
  }
}

function dropUnchanged(spec: Fields, before: Fields, field: string): void {
  if (spec[field] === before[field]) delete spec[field];
}

function assignNodePorts(store: ObjectStore, object: ApiObject, before: Fields): void {
  const spec = fieldsOf(object["spec"]);
  const ports = fieldsList(spec["ports"]);
  const used = new Set([
    ...nodePortsBeside(store, object),
    ...ports.map((port) => port["nodePort"]),
    ...fieldsList(before["ports"]).map((port) => port["nodePort"]),
  ]);
  for (const port of ports) {
    if (port["nodePort"] !== undefined && port["nodePort"] !== 0) continue;
    const kept = fieldsList(before["ports"]).find((each) => each["port"] === port["port"])?.["nodePort"];
    const isFree = kept !== undefined && ports.every((each) => each["nodePort"] !== kept);
    port["nodePort"] = isFree ? kept : freeNodePort(used);
    used.add(port["nodePort"]);
  }
  if (!needsHealthPort(spec)) return;
  const given = spec["healthCheckNodePort"];
  if (given !== undefined && given !== 0) return;
  spec["healthCheckNodePort"] = before["healthCheckNodePort"] ?? freeNodePort(used);
}
