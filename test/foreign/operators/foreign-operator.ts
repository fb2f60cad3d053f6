// An operator that somebody else wrote: how its program is had, and what is done with its resources.
import { spawn, type ChildProcess } from "node:child_process";
import { createWriteStream, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { KubeClient } from "../../../src/client/kube-client.ts";
import type { SimulatedPods } from "../../../src/cluster/index.ts";
import { Secret } from "../../../src/kinds/builtin/core.ts";
import { eventually } from "../../support/eventually.ts";
import { home, type ClusterForOperator } from "../../support/side-by-side.ts";
import { startPassage, type Passage } from "./network-of-its-own.ts";

/** An operator that is there, or why it is not. */
export type Obtained = InstalledOperator | { readonly failure: string };

/** What is to be installed and run. */
export interface InstalledOperator {
  /** Its programs; most have one. */
  readonly programs: readonly ForeignProgram[];
  /**
   * Manifests that are applied before it starts: its definitions and its role. `localhost:PORT` and `port: PORT` lead to the program that
   * is called there.
   */
  readonly manifests: readonly string[];
  /**
   * The cluster role that its account gets, unless `bound`: then the manifests bind their roles to it. Default `cluster-admin`: it
   * publishes none.
   */
  readonly role?: string;
}

/** A program that runs under the operator's account. */
export interface ForeignProgram {
  readonly command: string;
  /** Arguments for a kubeconfig file. */
  args(kubeconfig: string): readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** It listens on every address of the machine: it is given a network of its own. Default false. */
  readonly isolated?: boolean;
  /** The port in that network at which the API server calls it. */
  readonly called?: number;
  /** A Secret of its namespace that a kubelet would mount, and the folder where it expects it. */
  readonly mounted?: { readonly secret: string; folder(kubeconfig: string): string };
}

/** One thing that is done, and what has to become of it. */
export interface Step {
  readonly name: string;
  /** Manifests for `kubectl apply`. */
  readonly apply?: string;
  /** Manifests that the operator's webhook or a rule of its definitions refuses, in the same words on both. */
  readonly refused?: string;
  /** Other commands of kubectl. */
  readonly kubectl?: readonly string[];
  /** What somebody does then whose program does not run here, such as a driver of volumes. */
  perform?(client: KubeClient): Promise<void>;
  /** Commands of kubectl that succeed once the operator has done its part. */
  readonly reached: readonly string[];
}

/** An operator of others. */
export interface ForeignOperator {
  readonly name: string;
  readonly version: string;
  obtain(): Obtained;
  /** The namespace of its resources. Default `shop`. */
  readonly namespace?: string;
  /** Which types that are in no namespace are compared too, by `plural.group`. Default none. */
  readonly clusterWide?: RegExp;
  readonly steps: readonly Step[];
  /** Further flags of the real cluster's controllers. Default none. */
  readonly controllerFlags?: readonly string[];
  /** How the pods behave and what they answer, on both. Default: they run, and answer nothing. */
  prepare?(pods: SimulatedPods): void;
  /** Texts in names that it draws at random. */
  readonly names?: RegExp;
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

/** Installs the manifests, grants the role, and starts the programs under the operator's account. */
export async function startForeignOperator(
  name: string,
  { programs, manifests, role = "cluster-admin" }: InstalledOperator,
  cluster: ClusterForOperator,
): Promise<RunningForeignOperator> {
  const placed = await Promise.all(
    programs.map(async (program) => ({
      program,
      passage:
        program.isolated === true
          ? await startPassage(cluster.client.server, program.called === undefined ? [] : [program.called])
          : undefined,
    })),
  );
  const calls = placed.flatMap(({ program: { called }, passage }) => {
    const [at] = passage?.calledAt ?? [];
    if (called === undefined || at === undefined) return [];
    return ["localhost:", "port: "].map((before) => [`${before}${called}`, `${before}${at}`] as const);
  });
  for (const manifest of manifests) {
    // Some definitions are too large for an annotation.
    const apply = ["apply", "--server-side", "--filename"];
    if (calls.length === 0) await cluster.kubectl([...apply, manifest]);
    else {
      const text = readFileSync(manifest, "utf8");
      await cluster.kubectl(
        [...apply, "-"],
        calls.reduce((sofar, [from, to]) => sofar.replaceAll(from, to), text),
      );
    }
  }
  if (role !== "bound") {
    await cluster.kubectl([
      "create",
      "clusterrolebinding",
      "foreign-operator",
      `--clusterrole=${role}`,
      `--serviceaccount=${home}:operator`,
    ]);
  }
  const definitions = await cluster.kubectl(["get", "crds", "--output=name"]);
  for (const definition of definitions.split("\n").filter((line) => line !== "")) {
    await cluster.kubectl(["wait", "--for=condition=Established", "--timeout=60s", definition]);
  }
  const running = placed.map(({ program, passage }, index) =>
    started(index === 0 ? name : `${name}-${index}`, program, cluster, passage),
  );
  const stop = async (): Promise<void> => {
    await Promise.all(running.map((each) => each.stop()));
  };
  try {
    await Promise.all(
      programs.map(async ({ mounted }) => {
        if (mounted !== undefined) await mount(mounted, cluster);
      }),
    );
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    said: () => running.map((each) => each.said()).join("\n"),
    exitCode: () => running.map((each) => each.exitCode()).find((code) => code !== undefined),
    stop,
  };
}

/** Writes what is in a Secret to files, once there is something, as a kubelet does. */
async function mount(
  { secret, folder }: NonNullable<ForeignProgram["mounted"]>,
  { client, kubeconfig }: ClusterForOperator,
): Promise<void> {
  const place = folder(kubeconfig);
  mkdirSync(place, { recursive: true });
  await eventually(async () => {
    const { data = {} } = await client.get(Secret, { name: secret, namespace: home });
    if (Object.keys(data).length === 0) throw new Error(`nothing is in ${secret}`);
    for (const [name, value] of Object.entries(data)) {
      writeFileSync(join(place, name), Buffer.from(value, "base64"));
    }
  }, 120_000);
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
