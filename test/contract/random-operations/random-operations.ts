// Draws operations on an API server, one after the other: which sort of operation, about which object.
import type { RandomNumber } from "../../cluster/fuzz/random-json.ts";
import { Drawing } from "./drawing.ts";
import { drawCollectionDeletion, drawDeletion } from "./drawn-deletions.ts";
import { drawPatch } from "./drawn-patches.ts";
import { drawRead } from "./drawn-reads.ts";
import { drawChange, drawCreation, drawReplacement, drawSubresource } from "./drawn-writes.ts";
import { drawOddRequest } from "./odd-requests.ts";
import type { Operation, Place } from "./operation.ts";
import type { RandomKind } from "./random-kind.ts";

/** Sorts of operations, each with its share of all. */
const sorts: readonly (readonly [number, (draw: Drawing, place: Place) => Operation])[] = [
  [0.16, drawCreation],
  [0.06, drawReplacement],
  [0.12, drawChange],
  [0.32, drawPatch],
  [0.12, drawSubresource],
  [0.1, drawDeletion],
  [0.02, drawCollectionDeletion],
  [0.07, drawRead],
  [0.03, drawOddRequest],
];

/** Draws operations about some kinds. */
export class RandomOperations {
  readonly #draw: Drawing;
  readonly #kinds: readonly RandomKind[];

  constructor(random: RandomNumber, kinds: readonly RandomKind[]) {
    this.#draw = new Drawing(random);
    this.#kinds = kinds;
  }

  next(): Operation {
    const draw = this.#draw;
    const place: Place = {
      kind: draw.pick(this.#kinds),
      namespace: draw.chance(0.85) ? "first" : "second",
      name: draw.chance(0.06) ? "@name" : draw.pick(["one", "two"]),
    };
    let roll = draw.roll();
    for (const [share, sort] of sorts) {
      if (roll < share) return sort(draw, place);
      roll -= share;
    }
    return drawOddRequest(draw, place);
  }
}
