// Status writes that changed nothing: the schema drops a field that we write. Remembered, so that it is not written in
// every run; any other writer's change to the resource forgets it.
import { BoundedMap } from "../../collections/bounded-map.ts";

const remembered = 10_000;

interface SettledStatus {
  readonly resourceVersion: string;
  readonly patch: string;
}

/** For each custom resource, the last status patch and the state it led to. */
export class SettledStatuses {
  readonly #settled = new BoundedMap<string, SettledStatus>(remembered);

  /** Remembers that this patch led to this resource version and would be made again. */
  remember(uid: string, resourceVersion: string, patch: unknown): void {
    this.#settled.set(uid, { resourceVersion, patch: JSON.stringify(patch) });
  }

  /** Whether this very patch led to this resource version. */
  covers(uid: string, resourceVersion: string, patch: unknown): boolean {
    const settled = this.#settled.get(uid);
    return settled?.resourceVersion === resourceVersion && settled.patch === JSON.stringify(patch);
  }

  forget(uid: string): void {
    this.#settled.delete(uid);
  }
}
