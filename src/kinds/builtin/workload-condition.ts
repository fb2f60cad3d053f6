// The condition shape of Kubernetes' older types: like metav1.Condition, but nearly everything is optional.

/** One observation in the status of a built-in type. */
export interface WorkloadCondition {
  /** What is observed: `Available`. */
  readonly type: string;
  /** `True`, `False` or `Unknown`. */
  readonly status: string;
  /** One word of cause. */
  readonly reason?: string;
  /** A sentence for people. */
  readonly message?: string;
  /** When the status last changed: RFC 3339. */
  readonly lastTransitionTime?: string;
  /** When anything of it last changed: RFC 3339. */
  readonly lastUpdateTime?: string;
  /** When it was last looked at: RFC 3339. */
  readonly lastProbeTime?: string;
  /** Of a pod's: the generation of the pod that was looked at. */
  readonly observedGeneration?: number;
}

/** Whether the condition of a type is True. */
export function isConditionTrue(conditions: readonly WorkloadCondition[] | undefined, type: string): boolean {
  return conditions?.some((condition) => condition.type === type && condition.status === "True") ?? false;
}
