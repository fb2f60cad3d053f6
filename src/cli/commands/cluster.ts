// `cluster`: the embedded cluster on its own, for kubectl and for operators in other processes.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import { examplesText } from "../examples-text.ts";
import { OperatorError } from "../../ports/operator-error.ts";
import { startEmbeddedCluster, type PodsChoice } from "../embedded-cluster.ts";
import type { Terminal } from "../terminal.ts";
import { podsOption } from "../pods-option.ts";

interface UpOptions {
  readonly dir?: string;
  readonly kubeconfig?: string;
  readonly data?: string;
  readonly port?: number;
  readonly pods?: PodsChoice;
  readonly rbac?: boolean;
  readonly metrics?: boolean;
  readonly output?: "json";
}

/** The command `cluster` with its parts. */
export function clusterCommand(terminal: Terminal): Command {
  const cluster = new Command("cluster")
    .description("Run the embedded cluster, for development and tests on this machine only.")
    .addHelpText("after", examplesText("cluster up --dir .cluster"));
  cluster.addCommand(upCommand(terminal));
  cluster.addCommand(kubeconfigCommand(terminal));
  return cluster;
}

function upCommand(terminal: Terminal): Command {
  return new Command("up")
    .description("Run an embedded cluster until SIGINT or SIGTERM.")
    .option("--dir <folder>", "folder for the kubeconfig and the pods' files (default: a temporary folder)")
    .option("--kubeconfig <file>", "file for the kubeconfig (default: `kubeconfig` in the folder)")
    .option("--data <folder>", "folder in which everything is kept that is stored (default: in memory only)")
    .option("--port <number>", "port on 127.0.0.1 (default: a free port)", portNumber)
    .addOption(podsOption(terminal))
    .option("--rbac", "let Roles and their bindings decide what users may do")
    .option("--metrics", "serve the APIs of metrics, which say what annotations of pods and workloads say")
    .option("-o, --output <format>", "print the addresses as JSON once the cluster is up", onlyJson)
    .addHelpText(
      "after",
      examplesText(
        "cluster up",
        "cluster up --dir .cluster --port 6443 --pods process",
        "cluster up --kubeconfig embedded.kubeconfig",
        "cluster up --pods pods.yaml",
        "cluster up --dir .cluster --data .cluster/data",
      ),
    )
    .action(async ({ dir, kubeconfig: file, data: kept, port, pods, rbac, metrics, output }: UpOptions) => {
      const signal = terminal.stopSignal();
      const directory = dir === undefined ? undefined : terminal.path(dir);
      const kubeconfig = file === undefined ? undefined : terminal.path(file);
      const data = kept === undefined ? undefined : terminal.path(kept);
      const options = { directory, kubeconfig, data, port, pods, rbac, metrics };
      const cluster = await startEmbeddedCluster(terminal, options);
      try {
        const { url } = cluster;
        if (output === "json") {
          const written = { url, kubeconfig: cluster.kubeconfig, directory: cluster.directory };
          terminal.out(`${JSON.stringify(written)}\n`);
        } else {
          terminal.err("  kubectl get namespaces\nStop it with Ctrl-C.\n");
        }
        if (!signal.aborted) {
          await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
        }
      } finally {
        await cluster.stop();
      }
    });
}

function kubeconfigCommand(terminal: Terminal): Command {
  return new Command("kubeconfig")
    .description("Print the kubeconfig of a cluster started by `cluster up --dir`.")
    .requiredOption("--dir <folder>", "the folder given to `cluster up`")
    .addHelpText("after", examplesText("cluster kubeconfig --dir .cluster > embedded.kubeconfig"))
    .action(({ dir }: { dir: string }) => {
      const file = join(terminal.path(dir), "kubeconfig");
      if (!existsSync(file)) {
        throw new OperatorError("CLUSTER_MISSING", `there is no cluster in ${terminal.path(dir)}`, {
          remedy: `Start one with \`xstate-operator cluster up --dir ${dir}\`.`,
        });
      }
      terminal.out(readFileSync(file, "utf8"));
    });
}

function portNumber(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port > 0 && port < 65_536) return port;
  throw new InvalidArgumentError("It must be a port from 1 to 65535.");
}

function onlyJson(text: string): "json" {
  if (text === "json") return text;
  throw new InvalidArgumentError("Only json.");
}
