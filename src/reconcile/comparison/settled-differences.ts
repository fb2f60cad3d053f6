// Differences that remain although we have just written: the server, or a webhook, has the last word on them.
// Remembered, so that they do not cause a write in every run. Lost at a restart: then one write more.
import { createHash } from "node:crypto";
import { BoundedMap } from "../../collections/bounded-map.ts";
import type { Difference } from "./intent-comparison.ts";

const remembered = 20_000;

/** For each object, the differences that its last write left. */
export class SettledDifferences {
  readonly #settled = new BoundedMap<string, string>(remembered);

  /** Remembers what a write of the intent with this hash left as it was. */
  remember(uid: string, hash: string, differences: readonly Difference[]): void {
    if (differences.length === 0) this.#settled.delete(uid);
    else this.#settled.set(uid, digestOf(hash, differences));
  }

  /** Whether these are the differences that the last write of this intent left. */
  covers(uid: string, hash: string, differences: readonly Difference[]): boolean {
    return this.#settled.get(uid) === digestOf(hash, differences);
  }
}

function digestOf(hash: string, differences: readonly Difference[]): string {
  const text = JSON.stringify(differences.map(({ path, live }) => [path, live ?? null]));
  return createHash("sha1").update(hash).update(text).digest("base64");
}
