// An operator that somebody else wrote: how its program is had, and what is done with its resources.
import { spawn, type ChildProcess } from "node:child_process";
import { createWriteStream, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { home, type ClusterForOperator } from "../../support/side-by-side.ts";
import { startPassage, type Passage } from "./network-of-its-own.ts";

/** A program that is there, or why it is not. */
export type Obtained = ForeignProgram | { readonly failure: string };

/** What is to be run. */
export interface ForeignProgram {
  readonly command: string;
  /** Arguments for a kubeconfig file. */
  args(kubeconfig: string): readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Manifests that are applied before it starts: its definitions and its role. */
  readonly manifests: readonly string[];
  /** The cluster role, of those manifests, that its account gets. Default `cluster-admin`: it publishes none. */
  readonly role?: string;
  /** It listens on every address of the machine: it is given a network of its own. Default false. */
  readonly isolated?: boolean;
}

/** One thing that is done, and what has to become of it. */
export interface Step {
  readonly name: string;
  /** Manifests for `kubectl apply`. */
  readonly apply?: string;
  /** Other commands of kubectl. */
  readonly kubectl?: readonly string[];
  /** Commands of kubectl that succeed once the operator has done its part. */
  readonly reached: readonly string[];
}

/** An operator of others. */
export interface ForeignOperator {
  readonly name: string;
  readonly version: string;
  obtain(): Obtained;
  readonly steps: readonly Step[];
  /** What it draws at random, by object and path: not compared. */
  readonly random?: readonly (readonly [object: RegExp, path: RegExp])[];
}

/** An operator that runs. */
export interface RunningForeignOperator {
  /** The end of what it has said. */
  said(): string;
  /** Undefined while it runs. */
  exitCode(): number | null | undefined;
  stop(): Promise<void>;
}

/** Installs the manifests, grants the role, and starts the program under the operator's account. */
export async function startForeignOperator(
  name: string,
  program: ForeignProgram,
  cluster: ClusterForOperator,
): Promise<RunningForeignOperator> {
  for (const manifest of program.manifests) {
    // Some definitions are too large for an annotation.
    await cluster.kubectl(["apply", "--server-side", "--filename", manifest]);
  }
  await cluster.kubectl([
    "create",
    "clusterrolebinding",
    "foreign-operator",
    `--clusterrole=${program.role ?? "cluster-admin"}`,
    `--serviceaccount=${home}:operator`,
  ]);
  const definitions = await cluster.kubectl(["get", "crds", "--output=name"]);
  for (const definition of definitions.split("\n").filter((line) => line !== "")) {
    await cluster.kubectl(["wait", "--for=condition=Established", "--timeout=60s", definition]);
  }
  const passage = program.isolated === true ? await startPassage(cluster.client.server) : undefined;
  return started(name, program, cluster, passage);
}

function started(
  name: string,
  program: ForeignProgram,
  cluster: ClusterForOperator,
  passage: Passage | undefined,
): RunningForeignOperator {
  const logs = join(tmpdir(), "xstate-operator-foreign", "logs");
  mkdirSync(logs, { recursive: true });
  const log = createWriteStream(join(logs, `${name}-on-${cluster.name}.log`));
  const [command = "", ...args] = [
    ...(passage?.command ?? []),
    program.command,
    ...program.args(cluster.kubeconfig),
  ];
  const child: ChildProcess = spawn(command, args, {
    env: { ...process.env, KUBECONFIG: cluster.kubeconfig, ...program.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (more: string) => {
      said = `${said}${more}`.slice(-4_000);
      log.write(more);
    });
  }
  let code: number | null | undefined;
  const ended = new Promise<void>((resolve) => {
    child.once("error", (error) => {
      said += String(error);
      code = null;
      resolve();
    });
    child.once("exit", (exitCode) => {
      code = exitCode;
      resolve();
    });
  });
  return {
    said: () => said,
    exitCode: () => code,
    async stop() {
      if (code === undefined) {
        child.kill("SIGTERM");
        const late = setTimeout(() => child.kill("SIGKILL"), 10_000);
        await ended;
        clearTimeout(late);
      }
      log.end();
      passage?.stop();
    },
  };
}
