// What starts of several commands cost until they are quiet, in turns on an embedded cluster: CPU of all threads, median and least, and
// the median of the ratios to the first command in the same turn.
//   node --conditions=xstate-operator-source bench/micro/start-pairs.ts TURNS 'COMMAND' ['COMMAND' …]
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { parse } from "yaml";
import { createKubeClient } from "../../src/client/http-client.ts";
import { loadConnection } from "../../src/client/kube-config.ts";
import { startCluster } from "../../src/cluster/index.ts";
import { CustomResourceDefinition } from "../../src/kinds/builtin/apiextensions.ts";
import { print } from "./measure.ts";

const [turns = "10", ...commands] = process.argv.slice(2);
const cluster = await startCluster();
const client = createKubeClient(await loadConnection({ path: cluster.kubeconfig, env: {} }));
const crd: unknown = parse(readFileSync(join(import.meta.dirname, "../crd.yaml"), "utf8"));
await client.create(CustomResourceDefinition, crd as Parameters<typeof client.create>[1]);
const costs = commands.map((): number[] => []);
for (let turn = 0; turn < Number(turns); turn += 1) {
  for (const [at] of commands.entries()) {
    const place = (at + turn) % commands.length;
    costs[place]?.push(await start(commands[place] ?? ""));
  }
}
for (const [at, command] of commands.entries()) {
  const own = costs[at] ?? [];
  const ratios = own.map((cost, turn) => cost / (costs[0]?.[turn] ?? cost));
  print(
    `${at}: CPU until quiet, median (least)`,
    `${median(own).toFixed(1)} (${Math.min(...own).toFixed(1)}) ms`,
  );
  if (at > 0) print(`${at}: beside the first`, median(ratios).toFixed(3));
  console.log(`   ${command}`);
}
await client.close();
await cluster.stop();

/** Milliseconds of CPU. */
async function start(command: string): Promise<number> {
  const child = spawn("sh", ["-c", `exec ${command}`], {
    env: { ...process.env, KUBECONFIG: cluster.kubeconfig },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  for await (const line of createInterface({ input: child.stderr })) {
    said += `${line}\n`;
    if (line.includes('"running"')) break;
  }
  if (child.exitCode !== null) throw new Error(said);
  await delay(1_000);
  const spent = cpuOf(child.pid ?? 0);
  child.kill("SIGKILL");
  await once(child, "close");
  return spent;
}

function cpuOf(process: number): number {
  const threads = readdirSync(`/proc/${process}/task`);
  const nanoseconds = threads.map((thread) =>
    Number(readFileSync(`/proc/${process}/task/${thread}/schedstat`, "utf8").split(" ")[0]),
  );
  return nanoseconds.reduce((sum, each) => sum + each, 0) / 1e6;
}

function median(figures: readonly number[]): number {
  return figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)] ?? 0;
}
