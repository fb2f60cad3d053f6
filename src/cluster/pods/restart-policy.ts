// Whether a container that has ended is started again: by the rules for its exit code, else by its own policy, else by its pod's.
import type { Pod } from "../../kinds/builtin/core.ts";
import type { Container } from "../../kinds/builtin/parts.ts";

/** Where a container is in its pod. */
export type ContainerPlace = "initial" | "main" | "ephemeral";

/** What decides on restarts of a container besides its exit code. */
export interface RestartPolicy {
  readonly policy: string;
  /** The first that is met decides. */
  readonly rules?: Container["restartPolicyRules"];
}

/** The policy of a container of a pod. */
export function restartPolicyOf({ spec }: Pod, container: Container, place: ContainerPlace): RestartPolicy {
  if (place === "ephemeral") return { policy: "Never" };
  const { restartPolicy: own, restartPolicyRules: rules = [] } = container;
  if (own !== undefined) return { policy: own, rules };
  const { restartPolicy: ofPod = "Always" } = spec;
  // What prepares a pod is done when it has succeeded.
  return { policy: place === "initial" && ofPod === "Always" ? "OnFailure" : ofPod };
}

/** Whether a container that ended with this code is started again. */
export function isRestarted({ policy, rules = [] }: RestartPolicy, exitCode: number): boolean {
  const isMet = rules.some(({ exitCodes }) => {
    const isNamed = exitCodes?.values?.includes(exitCode) ?? false;
    return exitCodes?.operator === "NotIn" ? !isNamed : isNamed;
  });
  return isMet || policy === "Always" || (policy === "OnFailure" && exitCode !== 0);
}
