// Fields of a pod that its containers may read: `fieldRef` in the environment and in downward volumes.
import { fieldOf } from "../../../schema/json-value.ts";
import type { Pod } from "../../../kinds/builtin/core.ts";
import type { Container } from "../../../kinds/builtin/parts.ts";
import { ContainerStartError } from "../container-backend.ts";

/** What is known of the pod besides its object. */
export interface PodFieldFacts {
  readonly podIP: string;
  readonly hostIP: string;
}

/** The value of a field path. Errors: `ContainerStartError` (CreateContainerConfigError) for one that has no value. */
export function podField(pod: Pod, path: string, facts: PodFieldFacts): string {
  const keyed = /^metadata\.(labels|annotations)\['([^']*)'\]$/.exec(path);
  if (keyed !== null) {
    const map = keyed[1] === "labels" ? pod.metadata.labels : pod.metadata.annotations;
    return fieldOf(map ?? {}, keyed[2] ?? "") ?? "";
  }
  switch (path) {
    case "metadata.name":
      return pod.metadata.name;
    case "metadata.namespace":
      return pod.metadata.namespace;
    case "metadata.uid":
      return pod.metadata.uid;
    case "metadata.labels":
      return formatMap(pod.metadata.labels);
    case "metadata.annotations":
      return formatMap(pod.metadata.annotations);
    case "spec.nodeName":
      return pod.spec.nodeName ?? "";
    case "spec.serviceAccountName":
      return pod.spec.serviceAccountName ?? "default";
    case "status.podIP":
    case "status.podIPs":
      return facts.podIP;
    case "status.hostIP":
    case "status.hostIPs":
      return facts.hostIP;
    default:
      throw new ContainerStartError("CreateContainerConfigError", `unsupported fieldPath: ${path}`);
  }
}

/** A resource of a container as `resourceFieldRef` gives it: a plain number, 0 when there is no such limit. */
export function resourceField(container: Container, resource: string, divisor: string | undefined): string {
  const [kind, name] = resource.split(".", 2);
  const quantities = kind === "limits" ? container.resources?.limits : container.resources?.requests;
  const value = quantityOf(fieldOf(quantities ?? {}, name ?? "") ?? "0");
  const unit = quantityOf(divisor === undefined || divisor === "0" ? "1" : divisor);
  return String(Math.ceil(value / unit));
}

const suffixes: Readonly<Record<string, number>> = {
  "": 1,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};

function quantityOf(text: string): number {
  const [, amount = "0", suffix = ""] = /^([0-9.eE+]+)([A-Za-z]*)$/.exec(text) ?? [];
  return Number(amount) * (suffixes[suffix] ?? 1);
}

/** One `key="value"` per line, sorted, as the kubelet writes maps. */
function formatMap(map: Readonly<Record<string, string>> | undefined): string {
  return Object.entries(map ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .join("\n");
}
