// 1,000 warm GETs over TLS, 16 at a time, in CPU of this process; the server answers from another one.
//   node --conditions=xstate-operator-source bench/micro/client.ts
import { ConfigMap } from "../../src/kinds/builtin/core.ts";
import { serveOverTls, startOther } from "./other-process.ts";
import { print } from "./measure.ts";

const requests = 1_000;
const atATime = 16;

if (process.send === undefined) await measureClient();
else await serve(process.send.bind(process));

/** The other process: an HTTPS server that answers everything with one object of 1 KB. */
async function serve(report: (message: unknown) => unknown): Promise<void> {
  const metadata = { name: "a", namespace: "b", uid: "c", resourceVersion: "1" };
  const body = JSON.stringify({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata,
    data: { text: "x".repeat(900) },
  });
  await serveOverTls((_request, response) => {
    response.writeHead(200, { "content-type": "application/json" }).end(body);
  }, report);
}

async function measureClient(): Promise<void> {
  const { child, client } = await startOther(import.meta.filename);
  for (let round = 0; round < 5; round += 1) {
    const before = process.cpuUsage();
    let sent = 0;
    const work = async (): Promise<void> => {
      while (sent++ < requests) await client.get(ConfigMap, { namespace: "b", name: "a" });
    };
    await Promise.all(Array.from({ length: atATime }, work));
    const { user, system } = process.cpuUsage(before);
    const what = round === 0 ? "cold" : "warm";
    print(`client: ${requests} GETs over TLS, ${what}`, `${((user + system) / 1_000).toFixed(0)} ms`);
  }
  await client.close();
  child.kill();
}
