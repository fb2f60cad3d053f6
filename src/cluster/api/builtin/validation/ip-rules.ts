// What addresses and ranges of addresses must be, wherever they stand.
import { isIP } from "node:net";

/** What is wrong with a text that is to be an address. */
export function ipFault(address: string): string | undefined {
  return isIP(address) === 0 ? "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)" : undefined;
}

/** What is wrong with a text that is to be a range of addresses. */
export function rangeFault(range: string): string | undefined {
  const [address = "", bits = "", ...rest] = range.split("/");
  const most = isIP(address) === 4 ? 32 : 128;
  return isIP(address) !== 0 && rest.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= most
    ? undefined
    : "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";
}

/** Addresses that mean nothing, or the host itself, to whoever reads them. */
const special: readonly (readonly [addresses: RegExp, fault: (address: string) => string])[] = [
  [/^(?:0\.0\.0\.0|::)$/, (address) => `may not be unspecified (${address})`],
  [/^127\.|^::1$/, () => "may not be in the loopback range (127.0.0.0/8, ::1/128)"],
  [/^169\.254\.|^fe[89ab]/i, () => "may not be in the link-local range (169.254.0.0/16, fe80::/10)"],
  [/^224\.0\.0\.|^ff02:/i, () => "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"],
];

/** What is wrong with an address for others to use; whether it is one is asked before. */
export function reachFaults(address: string): readonly string[] {
  return special.filter(([addresses]) => addresses.test(address)).map(([, fault]) => fault(address));
}

/** The family of an address, also of one that a range begins with; undefined: it is none. */
export function familyOf(address: string): "IPv4" | "IPv6" | undefined {
  const version = isIP(address.split("/")[0] ?? "");
  return version === 4 ? "IPv4" : version === 6 ? "IPv6" : undefined;
}
