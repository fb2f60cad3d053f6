// What `generate` prints for other tools. What the tools themselves make of it is shown by test/foreign.
import { parse } from "@marcbachmann/cel-js";
import { describe, expect, it } from "vitest";
import { parse as parseYaml } from "yaml";
import { argoCdHealth } from "../../src/cli/generate/argocd-health.ts";
import { fluxHealth, healthExpressions } from "../../src/cli/generate/flux-health.ts";
import { kubeStateMetrics } from "../../src/cli/generate/kube-state-metrics.ts";
import { prometheusRule } from "../../src/cli/generate/prometheus-rule.ts";
import { setupLifecycle } from "../../machines/lifecycle-machine.ts";
import { defineKind } from "../../src/kinds/define-kind.ts";
import { z } from "zod";
import { runCommand } from "./run-in-process.ts";
import { join } from "node:path";

const module = join(import.meta.dirname, "../../examples/database/operator.ts");

const Kettle = defineKind({
  group: "kitchen.example.com",
  version: "v1",
  kind: "Kettle",
  spec: z.object({}),
  lifecycle: setupLifecycle().createMachine({
    id: "kettle",
    version: "1",
    initial: "Cold",
    states: {
      Cold: { on: { "desired.Hot": "Heating" } },
      Heating: { meta: { grace: "5m" }, on: { "observed.Hot": "Hot" }, after: { "10m": "Burnt" } },
      Hot: { on: { "desired.Cold": "Cooling" } },
      Cooling: { tags: "transient", on: { "observed.Cold": "Cold" } },
      Burnt: { tags: "intervention", on: { "human.replace": "Cold" } },
    },
  }),
});
const Plain = defineKind({ group: "kitchen.example.com", version: "v1", kind: "Plain", spec: z.object({}) });

const object = (
  generation: number,
  observedGeneration: number,
  conditions?: Readonly<Record<string, string>>,
) => ({
  metadata: { generation },
  status: {
    observedGeneration,
    ...(conditions === undefined
      ? {}
      : {
          conditions: Object.entries(conditions).map(([type, value]) => {
            const [status, reason = "Told"] = value.split(" ");
            return { type, status, reason };
          }),
        }),
  },
});

describe("the health expressions for Flux", () => {
  it.each([
    ["never observed", object(1, -1), "inProgress"],
    ["on its way", object(1, 1, { Ready: "False", Reconciling: "True" }), "inProgress"],
    ["ready and changing", object(1, 1, { Ready: "True", Reconciling: "True" }), "inProgress"],
    ["edited", object(2, 1, { Ready: "True" }), "inProgress"],
    ["stalled", object(1, 1, { Ready: "False", Stalled: "True" }), "failed"],
    ["ready", object(1, 1, { Ready: "True" }), "current"],
    ["suspended, as desired", object(1, 1, { Ready: "False Suspended" }), "current"],
    ["ended, as desired", object(1, 1, { Ready: "False Ended" }), "current"],
    ["not ready", object(1, 1, { Ready: "False Hot" }), undefined],
  ])("are true for one answer at most: %s", (_name, value, answer) => {
    const holding = Object.entries(healthExpressions).filter(([, expression]) => {
      const numbers = JSON.parse(JSON.stringify(value), (_key, each: unknown) =>
        typeof each === "number" ? BigInt(each) : each,
      ) as Record<string, unknown>;
      return parse(expression)(numbers) === true;
    });
    expect(holding.map(([name]) => name)).toEqual(answer === undefined ? [] : [answer]);
  });

  it("name each kind", () => {
    expect(fluxHealth([Kettle, Plain])).toMatchObject({
      spec: {
        healthCheckExprs: [
          { apiVersion: "kitchen.example.com/v1", kind: "Kettle" },
          { apiVersion: "kitchen.example.com/v1", kind: "Plain" },
        ],
      },
    });
  });
});

it("Argo CD's health checks stand under the names by which it looks for them", () => {
  expect(argoCdHealth([Kettle, Plain])).toMatchObject({
    metadata: { name: "argocd-cm" },
    data: {
      "resource.customizations.health.kitchen.example.com_Kettle": expect.any(String) as string,
      "resource.customizations.health.kitchen.example.com_Plain": expect.any(String) as string,
    },
  });
});

describe("the alerts", () => {
  const rulesOf = (kind: typeof Kettle | typeof Plain) => {
    const { spec } = prometheusRule("kitchen-operator", [kind]) as {
      spec: { groups: { rules: { alert: string; expr: string }[] }[] };
    };
    return spec.groups.flatMap(({ rules }) => rules);
  };

  it("name the states that wait for a person, and those that lead on by themselves, by the time they may take", () => {
    const found = rulesOf(Kettle).map(({ alert, expr }) => [
      alert,
      [...expr.matchAll(/state=~"([^"]*)"(?:.*?>\s(\d+))?/g)].map(([, states, limit]) => [states, limit]),
    ]);
    expect(found).toEqual([
      ["KettleStalled", []],
      ["KettleNotObserved", []],
      ["KettleInterventionRequired", [["(.*,)?(Burnt)([:,].*)?", undefined]]],
      ["KettleTargetFailed", []],
      [
        "KettleStuckInState",
        [
          ["(.*,)?(Heating)([:,].*)?", "600"],
          ["(.*,)?(Cooling)([:,].*)?", "3600"],
        ],
      ],
    ]);
  });

  it("of a plain kind are about its conditions alone", () => {
    expect(rulesOf(Plain).map(({ alert }) => alert)).toEqual(["PlainStalled", "PlainNotObserved"]);
  });

  it("use the series that kube-state-metrics is told to make, and no other", () => {
    const { spec } = kubeStateMetrics([Kettle]) as {
      spec: { resources: { metricNamePrefix: string; metrics: { name: string }[] }[] };
    };
    const series = spec.resources.flatMap(({ metricNamePrefix, metrics }) =>
      metrics.map(({ name }) => `${metricNamePrefix}_${name}`),
    );
    for (const { expr } of rulesOf(Kettle)) {
      for (const [name] of expr.matchAll(/xstate_operator_\w+/g)) expect(series).toContain(name);
    }
  });
});

it.each(["argocd-health", "flux-health", "kube-state-metrics", "alerts", "grafana-dashboard"])(
  "generate %s prints one document for the operator",
  async (what) => {
    const { code, out, err } = await runCommand(["generate", what, module]);
    expect([code, err]).toEqual([0, ""]);
    const document = (what === "grafana-dashboard" ? JSON.parse(out) : parseYaml(out)) as object;
    expect(JSON.stringify(document)).toContain("Database");
    const json = await runCommand(["generate", what, module, "-o", "json"]);
    expect(JSON.parse(json.out)).toEqual(document);
  },
);
