// Alerts on the resources of an operator, over the series of kube-state-metrics.ts: a PrometheusRule of the Prometheus operator.
import type { Kind } from "../../kinds/define-kind.ts";
import type { Lifecycle } from "../../lifecycle/graph/compile-lifecycle.ts";
import type { KubeObject } from "../../meta/object.ts";
import { seriesPrefix } from "./kube-state-metrics.ts";

/** Seconds after which a state that leads on is too slow, where it has no grace. */
const longestTransition = 3_600;

/** The alerts of the kinds. */
export function prometheusRule(name: string, kinds: readonly Kind<KubeObject>[]): object {
  return {
    apiVersion: "monitoring.coreos.com/v1",
    kind: "PrometheusRule",
    metadata: { name, labels: { "app.kubernetes.io/name": name } },
    spec: { groups: kinds.map((kind) => ({ name: `${name}.${kind.plural}`, rules: rulesOf(kind) })) },
  };
}

function rulesOf({ kind, group, lifecycle }: Kind<KubeObject>): readonly object[] {
  const only = `customresource_group="${group}",customresource_kind="${kind}"`;
  const condition = (type: string): string => `${seriesPrefix}_condition{${only},type="${type}"} == 1`;
  const general = [
    alert(`${kind}Stalled`, "warning", {
      expr: condition("Stalled"),
      for: "5m",
      summary: `${kind} {{ $labels.namespace }}/{{ $labels.name }} does not go on by itself ({{ $labels.reason }})`,
    }),
    alert(`${kind}NotObserved`, "warning", {
      expr: `${seriesPrefix}_generation{${only}} != on (namespace, name) ${seriesPrefix}_observed_generation{${only}}`,
      for: "15m",
      summary: `no operator observes the last change of ${kind} {{ $labels.namespace }}/{{ $labels.name }}`,
    }),
  ];
  return lifecycle === undefined ? general : [...general, ...lifecycleRules(kind, only, lifecycle)];
}

function lifecycleRules(kind: string, only: string, lifecycle: Lifecycle): readonly object[] {
  const info = (labels: string): string => `${seriesPrefix}_lifecycle{${only},${labels}} == 1`;
  const who = `${kind} {{ $labels.namespace }}/{{ $labels.name }}`;
  const intervention = [...lifecycle.roles.intervention];
  const slow = slowStates(lifecycle);
  const longerThan = ({ states, seconds }: SlowStates): string =>
    `time() - (${seriesPrefix}_state_since_seconds{${only}} * on (namespace, name) group_left (state) ${seriesPrefix}_lifecycle{${only},state=~"${statesPattern(states)}"}) > ${seconds}`;
  return [
    ...(intervention.length === 0
      ? []
      : [
          alert(`${kind}InterventionRequired`, "critical", {
            expr: info(`state=~"${statesPattern(intervention)}"`),
            for: "1m",
            summary: `${who} is in {{ $labels.state }} and waits for a person`,
          }),
        ]),
    alert(`${kind}TargetFailed`, "warning", {
      expr: info('outcome="failed"'),
      for: "1m",
      summary: `${who} did not reach {{ $labels.target }}`,
    }),
    // One alert, however many limits there are: rules of one name and the same labels are duplicates for promtool.
    ...(slow.length === 0
      ? []
      : [
          alert(`${kind}StuckInState`, "warning", {
            expr: slow.map(longerThan).join(" or "),
            for: "1m",
            summary: `${who} has been in {{ $labels.state }} for {{ $value | humanizeDuration }}`,
          }),
        ]),
  ];
}

interface SlowStates {
  readonly states: readonly string[];
  readonly seconds: number;
}

/** The states that lead on by themselves, by the time that they may take: their grace, twice, or an hour. */
function slowStates({ roles, grace }: Lifecycle): readonly SlowStates[] {
  const bySeconds = new Map<number, string[]>();
  for (const state of new Set([...roles.transient, ...grace.keys()])) {
    const own = grace.get(state);
    const seconds = own === undefined ? longestTransition : Math.ceil((2 * own) / 1_000);
    bySeconds.set(seconds, [...(bySeconds.get(seconds) ?? []), state]);
  }
  return [...bySeconds].map(([seconds, states]) => ({ states, seconds }));
}

/** Matches a value of the label `state` in which one of the states is active: leaves, joined by commas. */
function statesPattern(paths: readonly string[]): string {
  return `(.*,)?(${paths.join("|")})([:,].*)?`;
}

interface Alert {
  readonly expr: string;
  readonly for: string;
  readonly summary: string;
}

function alert(name: string, severity: "warning" | "critical", { expr, summary, ...rest }: Alert): object {
  return { alert: name, expr, ...rest, labels: { severity }, annotations: { summary } };
}
