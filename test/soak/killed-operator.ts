// The operator of the soak as a process of its own, started by the command line and killed without warning.
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { startProcess, type OperatorProcess } from "../support/operator-process.ts";

/** What users start: it sets Node up for a small memory. */
const bin = join(import.meta.dirname, "../../bin/xstate-operator.js");

/** What a process holds at one moment. */
export interface Measure {
  /** Seconds since the process started. */
  readonly age: number;
  /** Resident memory, in MiB. */
  readonly memory: number;
  readonly descriptors: number;
  readonly sockets: number;
}

/** The process that runs now, or the next one. */
export class KilledOperator {
  readonly #kubeconfig: string;
  #running: OperatorProcess | undefined;
  #started = 0;
  #ending = false;
  #metricsUrl: string | undefined;
  kills = 0;
  /** Times that the process ended although nobody killed it. */
  readonly deaths: string[] = [];

  constructor(kubeconfig: string) {
    this.#kubeconfig = kubeconfig;
  }

  start(): void {
    const operator = join(import.meta.dirname, "soak-operator.ts");
    const command = ["run", operator, "--kubeconfig", this.#kubeconfig, "--install-crds", "--workers", "8"];
    const ports = ["--metrics-bind-address", "127.0.0.1:0", "--log-format", "json"];
    const running = startProcess(bin, [...command, ...ports], { keep: 16_000 });
    this.#running = running;
    this.#started = performance.now();
    this.#metricsUrl = undefined;
    running.child.stderr?.on("data", () => {
      // What a killed process wrote may arrive when the next one is there.
      if (running !== this.#running) return;
      this.#metricsUrl ??= /"url":"(http:[^"]+)"/.exec(running.output())?.[1];
    });
    running.child.once("exit", (code, signal) => {
      if (running !== this.#running || this.#ending) return;
      if (!hasGivenUpAtStart(running.output())) {
        this.deaths.push(`it ended with ${code ?? signal}: ${running.output().slice(-2_000)}`);
      }
      this.#running = undefined;
      this.start();
    });
  }

  /** Kills the process and starts the next one. */
  async killAndStart(): Promise<void> {
    await this.#kill();
    this.kills += 1;
    this.start();
  }

  async stop(): Promise<void> {
    this.#ending = true;
    await this.#kill();
  }

  /** The last lines it has written. */
  get output(): string {
    return this.#running?.output() ?? "";
  }

  /** What the process holds; undefined while there is none. */
  measure(): Measure | undefined {
    const pid = this.#running?.child.pid;
    if (pid === undefined) return undefined;
    try {
      const status = readFileSync(`/proc/${pid}/status`, "utf8");
      const kilobytes = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]);
      const descriptors = readdirSync(`/proc/${pid}/fd`);
      const sockets = descriptors.filter((name) => isSocket(`/proc/${pid}/fd/${name}`));
      return {
        age: (performance.now() - this.#started) / 1_000,
        memory: kilobytes / 1_024,
        descriptors: descriptors.length,
        sockets: sockets.length,
      };
    } catch {
      return undefined;
    }
  }

  /** Megabytes that it holds in the heap once garbage is collected; none while it cannot be asked. */
  async liveHeap(): Promise<[] | [number]> {
    const running = this.#running;
    if (running === undefined || this.#metricsUrl === undefined) return [];
    running.child.kill("SIGUSR2");
    const bytes = /^nodejs_heap_size_used_bytes (\d+)/m.exec(await this.#metrics())?.[1];
    return bytes === undefined ? [] : [Number(bytes) / 2 ** 20];
  }

  /** Writes it has asked the API server for so far, whatever became of them. Errors: when it does not tell. */
  async writes(): Promise<number> {
    const text = await this.#metrics();
    const series = [...text.matchAll(/^rest_client_requests_total\{([^}]*)\} (\d+)$/gm)];
    if (series.length === 0) throw new Error("no requests are counted");
    return series
      .filter(([, labels = ""]) => !/method="GET"/.test(labels))
      .reduce((sum, [, , count]) => sum + Number(count), 0);
  }

  async #metrics(): Promise<string> {
    if (this.#metricsUrl === undefined) throw new Error(`no metrics are served: ${this.output}`);
    return (await fetch(new URL("/metrics", this.#metricsUrl))).text();
  }

  async #kill(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    await running?.kill();
  }
}

/** Whether it never reached an API server, and said so: whoever starts operators starts it again. */
function hasGivenUpAtStart(output: string): boolean {
  return !output.includes('"msg":"running"') && /^ +code: CONNECTION_FAILED$/m.test(output);
}

function isSocket(path: string): boolean {
  try {
    return readlinkSync(path).startsWith("socket:");
  } catch {
    return false;
  }
}
