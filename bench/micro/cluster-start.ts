// What an embedded cluster takes until it answers its first request, in CPU and in time: in a process that has loaded it, and from the
// command line, each in a new process.
//   node --conditions=xstate-operator-source bench/micro/cluster-start.ts [repetitions]
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { print } from "./measure.ts";

const [repetitions = "3", role] = process.argv.slice(2);

if (role === "in-process") await startHere();
else {
  for (let repetition = 0; repetition < Number(repetitions); repetition += 1) {
    const here = spawn(process.execPath, [...process.execArgv, import.meta.filename, "1", "in-process"], {
      stdio: "inherit",
    });
    await once(here, "exit");
    await startFromCommandLine();
  }
}

async function startHere(): Promise<void> {
  const cpuBefore = process.cpuUsage();
  const before = performance.now();
  const { startCluster } = await import("xstate-operator/cluster");
  const loaded = { cpu: process.cpuUsage(cpuBefore), at: performance.now() };
  const cluster = await startCluster();
  await ask(cluster.url);
  const { user, system } = process.cpuUsage(cpuBefore);
  const load = (loaded.cpu.user + loaded.cpu.system) / 1_000;
  const all = (user + system) / 1_000;
  print("in process: loading", `${load.toFixed(0)} ms of CPU, ${(loaded.at - before).toFixed(0)} ms`);
  print(
    "in process: startCluster to the first answer",
    `${(all - load).toFixed(0)} ms of CPU, ${(performance.now() - loaded.at).toFixed(0)} ms`,
  );
  await cluster.stop();
}

async function startFromCommandLine(): Promise<void> {
  const root = join(import.meta.dirname, "../..");
  const before = performance.now();
  const child = spawn(
    process.execPath,
    [join(root, "bin/xstate-operator.js"), "cluster", "up", "-o", "json"],
    {
      stdio: ["ignore", "pipe", "ignore"],
    },
  );
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const { url } = JSON.parse(line.toString("utf8")) as { url: string };
  await ask(url);
  const milliseconds = performance.now() - before;
  const ticks = readFileSync(`/proc/${child.pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  const cpu = (Number(ticks[11]) + Number(ticks[12])) * 10;
  print("cluster up to the first answer", `${cpu} ms of CPU, ${milliseconds.toFixed(0)} ms`);
  child.kill("SIGTERM");
  await once(child, "exit");
}

/** Anybody may ask for the version; the certificate is not what is measured. */
async function ask(url: string): Promise<void> {
  const sent = request(`${url}/version`, { rejectUnauthorized: false });
  sent.end();
  const [answer] = (await once(sent, "response")) as [NodeJS.ReadableStream];
  answer.resume();
  await once(answer, "end");
}
