// Which HTTP proxy, if any, leads to a server: by the variables that kubectl and most others follow, read as Go reads them.
// Source: golang.org/x/net/http/httpproxy. Pure.
import { BlockList, isIP, isIPv4 } from "node:net";
import { OperatorError } from "../ports/operator-error.ts";
import type { HttpProxy } from "./connection.ts";
import type { Environment } from "./service-account.ts";

/** The proxy; undefined when the server is to be reached directly. Loopback is always reached directly. Errors: `PROXY_INVALID`. */
export function proxyFor(server: string, env: Environment): HttpProxy | undefined {
  const { protocol, hostname, port } = new URL(server);
  const target: Target = {
    host: hostname.replace(/^\[|\]$/g, "").replace(/\.$/, ""),
    port: port === "" ? (protocol === "https:" ? "443" : "80") : port,
  };
  const read = (name: string): HttpProxy | undefined => {
    const source = [name, name.toLowerCase()].find((each) => (env[each] ?? "") !== "");
    return source === undefined ? undefined : { url: env[source] ?? "", source };
  };
  const proxy = read(protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY");
  if (proxy === undefined || isLoopback(target.host)) return undefined;
  const exceptions = (read("NO_PROXY")?.url ?? "").toLowerCase().split(/[\s,]+/);
  if (exceptions.some((exception) => isExcepted(exception, target))) return undefined;
  return checkedProxy({
    ...proxy,
    url: /^[a-z0-9]+:\/\//i.test(proxy.url) ? proxy.url : `http://${proxy.url}`,
  });
}

/** The proxy, if it can be used. Errors: `PROXY_INVALID`. */
export function checkedProxy(proxy: HttpProxy): HttpProxy {
  const { protocol = "" } = URL.canParse(proxy.url) ? new URL(proxy.url) : {};
  if (/^(?:https?|socks5h?):$/.test(protocol)) return proxy;
  throw new OperatorError(
    "PROXY_INVALID",
    `${proxy.source} does not name a proxy: ${protocol === "" ? "it is no URL" : `${protocol}// is not supported`}`,
    {
      fields: { source: proxy.source },
      remedy: "Write it as http://host:port, https://host:port or socks5://host:port.",
    },
  );
}

/** `http://proxy:3128 (HTTPS_PROXY)`: without credentials. */
export function describeProxy({ url, source }: HttpProxy): string {
  const where = URL.canParse(url)
    ? `${new URL(url).protocol}//${new URL(url).host}`
    : "an address that is no URL";
  return `${where} (${source})`;
}

interface Target {
  /** In lower case; an IPv6 address without brackets. */
  readonly host: string;
  readonly port: string;
}

function isLoopback(host: string): boolean {
  return host === "localhost" || contains("127.0.0.0/8", host) || contains("::1/128", host);
}

/** Whether one entry of `NO_PROXY` is about the target: `*`, a network, an address or a domain, the last two with a port or without. */
function isExcepted(exception: string, target: Target): boolean {
  if (exception === "") return false;
  if (exception === "*") return true;
  if (exception.includes("/")) return contains(exception, target.host);
  const { host, port } = splitPort(exception);
  if (port !== undefined && port !== target.port) return false;
  if (isIP(host) !== 0) return contains(`${host}/${isIPv4(host) ? 32 : 128}`, target.host);
  const domain = host.replace(/^\*\./, ".");
  if (domain === "" || domain === ".") return false;
  // `.example.com` is about what is below it, `example.com` also about itself.
  return domain.startsWith(".")
    ? target.host.endsWith(domain)
    : target.host === domain || target.host.endsWith(`.${domain}`);
}

/** `10.0.0.1:80`, `[fd00::1]:80`, `[fd00::1]`, `fd00::1`, `example.com:80`. */
function splitPort(entry: string): { readonly host: string; readonly port?: string } {
  const bracketed = /^\[([^\]]*)\](?::(\d+))?$/.exec(entry);
  const [, host = entry, port] =
    bracketed ?? (isIP(entry) === 6 ? [] : (/^([^:]*):(\d+)$/.exec(entry) ?? []));
  return port === undefined ? { host } : { host, port };
}

/** Whether an address is in a network, written as `10.0.0.0/8`. */
function contains(network: string, host: string): boolean {
  const [address = "", prefix = ""] = network.split("/");
  const [family, ofHost] = [isIP(address), isIP(host)];
  const bits = /^\d{1,3}$/.test(prefix) ? Number(prefix) : Infinity;
  if (family === 0 || ofHost === 0 || bits > (family === 4 ? 32 : 128)) return false;
  const list = new BlockList();
  list.addSubnet(address, bits, family === 4 ? "ipv4" : "ipv6");
  return list.check(host, ofHost === 4 ? "ipv4" : "ipv6");
}
