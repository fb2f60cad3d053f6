// The operator of the soak as a process of its own, started by the command line and killed without warning.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");

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
  #child: ChildProcess | undefined;
  #started = 0;
  #ending = false;
  #output = "";
  #metricsUrl: string | undefined;
  kills = 0;
  /** Times that the process ended although nobody killed it. */
  readonly deaths: string[] = [];

  constructor(kubeconfig: string) {
    this.#kubeconfig = kubeconfig;
  }

  start(): void {
    const flags = ["--disable-warning=ExperimentalWarning", "--conditions=xstate-operator-source"];
    const operator = join(import.meta.dirname, "soak-operator.ts");
    const command = ["run", operator, "--kubeconfig", this.#kubeconfig, "--install-crds", "--workers", "8"];
    const ports = ["--metrics-bind-address", "127.0.0.1:0", "--log-format", "json"];
    const child = spawn(process.execPath, [...flags, join(root, "src/cli/main.ts"), ...command, ...ports], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#child = child;
    this.#started = performance.now();
    this.#metricsUrl = undefined;
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (chunk: string) => {
        // What a killed process wrote may arrive when the next one is there.
        if (child !== this.#child) return;
        this.#output = `${this.#output}${chunk}`.slice(-16_000);
        this.#metricsUrl ??= /"url":"(http:[^"]+)"/.exec(this.#output)?.[1];
      });
    }
    child.once("exit", (code, signal) => {
      if (child !== this.#child || this.#ending) return;
      this.deaths.push(`it ended with ${code ?? signal}: ${this.#output.slice(-2_000)}`);
      this.#child = undefined;
      this.start();
    });
  }

  /** Kills the process and starts the next one. */
  async killAndStart(): Promise<void> {
    await this.#kill();
    this.kills += 1;
    this.#output = "";
    this.start();
  }

  async stop(): Promise<void> {
    this.#ending = true;
    await this.#kill();
  }

  /** The last lines it has written. */
  get output(): string {
    return this.#output;
  }

  /** What the process holds; undefined while there is none. */
  measure(): Measure | undefined {
    const pid = this.#child?.pid;
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

  /** Writes it has asked the API server for so far, whatever became of them. Errors: when it does not tell. */
  async writes(): Promise<number> {
    if (this.#metricsUrl === undefined) throw new Error(`no metrics are served: ${this.#output}`);
    const text = await (await fetch(new URL("/metrics", this.#metricsUrl))).text();
    const series = [...text.matchAll(/^rest_client_requests_total\{([^}]*)\} (\d+)$/gm)];
    if (series.length === 0) throw new Error("no requests are counted");
    return series
      .filter(([, labels = ""]) => !/method="GET"/.test(labels))
      .reduce((sum, [, , count]) => sum + Number(count), 0);
  }

  async #kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  }
}

function isSocket(path: string): boolean {
  try {
    return readlinkSync(path).startsWith("socket:");
  } catch {
    return false;
  }
}
