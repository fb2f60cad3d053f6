// `run`: runs an operator in this process, against a cluster or against an embedded one.
import { Command, Option } from "commander";
import { examplesText } from "../examples-text.ts";
import { loadOperator } from "../load-operator.ts";
import { podsOption } from "../pods-option.ts";
import { runWithFlags, withRunFlags, type RunFlags } from "../run-flags.ts";
import type { Terminal } from "../terminal.ts";

/** The command `run`. */
export function runCommand(terminal: Terminal): Command {
  const command = new Command("run")
    .description("Run an operator in this process until SIGINT or SIGTERM.")
    .argument("<operator>", "module that default-exports an operator, or its folder");
  return withRunFlags(command, [
    new Option("--embedded", "start a cluster in this process, install the CRDs there, and run on it"),
    podsOption(terminal),
  ])
    .addHelpText(
      "after",
      examplesText(
        "run operator.ts --embedded",
        "run operator.ts --metrics-bind-address :8080 --health-probe-bind-address :8081",
        "run operator.ts --embedded --inspect",
        "run operator.ts --embedded --pods pods.yaml",
        "run operator.ts --record incident.ndjson",
        "run operator.ts --kubeconfig ~/.kube/config --context staging -n databases",
      ),
    )
    .action((path: string, _options: unknown, typed: Command) =>
      runWithFlags(terminal, loadOperator(terminal.path(path)), typed.optsWithGlobals<RunFlags>()),
    );
}
