// A Grafana dashboard of an operator: its resources by state and by what needs attention, its lifecycles and tasks, its reconciles.
import type { Kind } from "../../kinds/define-kind.ts";
import type { KubeObject } from "../../meta/object.ts";
import { seriesPrefix } from "./kube-state-metrics.ts";

interface Panel {
  readonly title: string;
  readonly type: "timeseries" | "stat" | "table";
  readonly unit?: string;
  /** A query and the legend of its series. */
  readonly queries: readonly (readonly [expr: string, legend: string])[];
}

const columns = 2;
const [width, height] = [24 / columns, 8];

/** The dashboard, for Grafana's import. */
export function grafanaDashboard(name: string, kinds: readonly Kind<KubeObject>[]): object {
  const datasource = { type: "prometheus", uid: "${datasource}" };
  const panels = panelsOf(kinds).map(({ title, type, unit, queries }, place) => ({
    id: place + 1,
    title,
    type,
    datasource,
    gridPos: { x: (place % columns) * width, y: Math.floor(place / columns) * height, w: width, h: height },
    fieldConfig: { defaults: unit === undefined ? {} : { unit }, overrides: [] },
    targets: queries.map(([expr, legendFormat], query) => ({
      refId: String.fromCodePoint(65 + query),
      datasource,
      expr,
      legendFormat,
      ...(type === "table" ? { format: "table", instant: true } : {}),
    })),
  }));
  return {
    title: name,
    uid: name.slice(0, 40),
    tags: ["xstate-operator"],
    timezone: "browser",
    refresh: "30s",
    schemaVersion: 39,
    time: { from: "now-6h", to: "now" },
    templating: {
      list: [{ name: "datasource", type: "datasource", query: "prometheus", label: "Data source" }],
    },
    panels,
  };
}

function panelsOf(kinds: readonly Kind<KubeObject>[]): readonly Panel[] {
  const names = kinds.map(({ kind }) => kind).join("|");
  const groups = [...new Set(kinds.map(({ group }) => group))].join("|");
  const ours = `customresource_group=~"${groups}",customresource_kind=~"${names}"`;
  const controllers = kinds.map(({ kind }) => kind.toLowerCase()).join("|");
  const rate = (series: string): string =>
    `sum by (controller) (rate(${series}{controller=~"${controllers}"}[5m]))`;
  const quantile = (series: string, by: string, labels: string): string =>
    `histogram_quantile(0.9, sum by (${by}, le) (rate(${series}_bucket{${labels}}[15m])))`;
  const general: readonly Panel[] = [
    {
      title: "Not ready",
      type: "stat",
      queries: [
        [
          `sum by (customresource_kind) (1 - ${seriesPrefix}_condition{${ours},type="Ready"})`,
          "{{customresource_kind}}",
        ],
      ],
    },
    {
      title: "Needs attention",
      type: "table",
      queries: [[`${seriesPrefix}_condition{${ours},type=~"Stalled|Degraded|Paused"} == 1`, ""]],
    },
  ];
  const lifecycle: readonly Panel[] = [
    {
      title: "Resources by state",
      type: "timeseries",
      queries: [
        [
          `sum by (kind, state) (xstate_operator_lifecycle_state{kind=~"${names}"}) > 0`,
          "{{kind}} {{state}}",
        ],
      ],
    },
    {
      title: "State transitions",
      type: "timeseries",
      queries: [
        [
          `sum by (kind, from, to) (increase(xstate_operator_lifecycle_transitions_total{kind=~"${names}"}[15m])) > 0`,
          "{{kind}} {{from}} → {{to}}",
        ],
      ],
    },
    {
      title: "Time in a state (90 %)",
      type: "timeseries",
      unit: "s",
      queries: [
        [
          quantile("xstate_operator_lifecycle_time_in_state_seconds", "kind, state", `kind=~"${names}"`),
          "{{kind}} {{state}}",
        ],
      ],
    },
    {
      title: "Duration of tasks (90 %)",
      type: "timeseries",
      unit: "s",
      queries: [
        [
          quantile(
            "xstate_operator_lifecycle_task_duration_seconds",
            "kind, task, result",
            `kind=~"${names}"`,
          ),
          "{{kind}} {{task}} {{result}}",
        ],
      ],
    },
  ];
  const operator: readonly Panel[] = [
    {
      title: "Reconciles and errors per second",
      type: "timeseries",
      unit: "ops",
      queries: [
        [rate("controller_runtime_reconcile_total"), "{{controller}}"],
        [rate("controller_runtime_reconcile_errors_total"), "{{controller}} errors"],
      ],
    },
    {
      title: "Duration of a reconcile (90 %)",
      type: "timeseries",
      unit: "s",
      queries: [
        [
          quantile("controller_runtime_reconcile_time_seconds", "controller", `controller=~"${controllers}"`),
          "{{controller}}",
        ],
      ],
    },
    {
      title: "Keys that wait",
      type: "timeseries",
      queries: [[`sum by (controller) (workqueue_depth{controller=~"${controllers}"})`, "{{controller}}"]],
    },
  ];
  return [...general, ...(kinds.some((kind) => kind.lifecycle !== undefined) ? lifecycle : []), ...operator];
}
