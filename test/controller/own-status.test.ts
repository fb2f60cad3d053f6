import { describe, expect, it } from "vitest";
import { noteStored, trustOwn } from "../../src/controller/application/own-status.ts";
import type { ApplicationMemory } from "../../src/controller/application/shared-parts.ts";
import { isOwnDraft } from "../../src/lifecycle/stored/read-status.ts";
import type { LifecycleStatus } from "../../src/lifecycle/stored/snapshot.ts";
import { Looks } from "../../src/lifecycle/tasks/looks.ts";
import type { KubeObject } from "../../src/meta/object.ts";

const decided = { state: "Running", digest: "0011", tasks: {}, timers: {} } as unknown as LifecycleStatus;

const stored = (resourceVersion: string, lifecycle: unknown): KubeObject =>
  ({
    apiVersion: "v1",
    kind: "Store",
    metadata: { name: "orders", uid: "u", resourceVersion, creationTimestamp: "2026-01-01T00:00:00Z" },
    status: { lifecycle },
  }) as unknown as KubeObject;

/** Whether the lifecycle of a resource is trusted after a run has stored what it decided in version 7. */
function isTrusted(answered: unknown, cr: KubeObject): boolean {
  const memory: ApplicationMemory = { reports: [], starts: new Map(), looks: new Looks() };
  noteStored(memory, stored("7", answered), decided);
  trustOwn(memory, cr);
  return isOwnDraft((cr as { readonly status?: { readonly lifecycle?: unknown } }).status?.lifecycle);
}

describe("a stored lifecycle that is read as it is", () => {
  it("is the one that a run of this process has stored", () => {
    expect(isTrusted({ ...decided }, stored("7", { ...decided }))).toBe(true);
  });

  it.each([
    ["another client has written since", { ...decided }, stored("8", { ...decided })],
    ["the server has kept something else", { ...decided, plan: [] }, stored("7", { ...decided, plan: [] })],
    ["the same version has another digest", { ...decided }, stored("7", { ...decided, digest: "0022" })],
    ["it is gone", { ...decided }, stored("7", undefined)],
    ["it is null", { ...decided }, stored("7", null)],
  ])("is none where %s", (_, answered, cr) => {
    expect(isTrusted(answered, cr)).toBe(false);
  });
});
