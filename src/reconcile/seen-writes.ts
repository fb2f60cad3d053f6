// Which of a run's writes need no other run: those that every hook has seen, or could not have read before. The event of such a write says nothing
// that the run did not know, as its answer was the whole object. What an author has written through the client is not among them.
// Filled by the run's resources, and by what hooks read; src/controller/changes forgets the events.
import type { KubeObject } from "../meta/object.ts";
import type { ResourceType } from "../meta/resource-type.ts";

interface Write {
  readonly type: string;
  readonly object: KubeObject;
  /** Whether a hook may go by what was there before. */
  isUnseen: boolean;
}

/** The writes of one run, and what its hooks had read when they were made. */
export class SeenWrites {
  readonly #writes: Write[] = [];
  /** Types that hooks of this cycle have read. */
  readonly #read = new Set<string>();
  /** The same of hooks that have their turn once in a run. */
  #readOnce: ReadonlySet<string> | undefined;
  /** Whether they may have read anything. */
  #isAnyRead = false;

  /** A hook reads objects of a type. */
  noteRead(type: ResourceType): void {
    this.#read.add(nameOf(type));
  }

  /** A hook reads nobody knows what. */
  noteAnyRead(): void {
    this.#isAnyRead = true;
  }

  /** A resource was written; `usesLive`: what it was rendered from may follow from what was there before. */
  noteWrite(type: ResourceType, object: KubeObject, usesLive: boolean): void {
    const name = nameOf(type);
    this.#writes.push({ type: name, object, isUnseen: usesLive || this.#isRead(name) });
  }

  /** From now on come the hooks that have their turn in each cycle. */
  beginFirstCycle(): void {
    if (this.#read.size > 0) this.#readOnce = new Set(this.#read);
  }

  /** Another cycle begins: its hooks see what was written so far. */
  beginNextCycle(): void {
    this.#read.clear();
    for (const write of this.#writes) {
      write.isUnseen = this.#isAnyRead || this.#readOnce?.has(write.type) === true;
    }
  }

  /** What was written and seen. */
  list(): readonly KubeObject[] {
    return this.#writes.flatMap(({ object, isUnseen }) => (isUnseen ? [] : [object]));
  }

  #isRead(name: string): boolean {
    return this.#isAnyRead || this.#read.has(name) || this.#readOnce?.has(name) === true;
  }
}

/** Whatever the version and the representation. */
function nameOf({ group, kind }: ResourceType): string {
  return `${group}/${kind}`;
}
