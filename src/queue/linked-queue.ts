// A first-in-first-out list from whose middle values can be taken out in constant time.
// Not a Map: deleting a Map's first entry again and again leaves holes that every look at the new first has to skip.

/** The place of one value in a {@link LinkedQueue}. */
export interface LinkedNode<T> {
  readonly value: T;
  next: LinkedNode<T> | undefined;
  previous: LinkedNode<T> | undefined;
}

/** A queue whose values can leave from anywhere. A node belongs to one queue and leaves it once. */
export class LinkedQueue<T> {
  #first: LinkedNode<T> | undefined;
  #last: LinkedNode<T> | undefined;

  /** The value that has been here longest. */
  get first(): LinkedNode<T> | undefined {
    return this.#first;
  }

  get isEmpty(): boolean {
    return this.#first === undefined;
  }

  /** Appends a value; the node takes it out again. */
  push(value: T): LinkedNode<T> {
    const node: LinkedNode<T> = { value, next: undefined, previous: this.#last };
    if (this.#last === undefined) this.#first = node;
    else this.#last.next = node;
    this.#last = node;
    return node;
  }

  /** Takes a node of this queue out. */
  remove(node: LinkedNode<T>): void {
    if (node.previous === undefined) this.#first = node.next;
    else node.previous.next = node.next;
    if (node.next === undefined) this.#last = node.previous;
    else node.next.previous = node.previous;
    node.next = undefined;
    node.previous = undefined;
  }
}
