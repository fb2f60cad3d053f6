// What is said when a proxy stands between the operator and its server.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { createKubeClient } from "../../src/client/http-client.ts";
import { ConfigMap } from "../../src/kinds/builtin/core.ts";
import { systemClock } from "../../src/ports/system-clock.ts";
import { connectionTo } from "./local-server.ts";

/** A proxy that answers every CONNECT so; the port on which nothing listens without an answer. */
async function proxyThat(answer?: string): Promise<string> {
  const server = createServer();
  server.on("connect", (_request, socket) => socket.end(answer));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const stop = () => new Promise((resolve) => server.close(resolve));
  if (answer === undefined) await stop();
  else onTestFinished(async () => void (await stop()));
  return `http://me:hunter2@127.0.0.1:${port}`;
}

async function failureBy(url: string): Promise<{ readonly message: string; readonly remedy: string }> {
  const proxy = { url, source: "HTTPS_PROXY" };
  const client = createKubeClient(
    { ...connectionTo("https://10.255.255.1:6443"), proxy },
    { userAgent: "test", clock: systemClock },
  );
  onTestFinished(() => client.close());
  return client.list(ConfigMap, {}).then(
    () => expect.unreachable("it has answered"),
    (error: unknown) => error as { readonly message: string; readonly remedy: string },
  );
}

it.each([
  [
    "is not there",
    undefined,
    "the connection was refused: nothing listens on that address",
    "Check HTTPS_PROXY",
  ],
  ["refuses", "HTTP/1.1 403 Forbidden\r\n\r\n", "the proxy refused the connection (403)", "NO_PROXY"],
  [
    "asks for credentials",
    "HTTP/1.1 407 Proxy Authentication Required\r\n\r\n",
    "the proxy asks for credentials (407)",
    "Put user and password into the proxy's URL",
  ],
])("a proxy that %s is named, without its password", async (_how, answer, what, remedy) => {
  const url = await proxyThat(answer);
  const failure = await failureBy(url);
  const { host } = new URL(url);
  expect(failure.message).toContain(
    `cannot reach https://10.255.255.1:6443 (context "test" of /kube/config) through the proxy http://${host} (HTTPS_PROXY): ${what}`,
  );
  expect(failure.remedy).toContain(remedy);
  expect(JSON.stringify(failure)).not.toContain("hunter2");
});
