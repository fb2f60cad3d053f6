// The webhooks of an operator outside of the cluster: the API server calls one replica, by its URL. Where another one's URL is there
// and answers it is left, so that replicas do not overwrite each other's; where it does not, this one's takes its place.
import { isConflict, isForbidden, isNotFound } from "../client/api-error.ts";
import type { KubeClient, RequestOptions } from "../client/kube-client.ts";
import type { OperatorDefinition } from "../controller/declaration/define-operator.ts";
import {
  admittedKindsOf,
  configurationTypes,
  convertedKindsOf,
} from "../controller/declaration/operator-webhooks.ts";
import { CustomResourceDefinition } from "../kinds/builtin/apiextensions.ts";
import { Service } from "../kinds/builtin/core.ts";
import { conversionOf } from "../kinds/crd.ts";
import type { KubeObject } from "../meta/object.ts";
import type { ObjectKey } from "../meta/object-key.ts";
import { resourceNameOf, type ResourceType } from "../meta/resource-type.ts";
import type { WebhookClientConfig } from "../meta/webhook-address.ts";
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import { messageOf } from "../ports/operator-error.ts";
import {
  webhookConfigurationsOf,
  type WebhookConfiguration,
} from "../webhook/admission/webhook-configurations.ts";
import { isAnswering } from "../webhook/answering.ts";
import { hasAuthorities, joinedAuthorities } from "../webhook/certificates.ts";
import { clientConfigsOf, type Untrusted } from "../webhook/inject-authorities.ts";

/** What {@link WebhooksByUrl} needs. */
export interface UrlParts {
  readonly definition: OperatorDefinition;
  /** Namespaces served; empty: all. */
  readonly namespaces: readonly string[];
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  /** Without a slash at its end. */
  readonly url: string;
}

/** How the API server reaches the webhooks. */
export interface Published {
  /** Definitions that are not there yet. */
  readonly untrusted: readonly Untrusted[];
  /** Whether it calls another replica. */
  readonly elsewhere: boolean;
}

/** An object by which the API server knows where to call. */
interface Place {
  readonly type: ResourceType;
  readonly name: string;
  /** Puts an address there whose callers trust these authorities. */
  write(authorities: string | undefined, signal: AbortSignal, there: Written | undefined): Promise<unknown>;
  /** An object that is not there yet is made by others, and gets its address then. */
  readonly isMadeByOthers: boolean;
}

/** What is written at a place. */
interface Written {
  readonly object: KubeObject;
  readonly clientConfig: WebhookClientConfig;
}

/** Milliseconds that each request at the end may take. */
const withdrawalTimeout = 2_000;

/** The address of one replica's webhooks. */
export class WebhooksByUrl {
  readonly #parts: UrlParts;
  /** Names of the objects that this replica has written as they should be. */
  readonly #applied = new Set<string>();
  #isReported = false;

  constructor(parts: UrlParts) {
    this.#parts = parts;
  }

  /** Puts the address where the API server reads it, unless another replica's is there and answers. Errors: `ApiError`. */
  async publish(authorities: string | undefined, signal: AbortSignal): Promise<Published> {
    const untrusted: Untrusted[] = [];
    let elsewhere = false;
    for (const place of this.#places()) {
      const there = await this.#read(place, { signal });
      if (there === undefined && place.isMadeByOthers)
        untrusted.push({ target: `${place.type.kind} ${place.name}`, reason: "missing" });
      else if (await this.#isServedElsewhere(there, signal)) elsewhere = true;
      else await this.#put(place, there, { authorities, signal });
    }
    return { untrusted, elsewhere };
  }

  /** Whether the API server calls this replica anywhere. */
  async isCalled(signal: AbortSignal): Promise<boolean> {
    for (const place of this.#places()) if (this.#isOurs(await this.#read(place, { signal }))) return true;
    return false;
  }

  /** Nobody answers at the URL any more: what the configurations match could not be written. */
  async withdraw(): Promise<void> {
    const { client, log } = this.#parts;
    for (const { type, name, isMadeByOthers } of this.#places()) {
      if (isMadeByOthers) continue;
      try {
        const there = await this.#read({ type, name }, { timeout: withdrawalTimeout });
        if (there === undefined || !this.#isOurs(there)) continue;
        const { uid, resourceVersion } = there.object.metadata;
        await client.delete(
          type,
          { name },
          {
            timeout: withdrawalTimeout,
            preconditions: { uid, resourceVersion },
          },
        );
      } catch (error) {
        // Another replica has taken its place.
        if (isNotFound(error) || isConflict(error)) continue;
        log.warn(
          {
            configuration: `${type.kind} ${name}`,
            error: messageOf(error),
            remedy: "Delete it with kubectl.",
          },
          "a configuration of webhooks that nobody serves stays behind",
        );
      }
    }
  }

  async #read(
    { type, name }: Pick<Place, "type" | "name">,
    options: RequestOptions,
  ): Promise<Written | undefined> {
    try {
      const object = await this.#parts.client.get(type, { name }, options);
      const [clientConfig = {}] = clientConfigsOf(object);
      return { object, clientConfig };
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  #isOurs(there: Written | undefined): boolean {
    return there?.clientConfig.url?.startsWith(`${this.#parts.url}/`) === true;
  }

  async #isServedElsewhere(there: Written | undefined, signal: AbortSignal): Promise<boolean> {
    const { url, service } = there?.clientConfig ?? {};
    if (service !== undefined) return this.#isInstalled(service, signal);
    if (url === undefined || this.#isOurs(there)) return false;
    return isAnswering(url, authoritiesIn(there), signal);
  }

  /** Whether the operator runs in the cluster as well, behind its Service: what it serves is not taken from it. */
  async #isInstalled({ name, namespace }: ObjectKey, signal: AbortSignal): Promise<boolean> {
    try {
      await this.#parts.client.get(
        Service,
        { name, ...(namespace === undefined ? {} : { namespace }) },
        { signal },
      );
    } catch (error) {
      if (isNotFound(error)) return false;
      if (!isForbidden(error)) throw error;
    }
    if (!this.#isReported)
      this.#parts.log.warn(
        { service: `${namespace}/${name}`, remedy: "Uninstall it from the cluster, or omit --webhook-url." },
        "the operator is installed in the cluster, whose webhooks are called in place of these",
      );
    this.#isReported = true;
    return true;
  }

  async #put(
    place: Place,
    there: Written | undefined,
    { authorities, signal }: { readonly authorities: string | undefined; readonly signal: AbortSignal },
  ): Promise<void> {
    const trusted = this.#isOurs(there) ? this.#trustedWith(authorities, authoritiesIn(there)) : authorities;
    const name = `${place.type.kind} ${place.name}`;
    const isAsWritten = this.#isOurs(there) && trusted === authoritiesIn(there);
    if (isAsWritten && this.#applied.has(name)) return;
    await place.write(trusted, signal, there);
    this.#applied.add(name);
  }

  /** Behind one URL there may be several replicas, each with a certificate of its own. */
  #trustedWith(authorities: string | undefined, there = ""): string | undefined {
    if (authorities === undefined) return undefined;
    return hasAuthorities(there, authorities)
      ? there
      : joinedAuthorities([authorities, there], this.#parts.clock.now());
  }

  #places(): readonly Place[] {
    const { definition, client } = this.#parts;
    const { name: fieldManager } = definition;
    const configured = this.#configurations(undefined).map(({ kind, metadata: { name } }): Place => ({
      type: configurationTypes[kind],
      name,
      isMadeByOthers: false,
      write: async (authorities, signal, there) => {
        // Applied, the address would stand beside that of a Service.
        if (there?.clientConfig.service !== undefined)
          await client.delete(configurationTypes[kind], { name }, { signal });
        for (const configuration of this.#configurations(authorities)) {
          if (configuration.kind !== kind) continue;
          const options = { fieldManager, force: true, signal };
          await client.apply(configurationTypes[kind], configuration, options);
        }
      },
    }));
    const converted = convertedKindsOf(definition).map((kind): Place => {
      const name = resourceNameOf(kind);
      return {
        type: CustomResourceDefinition,
        name,
        isMadeByOthers: true,
        write: (authorities, signal) => {
          const address = { webhooks: { url: this.#parts.url } };
          const options = authorities === undefined ? address : { ...address, authorities };
          const { conversion } = conversionOf(kind, options);
          const clientConfig = { ...conversion?.webhook?.clientConfig, service: null };
          const body = {
            spec: { conversion: { ...conversion, webhook: { ...conversion?.webhook, clientConfig } } },
          };
          return client.patch(
            CustomResourceDefinition,
            { name },
            { type: "merge", body },
            { fieldManager, signal },
          );
        },
      };
    });
    return [...configured, ...converted];
  }

  #configurations(authorities: string | undefined): readonly WebhookConfiguration[] {
    const { definition, namespaces, url } = this.#parts;
    return webhookConfigurationsOf(admittedKindsOf(definition), {
      operator: definition.name,
      address: { url },
      ...(authorities === undefined ? {} : { authorities }),
      namespaces,
    });
  }
}

function authoritiesIn(there: Written | undefined): string | undefined {
  const { caBundle } = there?.clientConfig ?? {};
  return caBundle === undefined ? undefined : Buffer.from(caBundle, "base64").toString("utf8");
}
