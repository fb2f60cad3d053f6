// `completion`: a script with which a shell completes this command line.
import { Argument, Command } from "commander";
import { completionScript, shells, type Shell } from "../completion.ts";
import { examplesText } from "../examples-text.ts";
import type { Terminal } from "../terminal.ts";

/** The command `completion`; its script is made of the program that it belongs to. */
export function completionCommand(terminal: Terminal): Command {
  const command = new Command("completion")
    .description("Print a completion script for a shell.")
    .addArgument(new Argument("<shell>", "the shell").choices([...shells]))
    .addHelpText(
      "after",
      examplesText(
        "completion bash > ~/.local/share/bash-completion/completions/xstate-operator",
        'completion zsh > "${fpath[1]}/_xstate-operator"',
        "completion fish > ~/.config/fish/completions/xstate-operator.fish",
      ),
    );
  return command.action((shell: Shell) => {
    if (command.parent !== null) terminal.out(completionScript(command.parent, shell));
  });
}
