// How far one registered resource has come in this run.
import type { Resource } from "./resource.ts";

/** A registered resource and what was done with it so far. */
export class RegistryEntry {
  readonly resource: Resource;
  /** Whether it is known to exist or not. */
  lookedUp = false;
  /** Whether it is known what it shall be. */
  mutated = false;
  /** Whether it was created, changed or found right: nothing is done twice in a run. */
  done = false;
  /** What failed: nothing more is done with it in this run. */
  failure: Error | undefined;

  constructor(resource: Resource) {
    this.resource = resource;
  }
}
