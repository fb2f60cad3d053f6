import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DelayHeap, notDelayed, type Delayed } from "../../src/queue/delay-heap.ts";

const step = fc.oneof(
  fc.record({ push: fc.integer({ min: 0, max: 100 }) }),
  fc.record({ remove: fc.nat(200) }),
  fc.record({ pop: fc.constant(true) }),
);

describe("delay heap", () => {
  it("always has the earliest entry first, whatever was taken out of the middle", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200, size: "max" }), (steps) => {
        const heap = new DelayHeap<Delayed>();
        const model: Delayed[] = [];
        for (const each of steps) {
          if ("push" in each) {
            const entry = { due: each.push, position: notDelayed };
            model.push(entry);
            heap.push(entry);
          } else {
            const entry = "pop" in each ? heap.first : model[each.remove % Math.max(1, model.length)];
            if (entry === undefined) continue;
            heap.remove(entry);
            heap.remove(entry);
            expect(entry.position).toBe(notDelayed);
            model.splice(model.indexOf(entry), 1);
          }
          expect(heap.size).toBe(model.length);
          expect(heap.first?.due).toBe(
            model.length === 0 ? undefined : Math.min(...model.map(({ due }) => due)),
          );
        }
      }),
    );
  });
});
