// What the status of a claim of devices may say: which devices it was given, for whom, and what their drivers tell of them.
import { isIP } from "node:net";
import { equal } from "../../../../schema/json-value.ts";
import {
  duplicateValue,
  forbiddenValue,
  invalidValue,
  requiredValue,
  tooLong,
  tooMany,
  unsupportedValue,
  type StatusCause,
} from "../../../../schema/status-cause.ts";
import { fieldsList, fieldsOf, isFields, listOf, textOf, type Fields } from "../../api-object.ts";
import { nodeSelectorRule } from "./affinity-rules.ts";
import { conditionsRule } from "./condition-rules.ts";
import { configuration, eachOf, label, namesIn, reference, references, setOf } from "./device-rules.ts";
import { bindingConditions, poolName } from "./device-slice-rules.ts";
import { rangeFault } from "./ip-rules.ts";
import { fields, invalidStruct, optional, required, type ChangeRule, type Rule } from "./rule.ts";
import { csiDriver } from "./volume-source-rules.ts";

const mostConsumers = 256;
const mostResults = 32;
const mostConfigurations = 64;
const mostConditions = 8;
const longestData = 10_240;
const longestInterface = 256;
const longestHardware = 128;
const mostAddresses = 16;

const uidForm =
  "uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters";

/** What tells shares of a device apart. */
const shareId: Rule = optional((value, at) => {
  const id = textOf(value);
  if (/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(id)) return [];
  const isUuid = /^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i.test(id);
  const fault = isUuid ? uidForm : `error validating uid: invalid UUID length: ${id.length}`;
  return [invalidValue(at, id, fault)];
});

const named: Rule = fields({ driver: csiDriver, pool: poolName, device: label });

/** A device, as the real server writes its name. */
function idOf(device: unknown): string {
  const { driver = "", pool = "", device: name = "", shareID } = fieldsOf(device);
  const id = [driver, pool, name].map(textOf).join("/");
  return shareID === undefined ? id : `${id}/${textOf(shareID)}`;
}

const interfaceAddress: Rule = (value, at) => {
  const [address = "", bits = ""] = textOf(value).split("/");
  if (rangeFault(textOf(value)) !== undefined) {
    const detail = "must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)";
    return [invalidValue(at, value, detail)];
  }
  const host = isIP(address) === 6 ? new URL(`http://[${address}]/`).hostname.slice(1, -1) : address;
  const canonical = `${host}/${Number(bits)}`;
  if (canonical === value) return [];
  return [invalidValue(at, value, `must be in canonical form (${JSON.stringify(canonical)})`)];
};

const upTo =
  (most: number): Rule =>
  (value, at) =>
    textOf(value).length > most ? [tooLong(at, most)] : [];

const toldOfDevices: Rule = fields({
  conditions: (value, at, parent) => {
    const count = listOf(value).length;
    const many = count > mostConditions ? [tooMany(at, count, mostConditions)] : [];
    return [...many, ...conditionsRule(value, at, parent)];
  },
  data: optional((value, at) => {
    if (JSON.stringify(value).length > longestData) return [tooLong(at, longestData)];
    return isFields(value) ? [] : [invalidValue(at, "<value omitted>", "must be a valid JSON object")];
  }),
  networkData: optional(
    fields({
      interfaceName: upTo(longestInterface),
      hardwareAddress: upTo(longestHardware),
      ips: setOf(mostAddresses, (item) => item, interfaceAddress),
    }),
  ),
});

/** What drivers tell of devices, each of which was given to the claim. */
function devices(status: Fields): Rule {
  const results = fieldsList(fieldsOf(fieldsOf(status["allocation"])["devices"])["results"]);
  const given = new Set(results.map(idOf));
  return (value, at) => {
    const seen = new Set<string>();
    return fieldsList(value).flatMap((device, index): readonly StatusCause[] => {
      const place = `${at}[${index}]`;
      const id = idOf(device);
      const isTwice = seen.has(id);
      seen.add(id);
      const { driver = "", pool = "", device: name = "", shareID = "" } = device;
      const struct = { Driver: driver, Pool: pool, Device: name, ShareID: shareID };
      return [
        ...named(device, place, status),
        ...shareId(device["shareID"], `${place}.shareID`, device),
        ...(given.has(id) ? [] : [invalidStruct(place, struct, "must be an allocated device in the claim")]),
        ...toldOfDevices(device, place, status),
        ...(isTwice ? [duplicateValue(place, struct)] : []),
      ];
    });
  };
}

const consumers = setOf(
  mostConsumers,
  (item) => fieldsOf(item)["uid"],
  fields({ resource: required(), name: required(), uid: required() }),
);

const sources = ["FromClaim", "FromClass"];

function allocation(spec: unknown): Rule {
  const known = namesIn(fieldsList(fieldsOf(fieldsOf(spec)["devices"])["requests"]));
  const source: Rule = (value, at) =>
    textOf(value) === ""
      ? [requiredValue(at)]
      : sources.includes(textOf(value))
        ? []
        : [unsupportedValue(at, value, sources)];
  return fields({
    devices: fields({
      results: eachOf(
        mostResults,
        fields({ request: reference(known) }),
        named,
        bindingConditions,
        fields({ shareID: shareId }),
      ),
      config: eachOf(mostConfigurations, fields({ source, requests: references(known) }), configuration),
    }),
    nodeSelector: optional(nodeSelectorRule),
  });
}

/** The status of a `ResourceClaim`. */
export const deviceClaimStatusRules: Rule = (value) => {
  const status = fieldsOf(fieldsOf(value)["status"]);
  const at = "status.reservedFor";
  const isReserved = listOf(status["reservedFor"]).length > 0 && status["allocation"] === undefined;
  const detail = "may not be specified when `allocated` is not set";
  return [
    ...consumers(status["reservedFor"], at, status),
    ...devices(status)(status["devices"], "status.devices", status),
    ...(isReserved ? [forbiddenValue(at, detail)] : []),
  ];
};

/** Devices are given once. */
export const deviceClaimStatusChanges: ChangeRule = (object, previous) => {
  const [now, before] = [object, previous].map(({ status }) => fieldsOf(status));
  const { allocation: given, reservedFor } = now ?? {};
  const field = "status.allocation";
  if (given === undefined) return [];
  const { metadata } = object;
  const old = new Set(listOf(before?.["reservedFor"]).map((each_) => JSON.stringify(each_)));
  const isAdded =
    fieldsOf(metadata)["deletionTimestamp"] !== undefined &&
    listOf(reservedFor).some((each_) => !old.has(JSON.stringify(each_)));
  const detail = "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set";
  const added = isAdded ? [forbiddenValue("status.reservedFor", detail)] : [];
  if (before?.["allocation"] === undefined) {
    return [...added, ...allocation(object["spec"])(given, field, now ?? {})];
  }
  return equal(given, before["allocation"])
    ? added
    : [...added, invalidValue(field, given, "field is immutable")];
};
