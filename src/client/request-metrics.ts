// What is counted of the requests to an API server, under client-go's name.
import type { CounterSeries, Metrics } from "../ports/metrics.ts";

/** Counts one answer; `code` is the HTTP status, or `<error>` when none came. */
export type CountRequest = (method: string, code: number | "<error>") => void;

/** Counts the requests to one server. Series are kept: there are as many as methods times status codes. */
export function createRequestCounter(metrics: Metrics, server: string): CountRequest {
  const { host } = new URL(server);
  const requests = metrics.counter({
    name: "rest_client_requests_total",
    help: "Requests to the API server, by status code, method and host.",
    labels: ["code", "method", "host"],
  });
  const series = new Map<string, CounterSeries>();
  return (method, code) => {
    const key = `${method} ${code}`;
    let counter = series.get(key);
    if (counter === undefined) {
      counter = requests.with({ code: String(code), method, host });
      series.set(key, counter);
    }
    counter.inc();
  };
}
