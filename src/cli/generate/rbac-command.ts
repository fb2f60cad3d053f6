// `generate rbac`: what an operator needs to be allowed, and nothing else.
import { Command } from "commander";
import { ownedRoleKinds } from "../../delivery/required-permissions.ts";
import { rolesOf, serviceAccountOf } from "../../delivery/roles.ts";
import { examplesText } from "../examples-text.ts";
import { loadOperator } from "../load-operator.ts";
import { formatDocuments, outputOption, type OutputFormat } from "../output-format.ts";
import type { Terminal } from "../terminal.ts";
import { accessOptionsOf, withAccessFlags, type AccessFlags } from "./access-options.ts";

/** The command `generate rbac`. */
export function rbacCommand(terminal: Terminal): Command {
  const command = new Command("rbac")
    .description("Print the service account of an operator and the least roles that it can work with.")
    .argument("<operator>", "module that default-exports an operator, or its folder")
    .addOption(outputOption("yaml"));
  return withAccessFlags(command)
    .addHelpText(
      "after",
      examplesText(
        "generate rbac operator.ts --leader-elect",
        "generate rbac operator.ts --namespace shop --operator-namespace shop",
      ),
    )
    .action(async (path: string, { output, ...flags }: AccessFlags & { readonly output: OutputFormat }) => {
      const operator = await loadOperator(terminal.path(path));
      const options = accessOptionsOf(operator.name, flags);
      warnOfRoles(terminal, ownedRoleKinds(operator));
      const account = serviceAccountOf(operator, options.operatorNamespace);
      terminal.out(formatDocuments([account, ...rolesOf(operator, options)], output));
    });
}

/** Kubernetes lets nobody give what he does not have. */
export function warnOfRoles(terminal: Terminal, kinds: readonly string[]): void {
  if (kinds.length === 0) return;
  terminal.err(
    `${kinds.join(" and ")}: Kubernetes lets the operator write only roles whose rules it has itself. Declare them in the controller's permissions, or the verbs "bind" and "escalate".\n`,
  );
}
