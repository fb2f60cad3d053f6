// What addresses and ranges of addresses must be, wherever they stand.
import { isIP } from "node:net";

/** An address that was written loosely, without zeros in front of its decimal parts; undefined: it is none. */
export function looseAddress(text: string): string | undefined {
  const address = text.replaceAll(/\d+(?=\.)|(?<=\.)\d+/g, (part) => String(Number(part)));
  return isIP(address) === 0 || address.includes("%") ? undefined : address;
}

/** What is wrong with a text that is to be an address. */
export function ipFault(text: string): string | undefined {
  const address = looseAddress(text);
  if (address === undefined) return "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
  if (address !== text) return "must not have leading 0s";
  return isMapped(address) ? "must not be an IPv4-mapped IPv6 address" : undefined;
}

/** Whether an address of IPv6 stands for one of IPv4. */
function isMapped(address: string): boolean {
  if (isIP(address) !== 6) return false;
  return /^::ffff:[\da-f]+:[\da-f]+$/.test(canonical(address));
}

/** What is wrong with a text that is to be a range of addresses. */
export function rangeFault(range: string): string | undefined {
  const [text = "", bits = "", ...rest] = range.split("/");
  const address = looseAddress(text);
  const most = isIP(address ?? "") === 4 ? 32 : 128;
  if (address === undefined || rest.length > 0 || !/^\d+$/.test(bits) || Number(bits) > most) {
    return "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";
  }
  if (address !== text || /^0\d/.test(bits)) return "must not have leading 0s in IP or prefix length";
  return isMapped(address) ? "must not have an IPv4-mapped IPv6 address" : looseBits(address, Number(bits));
}

/** The address in the form in which it is written. */
export function canonical(address: string): string {
  return isIP(address) === 6 ? new URL(`http://[${address}]/`).hostname.slice(1, -1) : address;
}

/** The bits of an address. */
function bitsOf(address: string): bigint {
  const join = (parts: readonly string[], base: number, size: bigint): bigint =>
    parts.reduce((bits, part) => (bits << size) + BigInt(Number.parseInt(part, base)), 0n);
  if (isIP(address) === 4) return join(address.split("."), 10, 8n);
  const [head = "", tail] = canonical(address).split("::");
  const groups = (text: string): readonly string[] => (text === "" ? [] : text.split(":"));
  const last = groups(tail ?? "");
  const missing = tail === undefined ? 0 : 8 - groups(head).length - last.length;
  return join([...groups(head), ...Array<string>(missing).fill("0"), ...last], 16, 16n);
}

/** A range is written with the first of its addresses. */
function looseBits(address: string, bits: number): string | undefined {
  const free = BigInt((isIP(address) === 4 ? 32 : 128) - bits);
  return bitsOf(address) % (1n << free) === 0n
    ? undefined
    : "must not have bits set beyond the prefix length";
}

/** Addresses that mean nothing, or the host itself, to whoever reads them. */
const special: readonly (readonly [addresses: RegExp, fault: (address: string) => string])[] = [
  [/^(?:0\.0\.0\.0|::)$/, (address) => `may not be unspecified (${address})`],
  [/^127\.|^::1$/, () => "may not be in the loopback range (127.0.0.0/8, ::1/128)"],
  [/^169\.254\.|^fe[89ab]/i, () => "may not be in the link-local range (169.254.0.0/16, fe80::/10)"],
  [/^224\.0\.0\.|^ff02:/i, () => "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"],
];

/** Whether a pod has an address. */
export type IsOfPod = (address: string) => boolean;

/**
 * What is wrong with an address for others to use; whether it is one is asked before. One that a pod has is right whatever it is: the
 * processes that are pods here listen on the loopback network.
 */
export function reachFaults(address: string, isOfPod: IsOfPod = () => false): readonly string[] {
  return special
    .filter(([addresses]) => addresses.test(address) && !isOfPod(address))
    .map(([, fault]) => fault(address));
}

/** The family of an address, also of one that a range begins with; undefined: it is none. */
export function familyOf(address: string): "IPv4" | "IPv6" | undefined {
  const version = isIP(address.split("/")[0] ?? "");
  return version === 4 ? "IPv4" : version === 6 ? "IPv6" : undefined;
}
