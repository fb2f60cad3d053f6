// Argo CD's health check of kinds: a script in Lua for each, in the ConfigMap from which Argo CD reads them.
// https://argo-cd.readthedocs.io/en/stable/operator-manual/health/#custom-health-checks
import type { Kind } from "../../kinds/define-kind.ts";
import type { KubeObject } from "../../meta/object.ts";

/** The script; the same for every kind, as all have the same conditions. */
export const healthScript = `local health = { status = "Progressing", message = "no operator has observed it yet" }
local status = obj.status
if status == nil or status.conditions == nil then
  return health
end
if status.observedGeneration ~= nil and status.observedGeneration ~= obj.metadata.generation then
  health.message = "the last change of the spec has not been observed yet"
  return health
end
local found = {}
for _, condition in ipairs(status.conditions) do
  found[condition.type] = condition
end
local function stands(name)
  return found[name] ~= nil and found[name].status == "True"
end
local function answer(word, name)
  health.status = word
  health.message = found[name].message
  return health
end
if stands("Stalled") then
  return answer("Degraded", "Stalled")
end
if stands("Paused") then
  return answer("Suspended", "Paused")
end
if stands("Reconciling") then
  return answer("Progressing", "Reconciling")
end
if stands("Degraded") then
  return answer("Degraded", "Degraded")
end
if stands("Ready") then
  return answer("Healthy", "Ready")
end
if found["Ready"] ~= nil then
  local reason = found["Ready"].reason
  if reason == "Suspended" or reason == "Ended" then
    return answer("Suspended", "Ready")
  end
  return answer("Progressing", "Ready")
end
return health
`;

/** The ConfigMap of the kinds, to be applied server-side beside what is there. */
export function argoCdHealth(kinds: readonly Kind<KubeObject>[]): object {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      name: "argocd-cm",
      namespace: "argocd",
      labels: { "app.kubernetes.io/name": "argocd-cm", "app.kubernetes.io/part-of": "argocd" },
    },
    data: Object.fromEntries(
      kinds.map(({ group, kind }) => [`resource.customizations.health.${group}_${kind}`, healthScript]),
    ),
  };
}
