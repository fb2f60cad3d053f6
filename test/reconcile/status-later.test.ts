// What a status draft has put off: drafted once somebody asks for it, or it is written.
import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../src/meta/object.ts";
import { StatusDraft } from "../../src/reconcile/status/status-draft.ts";

const cr = {
  apiVersion: "example.com/v1",
  kind: "Store",
  metadata: { name: "orders", uid: "u", resourceVersion: "1", generation: 3, creationTimestamp: "" },
  status: { observedGeneration: 2 },
} as unknown as KubeObject;

function draftOf(): { readonly draft: StatusDraft; readonly written: object[] } {
  const written: object[] = [];
  const write = async (status: StatusDraft): Promise<void> => void written.push({ ...status.fields });
  return { draft: new StatusDraft({ cr, now: () => 0, write }), written };
}

const ready = (reason: string) =>
  ({ type: "Ready", status: "False", reason, message: reason.toLowerCase() }) as const;

describe("what a status draft has put off", () => {
  it("is not drafted where nobody asks for it", () => {
    const { draft } = draftOf();
    draft.draftLater(() => expect.unreachable("it was drafted"));
    draft.setCondition(ready("Hook"));
    draft.merge({ size: 1 });
    draft.dropLater();
    expect(draft.fields).toMatchObject({ size: 1, conditions: [{ reason: "Hook" }] });
  });

  it.each<[string, (draft: StatusDraft) => unknown]>([
    ["its fields are read", (draft) => draft.fields],
    ["its conditions are read", (draft) => draft.conditions],
    ["a condition is read", (draft) => draft.condition("Ready")],
    ["a condition is removed", (draft) => draft.removeCondition("Other")],
    ["the operator sets a condition", (draft) => draft.putCondition({ ...ready("Own"), type: "Own" })],
    ["it is written", (draft) => draft.flush()],
  ])("is drafted once %s, and only once", async (_when, ask) => {
    const { draft } = draftOf();
    let times = 0;
    draft.draftLater(() => (times += 1));
    await ask(draft);
    await ask(draft);
    expect(times).toBe(1);
  });

  it("takes the place of what was put off before, and gives way to what a hook has said since", () => {
    const { draft } = draftOf();
    draft.draftLater(() => expect.unreachable("the first was drafted"));
    draft.draftLater(() => {
      draft.putCondition({ ...ready("Passed"), type: "Lifecycle" });
      draft.putCondition(ready("Passed"));
    });
    draft.setCondition(ready("Hook"));
    expect(draft.condition("Ready")?.reason).toBe("Hook");
    expect(draft.condition("Lifecycle")?.reason).toBe("Passed");
  });

  it("speaks about the generation of when it was put off", () => {
    const { draft } = draftOf();
    draft.speakOf("observed");
    draft.draftLater(() => draft.putCondition(ready("Passed")));
    draft.speakOf("present");
    draft.putCondition({ ...ready("Own"), type: "Own" });
    const generations = draft.conditions.map(({ type, observedGeneration }) => [type, observedGeneration]);
    expect(Object.fromEntries(generations)).toEqual({ Ready: 2, Own: 3 });
  });

  it("is stored with the rest, unless all is taken back", async () => {
    const [kept, gone] = [draftOf(), draftOf()];
    for (const { draft } of [kept, gone]) draft.draftLater(() => draft.put("lifecycle", { state: "Start" }));
    gone.draft.withdraw();
    await Promise.all([kept, gone].map(({ draft }) => draft.flush()));
    expect(kept.written).toEqual([{ observedGeneration: 2, lifecycle: { state: "Start" } }]);
    expect(gone.written).toEqual([{ observedGeneration: 2 }]);
  });
});
