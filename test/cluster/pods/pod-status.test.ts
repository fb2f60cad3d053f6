import { describe, expect, it } from "vitest";
import type { ContainerRecord } from "../../../src/cluster/pods/container-record.ts";
import { type PodFacts, podPhaseOf, podStatusOf } from "../../../src/cluster/pods/pod-status.ts";
import type { ContainerState } from "../../../src/kinds/builtin/parts.ts";
import type { Pod } from "../../../src/kinds/builtin/core.ts";
import type { PodSpec, PodStatus } from "../../../src/kinds/builtin/parts.ts";

const now = Date.UTC(2026, 0, 1, 12);

function pod(spec: Partial<PodSpec> = {}, status: PodStatus = {}, deleting = false): Pod {
  const metadata = {
    name: "p",
    namespace: "n",
    uid: "u",
    resourceVersion: "1",
    creationTimestamp: "2026-01-01T00:00:00Z",
    ...(deleting ? { deletionTimestamp: "2026-01-01T11:00:00Z" } : {}),
  };
  return { apiVersion: "v1", kind: "Pod", metadata, spec: { containers: [{ name: "a" }], ...spec }, status };
}

function record(state: ContainerState, more: Partial<ContainerRecord> = {}): ContainerRecord {
  const { running } = state;
  return {
    name: "a",
    image: "",
    imageID: "",
    ready: running !== undefined,
    started: running !== undefined,
    restartCount: 0,
    lastState: {},
    state,
    ...more,
  };
}

const waiting = record({ waiting: { reason: "ContainerCreating" } });
const running = record({ running: { startedAt: "2026-01-01T11:59:00Z" } });
const succeeded = record({ terminated: { exitCode: 0 } });
const failed = record({ terminated: { exitCode: 3 } });
const crashed = record(
  { waiting: { reason: "CrashLoopBackOff" } },
  { lastState: { terminated: { exitCode: 1 } } },
);

function facts(containers: readonly ContainerRecord[], more: Partial<PodFacts> = {}): PodFacts {
  return {
    initContainers: [],
    containers,
    ephemeralContainers: [],
    podIP: "127.130.0.1",
    hostIP: "127.0.0.1",
    startedAt: now,
    ...more,
  };
}

describe("pod phase", () => {
  it.each([
    ["waits for its first start", "Always", [waiting], "Pending"],
    ["runs", "Always", [running], "Running"],
    ["runs one of two, the other still waits", "Always", [running, waiting], "Pending"],
    ["runs one of two, the other has ended", "Never", [running, succeeded], "Running"],
    ["waits to be restarted", "Always", [crashed], "Running"],
    ["has ended, but will be restarted", "Always", [succeeded], "Running"],
    ["has ended well", "Never", [succeeded, succeeded], "Succeeded"],
    ["has ended well on failure policy", "OnFailure", [succeeded], "Succeeded"],
    ["has ended badly", "Never", [succeeded, failed], "Failed"],
    ["has ended badly, but will be restarted", "OnFailure", [failed], "Running"],
  ] as const)("of a pod that %s (policy %s)", (_, restartPolicy, containers, phase) => {
    expect(podPhaseOf(pod({ restartPolicy }), facts(containers))).toBe(phase);
  });

  it("is Pending until the init containers are through", () => {
    expect(podPhaseOf(pod(), facts([waiting], { initContainers: [running] }))).toBe("Pending");
    expect(podPhaseOf(pod(), facts([running], { initContainers: [succeeded] }))).toBe("Running");
  });

  it("is Failed when an init container fails and is not repeated", () => {
    const initial = facts([waiting], { initContainers: [failed] });
    expect(podPhaseOf(pod({ restartPolicy: "Never" }), initial)).toBe("Failed");
    expect(podPhaseOf(pod({ restartPolicy: "Always" }), initial)).toBe("Pending");
  });

  it("is final for a pod that was ended on request, whatever its policy", () => {
    expect(podPhaseOf(pod({ restartPolicy: "Always" }, {}, true), facts([failed]))).toBe("Failed");
    expect(podPhaseOf(pod({ restartPolicy: "Always" }, {}, true), facts([succeeded]))).toBe("Succeeded");
  });
});

describe("pod status", () => {
  const conditionOf = (status: PodStatus, type: string) =>
    status.conditions?.find((each) => each.type === type);

  it("is ready when every container is", () => {
    const status = podStatusOf(pod(), facts([running]), now);
    expect(conditionOf(status, "Ready")).toEqual({
      type: "Ready",
      status: "True",
      lastTransitionTime: "2026-01-01T12:00:00Z",
    });
    expect(status).toMatchObject({
      phase: "Running",
      podIP: "127.130.0.1",
      startTime: "2026-01-01T12:00:00Z",
    });
  });

  it("names the containers that are not ready", () => {
    const status = podStatusOf(pod(), facts([running, { ...running, name: "b", ready: false }]), now);
    expect(conditionOf(status, "Ready")).toMatchObject({
      status: "False",
      reason: "ContainersNotReady",
      message: "containers with unready status: [b]",
    });
  });

  it("is completed, not ready, once it has succeeded", () => {
    const status = podStatusOf(pod({ restartPolicy: "Never" }), facts([succeeded]), now);
    expect(conditionOf(status, "Ready")).toMatchObject({ status: "False", reason: "PodCompleted" });
  });

  it("waits for its readiness gates, and keeps the conditions of others", () => {
    const gated = { readinessGates: [{ conditionType: "lb/ok" }] };
    const before = { conditions: [{ type: "lb/ok", status: "False" as const }] };
    const status = podStatusOf(pod(gated, before), facts([running]), now);
    expect(conditionOf(status, "ContainersReady")).toMatchObject({ status: "True" });
    expect(conditionOf(status, "Ready")).toMatchObject({ status: "False", reason: "ReadinessGatesNotReady" });
    expect(conditionOf(status, "lb/ok")).toEqual({ type: "lb/ok", status: "False" });
    const open = { conditions: [{ type: "lb/ok", status: "True" as const }] };
    expect(conditionOf(podStatusOf(pod(gated, open), facts([running]), now), "Ready")).toMatchObject({
      status: "True",
    });
  });

  it("moves a transition time only when the condition flips", () => {
    const first = podStatusOf(pod(), facts([running]), now);
    const same = podStatusOf(pod({}, first), facts([running]), now + 60_000);
    expect(same).toEqual(first);
    const flipped = podStatusOf(pod({}, first), facts([{ ...running, ready: false }]), now + 60_000);
    expect(conditionOf(flipped, "Ready")?.lastTransitionTime).toBe("2026-01-01T12:01:00Z");
    expect(conditionOf(flipped, "Initialized")?.lastTransitionTime).toBe("2026-01-01T12:00:00Z");
  });

  it("tells why the pod was failed from outside", () => {
    const failure = { reason: "DeadlineExceeded", message: "too long" };
    expect(podStatusOf(pod(), facts([running], { failure }), now)).toMatchObject({
      phase: "Failed",
      ...failure,
    });
  });
});
