import { describe, expect, it } from "vitest";
import { rankForDeletion } from "../../../../src/cluster/controllers/replica-set/pod-ranking.ts";
import type { Pod } from "../../../../src/kinds/builtin/core.ts";

interface PodOptions {
  readonly nodeName?: string | undefined;
  readonly on?: string;
  readonly phase?: "Pending" | "Running";
  readonly readySince?: string;
  readonly created?: string;
  readonly restarts?: number;
  readonly cost?: string;
}

function pod(name: string, options: PodOptions = {}): Pod {
  const { phase = "Running", readySince, created = "2026-01-01T00:00:00Z", restarts = 0, cost } = options;
  const ready = readySince === undefined ? "False" : "True";
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace: "default",
      uid: name,
      resourceVersion: "1",
      creationTimestamp: created,
      ...(cost === undefined ? {} : { annotations: { "controller.kubernetes.io/pod-deletion-cost": cost } }),
    },
    spec: { containers: [], ...("nodeName" in options ? {} : { nodeName: options.on ?? "node" }) },
    status: {
      phase,
      conditions: [
        {
          type: "Ready",
          status: ready,
          ...(readySince === undefined ? {} : { lastTransitionTime: readySince }),
        },
      ],
      containerStatuses: [{ name: "c", image: "", imageID: "", ready: true, restartCount: restarts }],
    },
  };
}

describe("pods ranked for deletion", () => {
  it.each([
    ["not scheduled", pod("x", { nodeName: undefined, phase: "Pending" }), pod("y", { phase: "Pending" })],
    ["pending", pod("x", { phase: "Pending" }), pod("y")],
    ["not ready", pod("x"), pod("y", { readySince: "2026-01-01T00:00:00Z" })],
    [
      "cheaper",
      pod("x", { cost: "-5", readySince: "2026-01-01T00:00:00Z" }),
      pod("y", { readySince: "2026-01-01T01:00:00Z" }),
    ],
    [
      "ready for a shorter time",
      pod("x", { readySince: "2026-01-01T02:00:00Z" }),
      pod("y", { readySince: "2026-01-01T01:00:00Z" }),
    ],
    ["restarted more often", pod("x", { restarts: 3 }), pod("y", { restarts: 1 })],
    ["younger", pod("x", { created: "2026-01-02T00:00:00Z" }), pod("y")],
  ])("put first the one that is %s", (_, first, second) => {
    expect(rankForDeletion([second, first]).map((each) => each.metadata.name)).toEqual(["x", "y"]);
    expect(rankForDeletion([first, second]).map((each) => each.metadata.name)).toEqual(["x", "y"]);
  });

  it("put first the one on a node with more pods of the same deployment", () => {
    const since = "2026-01-01T00:00:00Z";
    const crowded = pod("crowded", { readySince: since });
    const alone = pod("alone", { readySince: "2026-01-02T00:00:00Z", on: "other" });
    const names = (related: readonly Pod[]): readonly string[] =>
      rankForDeletion([alone, crowded], related).map(({ metadata }) => metadata.name);
    expect(names([])).toEqual(["alone", "crowded"]);
    expect(names([alone, crowded, pod("of an older set")])).toEqual(["crowded", "alone"]);
  });
});
