// How an operator is to be run, as far as its roles and its Deployment depend on it: the flags of `run`, by the same names.
import type { Command } from "commander";
import type { AccessOptions } from "../../delivery/required-permissions.ts";
import { checks } from "../../scaffold/names.ts";
import { UsageError } from "../usage-error.ts";

/** What the flags come to. */
export interface AccessFlags {
  readonly namespace?: readonly string[];
  readonly operatorNamespace?: string;
  readonly leaderElect?: boolean;
  readonly sharding?: boolean;
  readonly installCrds?: boolean;
  readonly metricsSecure?: boolean;
}

/** Adds the flags to a command. */
export function withAccessFlags(command: Command): Command {
  return command
    .option(
      "-n, --namespace <name...>",
      "namespaces that it serves, each with a Role (default: all, by a ClusterRole)",
    )
    .option("--operator-namespace <name>", "namespace in which it runs (default: the operator's name)")
    .option("--leader-elect", "it runs with --leader-elect")
    .option("--sharding", "it runs with --sharding")
    .option("--install-crds", "it runs with --install-crds")
    .option("--metrics-secure", "it runs with --metrics-secure");
}

/** The options that the flags of a command mean for an operator. */
export function accessOptionsOf(operator: string, flags: AccessFlags): AccessOptions {
  const { leaderElect = false, sharding = false, installCrds = false, metricsSecure = false } = flags;
  if (leaderElect && sharding) {
    throw new UsageError("--leader-elect and --sharding exclude each other", "Omit one of the two.");
  }
  const { namespace: namespaces = [], operatorNamespace = operator } = flags;
  refuseNames("--namespace", namespaces);
  refuseNames("--operator-namespace", [operatorNamespace]);
  return {
    namespaces,
    operatorNamespace,
    sharing: sharding ? "sharding" : leaderElect ? "election" : "none",
    installCrds,
    metricsSecure,
  };
}

/** Names that no API server takes for a namespace. */
function refuseNames(flag: string, names: readonly string[]): void {
  for (const name of names) {
    const expected = checks.name(name);
    if (expected === undefined) continue;
    throw new UsageError(`${flag} is "${name}", which cannot name a namespace`, `Write ${expected}.`);
  }
}
