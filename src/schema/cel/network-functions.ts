// IP addresses and CIDR ranges in CEL.
// https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-ip-address-library
import type { Environment } from "@marcbachmann/cel-js";
import { BlockList, isIP } from "node:net";

/** An address. */
class Address {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
  get family(): "ipv4" | "ipv6" {
    return isIP(this.text) === 4 ? "ipv4" : "ipv6";
  }
}

/** A range of addresses. */
class Range {
  readonly address: Address;
  readonly prefix: number;
  constructor(address: Address, prefix: number) {
    this.address = address;
    this.prefix = prefix;
  }
  contains(address: Address): boolean {
    const block = new BlockList();
    block.addSubnet(this.address.text, this.prefix, this.address.family);
    return address.family === this.address.family && block.check(address.text, address.family);
  }
}

/** What `ip.isCanonical` is called on. */
class AddressNamespace {
  isCanonical(text: string): boolean {
    return canonical(toAddress(text)) === text;
  }
}

/** Adds ip, isIP, cidr, isCIDR, their methods and `ip.isCanonical`. */
export function registerNetworkFunctions(environment: Environment): void {
  environment.registerType("net.IP", Address);
  environment.registerType("net.CIDR", Range);
  environment.registerType("kubernetes.IPNamespace", AddressNamespace);
  environment.registerConstant("ip", "kubernetes.IPNamespace", new AddressNamespace());
  environment.registerFunction("isIP(string): bool", (text: string) => faultOf(text) === undefined);
  environment.registerFunction("ip(string): net.IP", toAddress);
  environment.registerFunction(
    "kubernetes.IPNamespace.isCanonical(string): bool",
    (namespace: AddressNamespace, text: string) => namespace.isCanonical(text),
  );
  environment.registerFunction("net.IP.family(): int", (ip: Address) => (ip.family === "ipv4" ? 4n : 6n));
  environment.registerFunction("string(net.IP): string", canonical);
  environment.registerOperator(
    "net.IP == net.IP",
    (left: Address, right: Address) => canonical(left) === canonical(right),
  );
  const within = (name: string, ranges: readonly string[]): void => {
    environment.registerFunction(`net.IP.${name}(): bool`, (ip: Address) =>
      ranges.some((range) => toRange(range).contains(ip)),
    );
  };
  within("isUnspecified", ["0.0.0.0/32", "::/128"]);
  within("isLoopback", ["127.0.0.0/8", "::1/128"]);
  within("isLinkLocalMulticast", ["224.0.0.0/24", "ff02::/16"]);
  within("isLinkLocalUnicast", ["169.254.0.0/16", "fe80::/10"]);
  environment.registerFunction("isCIDR(string): bool", (text: string) => readRange(text) !== undefined);
  environment.registerFunction("cidr(string): net.CIDR", toRange);
  environment.registerFunction("net.CIDR.containsIP(string): bool", (range: Range, ip: string) =>
    range.contains(toAddress(ip)),
  );
  environment.registerFunction("net.CIDR.containsIP(net.IP): bool", (range: Range, ip: Address) =>
    range.contains(ip),
  );
  environment.registerFunction("net.CIDR.containsCIDR(string): bool", (range: Range, text: string) =>
    containsRange(range, toRange(text)),
  );
  environment.registerFunction("net.CIDR.containsCIDR(net.CIDR): bool", containsRange);
  environment.registerFunction("net.CIDR.masked(): net.CIDR", masked);
  environment.registerOperator(
    "net.CIDR == net.CIDR",
    (left: Range, right: Range) => printRange(left) === printRange(right),
  );
  environment.registerFunction("string(net.CIDR): string", printRange);
  environment.registerFunction(
    "net.IP.isGlobalUnicast(): bool",
    (ip: Address) => !notGlobal.some((range) => toRange(range).contains(ip)),
  );
  environment.registerFunction("net.CIDR.ip(): net.IP", (range: Range) => range.address);
  environment.registerFunction("net.CIDR.prefixLength(): int", (range: Range) => BigInt(range.prefix));
}

function containsRange(outer: Range, inner: Range): boolean {
  return outer.prefix <= inner.prefix && outer.contains(inner.address);
}

function canonical({ text, family }: Address): string {
  return family === "ipv4" ? text : new URL(`http://[${text}]`).hostname.slice(1, -1);
}

/** Neither one's own, nor of many, nor of a link, nor none or everybody. */
const notGlobal = ["0.0.0.0/32", "255.255.255.255/32", "127.0.0.0/8", "224.0.0.0/4", "169.254.0.0/16"].concat(
  ["::/128", "::1/128", "ff00::/8", "fe80::/10"],
);

/** The range that begins with the first address of its prefix. */
function masked({ address, prefix }: Range): Range {
  const bits = address.family === "ipv4" ? 32 : 128;
  const kept = (numberOf(address) >> BigInt(bits - prefix)) << BigInt(bits - prefix);
  return new Range(addressOf(kept, address.family), prefix);
}

function numberOf(address: Address): bigint {
  if (address.family === "ipv4") {
    return address.text.split(".").reduce((sum, part) => sum * 256n + BigInt(part), 0n);
  }
  const [head = "", tail] = canonical(address).split("::");
  const groups = (text: string | undefined): string[] =>
    (text ?? "").split(":").filter((each) => each !== "");
  const [before, after] = [groups(head), groups(tail)];
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => "0");
  return [...before, ...zeros, ...after].reduce((sum, part) => sum * 65_536n + BigInt(`0x${part}`), 0n);
}

function addressOf(number: bigint, family: "ipv4" | "ipv6"): Address {
  const [parts, bits] = family === "ipv4" ? [4, 8n] : [8, 16n];
  const all = Array.from(
    { length: parts },
    (_, index) => (number >> (BigInt(parts - 1 - index) * bits)) % 2n ** bits,
  );
  return new Address(family === "ipv4" ? all.join(".") : all.map((part) => part.toString(16)).join(":"));
}

function printRange({ address, prefix }: Range): string {
  return `${canonical(address)}/${prefix}`;
}

/** Why a text is no address; undefined: it is one. */
function faultOf(text: string): string | undefined {
  if (isIP(text) === 0) {
    return `IP Address "${text}" parse error during conversion from string: ParseAddr("${text}"): unable to parse IP`;
  }
  if (/^::ffff:/i.test(text) && isIP(text) === 6) return `IPv4-mapped IPv6 address "${text}" is not allowed`;
  return text.includes("%") ? `IP address "${text}" with zone value is not allowed` : undefined;
}

function toAddress(text: string): Address {
  const fault = faultOf(text);
  if (fault !== undefined) throw new Error(fault);
  return new Address(text);
}

function readRange(text: string): Range | undefined {
  const [address = "", bits = "", ...more] = text.split("/");
  const family = isIP(address);
  const fits = /^(?:0|[1-9]\d{0,2})$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128);
  return family === 0 || !fits || more.length > 0 || faultOf(address) !== undefined
    ? undefined
    : new Range(new Address(address), Number(bits));
}

function toRange(text: string): Range {
  const range = readRange(text);
  if (range === undefined)
    throw new Error(`network address parse error during conversion from string: ${text}`);
  return range;
}
