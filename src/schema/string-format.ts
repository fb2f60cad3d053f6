// The string formats that the API server checks; any other `format` is documentation to it.
// Read by the validator; the answers are those of kube-apiserver, not of the RFCs, where the two differ.
import { isIP, isIPv4, isIPv6 } from "node:net";

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const dateTime = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(\.\d+)?([Zz]|[+-]\d\d:?\d\d)$/;
const duration =
  /^(\d+)([\d.]*)\s*(ns|nano|us|µs|μs|micro|ms|milli|s|sec|m|min|h|hr|hour|d|day|w|week|wk)s?$/i;
const goDuration = /^[+-]?(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;
const hostname =
  /^(?=.{1,253}$)[a-zA-Z0-9](?:[-a-zA-Z0-9]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[-a-zA-Z0-9]{0,61}[a-zA-Z0-9])?)*$/;
const uuidDigits = /^[0-9a-f]{8}-?[0-9a-f]{4}-?([0-9a-f])[0-9a-f]{3}-?([0-9a-f])[0-9a-f]{3}-?[0-9a-f]{12}$/i;
const dnsLabel = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;

/** By name, without dashes, which count nowhere. */
const formats: Readonly<Record<string, (text: string) => boolean>> = {
  bsonobjectid: (text) => /^[0-9a-f]{24}$/i.test(text),
  byte: (text) => base64.test(text),
  cidr: isCidr,
  creditcard: (text) => /^\d{13,19}$/.test(text.replaceAll(/[ -]/g, "")),
  date: isDate,
  datetime: isDateTime,
  duration: (text) => goDuration.test(text) || duration.test(text),
  email: (text) => /^[^\s@<>]+@[^\s@<>]+$/.test(text),
  hexcolor: (text) => /^#?(?:[0-9a-f]{3}|[0-9a-f]{6})$/i.test(text),
  hostname: (text) => hostname.test(text),
  ipv4: isIPv4,
  ipv6: isIPv6,
  isbn: (text) => /^(?:\d{9}[\dX]|\d{13})$/.test(text.replaceAll(/[ -]/g, "")),
  isbn10: (text) => /^\d{9}[\dX]$/.test(text.replaceAll(/[ -]/g, "")),
  isbn13: (text) => /^\d{13}$/.test(text.replaceAll(/[ -]/g, "")),
  k8slongname: (text) => text.length <= 253 && text.split(".").every((label) => dnsLabel.test(label)),
  k8sshortname: (text) => text.length <= 63 && dnsLabel.test(text),
  mac: (text) => /^[0-9a-f]{2}([:-])(?:[0-9a-f]{2}\1){4}[0-9a-f]{2}$/i.test(text),
  password: () => true,
  rgbcolor: (text) => /^rgb\(\s*(?:\d{1,3}\s*,\s*){2}\d{1,3}\s*\)$/.test(text),
  ssn: (text) => /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text),
  uri: isUri,
  uuid: (text) => uuidDigits.test(text),
  uuid3: (text) => uuidDigits.exec(text)?.[1] === "3",
  uuid4: (text) => uuidDigits.exec(text)?.[1] === "4" && /[89ab]/i.test(uuidDigits.exec(text)?.[2] ?? ""),
  uuid5: (text) => uuidDigits.exec(text)?.[1] === "5" && /[89ab]/i.test(uuidDigits.exec(text)?.[2] ?? ""),
};

/** Whether a text has a format; formats that the server does not know accept everything. */
export function hasFormat(text: string, format: string): boolean {
  const check = checkOf(format);
  return check === undefined || check(text);
}

/** Whether a format of values of a type is one that the server knows. */
export function isKnownFormat(type: string, format: string): boolean {
  switch (type) {
    case "":
    case "string":
      return checkOf(format) !== undefined;
    case "integer":
      return format === "int32" || format === "int64";
    case "number":
      return format === "float" || format === "double";
    default:
      return false;
  }
}

function checkOf(format: string): ((text: string) => boolean) | undefined {
  const name = format.replaceAll("-", "");
  return Object.hasOwn(formats, name) ? formats[name] : undefined;
}

function isDate(text: string): boolean {
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
  return match !== null && isCalendarDay(Number(match[1]), Number(match[2]), Number(match[3]));
}

function isDateTime(text: string): boolean {
  const match = dateTime.exec(text);
  if (match === null) return false;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number);
  return (
    isCalendarDay(year ?? 0, month ?? 0, day ?? 0) &&
    (hour ?? 0) < 24 &&
    (minute ?? 0) < 60 &&
    (second ?? 0) < 60
  );
}

function isCalendarDay(year: number, month: number, day: number): boolean {
  const date = new Date(Date.UTC(year, month - 1, day));
  date.setUTCFullYear(year);
  return (
    month >= 1 && month <= 12 && day >= 1 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day
  );
}

function isCidr(text: string): boolean {
  const [address, bits, more] = text.split("/");
  const family = isIP(address ?? "");
  return (
    more === undefined &&
    family !== 0 &&
    bits !== undefined &&
    /^(?:0|[1-9]\d{0,2})$/.test(bits) &&
    Number(bits) <= (family === 4 ? 32 : 128)
  );
}

function isUri(text: string): boolean {
  return text.startsWith("/") || /^[a-zA-Z][a-zA-Z0-9+.-]*:\S*$/.test(text);
}
