// Puts the authorities of the webhooks where the API server reads whom to trust: into the configurations of the webhooks, and into
// CRDs that are converted by one. Nothing else of these objects is touched, and only what leads to the operator's own Service.
import { isForbidden, isInvalid, isConflict, isNotFound } from "../client/api-error.ts";
import type { JsonPatchOperation, KubeClient } from "../client/kube-client.ts";
import type { KubeObject } from "../meta/object.ts";
import type { ResourceType } from "../meta/resource-type.ts";
import type { WebhookClientConfig } from "../meta/webhook-address.ts";

/** An object that says whom the API server trusts. */
export interface AuthorityTarget {
  /** A ValidatingWebhookConfiguration, a MutatingWebhookConfiguration, or a CustomResourceDefinition. */
  readonly type: ResourceType;
  readonly name: string;
}

/** What keeps the API server from trusting the webhooks. */
export interface Untrusted {
  /** As `kind name`. */
  readonly target: string;
  readonly reason: "missing" | "forbidden" | "changing";
}

/** Options of {@link injectAuthorities}. */
export interface InjectionOptions {
  readonly client: KubeClient;
  readonly targets: readonly AuthorityTarget[];
  readonly service: { readonly name: string; readonly namespace: string };
  /** In PEM. */
  readonly authorities: string;
  readonly fieldManager: string;
  readonly signal: AbortSignal;
}

interface Configured extends KubeObject {
  readonly webhooks?: readonly { readonly name: string; readonly clientConfig: WebhookClientConfig }[];
  readonly spec?: {
    readonly conversion?: { readonly webhook?: { readonly clientConfig?: WebhookClientConfig } };
  };
}

/**
 * Puts them in where they are not yet; returns what could not be done.
 *
 * **Errors**: `ApiError`, but for objects that do not exist or may not be changed.
 * **RBAC**: `get` and `patch` on each.
 */
export async function injectAuthorities(options: InjectionOptions): Promise<readonly Untrusted[]> {
  const outcomes = await Promise.all(options.targets.map((target) => inject(target, options)));
  return outcomes.filter((each) => each !== undefined);
}

async function inject(
  { type, name }: AuthorityTarget,
  { client, service, authorities, fieldManager, signal }: InjectionOptions,
): Promise<Untrusted | undefined> {
  const target = `${type.kind} ${name}`;
  const caBundle = Buffer.from(authorities, "utf8").toString("base64");
  try {
    const object = await client.get<Configured>(type, { name }, { signal });
    const isOurs = ({ service: its }: WebhookClientConfig): boolean =>
      its?.name === service.name && its.namespace === service.namespace;
    const body = [...inWebhooks(object), ...inConversion(object)].flatMap(({ path, clientConfig, guard }) =>
      isOurs(clientConfig) && clientConfig.caBundle !== caBundle
        ? [...guard, { op: "add" as const, path: `${path}/caBundle`, value: caBundle }]
        : [],
    );
    if (body.length > 0) await client.patch(type, { name }, { type: "json", body }, { fieldManager, signal });
    return undefined;
  } catch (error) {
    if (isNotFound(error)) return { target, reason: "missing" };
    if (isForbidden(error)) return { target, reason: "forbidden" };
    // Somebody has moved what was to be changed.
    if (isConflict(error) || isInvalid(error)) return { target, reason: "changing" };
    throw error;
  }
}

/** How the API server reaches the webhooks of an object, each of its own. */
export function clientConfigsOf(object: KubeObject): readonly WebhookClientConfig[] {
  return [...inWebhooks(object), ...inConversion(object)].map(({ clientConfig }) => clientConfig);
}

interface Place {
  readonly path: string;
  readonly clientConfig: WebhookClientConfig;
  /** What has to be so for the path to be the right one. */
  readonly guard: readonly JsonPatchOperation[];
}

function inWebhooks({ webhooks = [] }: Configured): readonly Place[] {
  return webhooks.map(({ name, clientConfig }, index) => ({
    path: `/webhooks/${index}/clientConfig`,
    clientConfig,
    guard: [{ op: "test", path: `/webhooks/${index}/name`, value: name }],
  }));
}

function inConversion({ spec }: Configured): readonly Place[] {
  const clientConfig = spec?.conversion?.webhook?.clientConfig;
  return clientConfig === undefined
    ? []
    : [{ path: "/spec/conversion/webhook/clientConfig", clientConfig, guard: [] }];
}
