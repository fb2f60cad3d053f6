// The cluster addresses of Services, from a range of the loopback network, on which a process can really listen. As in kube-apiserver
// they are settled before the rest of a Service is looked at, and what is wrong with them is then said alone.
import { isIP } from "node:net";
import { equal } from "../../../../schema/json-value.ts";
import { invalidValue, type StatusCause } from "../../../../schema/status-cause.ts";
import type { Random } from "../../../../ports/random.ts";
import { fieldsOf, listOf, textOf, type ApiObject, type Fields } from "../../api-object.ts";
import type { ObjectStore } from "../../storage/object-store.ts";
import { familyOf } from "../validation/ip-rules.ts";
import { clusterAddressFaults, hasSameAddresses } from "../validation/service-address-rules.ts";

/** 127.96.0.0/16 without its first addresses, which look like networks. */
const firstAddress = 10;
const addresses = 256 * 256 - firstAddress - 1;
/** The only family of this cluster. */
const known = "IPv4";

/** Where addresses are taken from. */
export interface AddressSource {
  readonly store: ObjectStore;
  /** The first address that is looked at, as a number from 0. */
  readonly first: () => number;
}

/**
 * Addresses from a place in the range on that the cluster has chosen at its first Service: the processes of several clusters on one machine
 * would meet each other's Services otherwise.
 */
export function addressesOf(store: ObjectStore, random: Random): AddressSource {
  let first: number | undefined;
  return { store, first: () => (first ??= Math.floor(random() * addresses)) };
}

/** Brings the one address and the list of all into line, in place; what is not said stays as it was. */
export function alignAddresses(spec: Fields, before: Fields | undefined): void {
  const hasNone = (name: string): boolean => listOf(spec[name]).length === 0;
  if (before === undefined) {
    if (textOf(spec["clusterIP"]) !== "" && hasNone("clusterIPs")) spec["clusterIPs"] = [spec["clusterIP"]];
    return;
  }
  if (spec["type"] !== "ExternalName" && before["type"] !== "ExternalName") {
    if (textOf(spec["clusterIP"]) === "") setOrDelete(spec, "clusterIP", before["clusterIP"]);
    if (hasNone("clusterIPs")) setOrDelete(spec, "clusterIPs", before["clusterIPs"]);
  }
  if (hasNone("clusterIPs") && spec["clusterIP"] === before["clusterIP"]) {
    setOrDelete(spec, "clusterIPs", before["clusterIPs"]);
  }
  const isSameList = equal(listOf(spec["clusterIPs"]), listOf(before["clusterIPs"]));
  if (spec["clusterIP"] === before["clusterIP"] || !isSameList) return;
  if (textOf(spec["clusterIP"]) === "") delete spec["clusterIPs"];
  else spec["clusterIPs"] = [spec["clusterIP"]];
}

function setOrDelete(spec: Fields, name: string, value: unknown): void {
  if (value === undefined) delete spec[name];
  else spec[name] = value;
}

/** Whether nothing is to be settled, as a Service with two families where there are any stays as it is. */
function isSettled(spec: Fields, before: Fields): boolean {
  const areAlike = [spec, before].every(({ ipFamilyPolicy }) => ipFamilyPolicy === "PreferDualStack");
  return (
    areAlike &&
    spec["type"] === before["type"] &&
    hasSameAddresses(spec, before) &&
    equal(spec["ipFamilies"], before["ipFamilies"])
  );
}

/**
 * Gives a Service its families and its address, in place; or says why it gets none.
 *
 * **Caveats**: an address outside of the range is taken, as manifests name addresses of theirs.
 */
export function claimAddresses(
  source: AddressSource,
  object: ApiObject,
  previous: ApiObject | undefined,
): readonly StatusCause[] {
  const spec = fieldsOf(object["spec"]);
  if (spec["type"] === "ExternalName") return [];
  const before = previous === undefined ? undefined : fieldsOf(previous["spec"]);
  if (before !== undefined && isSettled(spec, before)) return [];
  const isOpen = spec["clusterIP"] === "None" && Object.keys(fieldsOf(spec["selector"])).length === 0;
  // Nobody knows the addresses behind a Service that has neither an address nor a selector.
  spec["ipFamilyPolicy"] ??= before?.["ipFamilyPolicy"] ?? (isOpen ? "RequireDualStack" : "SingleStack");
  const faults = clusterAddressFaults(spec);
  if (faults.length > 0) return faults;
  const causes = [...settleStack(spec, before), ...nameFamilies(spec)];
  if (causes.length > 0) return causes;
  if (isOpen) {
    nameBothFamilies(spec);
    return [];
  }
  const unknown = unknownFamilies(spec);
  if (unknown.length > 0) return unknown;
  if (listOf(spec["ipFamilies"]).length === 0) spec["ipFamilies"] = [known];
  return takeAddress(source, spec, before);
}

/** One family, or two: as many as there are addresses. */
function settleStack(spec: Fields, before: Fields | undefined): readonly StatusCause[] {
  const policy = spec["ipFamilyPolicy"];
  const field = "spec.ipFamilyPolicy";
  const parts = [
    { list: "clusterIPs", one: "cluster IP", many: "cluster IPs" },
    { list: "ipFamilies", one: "IP family", many: "IP families" },
  ];
  return parts.flatMap(({ list, one, many }): readonly StatusCause[] => {
    const [now, old] = [listOf(spec[list]), listOf(before?.[list])];
    if (policy !== "SingleStack") {
      const isReduced = old.length === 2 && now.length === 1 && old[0] === now[0];
      const detail = `must be 'SingleStack' to release the secondary ${one}`;
      return isReduced ? [invalidValue(field, policy, detail)] : [];
    }
    if (before !== undefined && equal(now, old) && now.length > 1) spec[list] = now.slice(0, 1);
    if (listOf(spec[list]).length !== 2) return [];
    const detail = `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${many} are specified`;
    return [invalidValue(field, policy, detail)];
  });
}

/** An address says of which family it is. */
function nameFamilies(spec: Fields): readonly StatusCause[] {
  const ips = listOf(spec["clusterIPs"]).map(String);
  if (ips[0] === "None") return [];
  return ips.flatMap((ip, index) => {
    const named = listOf(spec["ipFamilies"]);
    if (index < named.length) return [];
    const family = familyOf(ip);
    if (family === known) {
      spec["ipFamilies"] = [...named, family];
      return [];
    }
    const detail = `${family ?? ""} is not configured on this cluster`;
    return [invalidValue(`spec.clusterIPs[${index}]`, ips, detail)];
  });
}

function nameBothFamilies(spec: Fields): void {
  const named = listOf(spec["ipFamilies"]);
  const [first = known] = named;
  if (named.length >= 2) return;
  const both = [first, first === "IPv4" ? "IPv6" : "IPv4"];
  spec["ipFamilies"] = spec["ipFamilyPolicy"] === "SingleStack" ? [first] : both;
}

function unknownFamilies(spec: Fields): readonly StatusCause[] {
  const detail = "this cluster is not configured for dual-stack services";
  const isDual = spec["ipFamilyPolicy"] === "RequireDualStack";
  return [
    ...(isDual ? [invalidValue("spec.ipFamilyPolicy", spec["ipFamilyPolicy"], detail)] : []),
    ...listOf(spec["ipFamilies"]).flatMap((family, index) =>
      family === known
        ? []
        : [invalidValue(`spec.ipFamilies[${index}]`, family, "not configured on this cluster")],
    ),
  ];
}

/** A new address, or the one that is asked for; another Service may have it. */
function takeAddress(
  { store, first }: AddressSource,
  spec: Fields,
  before: Fields | undefined,
): readonly StatusCause[] {
  if (before !== undefined && before["type"] !== "ExternalName") return [];
  const [asked] = listOf(spec["clusterIPs"]);
  if (asked === "None") return [];
  const used = new Set(store.list("services").map((service) => fieldsOf(service["spec"])["clusterIP"]));
  if (isIP(textOf(asked)) !== 0 && used.has(asked)) {
    const fault = `failed to allocate IP ${textOf(asked)}: provided IP is already allocated`;
    return [invalidValue("spec.clusterIPs", listOf(spec["clusterIPs"]), fault)];
  }
  spec["clusterIP"] = asked ?? freeAddress(used, first());
  spec["clusterIPs"] = [spec["clusterIP"]];
  return [];
}

function freeAddress(used: ReadonlySet<unknown>, first: number): string {
  for (let index = 0; index < addresses; index += 1) {
    const offset = firstAddress + ((first + index) % addresses);
    const address = `127.96.${Math.floor(offset / 256)}.${offset % 256}`;
    if (!used.has(address)) return address;
  }
  return "None";
}
