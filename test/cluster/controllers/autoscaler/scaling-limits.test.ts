// How fast and how far autoscalers go: bounds, the usual rates, stabilisation, and the rates of a behaviour.
import { describe, expect, it } from "vitest";
import {
  limitScale,
  type ScalingQuestion,
} from "../../../../src/cluster/controllers/autoscaler/scaling-limits.ts";

const now = Date.parse("2026-01-01T12:00:00Z");
const ago = (seconds: number, replicas: number): { at: number; replicas: number } => ({
  at: now - seconds * 1000,
  replicas,
});
const none = { recommendations: [], ups: [], downs: [] };
const question = (more: Partial<ScalingQuestion>): ScalingQuestion => ({
  current: 5,
  desired: 5,
  min: 1,
  max: 100,
  behavior: undefined,
  memory: none,
  now,
  ...more,
});
const podsUp = (value: number, periodSeconds: number) => ({ type: "Pods", value, periodSeconds });

describe("an autoscaler without a behaviour", () => {
  it.each([
    ["stays", {}, 5, "DesiredWithinRange"],
    ["at most doubles", { desired: 50 }, 10, "ScaleUpLimit"],
    ["goes from one to four at once", { current: 1, desired: 50 }, 4, "ScaleUpLimit"],
    ["keeps to its maximum", { desired: 9, max: 8 }, 8, "TooManyReplicas"],
    ["keeps to its minimum", { desired: 1, min: 3 }, 3, "TooFewReplicas"],
  ])("%s", (_, given, replicas, reason) => {
    const limited = limitScale(question(given));
    expect([limited.replicas, limited.limit.reason, limited.limit.limited]).toEqual([
      replicas,
      reason,
      reason !== "DesiredWithinRange",
    ]);
  });

  it("shrinks to the highest of what was recommended in five minutes", () => {
    const memory = { ...none, recommendations: [ago(310, 9), ago(200, 4), ago(20, 2)] };
    const { replicas, able } = limitScale(question({ desired: 2, memory }));
    expect([replicas, able.reason]).toEqual([4, "ScaleDownStabilized"]);
    expect(limitScale(question({ desired: 2 })).able.reason).toBe("ReadyForNewScale");
  });
});

describe("an autoscaler with a behaviour", () => {
  it("grows by the lowest of what was recommended in its window", () => {
    const behavior = { scaleUp: { stabilizationWindowSeconds: 60, policies: [podsUp(100, 15)] } };
    const memory = { ...none, recommendations: [ago(90, 5), ago(30, 7)] };
    const { replicas, able } = limitScale(question({ desired: 9, behavior, memory }));
    expect([replicas, able.reason]).toEqual([7, "ScaleUpStabilized"]);
  });

  it.each([
    ["adds so many pods in a period", { scaleUp: { policies: [podsUp(3, 60)] } }, 20, 8, "ScaleUpLimit"],
    [
      "takes the larger of its policies",
      { scaleUp: { policies: [podsUp(1, 60), { type: "Percent", value: 100, periodSeconds: 60 }] } },
      20,
      10,
      "ScaleUpLimit",
    ],
    [
      "takes the smaller when it is told to",
      { scaleUp: { selectPolicy: "Min", policies: [podsUp(1, 60), podsUp(4, 60)] } },
      20,
      6,
      "ScaleUpLimit",
    ],
    [
      "does not grow when that is disabled",
      { scaleUp: { selectPolicy: "Disabled", policies: [] } },
      20,
      5,
      "ScaleUpLimit",
    ],
    [
      "removes so many pods in a period",
      {
        scaleDown: {
          stabilizationWindowSeconds: 0,
          policies: [{ type: "Pods", value: 1, periodSeconds: 60 }],
        },
      },
      1,
      4,
      "ScaleDownLimit",
    ],
  ])("%s", (_, behavior, desired, replicas, reason) => {
    const limited = limitScale(question({ desired, behavior }));
    expect([limited.replicas, limited.limit.reason]).toEqual([replicas, reason]);
  });

  it("counts what it has done in the period", () => {
    const behavior = { scaleUp: { policies: [podsUp(3, 60)] } };
    const memory = { ...none, ups: [ago(70, 10), ago(30, 2)] };
    expect(limitScale(question({ desired: 20, behavior, memory })).replicas).toBe(6);
  });
});
