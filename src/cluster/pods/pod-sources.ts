// What the volumes and the environment of a pod are filled from: ConfigMaps, Secrets and claims of its namespace, and what is said, in
// the kubelet's words, of those that are not there.
import { isNotFound } from "../../client/api-error.ts";
import { ConfigMap, PersistentVolumeClaim, type Pod, Secret } from "../../kinds/builtin/core.ts";
import type { Container, Volume } from "../../kinds/builtin/parts.ts";
import type { KubeObject } from "../../meta/object.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import { fieldOf } from "../../schema/json-value.ts";
import { ContainerStartError } from "./container-backend.ts";
import type { PodHost } from "./pod-runtime.ts";

/** Milliseconds until what is missing is looked for again. */
export const sourcesLookedForAgain = 1_000;

/** The reason for which a container waits whose environment is not complete. */
export const configError = "CreateContainerConfigError";

/** The keys of a ConfigMap or Secret of the pod's namespace, decoded; undefined when there is none of that name. */
export type KeysOf = (
  kind: "ConfigMap" | "Secret",
  name: string,
) => Promise<Readonly<Record<string, Uint8Array>> | undefined>;

/** Reads ConfigMaps and Secrets from the API server, as a kubelet does when a pod starts. */
export function keysIn(host: PodHost, namespace: string): KeysOf {
  return async (kind, name) => {
    if (kind === "Secret") {
      const secret = await found(host, Secret, namespace, name);
      return secret && decode(secret.data, "base64");
    }
    const map = await found(host, ConfigMap, namespace, name);
    // In a new namespace it is not published yet.
    if (map === undefined && name === "kube-root-ca.crt" && host.apiServer !== undefined)
      return { "ca.crt": Buffer.from(host.apiServer.authority) };
    return map && { ...decode(map.binaryData, "base64"), ...decode(map.data, "utf8") };
  };
}

async function found<T extends KubeObject>(
  { client }: PodHost,
  type: ResourceType<T>,
  namespace: string,
  name: string,
): Promise<T | undefined> {
  try {
    return await client.get(type, { namespace, name });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

function decode(
  data: Readonly<Record<string, string>> | undefined,
  encoding: BufferEncoding,
): Record<string, Uint8Array> {
  return Object.fromEntries(
    Object.entries(data ?? {}).map(([key, value]) => [key, Buffer.from(value, encoding)]),
  );
}

/** A ConfigMap or Secret that the environment of a container is taken from. */
export interface EnvironmentSource {
  readonly kind: "ConfigMap" | "Secret";
  readonly name: string;
  /** Default all of them. */
  readonly key?: string;
  readonly optional: boolean;
}

/** That a source of the environment is not there. */
export function sourceNotFound({ kind, name }: EnvironmentSource): ContainerStartError {
  return new ContainerStartError(configError, notFound(kind, name));
}

/** That a source of the environment lacks a key. */
export function keyNotFound({ kind, name, key }: EnvironmentSource, namespace: string): ContainerStartError {
  return new ContainerStartError(configError, `couldn't find key ${key} in ${kind} ${namespace}/${name}`);
}

/** Refuses, by {@link ContainerStartError}, a container whose environment is taken from something that is not there. */
export async function checkEnvironment(
  container: Container,
  namespace: string,
  keysOf: KeysOf,
): Promise<void> {
  for (const source of environmentSources(container)) {
    if (source.optional) continue;
    const keys = await keysOf(source.kind, source.name);
    if (keys === undefined) throw sourceNotFound(source);
    if (source.key !== undefined && fieldOf(keys, source.key) === undefined)
      throw keyNotFound(source, namespace);
  }
}

function environmentSources({ envFrom = [], env = [] }: Container): readonly EnvironmentSource[] {
  const whole = envFrom.map(({ configMapRef, secretRef }) => sourceOf(configMapRef, secretRef));
  const single = env.map(({ valueFrom: from }) => sourceOf(from?.configMapKeyRef, from?.secretKeyRef));
  return [...whole, ...single].filter((each) => each !== undefined);
}

interface Reference {
  readonly name?: string;
  readonly key?: string;
  readonly optional?: boolean;
}

/** Where a part of the environment is taken from, if it is from a ConfigMap or a Secret. */
export function sourceOf(
  map: Reference | undefined,
  secret: Reference | undefined,
): EnvironmentSource | undefined {
  const reference = map ?? secret;
  if (reference === undefined) return undefined;
  const { name = "", key, optional = false } = reference;
  return {
    kind: map === undefined ? "Secret" : "ConfigMap",
    name,
    optional,
    ...(key === undefined ? {} : { key }),
  };
}

/** Whether the volumes of a pod are filled from anything that may be missing. */
export function hasSources({ spec: { volumes = [] } }: Pod): boolean {
  return volumes.some(
    ({ configMap, secret, projected, persistentVolumeClaim }) =>
      [configMap, secret, persistentVolumeClaim].some((each) => each !== undefined) ||
      projected?.sources?.some((each) => !isOfAccount(each)) === true,
  );
}

type Projection = NonNullable<NonNullable<Volume["projected"]>["sources"]>[number];

/** Whether a source is the token of the account, or the authority that comes with it. */
function isOfAccount({ configMap, secret }: Projection): boolean {
  return secret === undefined && (configMap === undefined || configMap.name === "kube-root-ca.crt");
}

/** Why volumes of a pod cannot be mounted yet; empty when they can. */
export async function mountFaults(pod: Pod, host: PodHost): Promise<readonly string[]> {
  const { namespace } = pod.metadata;
  const keysOf = keysIn(host, namespace);
  const faults: string[] = [];
  for (const volume of pod.spec.volumes ?? []) {
    const said = await keyFaults(volume, keysOf);
    if (said.length > 0) {
      const all = said.length === 1 ? said[0] : `[${said.join(", ")}]`;
      faults.push(`MountVolume.SetUp failed for volume "${volume.name}" : ${all}`);
    }
    const claimName = volume.persistentVolumeClaim?.claimName;
    if (claimName !== undefined) {
      const claim = await found(host, PersistentVolumeClaim, namespace, claimName);
      if (claim?.status?.phase !== "Bound")
        faults.push(claimFault(volume.name, `${namespace}/${claimName}`, claim));
    }
  }
  return faults;
}

function claimFault(volume: string, key: string, claim: PersistentVolumeClaim | undefined): string {
  const why =
    claim === undefined
      ? `failed to fetch PVC from API server: persistentvolumeclaims "${key.slice(key.indexOf("/") + 1)}" not found`
      : "PVC is not bound";
  return `Unable to attach or mount volumes: unmounted volumes=[${volume}], unattached volumes=[], failed to process volumes=[${volume}]: error processing PVC ${key}: ${why}`;
}

interface Files {
  readonly name?: string;
  readonly items?: readonly { readonly key: string }[];
  readonly optional?: boolean;
}

async function keyFaults(
  { configMap, secret, projected }: Volume,
  keysOf: KeysOf,
): Promise<readonly string[]> {
  const faults: string[] = [];
  const look = async (kind: "ConfigMap" | "Secret", files: Files | undefined): Promise<void> => {
    if (files === undefined || files.optional === true) return;
    const { name = "", items = [] } = files;
    const keys = await keysOf(kind, name);
    if (keys === undefined) return void faults.push(notFound(kind, name));
    const missing = items.find(({ key }) => fieldOf(keys, key) === undefined);
    if (missing === undefined) return;
    const word = kind === "Secret" ? "secret" : "config";
    faults.push(`references non-existent ${word} key: ${missing.key}`);
  };
  await look("ConfigMap", configMap);
  await look("Secret", secret && { ...secret, name: secret.secretName ?? "" });
  for (const source of projected?.sources ?? []) {
    if (isOfAccount(source)) continue;
    await look("Secret", source.secret);
    await look("ConfigMap", source.configMap);
  }
  return faults;
}

function notFound(kind: "ConfigMap" | "Secret", name: string): string {
  return `${kind.toLowerCase()} "${name}" not found`;
}
