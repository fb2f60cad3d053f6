// What a built operator takes when it has started: memory and CPU, with and without source maps, on an embedded cluster.
// Usage: built-start.ts [OPERATOR.ts]
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { startCluster } from "../../src/cluster/index.ts";
import { print } from "./measure.ts";

const root = join(import.meta.dirname, "../..");
const [operator = join(root, "examples/website/operator.ts")] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "xstate-operator-built-start-"));
const cluster = await startCluster();
try {
  const build = [join(root, "bin/xstate-operator.js"), "build", operator, "--out", folder];
  const { status, stderr } = spawnSync(process.execPath, build, { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  print("the source map", `${(statSync(join(folder, "operator.mjs.map")).size / 1e6).toFixed(2)} MB`);
  for (const flags of [[], ["--enable-source-maps"]]) await start(flags);
} finally {
  await cluster.stop();
  rmSync(folder, { recursive: true });
}

async function start(flags: readonly string[]): Promise<void> {
  const all = [
    ...flags,
    "--min-semi-space-size=16",
    "--max-semi-space-size=16",
    "--no-parallel-scavenge",
    "operator.mjs",
    "--install-crds",
    "--log-format",
    "json",
  ];
  const child = spawn(process.execPath, [...all, "--kubeconfig", cluster.kubeconfig], {
    cwd: folder,
    env: { NODE_ENV: "production" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  for await (const line of createInterface({ input: child.stderr })) if (line.includes('"running"')) break;
  // What was garbage of the start is gone by then.
  await delay(3_000);
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1];
  const ticks = readFileSync(`/proc/${child.pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  const what = flags.length === 0 ? "started without source maps" : "started with source maps";
  print(what, `${((Number(kilobytes) * 1_024) / 1e6).toFixed(0)} MB`);
  print("  CPU until then", `${(Number(ticks[11]) + Number(ticks[12])) * 10} ms`);
  child.kill("SIGKILL");
  await once(child, "close");
}
