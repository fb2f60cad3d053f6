// The server of a benchmark in a process of its own, so that only the client's work is measured.
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { RequestListener } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { generate } from "selfsigned";
import { createKubeClient } from "../../src/client/http-client.ts";
import type { KubeClient } from "../../src/client/kube-client.ts";

/** In the other process: serves over TLS on loopback, and reports the port. */
export async function serveOverTls(
  listener: RequestListener,
  report: (message: unknown) => unknown,
): Promise<void> {
  const { cert, private: key } = await generate([{ name: "commonName", value: "localhost" }], {
    keyType: "ec",
    curve: "P-256",
  });
  const server = createServer({ cert, key }, listener);
  server.listen(0, "127.0.0.1", () => report({ port: (server.address() as AddressInfo).port }));
}

/** Starts a module as the other process, and makes a client of what it serves. */
export async function startOther(
  module: string,
  args: readonly string[] = [],
): Promise<{ readonly child: ChildProcess; readonly client: KubeClient }> {
  const child = fork(module, args, { execArgv: process.execArgv });
  const [{ port }] = (await once(child, "message")) as [{ readonly port: number }];
  const authentication = { headers: { authorization: "Bearer x" }, tls: { rejectUnauthorized: false } };
  const client = createKubeClient({
    server: `https://127.0.0.1:${port}`,
    namespace: "default",
    source: "the benchmark",
    trust: "nobody",
    proxy: undefined,
    authenticate: () => Promise.resolve(authentication),
  });
  return { child, client };
}
