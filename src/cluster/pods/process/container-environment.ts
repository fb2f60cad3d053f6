// The environment that a container's manifest asks for: literals, references, and whole ConfigMaps and Secrets.
// Pure but for the lookup of ConfigMaps and Secrets, which is passed in.
import { fieldOf, setField } from "../../../schema/json-value.ts";
import type { Pod } from "../../../kinds/builtin/core.ts";
import type { Container, EnvVar } from "../../../kinds/builtin/parts.ts";
import { keyNotFound, type KeysOf, sourceNotFound, sourceOf } from "../pod-sources.ts";
import { type PodFieldFacts, podField, resourceField } from "./pod-field.ts";
import { expandVariables } from "./variable-expansion.ts";

/** What {@link containerEnvironment} needs. */
export interface EnvironmentOptions {
  readonly pod: Pod;
  readonly container: Container;
  readonly facts: PodFieldFacts;
  readonly keysOf: KeysOf;
  /** Variables that are there before the manifest's own, which override them. */
  readonly base: Readonly<Record<string, string>>;
}

/**
 * The variables of a container, in the order of Kubernetes: `envFrom`, then `env`, whose values may use earlier ones.
 * Errors: `ContainerStartError` (CreateContainerConfigError) when a reference that is not optional has no value.
 */
export async function containerEnvironment(options: EnvironmentOptions): Promise<Record<string, string>> {
  const { container, keysOf } = options;
  const variables: Record<string, string> = { ...options.base };
  for (const { prefix = "", configMapRef, secretRef } of container.envFrom ?? []) {
    const source = sourceOf(configMapRef, secretRef);
    if (source === undefined) continue;
    const keys = await keysOf(source.kind, source.name);
    if (keys === undefined && !source.optional) throw sourceNotFound(source);
    for (const [key, value] of Object.entries(keys ?? {})) setField(variables, prefix + key, textOf(value));
  }
  for (const each of container.env ?? []) {
    const value = await valueOf(each, variables, options);
    if (value !== undefined) setField(variables, each.name, value);
  }
  return variables;
}

async function valueOf(
  variable: EnvVar,
  variables: Readonly<Record<string, string>>,
  { pod, container, facts, keysOf }: EnvironmentOptions,
): Promise<string | undefined> {
  const from = variable.valueFrom;
  if (from === undefined) return expandVariables(variable.value ?? "", variables);
  if (from.fieldRef !== undefined) return podField(pod, from.fieldRef.fieldPath, facts);
  if (from.resourceFieldRef !== undefined) {
    const { containerName, resource, divisor } = from.resourceFieldRef;
    const other = pod.spec.containers.find((each) => each.name === containerName) ?? container;
    return resourceField(other, resource, divisor);
  }
  const source = sourceOf(from.configMapKeyRef, from.secretKeyRef);
  if (source === undefined) return "";
  const keys = await keysOf(source.kind, source.name);
  const value = keys === undefined ? undefined : fieldOf(keys, source.key ?? "");
  if (value !== undefined) return textOf(value);
  if (source.optional) return undefined;
  throw keys === undefined ? sourceNotFound(source) : keyNotFound(source, pod.metadata.namespace);
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("utf8");
}
