// Operators of Kubernetes' own projects on controller-runtime: a file configures them, and webhooks check and complete their resources
// and the pods of those.
import { globSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { buildGoModule } from "../go-program.ts";
import type { Obtained } from "./foreign-operator.ts";
import { calledHere, makeCertificate } from "./webhooks-here.ts";

/** Where the webhooks listen in a network of its own. */
const port = 9_443;

/** What is one operator's own; paths are in its module. */
export interface ConfiguredOperator {
  readonly name: string;
  /** Its module, with the version. */
  readonly module: string;
  /** Its main package. */
  readonly main: string;
  /** The apiVersion of its configuration. */
  readonly configuration: string;
  /** What it is told on the command line beside the place of its configuration. Default nothing. */
  readonly args?: readonly string[];
  /** Where its webhooks are declared: `manifests.yaml`, and patches of it. */
  readonly webhooks: string;
  /** Its definitions and its role, `manager-role`. */
  readonly manifests: readonly string[];
}

/** Builds it, configures it, and has its webhooks called here. */
export function obtainConfigured(operator: ConfiguredOperator): Obtained {
  const built = buildGoModule(operator.name, operator.module, operator.main);
  if ("failure" in built) return built;
  const { folder } = built;
  const certificates = join(folder, "certificates");
  const made = makeCertificate(certificates);
  if ("failure" in made) return made;
  const configuration = join(folder, "configuration.yaml");
  writeFileSync(
    configuration,
    stringify({
      apiVersion: operator.configuration,
      kind: "Configuration",
      webhook: { port, certDir: certificates },
      // The certificate would be mounted from a Secret that it writes.
      internalCertManagement: { enable: false },
      leaderElection: { leaderElect: false },
      metrics: { bindAddress: "0" },
    }),
  );
  const declared = join(folder, operator.webhooks);
  const patches = globSync(join(declared, "**/{mutating,validating}-patch.yaml"));
  const webhooks = join(folder, "webhooks.yaml");
  writeFileSync(webhooks, calledHere(join(declared, "manifests.yaml"), patches, port, made.authority));
  return {
    programs: [
      {
        command: built.files[0]!,
        args: (kubeconfig) => [
          `--kubeconfig=${kubeconfig}`,
          `--config=${configuration}`,
          ...(operator.args ?? []),
        ],
        isolated: true,
        called: port,
      },
    ],
    manifests: [...operator.manifests.map((file) => join(folder, file)), webhooks],
    role: "manager-role",
  };
}
