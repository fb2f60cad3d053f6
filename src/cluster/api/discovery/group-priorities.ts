// How the groups of Kubernetes itself rank where clients look for a kind, as its API services say it.

const priorities: ReadonlyMap<string, number> = new Map([
  ["", 18_000],
  ["apps", 17_800],
  ["events.k8s.io", 17_750],
  ["authentication.k8s.io", 17_700],
  ["authorization.k8s.io", 17_600],
  ["autoscaling", 17_500],
  ["batch", 17_400],
  ["certificates.k8s.io", 17_300],
  ["networking.k8s.io", 17_200],
  ["policy", 17_100],
  ["rbac.authorization.k8s.io", 17_000],
  ["storage.k8s.io", 16_800],
  ["admissionregistration.k8s.io", 16_700],
  ["apiextensions.k8s.io", 16_700],
  ["scheduling.k8s.io", 16_600],
  ["coordination.k8s.io", 16_500],
  ["node.k8s.io", 16_300],
  ["discovery.k8s.io", 16_200],
  ["resource.k8s.io", 16_200],
  ["flowcontrol.apiserver.k8s.io", 16_100],
]);

/** Groups whose later versions came up besides others. */
const later = new Set(["flowcontrol.apiserver.k8s.io", "resource.k8s.io"]);

/** How a group ranks; undefined for one that has no API service from the start. */
export function groupPriority(group: string): number | undefined {
  return priorities.get(group);
}

/** How a version ranks within its group. */
export function versionPriority(group: string, version: string): number {
  if (group === "") return 1;
  return version === "v2" ? 30 : later.has(group) ? 21 : 15;
}
