// The condition shape of Kubernetes' older types: like metav1.Condition, but nearly everything is optional.

/** One observation in the status of a built-in type. */
export interface WorkloadCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
  readonly lastUpdateTime?: string;
  readonly lastProbeTime?: string;
}

/** Whether the condition of a type is True. */
export function isConditionTrue(conditions: readonly WorkloadCondition[] | undefined, type: string): boolean {
  return conditions?.some((condition) => condition.type === type && condition.status === "True") ?? false;
}
