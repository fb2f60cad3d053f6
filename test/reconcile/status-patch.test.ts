import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Patch } from "../../src/client/index.ts";
import { applyJsonPatch } from "../../src/cluster/patch/json-patch.ts";
import { applyMergePatch } from "../../src/cluster/patch/merge-patch.ts";
import { statusChangeOf, statusPatchOf } from "../../src/reconcile/status/status-draft.ts";

const names = fc.constantFrom("lifecycle", "ready", "a/b", "c~d");
const value = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom(null, 0, "x", true),
    fc.array(tie("value"), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom("p", "q", "r"), tie("value"), { maxKeys: 3 }),
  ),
})).value;
const status = fc.dictionary(names, value, { maxKeys: 4 });

/** Top-level fields that are null are none. */
const present = (fields: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(fields).filter(([, each]) => each !== null));

function applied(object: unknown, { type, body }: Patch): unknown {
  return type === "json" ? applyJsonPatch(object, body) : applyMergePatch(object, body);
}

describe("the patch of a status", () => {
  it("leads to the status, whatever in it is null", () => {
    fc.assert(
      fc.property(status, status, (former, after) => {
        const before = present(former);
        const change = statusChangeOf(before, after);
        const object = {
          metadata: { resourceVersion: "1" },
          ...(Object.keys(before).length === 0 ? {} : { status: before }),
        };
        const written = change === undefined ? object : applied(object, statusPatchOf(change, "1"));
        expect(present((written as typeof object).status ?? {})).toEqual(present(after));
        expect(statusChangeOf(present(after), after)).toBeUndefined();
      }),
      { examples: [[{ "c~d": { p: null } }, { "c~d": {} }]] },
    );
  });

  it("sends no more than what differs", () => {
    const before = { phase: "Up", lifecycle: { state: "A", snapshot: { context: { n: 1 } } } };
    const after = { phase: "Up", lifecycle: { state: "B", snapshot: { context: { n: 1 } } } };
    const change = statusChangeOf(before, after);
    expect(change).toEqual({ type: "merge", status: { lifecycle: { state: "B" } } });
  });
});
