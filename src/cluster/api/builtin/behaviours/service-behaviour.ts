// Services: defaults, and cluster addresses from a range of the loopback network, on which a process can really listen.
import { invalidValue, type StatusCause } from "../../../../schema/status-cause.ts";
import {
  ensureFields,
  fieldsList,
  fieldsOf,
  listOf,
  setDefault,
  type ApiObject,
  type Fields,
} from "../../api-object.ts";
import type { TypeBehaviour } from "../../served-type.ts";
import type { ObjectStore } from "../../storage/object-store.ts";

const firstNodePort = 30_000;
const nodePorts = 2_768;
/** 127.96.0.0/16 without its first addresses, which look like networks. */
const firstAddress = 10;
const addresses = 256 * 256 - firstAddress - 1;

/** `Service` of v1; addresses and node ports are the first ones that no stored Service has. */
export function createServiceBehaviour(store: ObjectStore): TypeBehaviour {
  return {
    prepare(object, previous) {
      const spec = ensureFields(object, "spec");
      if (previous === undefined) object["status"] = { loadBalancer: {} };
      if (spec["type"] === "ExternalName") {
        delete spec["clusterIP"];
        delete spec["clusterIPs"];
        return;
      }
      const before = fieldsOf(previous?.["spec"]);
      if (spec["clusterIP"] === undefined) {
        spec["clusterIP"] = before["clusterIP"] ?? listOf(spec["clusterIPs"])[0] ?? freeAddress(store);
      }
      spec["clusterIPs"] = [spec["clusterIP"]];
      setDefault(spec, "ipFamilies", ["IPv4"]);
      setDefault(spec, "ipFamilyPolicy", "SingleStack");
      if (spec["type"] !== "ClusterIP") assignNodePorts(store, spec, before);
    },
    setDefaults(object) {
      const spec = ensureFields(object, "spec");
      setDefault(spec, "type", "ClusterIP");
      setDefault(spec, "sessionAffinity", "None");
      if (spec["sessionAffinity"] === "ClientIP") {
        const client = ensureFields(ensureFields(spec, "sessionAffinityConfig"), "clientIP");
        setDefault(client, "timeoutSeconds", 10_800);
      }
      for (const port of fieldsList(spec["ports"])) {
        setDefault(port, "protocol", "TCP");
        setDefault(port, "targetPort", port["port"]);
      }
      if (spec["type"] === "ExternalName") return;
      setDefault(spec, "internalTrafficPolicy", "Cluster");
      if (spec["type"] !== "ClusterIP") setDefault(spec, "externalTrafficPolicy", "Cluster");
      if (spec["type"] === "LoadBalancer") setDefault(spec, "allocateLoadBalancerNodePorts", true);
    },
    validate: validateService,
  };
}

function validateService(object: ApiObject, previous: ApiObject | undefined): StatusCause[] {
  const spec = fieldsOf(object["spec"]);
  const errors: StatusCause[] = [];
  const before = fieldsOf(previous?.["spec"]);
  const address = before["clusterIP"];
  if (address !== undefined && spec["type"] !== "ExternalName" && spec["clusterIP"] !== address) {
    errors.push(invalidValue("spec.clusterIPs[0]", listOf(spec["clusterIPs"]), "may not change once set"));
  }
  return errors;
}

function freeAddress(store: ObjectStore): string {
  const used = new Set(store.list("services").map((service) => fieldsOf(service["spec"])["clusterIP"]));
  for (let offset = firstAddress; offset < firstAddress + addresses; offset += 1) {
    const address = `127.96.${Math.floor(offset / 256)}.${offset % 256}`;
    if (!used.has(address)) return address;
  }
  return "None";
}

function assignNodePorts(store: ObjectStore, spec: Fields, before: Fields): void {
  const used = new Set(
    store
      .list("services")
      .flatMap((service) => fieldsList(fieldsOf(service["spec"])["ports"]).map((port) => port["nodePort"])),
  );
  for (const port of fieldsList(spec["ports"])) {
    if (port["nodePort"] !== undefined && port["nodePort"] !== 0) continue;
    const kept = fieldsList(before["ports"]).find((each) => each["port"] === port["port"])?.["nodePort"];
    let candidate = firstNodePort;
    while (used.has(candidate) && candidate < firstNodePort + nodePorts) candidate += 1;
    port["nodePort"] = kept ?? candidate;
    used.add(port["nodePort"]);
  }
}
