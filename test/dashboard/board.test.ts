import { describe, expect, it } from "vitest";
import { Board, type BoardChange } from "../../src/dashboard/board.ts";
import type { KubeObject } from "../../src/meta/object.ts";
import { lampObject } from "./lamp-object.ts";

function lampBoard() {
  const board = new Board({ now: () => 0, sanitize: (value) => value });
  const changes: BoardChange[] = [];
  let tell: (object: KubeObject, gone: boolean) => void = () => undefined;
  board.add({
    type: { group: "home.example.com", version: "v1", kind: "Lamp", plural: "lamps", namespaced: true },
    list: () => [],
    subscribe: (listener) => {
      tell = listener;
      return () => undefined;
    },
    childrenOf: () => [],
    eventsOf: () => Promise.resolve([]),
  });
  board.subscribe((change) => changes.push(change));
  return { board, changes, tell: (object: KubeObject, gone = false) => tell(object, gone) };
}

function withUid(lamp: KubeObject, uid: string): KubeObject {
  return { ...lamp, metadata: { ...lamp.metadata, uid } };
}

describe("the board", () => {
  const [first, second] = ["first", "second"].map((uid) => withUid(lampObject("orders", {}), uid));
  if (first === undefined || second === undefined) throw new Error("two lamps");

  it("has no resource whose name another one has taken, whether its deletion is told or not", () => {
    for (const late of [false, true]) {
      const { board, changes, tell } = lampBoard();
      tell(first);
      tell(second);
      if (late) tell(first, true);
      expect(board.rows().map(({ uid }) => uid)).toEqual(["second"]);
      expect(board.find("Lamp", "default", "orders")?.object).toBe(second);
      expect(changes.filter((change) => "gone" in change)).toEqual([{ gone: "first" }]);
    }
  });

  it("has none that was deleted, and another one of its name again", () => {
    const { board, tell } = lampBoard();
    tell(first);
    tell(first, true);
    expect(board.rows()).toEqual([]);
    expect(board.find("Lamp", "default", "orders")).toBeUndefined();
    tell(second);
    expect(board.find("Lamp", "default", "orders")?.object).toBe(second);
    expect(board.find("Lamp", undefined, "orders")).toBeUndefined();
    expect(board.find("Other", "default", "orders")).toBeUndefined();
  });
});
