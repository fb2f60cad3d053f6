// Which time the endpoints of a service carry: that of the first change since they were last written.
import { expect, it } from "vitest";
import { TriggerTimes, withTriggerTime } from "../../../../src/cluster/controllers/service/trigger-times.ts";
import type { Pod, Service } from "../../../../src/kinds/builtin/core.ts";

const at = (second: number): string => `2026-01-01T00:00:${String(second).padStart(2, "0")}Z`;
const service = (created: number) =>
  ({ metadata: { namespace: "default", name: "web", creationTimestamp: at(created) }, spec: {} }) as Service;
const pod = (name: string, second?: number) =>
  ({
    metadata: { name },
    status: {
      conditions: second === undefined ? [] : [{ type: "Ready", lastTransitionTime: at(second) }],
    },
  }) as unknown as Pod;

it("is that of a new service, then that of the first pod that has changed", () => {
  const times = new TriggerTimes();
  expect(times.timeOf(service(1), [pod("a", 5)])).toBe(at(1));
  times.remember(service(1), [pod("a", 5), pod("b")]);
  expect(times.timeOf(service(1), [pod("a", 5), pod("b")])).toBe(undefined);
  expect(times.timeOf(service(1), [pod("a", 9), pod("b", 8)])).toBe(at(8));
  // What could not be written is written with the same time later.
  expect(times.timeOf(service(1), [pod("a", 9), pod("b", 8)])).toBe(at(8));
  times.remember(service(1), [pod("a", 9)]);
  expect(times.timeOf(service(1), [])).toBe(undefined);
  expect(times.timeOf(service(7), [pod("a", 9)])).toBe(at(7));
});

it("is forgotten with its service", () => {
  const times = new TriggerTimes();
  times.remember(service(1), [pod("a", 5)]);
  times.forget("default/web");
  expect(times.timeOf(service(3), [pod("a", 5)])).toBe(at(3));
});

it("takes the place of the last one, or leaves none", () => {
  const name = "endpoints.kubernetes.io/last-change-trigger-time";
  expect(withTriggerTime({ other: "1", [name]: at(1) }, at(2))).toEqual({ other: "1", [name]: at(2) });
  expect(withTriggerTime({ other: "1", [name]: at(1) }, undefined)).toEqual({ other: "1" });
});
