// Which HTTP proxy, if any, leads to a server: by the variables that curl, kubectl and most others follow. Pure.
import type { Environment } from "./service-account.ts";

/** The proxy's URL; undefined when the server is to be reached directly. Loopback is always reached directly. */
export function proxyFor(server: string, env: Environment): string | undefined {
  const { protocol, hostname, port } = new URL(server);
  if (hostname === "localhost" || hostname === "[::1]" || hostname.startsWith("127.")) return undefined;
  const read = (name: string): string | undefined => env[name] || env[name.toLowerCase()] || undefined;
  const proxy = read(protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY");
  if (proxy === undefined) return undefined;
  const excluded = (read("NO_PROXY") ?? "").split(/[\s,]+/).some((pattern) => {
    const [host = "", only] = pattern.replace(/^\*?\./, "").split(":");
    if (host === "") return false;
    if (only !== undefined && only !== port) return false;
    return host === "*" || hostname === host || hostname.endsWith(`.${host}`);
  });
  if (excluded) return undefined;
  return /^[a-z]+:\/\//.test(proxy) ? proxy : `http://${proxy}`;
}
