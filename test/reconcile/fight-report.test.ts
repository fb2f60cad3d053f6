import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../src/meta/object.ts";
import type { FieldFight } from "../../src/reconcile/comparison/field-fights.ts";
import { contributeFights, fieldFightCondition } from "../../src/reconcile/resources/fight-report.ts";
import { StatusDraft } from "../../src/reconcile/status/status-draft.ts";

const cr: KubeObject = {
  apiVersion: "cache.example.com/v1",
  kind: "Cache",
  metadata: { name: "a", uid: "1", resourceVersion: "1", creationTimestamp: "2026-01-01T00:00:00Z" },
};
const fight = (_: unknown, at: number): FieldFight => ({
  name: `ConfigMap/child-${at}`,
  paths: ["data.size"],
  writer: "somebody",
});

function messageOf(count: number): string {
  const status = new StatusDraft({ cr, now: () => 0, write: () => Promise.resolve() });
  contributeFights(status, Array.from({ length: count }, fight), "ours");
  return status.condition(fieldFightCondition)?.message ?? "";
}

describe("the condition FieldFight", () => {
  it("names each object that is fought about", () => {
    const message = messageOf(10);
    for (let at = 0; at < 10; at += 1) expect(message).toContain(`ConfigMap/child-${at},`);
    expect(message).not.toContain("more");
  });

  it("counts the rest of very many", () => {
    const message = messageOf(5_000);
    expect(message).toContain("; and the same of 4990 more");
    expect(message.length).toBeLessThan(2_000);
  });
});
