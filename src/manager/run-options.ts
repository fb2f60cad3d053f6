// How an operator is run: what a caller of `runOperator` may choose, and what it may look at meanwhile.
import type { TracerProvider } from "@opentelemetry/api";
import type { SharedCache } from "../cache/informer.ts";
import type { KubeClient } from "../client/kube-client.ts";
import type { OperatorStreams } from "../controller/operator-streams.ts";
import type { LeaseOptions } from "../election/election-options.ts";
import type { Clock } from "../ports/clock.ts";
import type { Duration } from "../ports/duration.ts";
import type { Logger } from "../ports/logger.ts";
import type { OperatorHealth } from "../ports/operator-health.ts";
import type { RunJournal } from "../ports/run-journal.ts";
import type { SecretKeeper } from "../ports/secret-keeper.ts";
import type { RunRecorder } from "../recording/run-recorder.ts";
import type { Inspector } from "../statechart/inspection.ts";
import type { CertificateFiles } from "./serving-certificate.ts";
import type { PrometheusMetrics } from "./prometheus-metrics.ts";

/** Options of `runOperator`. */
export interface RunOptions {
  /** Where the cluster is; both default to what `kubectl` would use. */
  readonly connection: { readonly kubeconfig?: string; readonly context?: string };
  /** Namespaces served; default all. */
  readonly namespaces?: readonly string[];
  /** Reconciles at the same time per controller; default what the controller says. */
  readonly workers?: number;
  /** Receives what the operator does; see `createLogger`. */
  readonly log: Logger;
  /** Aborting it drains and stops the operator. */
  readonly signal: AbortSignal;
  /** Puts the CRDs on the cluster first; default false. */
  readonly installCrds?: boolean;
  /** Several processes may run and one of them works; default: this one always works. */
  readonly leaderElection?: LeaseOptions;
  /**
   * Several processes may run, and each works on a part of the objects; default: this one works on all, whoever else
   * does. Not together with leader election.
   */
  readonly sharding?: LeaseOptions;
  /** What reconciles under way get to end; default 25 s, below Kubernetes' 30 s of grace. */
  readonly drainTimeout?: Duration;
  /**
   * Where /healthz and /readyz are served, for instance ":8081" (every address: a kubelet comes from outside) or
   * "127.0.0.1:8081" (this machine only); default "0": nowhere.
   */
  readonly healthProbeBindAddress?: string;
  /** Where /metrics is served; default "0": nowhere, and nothing is measured. */
  readonly metricsBindAddress?: string;
  /**
   * Serves /metrics over TLS, to whoever has a bearer token whose user may `get` the URL /metrics; default false: plain, to
   * everybody. Files with the certificate and its key, read again every minute; true: one that signs itself.
   * RBAC: `create` on tokenreviews and subjectaccessreviews.
   */
  readonly metricsSecure?: boolean | CertificateFiles;
  /**
   * Where the webhooks of the controllers are served, in the same form; default "0": nowhere. Every replica serves them, before its
   * caches are complete. Without one of the following the certificate is made and renewed by the replicas, kept in a Secret, and
   * put into the configurations of the webhooks.
   * RBAC: `create` on secrets, `get` and `update` on that one, `get` and `patch` on the configurations.
   */
  readonly webhookBindAddress?: string;
  /** Folder of a certificate that somebody else rotates, such as cert-manager: tls.crt and tls.key, read again every ten seconds; default none. */
  readonly webhookCertDir?: string;
  /**
   * For development outside of the cluster: the base URL by which the API server reaches the webhooks, or true for the address above.
   * Their configurations are applied when the operator starts, and deleted when it stops; the certificate stays in this process. Default: by the operator's Service.
   */
  readonly webhookUrl?: string | true;
  /** Where measurements go; default new ones when /metrics is served, else nowhere. */
  readonly metrics?: PrometheusMetrics;
  /** OpenTelemetry's provider of tracers; default the one that is registered with its API, and without one nothing is traced. */
  readonly tracerProvider?: TracerProvider;
  /**
   * Who may look at every actor; default nobody.
   *
   * @internal
   */
  readonly inspector?: Inspector;
  /**
   * Receives each reconcile that has ended; default nothing.
   *
   * @internal
   */
  readonly journal?: RunJournal;
  /**
   * Called once before anything is done, with what says how the operator is at any time, and with the Observables of what
   * changes and moves: for a program that shows or follows it. Default nothing.
   */
  readonly onStart?: (health: () => OperatorHealth, streams: OperatorStreams) => void;
  /**
   * Who keeps each reconcile with all that decided it; default nobody.
   *
   * @internal
   */
  readonly recorder?: RunRecorder;
  /**
   * What this process knows of Secrets, shared with other parts that publish texts; default one of its own.
   *
   * @internal
   */
  readonly secrets?: SecretKeeper;
  /**
   * Called once when all caches are complete, also on a standby: for programs that show what is in them.
   *
   * @internal
   */
  readonly onSynced?: (view: OperatorView) => void;
  /** Called once when all caches are complete, this process leads, and the workers have started; default nothing. */
  readonly onReady?: () => void;
  /** Default the system's. */
  readonly clock?: Clock;
  /** A number from 0 to 1, for jitter; default `Math.random`. */
  readonly random?: () => number;
  /** Environment for finding the kubeconfig; default this process's. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** What can be inspected while an operator runs. */
export interface OperatorView {
  /** Not fenced: meant for reading. */
  readonly client: KubeClient;
  readonly cache: SharedCache;
}
