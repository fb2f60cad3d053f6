// The webhooks of an operator while it runs: served by every replica from the moment it knows its certificate, before its caches and
// whoever leads, until the API server has had the time to call another one. Opened, drained and closed by operator-run.ts.
import { isIP } from "node:net";
import type { KubeClient } from "../client/kube-client.ts";
import type { OperatorDefinition } from "../controller/declaration/define-operator.ts";
import {
  admittedKindsOf,
  authorityTargetsOf,
  convertedKindsOf,
} from "../controller/declaration/operator-webhooks.ts";
import type { CrdOptions } from "../kinds/crd.ts";
import { webhookServiceOf } from "../meta/webhook-address.ts";
import { parseBindAddress, type BindAddress } from "../ports/bind-address.ts";
import { monotonicNow, sleep, type Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type { Metrics } from "../ports/metrics.ts";
import { messageOf } from "../ports/operator-error.ts";
import type { SecretKeeper } from "../ports/secret-keeper.ts";
import { conversionRoute } from "../webhook/conversion-route.ts";
import { admissionRoutes, type AdmissionParts } from "../webhook/admission/admission-routes.ts";
import { CertificateKeeper } from "../webhook/certificate-keeper.ts";
import { memoryStore, secretStore } from "../webhook/certificate-store.ts";
import { expiryOf } from "../webhook/certificates.ts";
import { injectAuthorities, type Untrusted } from "../webhook/inject-authorities.ts";
import { createWebhookMetrics, type WebhookMetrics } from "../webhook/webhook-metrics.ts";
import type { WebhookRoute } from "../webhook/webhook-route.ts";
import {
  startWebhookServer,
  webhookGrace,
  webhookWithdrawal,
  type WebhookServer,
} from "../webhook/webhook-server.ts";
import type { ReadinessCheck } from "./readiness.ts";
import type { RunOptions } from "./run-options.ts";
import { certificateFolder, type CertificateSource, type WebhookCertificate } from "./webhook-certificate.ts";
import { WebhooksByUrl } from "./webhooks-by-url.ts";

/** What {@link startWebhooks} needs. */
export interface WebhookParts {
  readonly definition: OperatorDefinition;
  readonly options: Pick<
    RunOptions,
    "webhookBindAddress" | "webhookCertDir" | "webhookUrl" | "namespaces" | "leaderElection" | "sharding"
  >;
  /** Not fenced: a replica that does not lead serves as well. */
  readonly client: KubeClient;
  /** Where the operator runs. */
  readonly namespace: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly secrets: SecretKeeper;
  /** Ends what goes on beside the server. */
  readonly signal: AbortSignal;
}

/** Webhooks that are served. */
export interface Webhooks {
  /** How they stand, for readiness. Names no object. */
  describe(): ReadinessCheck;
  /** What the CRDs of the operator say of its webhooks. */
  crdOptions(): CrdOptions;
  /** The process is about to stop: goes on answering, and asks callers to go elsewhere. */
  leave(): void;
  /** Answers what is under way, and ends. Idempotent. */
  close(): Promise<void>;
}

/**
 * Milliseconds until certificate and configurations are looked after again: usually, from files or by a URL, after a failure, and
 * while another replica is called whose place is to be taken once it ends.
 */
const intervals = { usual: 60_000, files: 10_000, failure: 5_000, elsewhere: 2_000 };

/** Milliseconds until it is asked again whether another replica has taken this one's place. */
const handOverInterval = 250;
/** Milliseconds in which every API server has read an address. */
const addressKnown = 3_000;

/** The paths that an operator serves. */
export function webhookRoutesOf(
  definition: OperatorDefinition,
  parts: AdmissionParts,
): readonly WebhookRoute[] {
  return [
    ...admittedKindsOf(definition).flatMap(({ kind, webhooks }) => admissionRoutes(kind, webhooks, parts)),
    ...convertedKindsOf(definition).map((kind) => conversionRoute(kind, parts)),
  ];
}

/**
 * Serves the operator's webhooks, and has the API server trust them; undefined when there are none, or no address is given.
 *
 * **Errors**: `BIND_FAILED`; `BIND_ADDRESS_INVALID`; `CERTIFICATE_UNREADABLE`; `CERTIFICATE_CONTESTED`; `ApiError`.
 * **RBAC**: `create` on secrets, `get` and `update` on that of the certificate; `get` and `patch` on the configurations.
 */
export async function startWebhooks(parts: WebhookParts): Promise<Webhooks | undefined> {
  const { definition, options, clock, log, secrets, signal } = parts;
  const { webhookBindAddress = "0" } = options;
  const mask = (text: string): string => secrets.mask(text);
  const routes = webhookRoutesOf(definition, { log, mask });
  const address = parseBindAddress(webhookBindAddress);
  if (routes.length === 0) return undefined;
  if (address === undefined) {
    log.warn(
      { remedy: "Start the operator with --webhook-bind-address :9443." },
      "the operator has webhooks, which are not served",
    );
    return undefined;
  }
  const metrics = createWebhookMetrics(
    parts.metrics,
    routes.map(({ path }) => path),
  );
  const source = sourceOf(parts, address);
  const certificate = await source(signal);
  const server = await startWebhookServer({
    address,
    routes,
    certificate: certificate.serving,
    clock,
    log,
    metrics,
    mask,
  });
  const serving = new ServedWebhooks(parts, { address, server, source, metrics, certificate });
  try {
    await serving.begin();
  } catch (error) {
    await serving.close();
    throw error;
  }
  return serving;
}

function sourceOf({ definition, options, ...parts }: WebhookParts, address: BindAddress): CertificateSource {
  const { webhookCertDir, webhookUrl } = options;
  if (webhookCertDir !== undefined) return certificateFolder(webhookCertDir);
  const { name: operator } = definition;
  const { client, namespace, clock, log } = parts;
  const { name } = webhookServiceOf(operator, namespace);
  const ofService = [`${name}.${namespace}.svc`, `${name}.${namespace}.svc.cluster.local`];
  const keeper = new CertificateKeeper({
    store: webhookUrl === undefined ? secretStore({ client, operator, namespace }) : memoryStore(),
    names: webhookUrl === undefined ? ofService : [hostOf(webhookUrl, address)],
    clock,
    log,
  });
  return (signal) => keeper.current(signal);
}

/** The host by which the API server calls: as given, or where the server listens. */
function hostOf(url: string | true, { host = "127.0.0.1" }: BindAddress): string {
  return url === true ? host : new URL(url).hostname.replace(/^\[(.*)\]$/, "$1");
}

interface ServedParts {
  readonly address: BindAddress;
  readonly server: WebhookServer;
  readonly source: CertificateSource;
  readonly metrics: WebhookMetrics;
  readonly certificate: WebhookCertificate;
}

class ServedWebhooks implements Webhooks {
  readonly #parts: WebhookParts;
  readonly #served: ServedParts;
  readonly #end = new AbortController();
  #certificate: WebhookCertificate;
  /** Absent once the API server trusts the webhooks. */
  #untrusted: readonly Untrusted[] = [];
  #left: number | undefined;
  #looksAfter: Promise<void> = Promise.resolve();
  #closed: Promise<void> | undefined;
  /** What was last logged of what is missing. */
  #reported = "";
  /** Absent when the API server calls the Service. */
  readonly #byUrl: WebhooksByUrl | undefined;
  /** Whether it calls another replica. */
  #isElsewhere = false;

  constructor(parts: WebhookParts, served: ServedParts) {
    this.#parts = parts;
    this.#served = served;
    this.#certificate = served.certificate;
    const { webhookUrl, namespaces = [] } = parts.options;
    if (webhookUrl !== undefined)
      this.#byUrl = new WebhooksByUrl({ ...parts, namespaces, url: this.#url().replace(/\/$/, "") });
  }

  async begin(): Promise<void> {
    const { log, signal } = this.#parts;
    log.info({ port: this.#served.server.port }, "webhooks served");
    this.#served.metrics.certificateExpires(expiryOf(this.#certificate.serving));
    await this.#publish(AbortSignal.any([signal, this.#end.signal]));
    this.#looksAfter = this.#lookAfter(AbortSignal.any([signal, this.#end.signal]));
  }

  describe(): ReadinessCheck {
    const name = "webhooks";
    if (expiryOf(this.#certificate.serving) < this.#parts.clock.now())
      return { name, problem: "the certificate has expired: see the log" };
    const isKept = this.#untrusted.some(({ reason }) => reason !== "missing");
    if (isKept) return { name, problem: "the API server does not trust them yet: see the log" };
    if (this.#untrusted.length > 0)
      return { name, warning: "the API server does not know them: apply their configurations" };
    return { name };
  }

  crdOptions(): CrdOptions {
    const { definition, namespace } = this.#parts;
    if (this.#byUrl === undefined)
      return { webhooks: { service: webhookServiceOf(definition.name, namespace) } };
    const { authorities } = this.#certificate;
    return { webhooks: { url: this.#url() }, ...(authorities === undefined ? {} : { authorities }) };
  }

  leave(): void {
    this.#left ??= monotonicNow(this.#parts.clock);
    this.#served.server.leave();
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#close());
  }

  async #close(): Promise<void> {
    const { clock } = this.#parts;
    this.#end.abort(new Error("the operator has stopped"));
    await this.#looksAfter;
    if (this.#byUrl !== undefined) {
      await this.#handOver(this.#byUrl);
      await this.#byUrl.withdraw();
    }
    // A Service leads here until it is known that this replica ends.
    else if (this.#left !== undefined)
      await sleep(clock, this.#left + webhookWithdrawal - monotonicNow(clock));
    await this.#served.server.close(webhookGrace);
  }

  /** Goes on answering until another replica is called in its place, if there are others. */
  async #handOver(byUrl: WebhooksByUrl): Promise<void> {
    const { clock, options, log } = this.#parts;
    const isAlone = options.leaderElection === undefined && options.sharding === undefined;
    if (isAlone || this.#left === undefined) return;
    const end = this.#left + webhookWithdrawal;
    const { signal } = new AbortController();
    try {
      while (await byUrl.isCalled(signal)) {
        if (monotonicNow(clock) > end) return;
        await sleep(clock, handOverInterval);
      }
      await sleep(clock, addressKnown);
    } catch (error) {
      log.debug({ error: messageOf(error) }, "it is not known whether another replica serves the webhooks");
    }
  }

  async #lookAfter(signal: AbortSignal): Promise<void> {
    const { clock, log, options } = this.#parts;
    const isQuick = options.webhookCertDir !== undefined || this.#byUrl !== undefined;
    const pauseNow = (): number => {
      if (this.#untrusted.length > 0) return intervals.failure;
      if (this.#isElsewhere) return intervals.elsewhere;
      return isQuick ? intervals.files : intervals.usual;
    };
    let pause = pauseNow();
    for (;;) {
      await sleep(clock, pause, signal);
      if (signal.aborted) return;
      try {
        await this.#renew(signal);
        await this.#publish(signal);
        pause = pauseNow();
      } catch (error) {
        if (signal.aborted) return;
        log.warn(
          { error: messageOf(error) },
          "the certificate of the webhooks could not be looked after; the last one stays",
        );
        pause = intervals.failure;
      }
    }
  }

  async #renew(signal: AbortSignal): Promise<void> {
    const { server, source, metrics } = this.#served;
    const next = await source(signal);
    const { cert, key } = this.#certificate.serving;
    if (next.serving.cert !== cert || next.serving.key !== key) {
      server.setCertificate(next.serving);
      metrics.certificateExpires(expiryOf(next.serving));
      this.#parts.log.info({}, "the webhooks are served with another certificate");
    }
    this.#certificate = next;
  }

  /** Has the API server trust what is served. Where files are served by a Service, whoever makes the files sees to that. */
  async #publish(signal: AbortSignal): Promise<void> {
    const { definition, options, client, namespace, log } = this.#parts;
    const { authorities } = this.#certificate;
    if (this.#byUrl !== undefined) {
      const { untrusted, elsewhere } = await this.#byUrl.publish(authorities, signal);
      this.#untrusted = untrusted;
      if (elsewhere !== this.#isElsewhere)
        log.info(
          {},
          elsewhere
            ? "the API server calls the webhooks of another replica"
            : "the API server calls these webhooks",
        );
      this.#isElsewhere = elsewhere;
      return;
    }
    if (options.webhookCertDir !== undefined || authorities === undefined) return;
    this.#untrusted = await injectAuthorities({
      client,
      targets: authorityTargetsOf(definition),
      service: webhookServiceOf(definition.name, namespace),
      authorities,
      fieldManager: definition.name,
      signal,
    });
    const found = this.#untrusted.map(({ target, reason }) => `${target}: ${reason}`).join(", ");
    if (found !== "" && found !== this.#reported) {
      log.warn(
        { untrusted: this.#untrusted, remedy: "Apply what `xstate-operator generate manifests` prints." },
        "the API server does not know whom to trust for the webhooks",
      );
    }
    this.#reported = found;
  }

  #url(): string {
    const { webhookUrl = true } = this.#parts.options;
    const { address, server } = this.#served;
    const host = hostOf(webhookUrl, address);
    return webhookUrl === true
      ? `https://${isIP(host) === 6 ? `[${host}]` : host}:${server.port}`
      : webhookUrl;
  }
}
