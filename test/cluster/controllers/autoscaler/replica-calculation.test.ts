// The arithmetic of autoscalers, with the numbers of Kubernetes' documentation and of its own tests.
import { describe, expect, it } from "vitest";
import {
  replicasForPods,
  replicasForShare,
  replicasForValue,
  type PodGroups,
} from "../../../../src/cluster/controllers/autoscaler/replica-calculation.ts";

const usual = { up: 0.1, down: 0.1 };

function groups(measured: readonly number[], more: Partial<PodGroups> = {}): PodGroups {
  return {
    measured: new Map(measured.map((value, index) => [`m${index}`, value])),
    unready: [],
    missing: [],
    ...more,
  };
}

function requests(pods: PodGroups, each: number): ReadonlyMap<string, number> {
  return new Map([...pods.measured.keys(), ...pods.unready, ...pods.missing].map((name) => [name, each]));
}

describe("replicas for the mean of pods", () => {
  it.each([
    ["three pods at 50% of a target of 30%", 3, groups([300, 500, 700]), 30, 5, 50],
    ["within the tolerance", 3, groups([1010, 1030, 1020]), 100, 3, 102],
    ["down", 5, groups([100, 300, 500, 250, 250]), 50, 3, 28],
    ["up, with one that is not ready", 3, groups([500, 700], { unready: ["u"] }), 30, 4, 60],
    ["up, with two that are not ready: no change", 3, groups([400], { unready: ["u", "v"] }), 30, 3, 40],
    [
      "down, with one that nobody measured: it counts as full",
      4,
      groups([100, 300, 500], { missing: ["x"] }),
      50,
      4,
      30,
    ],
    [
      "down, with one of five that nobody measured",
      5,
      groups([100, 100, 100, 100], { missing: ["x"] }),
      50,
      3,
      10,
    ],
    [
      "up, with one that nobody measured: it counts as idle",
      2,
      groups([1000], { missing: ["x"] }),
      30,
      4,
      100,
    ],
  ])("%s", (_, current, pods, value, replicas, utilization) => {
    const target = { value, requests: requests(pods, 1000) };
    expect(replicasForPods(current, pods, target, usual)).toMatchObject({ replicas, utilization });
  });

  it("takes a value of each pod as well as a part of its request", () => {
    expect(replicasForPods(3, groups([20_000, 10_000, 30_000]), { value: 15_000 }, usual)).toEqual({
      replicas: 4,
      average: 20_000,
    });
  });

  it("keeps to the tolerances that it is given", () => {
    const pods = groups([1090, 1090]);
    const target = { value: 100, requests: requests(pods, 1000) };
    expect(replicasForPods(2, pods, target, usual).replicas).toBe(2);
    expect(replicasForPods(2, pods, target, { up: 0.05, down: 0.1 }).replicas).toBe(3);
  });
});

describe("replicas for one value", () => {
  it.each([
    ["of all replicas", replicasForValue({ current: 3, ready: 3 }, 20_000, 15_000, usual), 4],
    ["within the tolerance", replicasForValue({ current: 3, ready: 3 }, 15_500, 15_000, usual), 3],
    ["of none that run yet", replicasForValue({ current: 0, ready: 0 }, 30_000, 15_000, usual), 2],
    ["that they share", replicasForShare(3, 60_000, 15_000, usual).replicas, 4],
    ["that they share, within the tolerance", replicasForShare(4, 62_000, 15_000, usual).replicas, 4],
  ])("%s", (_, found, replicas) => {
    expect(found).toBe(replicas);
  });
});
