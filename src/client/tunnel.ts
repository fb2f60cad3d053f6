// A connection to a server through the proxy in between, for what goes over no kept connection of HTTP: commands in containers, and
// everything that passes a SOCKS proxy.
import { isIP, type Socket } from "node:net";
import { connect as connectTls, getCACertificates } from "node:tls";
import { Client, Socks5ProxyAgent } from "undici";
import { untilAborted } from "../ports/deadline.ts";
import type { TlsOptions } from "./connection.ts";

/** Whether a proxy speaks SOCKS; with `socks5:`, too, it is the proxy that resolves names. */
export function isSocks(proxy: string): boolean {
  return /^socks5h?:/i.test(proxy);
}

/** Who may sign for a proxy that speaks TLS itself: the server's authority, which is the one that kubectl asks, and the machine's. */
export function trustOfProxy(proxy: string, { ca, rejectUnauthorized }: TlsOptions): TlsOptions {
  if (!/^https:/i.test(proxy)) return {};
  return {
    ...(ca === undefined ? {} : { ca: [...getCACertificates("default"), ca].join("\n") }),
    ...(rejectUnauthorized === undefined ? {} : { rejectUnauthorized }),
  };
}

/** Opens one, with TLS where the server's URL says so. */
export async function openTunnel(
  proxy: string,
  server: URL,
  tls: TlsOptions,
  signal: AbortSignal,
): Promise<Socket> {
  const isSecure = server.protocol === "https:";
  const target: Target = {
    host: server.hostname.replace(/^\[|\]$/g, ""),
    port: server.port === "" ? (isSecure ? 443 : 80) : Number(server.port),
  };
  const opened = isSocks(proxy) ? throughSocks(proxy, target) : throughHttp(proxy, target, tls, signal);
  try {
    const socket = await untilAborted(opened, signal);
    return isSecure ? await secured(socket, target.host, tls, signal) : socket;
  } catch (error) {
    // It may come yet.
    void opened.then(
      (late) => late.destroy(),
      () => undefined,
    );
    throw error;
  }
}

interface Target {
  /** An IPv6 address without brackets. */
  readonly host: string;
  readonly port: number;
}

/** By CONNECT. */
async function throughHttp(
  proxy: string,
  { host, port }: Target,
  tls: TlsOptions,
  signal: AbortSignal,
): Promise<Socket> {
  const { origin, username, password } = new URL(proxy);
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const client = new Client(origin, { connect: trustOfProxy(proxy, tls) });
  try {
    const { socket, statusCode } = await client.connect({
      path: `${isIP(host) === 6 ? `[${host}]` : host}:${port}`,
      signal,
      ...(username === ""
        ? {}
        : { headers: { "proxy-authorization": `Basic ${Buffer.from(credentials).toString("base64")}` } }),
    });
    // It is not the client's any more: the client ends with it.
    socket.once("close", () => void client.destroy().catch(() => undefined));
    if (statusCode === 200) return socket as Socket;
    socket.once("error", () => undefined).destroy();
    throw new Error(`Proxy response (${statusCode}) !== 200 when HTTP Tunneling`);
  } catch (error) {
    void client.destroy().catch(() => undefined);
    throw error;
  }
}

/** The part of undici's agent that its types leave out: the agent itself would send the server's address as a name. */
interface SocksConnector {
  createSocks5Connection(host: string, port: number): Promise<Socket>;
}

function throughSocks(proxy: string, { host, port }: Target): Promise<Socket> {
  const agent = new Socks5ProxyAgent(proxy.replace(/^socks5h:/i, "socks5:"));
  return (agent as unknown as SocksConnector).createSocks5Connection(host, port);
}

async function secured(socket: Socket, host: string, tls: TlsOptions, signal: AbortSignal): Promise<Socket> {
  const name = isIP(host) === 0 ? { servername: host } : {};
  const connection = connectTls({ socket, host, ...name, ...tls });
  try {
    await untilAborted(
      new Promise<void>((resolve, reject) => {
        connection.once("secureConnect", resolve);
        connection.once("error", reject);
      }),
      signal,
    );
    return connection;
  } catch (error) {
    connection.once("error", () => undefined).destroy();
    throw error;
  }
}
