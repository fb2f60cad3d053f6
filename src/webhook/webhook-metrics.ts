// What is measured of the webhooks: under controller-runtime's names what that measures, and how long reviews take by what they
// came to.
import type { Metrics } from "../ports/metrics.ts";

/** Where the server's measurements go. */
export interface WebhookMetrics {
  /** A request to a path that is served. */
  begin(path: string): {
    ended(outcome: { readonly status: number; readonly result: string; readonly took: number }): void;
  };
  /** When the certificate that is served is no longer valid; milliseconds since the epoch. */
  certificateExpires(at: number): void;
}

/** Seconds; an API server gives up after 30. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Declares the families, and the series of each path. */
export function createWebhookMetrics(metrics: Metrics, paths: readonly string[]): WebhookMetrics {
  const requests = metrics.counter({
    name: "controller_runtime_webhook_requests_total",
    help: "Number of requests to a webhook, by HTTP status.",
    labels: ["webhook", "code"],
  });
  const latency = metrics.histogram({
    name: "controller_runtime_webhook_latency_seconds",
    help: "Duration of requests to a webhook, in seconds.",
    labels: ["webhook"],
    buckets,
  });
  const inFlight = metrics.gauge({
    name: "controller_runtime_webhook_requests_in_flight",
    help: "Requests to a webhook that are not answered yet.",
    labels: ["webhook"],
  });
  const reviews = metrics.histogram({
    name: "xstate_operator_webhook_review_seconds",
    help: "Duration of reviews, in seconds, by what they came to.",
    labels: ["webhook", "result"],
    buckets,
  });
  const expires = metrics.gauge({
    name: "xstate_operator_webhook_certificate_expiration_timestamp_seconds",
    help: "When the certificate of the webhooks is no longer valid, in seconds since the epoch.",
    labels: [],
  });
  const underWay = new Map(paths.map((path) => [path, 0]));
  const count = (path: string, change: number): void => {
    const now = (underWay.get(path) ?? 0) + change;
    underWay.set(path, now);
    inFlight.set({ webhook: path }, now);
  };
  for (const path of paths) {
    requests.with({ webhook: path, code: "200" });
    count(path, 0);
  }
  return {
    begin: (webhook) => {
      count(webhook, 1);
      return {
        ended: ({ status, result, took }) => {
          count(webhook, -1);
          requests.with({ webhook, code: String(status) }).inc();
          latency.with({ webhook }).observe(took / 1_000);
          reviews.with({ webhook, result }).observe(took / 1_000);
        },
      };
    },
    certificateExpires: (at) => expires.set({}, at / 1_000),
  };
}
