// Flux's health expressions of kinds, in CEL. kstatus, which Flux uses without them, reads the same conditions; the expressions also
// know an application that rests as desired without being served.
// https://fluxcd.io/flux/components/kustomize/kustomizations/#health-check-expressions
import type { Kind } from "../../kinds/define-kind.ts";
import { apiVersionOf } from "../../meta/resource-type.ts";
import type { KubeObject } from "../../meta/object.ts";

const observed = "has(status.observedGeneration) && status.observedGeneration == metadata.generation";
const conditions = "has(status.conditions)";
const stands = (type: string): string =>
  `status.conditions.exists(c, c.type == "${type}" && c.status == "True")`;
const rests = 'status.conditions.exists(c, c.type == "Ready" && c.reason in ["Suspended", "Ended"])';

/** What an expression is evaluated to; Flux asks them in this order. */
export const healthExpressions = {
  inProgress: `!(${observed}) || !${conditions} || ${stands("Reconciling")}`,
  failed: `${observed} && ${conditions} && ${stands("Stalled")}`,
  current: `${observed} && ${conditions} && !${stands("Reconciling")} && (${stands("Ready")} || ${rests})`,
} as const;

/** The part of a Kustomization that has the expressions of the kinds. */
export function fluxHealth(kinds: readonly Kind<KubeObject>[]): object {
  return {
    spec: {
      healthCheckExprs: kinds.map((kind) => ({
        apiVersion: apiVersionOf(kind),
        kind: kind.kind,
        ...healthExpressions,
      })),
    },
  };
}
