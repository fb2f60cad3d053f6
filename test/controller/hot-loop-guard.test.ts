import { beforeEach, describe, expect, it } from "vitest";
import type { Change } from "../../src/cache/informer.ts";
import type { KubeClient } from "../../src/client/kube-client.ts";
import { noteOf } from "../../src/controller/changes/change-note.ts";
import { OwnWrites } from "../../src/controller/changes/own-writes.ts";
import { HotLoopGuard } from "../../src/controller/detectors/hot-loop-guard.ts";
import { ConfigMap } from "../../src/kinds/builtin/core.ts";
import type { Condition } from "../../src/meta/condition.ts";
import type { KubeObject, ManagedFieldsEntry } from "../../src/meta/object.ts";
import { silentLogger } from "../../src/ports/logger.ts";
import { silentMetrics } from "../../src/ports/metrics.ts";
import { StatusDraft } from "../../src/reconcile/status/status-draft.ts";
import { createVirtualClock, type VirtualClock } from "../../src/testing/virtual-clock.ts";

const key = "ns/a";
const cr: KubeObject = {
  apiVersion: "example.com/v1",
  kind: "Widget",
  metadata: { namespace: "ns", name: "a", uid: "cr", resourceVersion: "1", creationTimestamp: "" },
};

describe("what the guard tells of a circle", () => {
  let clock: VirtualClock;
  let guard: HotLoopGuard;
  let ownWrites: OwnWrites;
  let versions: number;
  let managedFields: ManagedFieldsEntry[];

  beforeEach(() => {
    clock = createVirtualClock();
    versions = 0;
    managedFields = [{ manager: "widgets", operation: "Apply", fieldsV1: {} }];
    const never = (): never => {
      throw new Error("not asked for here");
    };
    const client: KubeClient = {
      server: "",
      get: () => Promise.resolve({ metadata: { managedFields } } as never),
      list: never,
      watch: never,
      follow: never,
      create: never,
      update: never,
      patch: never,
      apply: never,
      delete: never,
      request: never,
      exec: never,
      close: never,
    };
    ownWrites = new OwnWrites({
      kind: { group: "example.com", version: "v1", kind: "Widget", plural: "widgets", namespaced: true },
      overlayOf: () => undefined,
      turn: () => guard.turn,
    });
    guard = new HotLoopGuard({
      limits: { runs: 5, within: 60_000, longestDelay: 60_000 },
      operator: "widgets",
      controller: "widget",
      client,
      events: { record: () => undefined, flush: () => Promise.resolve(), dropped: 0 },
      ownWrites,
      clock,
      log: silentLogger,
      metrics: silentMetrics,
    });
  });

  function child(uid: string, metadata: Partial<KubeObject["metadata"]> = {}): KubeObject {
    const resourceVersion = String((versions += 1));
    const ownerReferences = [
      { apiVersion: cr.apiVersion, kind: cr.kind, name: "a", uid: "cr", controller: true },
    ];
    return {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: {
        namespace: "ns",
        name: "child",
        uid,
        resourceVersion,
        creationTimestamp: "",
        ownerReferences,
        ...metadata,
      },
    };
  }

  /** A run, or a run that waits, after these changes. */
  async function run(...changes: readonly Change<KubeObject>[]): Promise<void> {
    for (const change of changes) guard.note(key, noteOf(change, ConfigMap, "child"));
    const causes = [{ reason: "modified" as const }];
    const gate = guard.admit({ key, causes, moreCauses: 0, failures: 0, waited: 0 });
    if (gate.kind === "run") await guard.tell(key, cr, new AbortController().signal);
    await clock.advance(100);
  }

  function create(uid: string): Change<KubeObject> {
    const object = child(uid);
    ownWrites.recordWrite(ConfigMap, object);
    return { type: "added", object, initial: false };
  }

  function told(): Condition | undefined {
    const draft = new StatusDraft({ cr, now: () => 0, write: () => Promise.resolve() });
    guard.contributeStatus(key, draft);
    return draft.condition("HotLoop");
  }

  it.each(["in the state that we wrote last", "in a state of its own"])(
    "blames who deletes a child %s, not the operator that makes it again",
    async (state) => {
      for (let round = 0; round < 10; round += 1) {
        const made = create(String(round));
        await run(made);
        const object = state === "in a state of its own" ? child(String(round)) : made.object;
        await run({ type: "deleted", object, synthetic: false });
      }
      expect(told()).toMatchObject({
        reason: "ForeignWrites",
        message: expect.stringMatching(
          /^ConfigMap ns\/child is deleted repeatedly by another client \(the API server does not record who deletes\): 5 /,
        ) as string,
      });
      expect(JSON.stringify(told())).not.toContain("widgets");
    },
  );

  it("blames who begins to delete a child that has finalizers", async () => {
    for (let round = 0; round < 10; round += 1) {
      const made = create(String(round));
      await run(made);
      const object = child(String(round), { deletionTimestamp: "now", finalizers: [] });
      await run({ type: "modified", old: made.object, object });
      await run({ type: "deleted", object: child(String(round)), synthetic: false });
    }
    expect(told()).toMatchObject({
      reason: "ForeignWrites",
      message: expect.stringContaining(
        "ConfigMap ns/child is deleted repeatedly by another client",
      ) as string,
    });
  });

  it("blames the operator for a child that it begins to delete itself, and makes again", async () => {
    for (let round = 0; round < 10; round += 1) {
      const made = create(String(round));
      await run(made);
      const object = child(String(round), { deletionTimestamp: "now", finalizers: ["example.com/wait"] });
      ownWrites.recordDelete(ConfigMap, object.metadata.uid, { left: object });
      await run({ type: "modified", old: made.object, object });
      await run({ type: "deleted", object: child(String(round)), synthetic: false });
    }
    expect(told()).toMatchObject({
      reason: "OwnWrites",
      message: expect.stringContaining(
        `ConfigMap ns/child is deleted and created repeatedly by this operator's own reconcile, as field manager "widgets"`,
      ) as string,
    });
  });

  it.each([
    [["widgets", "somebody-else"], 'by field manager "somebody-else"'],
    [["widgets"], "by an unknown writer"],
  ])("never names the operator as the foreign writer, of %j", async (managers, who) => {
    managedFields = managers.map((manager) => ({ manager, operation: "Update", fieldsV1: { "f:data": {} } }));
    const first: KubeObject & { data?: object } = child("one");
    let old = first;
    for (let round = 0; round < 10; round += 1) {
      const object = { ...child("one"), data: { round: String(round) } };
      await run({ type: "modified", old, object });
      old = object;
    }
    expect(told()).toMatchObject({
      reason: "ForeignWrites",
      message: expect.stringContaining(
        `ConfigMap ns/child (data.round) is written repeatedly ${who}:`,
      ) as string,
    });
  });

  it.each([
    ["of the resource", "a", "True"],
    ["of another resource, which it only watches", "b", undefined],
  ])("tells of a new child %s in each run", async (_whose, name, status) => {
    for (let round = 0; round < 10; round += 1) {
      const ownerReferences = [
        { apiVersion: cr.apiVersion, kind: cr.kind, name, uid: name, controller: true },
      ];
      const object = child(String(round), { name: `child-${round}`, ownerReferences });
      ownWrites.recordWrite(ConfigMap, object);
      await run({ type: "added", object, initial: false });
    }
    expect(told()?.status).toBe(status);
  });
});
