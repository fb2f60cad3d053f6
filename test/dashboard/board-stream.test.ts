import { expect, it } from "vitest";
import { Board } from "../../src/dashboard/board.ts";
import { streamBoard } from "../../src/dashboard/board-stream.ts";
import { createVirtualClock } from "../../src/testing/virtual-clock.ts";
import { lampObject } from "./lamp-object.ts";

it("tells a page that has come while the operator starts of its kinds and rows, then that these are all", async () => {
  const clock = createVirtualClock();
  const board = new Board({ now: () => clock.now(), sanitize: (value) => value });
  const sent: unknown[] = [];
  const stream = {
    send: (name: string, value: unknown) => void sent.push([name, value]),
    close: () => undefined,
  };
  const end = streamBoard(board, stream, clock);
  expect(sent.splice(0)).toEqual([
    ["start", {}],
    ["kinds", []],
  ]);
  for (const [kind, name] of [
    ["Lamp", "orders"],
    ["Lantern", "carts"],
  ] as const) {
    board.add({
      type: { group: "home.example.com", version: "v1", kind, plural: "lamps", namespaced: true },
      list: () => [{ ...lampObject(name, {}), kind }],
      subscribe: () => () => undefined,
      childrenOf: () => [],
      eventsOf: () => Promise.resolve([]),
    });
  }
  await clock.advance(1_000);
  const told = [
    ["kinds", ["Lamp", "Lantern"]],
    ["rows", [{ name: "orders" }, { name: "carts" }]],
    ["complete", {}],
  ];
  expect(sent.splice(0)).toMatchObject(told);
  end();

  const again = streamBoard(board, stream, clock);
  expect(sent).toMatchObject([["start", {}], ...told]);
  again();
  expect(clock.pendingTimers).toBe(0);
});
