// Requests, watches and commands through every kind of proxy, to a server that the proxy alone can find.
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { generate } from "selfsigned";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createKubeClient } from "../../src/client/http-client.ts";
import { loadConnection } from "../../src/client/kube-config.ts";
import { openTunnel } from "../../src/client/tunnel.ts";
import { createSimulatedPods, startCluster, type Cluster } from "../../src/cluster/index.ts";
import { Pod } from "../../src/kinds/builtin/core.ts";
import { clientOf } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { startProxy } from "../support/passing-proxy.ts";

const key = { namespace: "default", name: "worker" };
let cluster: Cluster;
beforeAll(async () => {
  const pods = createSimulatedPods();
  pods.answer({}, { exec: ({ command }) => ({ stdout: command.at(-1) ?? "" }) });
  cluster = await startCluster({ pods });
  const client = await clientOf(cluster.kubeconfig);
  const spec = { containers: [{ name: "app", image: "none" }] };
  await client.create(Pod, { apiVersion: "v1", kind: "Pod", metadata: key, spec });
  await eventually(async () => expect((await client.get(Pod, key)).status?.phase).toBe("Running"));
  await client.close();
});
afterAll(() => cluster.stop());

it.each([
  ["http", "http", "", "cluster.example"],
  ["http with a login", "http", "me:a%20word", "cluster.example"],
  ["https that the server's authority has signed", "https", "", "cluster.example"],
  ["socks5", "socks5", "", "cluster.example"],
  ["socks5h with a login", "socks5", "me:a%20word", "cluster.example"],
  ["socks5 to an address", "socks5", "", "127.0.0.1"],
  ["http to an IPv6 address", "http", "", "[::1]"],
  ["socks5 to an IPv6 address", "socks5", "", "[::1]"],
] as const)("goes through a proxy of %s", async (what, protocol, login, host) => {
  const signed = await certificateFor({ type: 2, value: "localhost" });
  const proxy = await startProxy(protocol, { login, key: signed.private, cert: signed.cert });
  const { port } = new URL(cluster.url);
  const direct = await loadConnection({ path: cluster.kubeconfig, env: {} });
  const client = createKubeClient({
    ...direct,
    server: `https://${host}:${port}`,
    proxy: {
      url: what.startsWith("socks5h") ? proxy.url.replace("socks5", "socks5h") : proxy.url,
      source: "test",
    },
    async authenticate(now, refused) {
      const { headers, tls } = await direct.authenticate(now, refused);
      const ca = [tls.ca, signed.cert].join("\n");
      return { headers, tls: { ...tls, ca, ...(host === "127.0.0.1" ? {} : { servername: "localhost" }) } };
    },
  });
  try {
    const { items } = await client.list(Pod, { namespace: "default" });
    expect(items.map(({ metadata }) => metadata.name)).toEqual(["worker"]);
    const abort = new AbortController();
    const seen: string[] = [];
    for await (const event of client.watch(Pod, { resourceVersion: "0", signal: abort.signal })) {
      seen.push(event.type);
      break;
    }
    expect(seen).toEqual(["ADDED"]);
    const { stdout } = await client.exec(key, { command: ["echo", "through"], kill: false });
    expect(stdout.toString()).toBe("through");
    const given = login === "" ? "" : "me:a word@";
    const target = host === "[::1]" && protocol === "socks5" ? "[IPv6]" : host;
    expect(new Set(proxy.asked)).toEqual(new Set([`${given}${target}:${port}`]));
  } finally {
    await client.close();
    proxy.close();
  }
});

it("takes an IPv6 address for the name that the server's certificate must have", async () => {
  const { private: tlsKey, cert } = await certificateFor({ type: 7, ip: "::1" });
  const server = createServer({ key: tlsKey, cert });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const proxy = await startProxy();
  const { port } = server.address() as AddressInfo;
  try {
    const signal = AbortSignal.timeout(10_000);
    const socket = await openTunnel(proxy.url, new URL(`https://[::1]:${port}`), { ca: cert }, signal);
    expect(socket).toMatchObject({ authorized: true });
    socket.destroy();
  } finally {
    proxy.close();
    server.close();
  }
});

/** A certificate that is its own authority. */
function certificateFor(
  name: { readonly type: 2; readonly value: string } | { readonly type: 7; readonly ip: string },
): ReturnType<typeof generate> {
  return generate([{ name: "commonName", value: "test" }], {
    keyType: "ec",
    algorithm: "sha256",
    extensions: [{ name: "subjectAltName", altNames: [name] }],
  });
}
