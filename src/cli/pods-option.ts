// The option `--pods` of the commands that start a cluster: how its pods run.
import { InvalidArgumentError, Option } from "commander";
import type { PodsChoice } from "./embedded-cluster.ts";
import type { Terminal } from "./terminal.ts";

/** The option; a script is read when the cluster starts. */
export function podsOption(terminal: Terminal): Option {
  return new Option(
    "--pods <how>",
    "how the embedded cluster runs pods: process (local processes), simulated, or a file of YAML, a script of how simulated pods behave; default simulated",
  ).argParser((typed): PodsChoice => {
    if (typed === "process" || typed === "simulated") return typed;
    if (!/\.(?:ya?ml|json)$/i.test(typed))
      throw new InvalidArgumentError("It must be process, simulated, or a file of YAML or JSON.");
    const path = terminal.path(typed);
    return async () => (await import("./pod-script.ts")).podsOfScript(path);
  });
}
